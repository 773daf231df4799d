// A float in memory that counts how often it is read and written: a CPU kernel's own code, run on
// these, says what it does to memory.
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

  inline static thread_local std::int64_t loads = 0, stores = 0;  // of all, since last set

 private:
  float value_ = 0;
};

}  // namespace gemm_tutor
