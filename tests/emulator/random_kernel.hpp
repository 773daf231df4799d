// Random functions of a thread's number: integer arithmetic, branches and loops, as CUDA C++ and as
// the CPU computes them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace gemm_tutor::simt {

class RandomFunction {
 public:
  explicit RandomFunction(std::uint64_t seed);
  RandomFunction(RandomFunction&&) noexcept;
  ~RandomFunction();

  std::string text(const std::string& name) const;
  std::uint32_t value(std::uint32_t thread) const;

 private:
  struct Body;
  std::unique_ptr<Body> body_;
};

}  // namespace gemm_tutor::simt
