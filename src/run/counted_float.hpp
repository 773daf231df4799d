// A float that counts reads and writes of memory. A CPU kernel runs with this type to count its
// memory accesses.
#pragma once

#include <cstdint>

namespace gemm_tutor {

class CountedFloat {
 public:
  CountedFloat& operator=(float value) {
    ++stores;
    value_ = value;
    return *this;
  }
  CountedFloat& operator+=(float value) { return *this = *this + value; }
  operator float() const {
    ++loads;
    return value_;
  }

  inline static thread_local std::int64_t loads = 0, stores = 0;  // of all objects

 private:
  float value_ = 0;
};

}  // namespace gemm_tutor
