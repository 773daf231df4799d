// What a trace's page and its drawings call it. They are handed on, so they say nothing of the
// folder where a file lies, which may be the learner's own.
#pragma once

#include <string>

#include "trace/trace.hpp"

namespace gemm_tutor {

std::string file_name(const Trace& trace);  // "kernel.cu"
std::string title_of(const Trace& trace);   // "Trace of lesson 3 · A tile in shared memory"

}  // namespace gemm_tutor
