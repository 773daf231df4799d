// Where in a file something is wrong.
#pragma once

#include <string>
#include <string_view>

#include "support/error.hpp"

namespace gemm_tutor {

struct FilePlace {
  std::string file;
  unsigned line = 0;
  std::string_view page = "docs/teaching.md";  // that describes such files

  // (usage) "lesson.toml:7: …", with the help that `page` has every key unless another is given.
  Error error(const std::string& what) const;
  Error error(const std::string& what, std::string help) const;

  // What `action` returns. An Error that it throws gets this place.
  template <typename Action>
  auto check(Action action) const {
    try {
      return action();
    } catch (const Error& wrong) {
      throw error(wrong.what(), wrong.help());
    }
  }
};

}  // namespace gemm_tutor
