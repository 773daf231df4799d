// How the fuzzers change text: by tokens, as a person mistypes it, and now and then by bytes, as
// libFuzzer does. Each fuzzer names the words that its language has.
#pragma once

#include <span>
#include <string_view>

namespace gemm_tutor::fuzz {

extern const std::span<const std::string_view> words;

}  // namespace gemm_tutor::fuzz
