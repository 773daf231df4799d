// A thread's story in words, as `trace --thread` and the pages say it. Each may hold unbreakable()
// spaces.
#pragma once

#include <string>
#include <vector>

#include "trace/thread_story.hpp"

namespace gemm_tutor {

// "2·128 + 9 = 265" beside a line that names its only variable; else with names.
std::string in_words(const WorkedLine& line);

// "reads A[4][4…7], A[68][4…7]  (2 requests)".
std::string in_words(const LineAccess& access);

// What a thread owns: "4 elements of C: C[4…7][4]".
std::string in_words(const std::vector<ElementBlock>& owned);

}  // namespace gemm_tutor
