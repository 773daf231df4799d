// The place of an error in a file.
#pragma once

#include <string>
#include <string_view>

#include "support/error.hpp"

namespace gemm_tutor {

struct FilePlace {
  std::string file;
  unsigned line = 0;
  std::string_view page = "docs/teaching.md";  // the page that describes such files

  // Makes an Error (usage), "lesson.toml:7: …". The default help says that `page` describes every
  // key.
  Error error(const std::string& what) const;
  Error error(const std::string& what, std::string help) const;

  // Returns what `action` returns. If it throws an Error, throws it again with this place.
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
