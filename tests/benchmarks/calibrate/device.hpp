// The GPU as calibrate uses it: one module of kernels, a few buffers, launches that are waited for.
// Every call's return code is checked; a failure is an Error (unavailable).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "gpu/driver.hpp"

namespace gemm_tutor::calibration {

using namespace gemm_tutor::gpu;

// As in kernels.cu.
struct Arguments {
  CUdeviceptr input = 0, output = 0, clocks = 0;
  long long bytes = 0;
  int iterations = 1;
  int offsets[32] = {};
};

struct Shape {
  int blocks = 1, threads = 32, dynamic_shared_bytes = 0;
};

class Buffer {
 public:
  Buffer(const gpu::Driver& driver, std::size_t bytes);
  ~Buffer();
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  CUdeviceptr address() const { return address_; }
  std::size_t bytes() const { return bytes_; }
  void copy_from(const std::vector<std::uint64_t>& values);
  template <typename Value>
  std::vector<Value> copy(std::size_t count) const {
    std::vector<Value> values(count);
    driver_.check(driver_.copy_to_host(values.data(), address_, count * sizeof(Value)),
                  "cuMemcpyDtoH");
    return values;
  }
  void fill(unsigned word);

 private:
  const gpu::Driver& driver_;
  std::size_t bytes_;
  CUdeviceptr address_ = 0;
};

class Device {
 public:
  // With the kernels of a cubin.
  explicit Device(const std::vector<char>& cubin);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  void launch(const std::string& kernel, const Shape& shape, Arguments arguments);
  void wait();
  // Between two events around `start`, all on one stream.
  double milliseconds(const std::function<void()>& start);
  int attribute(CUdevice_attribute which) const;
  const gpu::Driver& driver() const { return driver_; }

 private:
  CUfunction function(const std::string& kernel);

  const gpu::Driver& driver_;
  CUdevice device_ = 0;
  CUmodule module_ = nullptr;
  CUevent begin_ = nullptr, end_ = nullptr;
  std::map<std::string, CUfunction> functions_;
  std::string launched_;  // last, for what is said when it fails
};

// Throws Error (unavailable) without a GPU.
const gpu::Driver& driver_in_context();

}  // namespace gemm_tutor::calibration
