// An exercise with a library: what is outside of its kernel stands for a library that the kernel
// calls.
#pragma once

#include <string_view>

#include "exercise/exercise.hpp"
#include "simt/emulator.hpp"

namespace gemm_tutor {

// Returns the multiply-adds, of threads, that the library did not do in a run of `source`: those in
// the kernel's lines. They are all of them unless everything outside of the kernel, and every
// directive, is as it was handed out; comments do not matter.
double multiply_adds_of_no_library(const Exercise& exercise, std::string_view source,
                                   const emulator::Result& result);

}  // namespace gemm_tutor
