#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "gemm/matrices.hpp"
#include "gpu/cublas.hpp"
#include "gpu/driver.hpp"
#include "gpu/gpu.hpp"
#include "support/error.hpp"
#include "support/text.hpp"

namespace gemm_tutor::gpu {
namespace {

// In its context.
const Driver& driver_or_throw() {
  const DriverStatus& status = driver_status();
  if (!status.driver) throw Error(ExitStatus::unavailable, status.problem, status.help);
  status.driver->use_context();
  return *status.driver;
}

// Throws unless its matrices fit in the memory that is free.
const Problem& that_fits(const Problem& problem, const Driver& driver) {
  std::size_t free = 0, total = 0;
  driver.check(driver.memory_info(&free, &total), "cuMemGetInfo");
  if (problem.bytes() <= static_cast<double>(free)) return problem;
  throw Error(ExitStatus::unavailable,
              fmt::format("the matrices need {} of the GPU's memory, and {} of {} is free",
                          human_bytes(problem.bytes()), human_bytes(static_cast<double>(free)),
                          human_bytes(static_cast<double>(total))),
              "Choose a smaller --size.");
}

class DeviceBuffer {
 public:
  DeviceBuffer(const Driver& driver, std::size_t elements) : driver_(driver), elements_(elements) {
    driver_.check(driver_.allocate(&address_, elements * sizeof(float)), "cuMemAlloc");
  }
  ~DeviceBuffer() { driver_.free(address_); }
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;

  CUdeviceptr address() const { return address_; }

  void copy_from(std::span<const float> values) {
    driver_.check(driver_.copy_to_device(address_, values.data(), values.size_bytes()),
                  "cuMemcpyHtoD");
  }
  void fill(std::uint32_t bits) {
    driver_.check(driver_.fill_words(address_, bits, elements_), "cuMemsetD32");
  }
  std::vector<float> copy() const {
    std::vector<float> values(elements_);
    driver_.check(driver_.copy_to_host(values.data(), address_, elements_ * sizeof(float)),
                  "cuMemcpyDtoH");
    return values;
  }

 private:
  const Driver& driver_;
  std::size_t elements_;
  CUdeviceptr address_ = 0;
};

class Event {
 public:
  explicit Event(const Driver& driver) : driver_(driver) {
    driver_.check(driver_.create_event(&event_, CU_EVENT_DEFAULT), "cuEventCreate");
  }
  ~Event() { driver_.destroy_event(event_); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  void record() { driver_.check(driver_.record(event_, nullptr), "cuEventRecord"); }
  // Waits for this event, too.
  double milliseconds_since(const Event& earlier) const {
    driver_.check(driver_.wait(event_), "cuEventSynchronize");
    float result = 0;
    driver_.check(driver_.elapsed(&result, earlier.event_, event_), "cuEventElapsedTime");
    return result;
  }

 private:
  const Driver& driver_;
  CUevent event_ = nullptr;
};

class LoadedKernel {
 public:
  LoadedKernel(const Driver& driver, const DeviceKernel& kernel)
      : driver_(driver), launch_(kernel.launch) {
    driver_.check(driver_.load_module(&module_, kernel.cubin.data()), "cuModuleLoadData");
    try {
      driver_.check(driver_.function(&function_, module_, kernel.lowered_name.c_str()),
                    "cuModuleGetFunction");
      const auto dynamic = static_cast<int>(launch_.dynamic_shared_bytes);
      if (dynamic > 0) {  // beyond 48 KiB a kernel must ask
        driver_.check(driver_.set_attribute(
                          function_, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, dynamic),
                      "cuFuncSetAttribute");
      }
    } catch (...) {
      driver_.unload_module(module_);
      throw;
    }
  }
  ~LoadedKernel() { driver_.unload_module(module_); }
  LoadedKernel(const LoadedKernel&) = delete;
  LoadedKernel& operator=(const LoadedKernel&) = delete;

  void start(const Problem& problem, CUdeviceptr a, CUdeviceptr b, CUdeviceptr c) const {
    Problem sizes = problem;
    void* arguments[] = {&a, &b, &c, &sizes.m, &sizes.n, &sizes.k};
    driver_.check(driver_.launch(function_, launch_.grid.x, launch_.grid.y, launch_.grid.z,
                                 launch_.block.x, launch_.block.y, launch_.block.z,
                                 launch_.dynamic_shared_bytes, nullptr, arguments, nullptr),
                  "cuLaunchKernel");
  }

  int active_blocks() const {
    int blocks = 0;
    driver_.check(driver_.active_blocks(&blocks, function_, static_cast<int>(launch_.block.count()),
                                        launch_.dynamic_shared_bytes),
                  "cuOccupancyMaxActiveBlocksPerMultiprocessor");
    return blocks;
  }

 private:
  const Driver& driver_;
  Launch launch_;
  CUmodule module_ = nullptr;
  CUfunction function_ = nullptr;
};

// The times of one thing that is run again and again, until there are enough of them.
class Samples {
 public:
  bool enough() const {
    constexpr int least_runs = 20, runs_of_slow = 3, most_runs = 10'000;
    constexpr double least_ms = 200, slow_ms = 1000;
    const auto runs = static_cast<int>(times_.size());
    if (runs >= runs_of_slow && total_ / runs > slow_ms) return true;
    return (runs >= least_runs && total_ >= least_ms) || runs >= most_runs;
  }

  void add(double milliseconds) {
    times_.push_back(milliseconds);
    total_ += milliseconds;
  }

  Timing timing() const {
    std::vector<double> sorted = times_;
    std::sort(sorted.begin(), sorted.end());
    const std::size_t middle = sorted.size() / 2;
    const double median =
        sorted.size() % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    return {static_cast<int>(sorted.size()), median, sorted.front(), sorted.back()};
  }

 private:
  std::vector<double> times_;
  double total_ = 0;
};

std::size_t elements(std::int64_t count) { return static_cast<std::size_t>(count); }

}  // namespace

struct Session::Impl {
  explicit Impl(const Problem& the_problem)
      : driver(driver_or_throw()), problem(that_fits(the_problem, driver)) {}

  double time_once(const auto& start) {
    begin.record();
    start();
    end.record();
    return end.milliseconds_since(begin);
  }

  // For 50 ms, so that the clock rises; the first run, in which code is still loaded, counts as
  // none.
  void warm_up(const auto& start) {
    time_once(start);
    double total = 0;
    for (int runs = 0; total < 50 && runs < 1000; ++runs) total += time_once(start);
  }

  const Cublas& loaded_cublas() {
    if (!cublas) {
      const CublasStatus& status = cublas_status();
      if (!status.library) {
        throw Error(ExitStatus::unavailable, status.problem, "Install the CUDA Toolkit's cuBLAS.");
      }
      cublas.emplace(*status.library);
    }
    return *cublas;
  }

  void start_cublas() { loaded_cublas().multiply(problem, a.address(), b.address(), c.address()); }

  const Driver& driver;
  Problem problem;
  DeviceBuffer a{driver, elements(problem.a_elements())};
  DeviceBuffer b{driver, elements(problem.b_elements())};
  DeviceBuffer c{driver, elements(problem.c_elements())};
  Event begin{driver}, end{driver};
  std::optional<Cublas> cublas;
};

Session::Session(const Problem& problem, std::span<const float> a, std::span<const float> b)
    : impl_(std::make_unique<Impl>(problem)) {
  impl_->a.copy_from(a);
  impl_->b.copy_from(b);
}

Session::~Session() = default;
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;

std::vector<float> Session::run(const DeviceKernel& kernel) {
  const LoadedKernel loaded(impl_->driver, kernel);
  impl_->c.fill(poison_bits);
  loaded.start(impl_->problem, impl_->a.address(), impl_->b.address(), impl_->c.address());
  if (const CUresult result = impl_->driver.synchronize(); result != CUDA_SUCCESS) {
    throw Error(ExitStatus::wrong_result,
                fmt::format("the kernel stopped with {}", impl_->driver.describe(result)),
                "Run it with --backend emulator, which says which thread does what at which line.");
  }
  return impl_->c.copy();
}

KernelTiming Session::time(const DeviceKernel& kernel) {
  const LoadedKernel loaded(impl_->driver, kernel);
  const auto start = [&] {
    loaded.start(impl_->problem, impl_->a.address(), impl_->b.address(), impl_->c.address());
  };
  const auto start_cublas = [&] { impl_->start_cublas(); };
  const bool with_cublas = cublas_status().library != nullptr;
  impl_->warm_up(start);
  if (with_cublas) impl_->warm_up(start_cublas);

  Samples kernel_times, cublas_times;
  while (!kernel_times.enough() || (with_cublas && !cublas_times.enough())) {
    if (!kernel_times.enough()) kernel_times.add(impl_->time_once(start));
    if (with_cublas && !cublas_times.enough()) cublas_times.add(impl_->time_once(start_cublas));
  }
  return {kernel_times.timing(), with_cublas ? cublas_times.timing() : Timing{}};
}

std::vector<float> Session::run_cublas() {
  impl_->c.fill(poison_bits);
  impl_->start_cublas();
  impl_->driver.check(impl_->driver.synchronize(), "cublasSgemm");
  return impl_->c.copy();
}

Timing Session::time_cublas() {
  const auto start = [&] { impl_->start_cublas(); };
  impl_->warm_up(start);
  Samples times;
  while (!times.enough()) times.add(impl_->time_once(start));
  return times.timing();
}

int Session::active_blocks_per_multiprocessor(const DeviceKernel& kernel) {
  return LoadedKernel(impl_->driver, kernel).active_blocks();
}

}  // namespace gemm_tutor::gpu
