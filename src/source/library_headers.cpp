#include "source/library_headers.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace gemm_tutor::source {
namespace {

constexpr auto host_only = std::to_array<std::string_view>(
    {// C
     "assert.h", "complex.h", "ctype.h", "errno.h", "fenv.h", "locale.h", "malloc.h", "math.h",
     "memory.h", "setjmp.h", "signal.h", "stdarg.h", "stdbool.h", "stddef.h", "stdio.h", "stdlib.h",
     "string.h", "strings.h", "time.h", "wchar.h",
     // C++
     "any", "array", "atomic", "barrier", "bit", "bitset", "cassert", "ccomplex", "cctype",
     "cerrno", "cfenv", "charconv", "chrono", "clocale", "codecvt", "compare", "complex",
     "concepts", "condition_variable", "coroutine", "csetjmp", "csignal", "cstdarg", "cstdbool",
     "cstddef", "cstdio", "cstdlib", "cstring", "ctime", "cuchar", "cwchar", "cwctype", "deque",
     "exception", "execution", "filesystem", "format", "forward_list", "fstream", "functional",
     "future", "initializer_list", "iomanip", "ios", "iosfwd", "iostream", "istream", "iterator",
     "latch", "limits", "list", "locale", "map", "memory", "memory_resource", "mutex", "new",
     "numbers", "numeric", "optional", "ostream", "queue", "random", "ranges", "ratio", "regex",
     "scoped_allocator", "semaphore", "set", "shared_mutex", "source_location", "span", "sstream",
     "stack", "stdexcept", "stop_token", "streambuf", "string", "string_view", "strstream",
     "syncstream", "system_error", "thread", "tuple", "type_traits", "typeindex", "typeinfo",
     "unordered_map", "unordered_set", "utility", "valarray", "variant", "vector", "version",
     "bits/*", "experimental/*", "ext/*",
     // Operating systems
     "arpa/*", "conio.h", "direct.h", "dirent.h", "dlfcn.h", "err.h", "fcntl.h", "getopt.h",
     "intrin.h", "io.h", "libgen.h", "linux/*", "mach/*", "netinet/*", "omp.h", "poll.h",
     "process.h", "pthread.h", "pwd.h", "sched.h", "sys/*", "sysexits.h", "syslog.h", "termios.h",
     "unistd.h", "windows.h", "Windows.h", "*intrin.h",
     // CUDA for the host
     "cuda.h", "cudaProfiler.h", "cuda_profiler_api.h", "cuda_runtime.h", "cuda_runtime_api.h",
     "cuda_gl_interop.h", "cuda_occupancy.h", "cudaTypedefs.h", "cudart_platform.h",
     "cuda_device_runtime_api.h", "device_functions.h", "device_launch_parameters.h",
     "driver_functions.h", "driver_types.h", "host_config.h", "host_defines.h", "math_functions.h",
     "nvrtc.h", "sm_*_functions.h", "sm_*_intrinsics.h", "vector_functions.h", "vector_types.h",
     "nvml.h", "nvToolsExt*", "nvtx3/*", "cupti*", "nvperf*", "nvbench/*", "nvJitLink.h",
     // CUDA's libraries for the host, and what comes with its samples
     "cublas*", "cudnn*", "cufft*", "cufile.h", "curand.h", "cusolver*", "cusparse*", "cutensor*",
     "nccl.h", "npp*", "nvjpeg*", "nvgraph.h", "nvshmem*", "helper_*.h", "exception.h",
     "hip/hip_runtime.h", "mpi.h",
     // Libraries for the host
     "ATen/*", "Eigen/*", "Python.h", "THC/*", "TH/*", "absl/*", "benchmark/*", "boost/*", "c10/*",
     "caffe2/*", "catch.hpp", "catch2/*", "cblas*", "cxxopts.hpp", "doctest/*", "fmt/*", "gflags/*",
     "glog/*", "gmock/*", "gtest/*", "jax*", "mkl*", "nanobind/*", "nlohmann/*", "numpy/*",
     "opencv/*", "opencv2/*", "openblas*", "pybind11/*", "spdlog/*", "stb_*", "tensorflow/*",
     "thrust/*", "torch/*", "xla/*"});

constexpr auto unsupported = std::to_array<std::pair<std::string_view, std::string_view>>(
    {{"cutlass/", "CUTLASS"},
     {"cute/", "CUTLASS"},
     {"cub/", "CUB"},
     {"cooperative_groups", "cooperative groups"},
     {"mma.h", "tensor cores"},
     {"raft/", "RAFT"},
     {"kittens", "ThunderKittens"},
     {"cccl/", "CCCL"}});

bool fits(std::string_view pattern, std::string_view header) {
  const std::size_t star = pattern.find('*');
  if (star == pattern.npos) return header == pattern;
  const std::string_view begin = pattern.substr(0, star), end = pattern.substr(star + 1);
  return header.size() >= begin.size() + end.size() && header.starts_with(begin) &&
         header.ends_with(end);
}

}  // namespace

std::span<const std::string_view> host_only_headers() { return host_only; }

bool is_host_only_header(std::string_view header) {
  return std::ranges::any_of(host_only, [&](std::string_view one) { return fits(one, header); });
}

std::string_view unsupported_library(std::string_view header) {
  const auto found = std::ranges::find_if(
      unsupported, [&](const auto& one) { return header.starts_with(one.first); });
  return found == unsupported.end() ? "" : found->second;
}

}  // namespace gemm_tutor::source
