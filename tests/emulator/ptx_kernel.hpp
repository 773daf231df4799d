// Kernels written in PTX, small enough to show one thing, run by the emulator as any other.
#pragma once

#include <string>
#include <vector>

#include "simt/emulator.hpp"

namespace gemm_tutor::simt {

// A module of one entry, "kernel", whose parameters are the addresses of `buffers` buffers. The
// body finds them in %buffer0, %buffer1, … and may use the registers %p, %rs, %r, %f, %rd and %fd,
// numbered 0 to 39. `variables` are declared ahead of it: ".shared .align 4 .b8 s[128];".
std::string ptx_module(const std::string& body, int buffers, const std::string& variables = "");

template <typename T>
Buffer buffer_of(std::vector<T>& data, const std::string& name = "A") {
  Buffer buffer;
  buffer.name = name;
  buffer.data = data.data();
  buffer.bytes = data.size() * sizeof(T);
  return buffer;
}

// The buffers are the kernel's parameters, in their order.
Result run_ptx(const std::string& module, const Launch& launch, const std::vector<Buffer>& buffers,
               const Options& options = {});

inline const Launch one_warp{{1, 1, 1}, {32, 1, 1}, 0};

// "kind@line, …", for a message of a failed check and for comparing.
std::string kinds(const Result& result);

}  // namespace gemm_tutor::simt
