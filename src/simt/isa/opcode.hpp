// Helper functions for the words of PTX opcodes.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <string_view>

namespace gemm_tutor::emulator {

inline bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace gemm_tutor::emulator
