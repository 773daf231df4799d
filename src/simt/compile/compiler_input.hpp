// Makes a compiler's input from the user's files.
#pragma once

#include <set>
#include <string>

#include "simt/compile/device_compiler.hpp"
#include "simt/compiler.hpp"

namespace gemm_tutor::simt {

enum class CodeKept { of_device, of_kernel, all_but_host_functions };

// Reduces the request's files, makes their includes of headers for the host and of those in
// `absent` empty, and lets their other includes name the headers of the result. Lines and names of
// files stay the user's.
CompilerInput compiler_input(const CompileRequest& request, CodeKept kept,
                             const std::set<std::string>& absent = {});

// Returns "-std=c++20" if the request's files have keywords of C++20, otherwise "-std=c++17".
std::string standard_option(const CompileRequest& request);

// True if a kernel may be in the request's files.
bool has_kernel(const CompileRequest& request);

// True if the files may include a file that is not in the request, whose changes the cache would
// not notice. It may be true unnecessarily, which costs only time.
bool may_include_unknown_files(const CompileRequest& request);

}  // namespace gemm_tutor::simt
