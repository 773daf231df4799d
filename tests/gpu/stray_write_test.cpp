// The one test here that leaves the GPU unusable for its process. CTest runs each test in a process
// of its own; who runs the program by itself leaves this one out: test_gpu "~[last]".
#include "catch.hpp"
#include "gemm/matrices.hpp"
#include "gpu/gpu.hpp"
#include "ptx_kernels.hpp"
#include "support/error.hpp"

using namespace gemm_tutor;

TEST_CASE("a kernel that writes where no memory is is wrong, and the last that this process runs",
          "[last]") {
  if (!gpu::status().available) SKIP_BECAUSE(gpu::status().problem);
  const Problem problem{8, 8, 8};
  const Matrices matrices = make_matrices(problem, 1);
  {
    gpu::Session session(problem, matrices.a, matrices.b);
    try {
      session.run(gpu::ptx_kernel("write_nowhere", {{1}, {32}}));
      FAIL("a store to address 0 went unnoticed");
    } catch (const Error& error) {
      CHECK(error.status() == ExitStatus::wrong_result);
      CHECK(std::string(error.what()).find("CUDA_ERROR_ILLEGAL_ADDRESS") != std::string::npos);
    }
  }  // and its buffers are freed, as well as they can be
  try {
    gpu::Session session(problem, matrices.a, matrices.b);
    FAIL("the driver went on after an illegal address");
  } catch (const Error& error) {
    CHECK(error.status() == ExitStatus::unavailable);
  }
}
