#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "gemm/matrices.hpp"
#include "gpu/cublas.hpp"
#include "gpu/driver.hpp"
#include "gpu/gpu.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"
#include "support/text.hpp"

namespace gemm_tutor::gpu {
namespace {

// Memory in the context.
const Driver& driver_or_throw() {
  const DriverStatus& status = driver_status();
  if (!status.driver) throw Error(ExitStatus::unavailable, status.problem, status.help);
  status.driver->use_context();
  return *status.driver;
}

// Throws unless that many bytes are free. The message begins with "the matrices need".
void require_memory(const Driver& driver, double bytes, std::string_view what) {
  std::size_t free = 0, total = 0;
  driver.check(driver.memory_info(&free, &total), "cuMemGetInfo");
  if (bytes <= static_cast<double>(free)) return;
  throw Error(
      ExitStatus::unavailable,
      fmt::format("{} {} of the GPU's memory, and {} of {} is free", what, human_bytes(bytes),
                  human_bytes(static_cast<double>(free)), human_bytes(static_cast<double>(total))),
      "Choose a smaller --size.");
}

const Problem& that_fits(const Problem& problem, const Types& types, const Driver& driver) {
  const auto& [m, n, k] = problem;
  require_memory(driver,
                 1.0 * m * k * bytes_of(types.a) + 1.0 * k * n * bytes_of(types.b) +
                     1.0 * m * n * bytes_of(types.c),
                 "the matrices need");
  return problem;
}

class DeviceBuffer {
 public:
  DeviceBuffer(const Driver& driver, std::size_t elements, Scalar type = Scalar::f32)
      : driver_(driver), elements_(elements), type_(type) {
    driver_.check(driver_.allocate(&address_, words() * sizeof(std::uint32_t)), "cuMemAlloc");
  }
  ~DeviceBuffer() { driver_.free(address_); }
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;

  CUdeviceptr address() const { return address_; }
  std::size_t elements() const { return elements_; }

  void copy_from(std::span<const float> values) {
    if (type_ == Scalar::f32) return copy_from(std::as_bytes(values));
    copy_from(encoded(values, type_));
  }
  void fill(std::uint32_t bits) {
    driver_.check(driver_.fill_words(address_, bits, words()), "cuMemsetD32");
  }
  void poison() {
    const auto bits = static_cast<std::uint32_t>(poison_of(type_));  // both halves of a double's
    fill(bytes_of(type_) == 2 ? bits << 16 | bits : bits);
  }
  std::vector<float> copy() const {
    std::vector<float> values(elements_);
    if (type_ == Scalar::f32) {
      copy_to(std::as_writable_bytes(std::span(values)));
      return values;
    }
    std::vector<std::byte> bytes(elements_ * static_cast<std::size_t>(bytes_of(type_)));
    copy_to(bytes);
    decode(bytes, type_, values);
    return values;
  }

 private:
  void copy_from(std::span<const std::byte> bytes) {
    driver_.check(driver_.copy_to_device(address_, bytes.data(), bytes.size()), "cuMemcpyHtoD");
  }
  void copy_to(std::span<std::byte> bytes) const {
    driver_.check(driver_.copy_to_host(bytes.data(), address_, bytes.size()), "cuMemcpyDtoH");
  }
  // The last one may be only in part of the elements.
  std::size_t words() const {
    return (elements_ * static_cast<std::size_t>(bytes_of(type_)) + 3) / 4;
  }

  const Driver& driver_;
  std::size_t elements_;
  Scalar type_;
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

struct DeviceMatrices {
  CUdeviceptr a, b, c, read_c, workspace;

  CUdeviceptr of(Role role) const {
    return role == Role::a        ? a
           : role == Role::b      ? b
           : role == Role::c      ? c
           : role == Role::read_c ? read_c
                                  : workspace;
  }
};

// Also as a member of a struct.
bool has_read_c(const std::vector<Parameter>& parameters) {
  return std::ranges::any_of(parameters, [](const Parameter& one) {
    return one.role == Role::read_c || has_read_c(one.members);
  });
}

// A kernel's arguments in the form of cuLaunchKernel().
class Arguments {
 public:
  Arguments(const std::vector<Parameter>& parameters, const Problem& problem,
            const DeviceMatrices& matrices)
      : values_(parameters.size()) {
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      values_[i].resize(std::max<std::size_t>(static_cast<std::size_t>(parameters[i].bytes), 8));
      set(values_[i], 0, parameters[i], problem, matrices);
      for (const Parameter& member : parameters[i].members) {
        set(values_[i], static_cast<std::size_t>(member.offset), member, problem, matrices);
      }
      addresses_.push_back(values_[i].data());
    }
  }
  Arguments(const Arguments&) = delete;
  Arguments& operator=(const Arguments&) = delete;

  void** addresses() { return addresses_.data(); }

 private:
  static void set(std::vector<std::byte>& bytes, std::size_t at, const Parameter& parameter,
                  const Problem& problem, const DeviceMatrices& matrices) {
    const Role role = parameter.role;
    std::uint64_t bits = parameter.bits;
    if (is_pointer(role)) {
      bits = matrices.of(role);
    } else if (is_size(role)) {
      bits = static_cast<std::uint64_t>(size_of(role, problem));
    }
    std::memcpy(bytes.data() + at, &bits, static_cast<std::size_t>(std::min(parameter.bytes, 8)));
  }

  std::vector<std::vector<std::byte>> values_;
  std::vector<void*> addresses_;
};

// One run on the GPU, between two events.
class TimedRun {
 public:
  explicit TimedRun(const Driver& driver) : begin_(driver), end_(driver) {}

  void queue(const std::function<void()>& start) {
    begin_.record();
    start();
    end_.record();
  }
  // Waits for its end.
  double milliseconds() const { return end_.milliseconds_since(begin_); }

 private:
  Event begin_, end_;
};

class LoadedKernel {
 public:
  LoadedKernel(const Driver& driver, const DeviceKernel& kernel)
      : driver_(driver), launch_(kernel.launch), parameters_(kernel.parameters) {
    for (const DeviceKernel& next : kernel.then)
      then_.push_back(std::make_unique<LoadedKernel>(driver, next));
    driver_.check(driver_.load_module(&module_, kernel.code.data()), "cuModuleLoadData");
    try {
      driver_.check(driver_.function(&function_, module_, kernel.lowered_name.c_str()),
                    "cuModuleGetFunction");
      const auto dynamic = static_cast<int>(launch_.dynamic_shared_bytes);
      if (dynamic > 0) {  // needed for more than 48 KiB
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

  void start(const Problem& problem, const DeviceMatrices& matrices) const {
    Arguments arguments(parameters_, problem, matrices);
    driver_.check(
        driver_.launch(function_, launch_.grid.x, launch_.grid.y, launch_.grid.z, launch_.block.x,
                       launch_.block.y, launch_.block.z, launch_.dynamic_shared_bytes, nullptr,
                       arguments.addresses(), nullptr),
        "cuLaunchKernel");
    for (const auto& next : then_) next->start(problem, matrices);
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
  simt::Launch launch_;
  std::vector<Parameter> parameters_;
  std::vector<std::unique_ptr<LoadedKernel>> then_;
  CUmodule module_ = nullptr;
  CUfunction function_ = nullptr;
};

// The times of repeated runs, until there are enough.
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
    const double iqr = sorted[sorted.size() * 3 / 4] - sorted[sorted.size() / 4];
    return {static_cast<int>(sorted.size()), median(sorted), sorted.front(), sorted.back(), iqr};
  }

 private:
  std::vector<double> times_;
  double total_ = 0;
};

// A subject of timing: how to start it, and its times so far.
struct Subject {
  std::function<void()> start;
  Samples samples;
};

std::size_t elements(std::int64_t count) { return static_cast<std::size_t>(count); }

}  // namespace

struct Session::Impl {
  Impl(const Problem& the_problem, const Types& the_types)
      : driver(driver_or_throw()),
        problem(that_fits(the_problem, the_types, driver)),
        types(the_types) {}

  void start(const LoadedKernel& kernel) const { kernel.start(problem, matrices()); }

  // Launches once and waits. Throws Error (wrong_result) if the kernel fails.
  void run(const LoadedKernel& kernel) const {
    start(kernel);
    if (const CUresult result = driver.synchronize(); result != CUDA_SUCCESS) {
      throw Error(
          ExitStatus::wrong_result,
          fmt::format("the kernel stopped with {}", driver.describe(result)),
          "Run it with --backend emulator, which says which thread does what at which line.");
    }
  }

  // Runs for 50 ms, so that the clock rises. The first run, which still loads code, does not count.
  // Returns the last run's time.
  double warm_up(const Subject& subject, const Activity& activity) const {
    TimedRun run(driver);
    const auto once = [&] {
      run.queue(subject.start);
      return run.milliseconds();
    };
    once();
    double last = 0, total = 0;
    for (int runs = 0; total < 50 && runs < 10'000; ++runs) {
      activity.check();
      total += last = once();
    }
    return last;
  }

  // The subjects alternate until each has enough samples. Short runs are queued, so that the host's
  // launch overhead, which is longer for cuBLAS than for a kernel, overlaps with earlier runs and
  // is not measured. The L2 cache is not cleared between runs.
  void time(std::span<Subject> subjects, Activity& activity) const {
    activity.begin("timing on the GPU");
    constexpr double queued_ms = 10;
    constexpr int most_rounds = 16;
    double round_ms = 0;
    for (const Subject& subject : subjects) round_ms += warm_up(subject, activity);
    const int rounds = static_cast<int>(std::clamp(queued_ms / round_ms, 1.0, 1.0 * most_rounds));
    std::deque<TimedRun> runs;  // a deque, so that references stay valid
    while (runs.size() < rounds * subjects.size()) runs.emplace_back(driver);

    const auto unfinished = [](const Subject& subject) { return !subject.samples.enough(); };
    while (std::any_of(subjects.begin(), subjects.end(), unfinished)) {
      activity.check();
      std::vector<std::pair<Subject*, TimedRun*>> queue;
      for (int round = 0; round < rounds; ++round) {
        for (Subject& subject : subjects) {
          if (!unfinished(subject)) continue;
          queue.emplace_back(&subject, &runs[queue.size()]).second->queue(subject.start);
        }
      }
      for (const auto& [subject, run] : queue) subject->samples.add(run->milliseconds());
    }
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

  // False also for types that cuBLAS does not multiply.
  bool has_cublas() {
    if (!cublas_status().library || !Cublas::multiplies(types)) return false;
    if (types.are_floats()) return true;
    try {
      start_cublas();
      return true;
    } catch (const Error&) {  // whole numbers whose rows are not aligned
      return false;
    }
  }

  // The workspace of an earlier kernel may be large enough.
  void reserve_workspace(std::int64_t floats) {
    if (workspace && workspace->elements() >= elements(floats)) return;
    workspace.reset();
    if (floats == 0) return;
    require_memory(driver, sizeof(float) * static_cast<double>(floats),
                   "beside the matrices the kernel needs");
    workspace.emplace(driver, elements(floats));
  }

  DeviceMatrices matrices() const {
    return {a.address(), b.address(), c.address(), read_c ? read_c->address() : 0,
            workspace ? workspace->address() : 0};
  }

  void start_cublas() {
    loaded_cublas().multiply(problem, types, a.address(), b.address(), c.address());
  }

  const Driver& driver;
  Problem problem;
  Types types;
  DeviceBuffer a{driver, elements(problem.a_elements()), types.a};
  DeviceBuffer b{driver, elements(problem.b_elements()), types.b};
  DeviceBuffer c{driver, elements(problem.c_elements()), types.c};
  std::optional<DeviceBuffer> read_c, workspace;
  std::optional<Cublas> cublas;
};

Session::Session(const Problem& problem, std::span<const float> a, std::span<const float> b,
                 const Types& types)
    : impl_(std::make_unique<Impl>(problem, types)) {
  impl_->a.copy_from(a);
  impl_->b.copy_from(b);
}

Session::~Session() = default;
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;

std::vector<float> Session::run(const DeviceKernel& kernel, std::span<const float> c_before) {
  const LoadedKernel loaded(impl_->driver, kernel);
  impl_->reserve_workspace(kernel.workspace_floats);
  if (has_read_c(kernel.parameters)) {
    impl_->read_c.emplace(impl_->driver, c_before.size(), impl_->types.c);
    impl_->read_c->copy_from(c_before);
    c_before = {};
  }
  if (c_before.empty()) {
    impl_->c.poison();
  } else {
    impl_->c.copy_from(c_before);
  }
  // Not C's poison: a sum of these values in C counts as written and wrong.
  if (impl_->workspace) {
    impl_->workspace->fill(std::bit_cast<std::uint32_t>(std::numeric_limits<float>::quiet_NaN()));
  }
  impl_->run(loaded);
  return impl_->c.copy();
}

KernelTiming Session::time(const DeviceKernel& kernel, Activity* activity) {
  const LoadedKernel loaded(impl_->driver, kernel);
  impl_->reserve_workspace(kernel.workspace_floats);
  impl_->run(loaded);  // reports a kernel that fails
  std::vector<Subject> subjects = {{[&] { impl_->start(loaded); }, {}}};
  if (impl_->has_cublas()) subjects.push_back({[&] { impl_->start_cublas(); }, {}});
  impl_->time(subjects, or_unwatched(activity));
  return {subjects.front().samples.timing(),
          subjects.size() > 1 ? subjects.back().samples.timing() : Timing{}};
}

std::vector<float> Session::run_cublas() {
  impl_->c.poison();
  impl_->start_cublas();
  impl_->driver.check(impl_->driver.synchronize(), "cublasSgemm");
  return impl_->c.copy();
}

Timing Session::time_cublas(Activity* activity) {
  Subject subject{[&] { impl_->start_cublas(); }, {}};
  impl_->time({&subject, 1}, or_unwatched(activity));
  return subject.samples.timing();
}

int Session::active_blocks_per_multiprocessor(const DeviceKernel& kernel) {
  return LoadedKernel(impl_->driver, kernel).active_blocks();
}

}  // namespace gemm_tutor::gpu
