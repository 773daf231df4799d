// Where in a file of a lesson something is wrong.
#pragma once

#include <string>

#include "support/error.hpp"

namespace gemm_tutor {

struct FilePlace {
  std::string file;
  unsigned line = 0;

  // (usage) "lesson.toml:7: …", with the help that docs/teaching.md has every key unless another is
  // given.
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
