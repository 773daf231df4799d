#include "device.hpp"

#include "support/error.hpp"

namespace gemm_tutor::calibration {

const gpu::Driver& driver_in_context() {
  const gpu::DriverStatus& status = gpu::driver_status();
  if (!status.driver) throw Error(ExitStatus::unavailable, status.problem, status.help);
  status.driver->use_context();
  return *status.driver;
}

Buffer::Buffer(const gpu::Driver& driver, std::size_t bytes) : driver_(driver), bytes_(bytes) {
  driver_.check(driver_.allocate(&address_, bytes), "cuMemAlloc");
}

Buffer::~Buffer() { driver_.free(address_); }

void Buffer::copy_from(const std::vector<std::uint64_t>& values) {
  driver_.check(driver_.copy_to_device(address_, values.data(), values.size() * sizeof values[0]),
                "cuMemcpyHtoD");
}

void Buffer::fill(unsigned word) {
  driver_.check(driver_.fill_words(address_, word, bytes_ / sizeof word), "cuMemsetD32");
}

Device::Device(const std::vector<char>& cubin) : driver_(driver_in_context()) {
  driver_.check(driver_.device(&device_, 0), "cuDeviceGet");
  driver_.check(driver_.load_module(&module_, cubin.data()), "cuModuleLoadData");
  driver_.check(driver_.create_event(&begin_, CU_EVENT_DEFAULT), "cuEventCreate");
  driver_.check(driver_.create_event(&end_, CU_EVENT_DEFAULT), "cuEventCreate");
}

Device::~Device() {
  if (end_) driver_.destroy_event(end_);
  if (begin_) driver_.destroy_event(begin_);
  if (module_) driver_.unload_module(module_);
}

CUfunction Device::function(const std::string& kernel) {
  CUfunction& found = functions_[kernel];
  if (!found)
    driver_.check(driver_.function(&found, module_, kernel.c_str()), "cuModuleGetFunction");
  return found;
}

void Device::launch(const std::string& kernel, const Shape& shape, Arguments arguments) {
  const CUfunction launched = function(kernel);
  if (shape.dynamic_shared_bytes > 0) {
    driver_.check(driver_.set_attribute(launched, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                        shape.dynamic_shared_bytes),
                  "cuFuncSetAttribute");
  }
  void* parameters[] = {&arguments};
  driver_.check(driver_.launch(launched, static_cast<unsigned>(shape.blocks), 1, 1,
                               static_cast<unsigned>(shape.threads), 1, 1,
                               static_cast<unsigned>(shape.dynamic_shared_bytes), nullptr,
                               parameters, nullptr),
                ("cuLaunchKernel of " + kernel).c_str());
  launched_ = kernel;
}

void Device::wait() {
  driver_.check(driver_.synchronize(), ("cuCtxSynchronize after " + launched_).c_str());
}

double Device::milliseconds(const std::function<void()>& start) {
  driver_.check(driver_.record(begin_, nullptr), "cuEventRecord");
  start();
  driver_.check(driver_.record(end_, nullptr), "cuEventRecord");
  driver_.check(driver_.wait(end_), ("cuEventSynchronize after " + launched_).c_str());
  float result = 0;
  driver_.check(driver_.elapsed(&result, begin_, end_), "cuEventElapsedTime");
  return result;
}

int Device::attribute(CUdevice_attribute which) const {
  int value = 0;
  driver_.check(driver_.device_attribute(&value, which, device_), "cuDeviceGetAttribute");
  return value;
}

}  // namespace gemm_tutor::calibration
