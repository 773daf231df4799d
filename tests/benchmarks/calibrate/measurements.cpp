#include "measurements.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>
#include <utility>

#include "gemm/matrices.hpp"
#include "kernels.hpp"
#include "results.hpp"
#include "simt/gpus/gpu_details.hpp"
#include "support/numbers.hpp"

namespace gemm_tutor::calibration {
namespace {

constexpr std::size_t kib = 1024, mib = 1024 * kib;
constexpr int line_bytes = 128, lanes = 32, most_warps = 32, all_schedulers = 4, repeats = 3;

RandomSequence random_bits() { return {1, 0}; }

std::vector<std::uint64_t> random_words(std::size_t bytes) {
  std::vector<std::uint64_t> words(bytes / sizeof(std::uint64_t));
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = random_bits()[i];
  return words;
}

// The first `length` lines of `bytes` in a random order, each with the address of the next, the
// last with that of the first. The first is at the beginning.
std::vector<std::uint64_t> chain(std::uint64_t base, std::size_t bytes, std::size_t length) {
  std::vector<std::size_t> order(bytes / line_bytes);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = 1; i + 1 < order.size(); ++i) {
    std::swap(order[i], order[i + random_bits()[i] % (order.size() - i)]);
  }
  order.resize(length);
  std::vector<std::uint64_t> words(bytes / sizeof(std::uint64_t));
  for (std::size_t i = 0; i < length; ++i) {
    words[order[i] * (line_bytes / 8)] = base + order[(i + 1) % length] * line_bytes;
  }
  return words;
}

const TimedLoop& loop_of(const std::string& kernel) {
  return *std::ranges::find(timed_loops, kernel, &TimedLoop::kernel);
}
int count_of(const std::string& kernel) { return loop_of(kernel).count; }

class Calibration {
 public:
  Calibration(Device& device, const simt::GpuSpec& gpu)
      : device_(device),
        gpu_(gpu),
        input_(device.driver(), 4 * mib),
        output_(device.driver(), 4 * mib),
        clocks_(device.driver(), mib) {
    input_.copy_from(random_words(input_.bytes()));
  }

  Measured measure() {
    latencies();
    shared_memory();
    l1_cache();
    memory_queue();
    arithmetic();
    products();
    instruction_cache();
    if (gpu_.compute_major >= 8) copies();
    if (gpu_.compute_major >= 9) bulk_copies();
    l2_cache();
    dram();
    blocks();
    load();
    return std::move(measured_);
  }

 private:
  void add(const std::string& what, const std::string& setting, double value,
           const std::string& unit) {
    measured_.rows.push_back({what, setting, value, unit});
  }
  void set(const std::string& key, double value) { measured_.values[key] = value; }

  Arguments arguments(const Buffer& input, int iterations) const {
    return {.input = input.address(),
            .output = output_.address(),
            .clocks = clocks_.address(),
            .iterations = iterations};
  }

  // Cycles from when the first warp of the only block began its loop to when the last ended it; the
  // least of some runs, of which the first also fetches the code. The warps of `schedulers`
  // schedulers have a loop.
  double cycles(const std::string& kernel, int warps, const Arguments& of,
                int schedulers = all_schedulers) {
    double least = std::numeric_limits<double>::infinity();
    for (int run = 0; run < repeats; ++run) {
      device_.launch(kernel, {.threads = warps * lanes}, of);
      device_.wait();
      const auto times = clocks_.copy<long long>(2 * static_cast<std::size_t>(warps));
      long long begin = times[0], end = times[1];
      for (std::size_t warp = 0; 2 * warp < times.size(); ++warp) {
        if (static_cast<int>(warp % all_schedulers) >= schedulers) continue;
        begin = std::min(begin, times[2 * warp]);
        end = std::max(end, times[2 * warp + 1]);
      }
      least = std::min(least, static_cast<double>(end - begin));
    }
    return least;
  }

  // Of one SM, for each instruction of a warp that is timed.
  double cycles_per_instruction(const std::string& kernel, int warps, const Arguments& of) {
    return cycles(kernel, warps, of) / (1.0 * warps * of.iterations * count_of(kernel));
  }

  void latencies() {
    const Arguments shared = arguments(input_, 64);
    latency("shared_latency", "chase_shared", "", shared, 1);
    cache_latency("l1_latency", "chase_l1", 16 * kib);
    cache_latency("l2_latency", "chase_l2", 2 * mib);
    cache_latency("l2_far_latency", "chase_l2", l2_bytes() / 4 * 3);
    // The chain is longer than the loads that are timed, and other memory was written since.
    constexpr int iterations = 64;
    Buffer large(device_.driver(), 256 * mib), other(device_.driver(), 256 * mib);
    large.copy_from(chain(large.address(), large.bytes(), 2 * iterations * 16));
    other.fill(0x3f123456);
    latency("dram_latency", "chase_l2", "256 MiB", arguments(large, iterations), 0);
  }

  void cache_latency(const std::string& key, const std::string& kernel, std::size_t bytes) {
    Buffer buffer(device_.driver(), bytes);
    const std::size_t lines = bytes / line_bytes;
    buffer.copy_from(chain(buffer.address(), bytes, lines));
    Arguments of = arguments(buffer, 64);
    of.bytes = static_cast<long long>(lines);  // all of them once, before the timed ones
    latency(key, kernel, fmt::format("{} KiB", bytes / kib), of, 1);
  }

  // One thread. With `runs` of 0 the first run counts, whose loads nobody has made before.
  void latency(const std::string& key, const std::string& kernel, const std::string& setting,
               const Arguments& of, int runs) {
    double time = 0;
    for (int run = 0; run <= runs; ++run) {
      device_.launch(kernel, {.threads = 1}, of);
      device_.wait();
      const auto times = clocks_.copy<long long>(2);
      time = static_cast<double>(times[1] - times[0]) / (of.iterations * count_of(kernel));
    }
    add(kernel, setting, time, "cycles per load");
    set(key, time);
  }

  // Lane i at word i · stride, modulo what the kernel has room for: as many wavefronts as the
  // greatest common divisor of stride and 32 for loads of 32 bits.
  static void set_strides(Arguments& of, int words, int stride) {
    for (int lane = 0; lane < lanes; ++lane) of.offsets[lane] = 4 * words * lane * stride;
  }

  void shared_memory() {
    for (const int words : {1, 2, 4}) {
      const std::string kernel = fmt::format("shared_loads_{}", 32 * words);
      for (const int stride : {0, 1, 2, 4, 8, 16, 32}) {
        if (words * stride > 32) continue;
        Arguments of = arguments(input_, 64);
        of.bytes = all_schedulers;
        set_strides(of, words, stride);
        const double time = cycles_per_instruction(kernel, most_warps, of);
        add(kernel, fmt::format("{} warps, lanes {} bytes apart", most_warps, 4 * words * stride),
            time, "cycles per load");
        if (words == 1 && stride == 1) {
          set("load_store_lanes", nearest_power_of_two(lanes / time));
        }
        if (words == 4 && stride == 1) set("shared_bytes_per_cycle", lanes * 16 / time);
      }
    }
    Arguments of = arguments(input_, 64);
    set_strides(of, 1, 1);
    for (const int warps : {1, 2, 4, 8, 16}) {
      of.bytes = all_schedulers;
      add("shared_loads_32", fmt::format("{} warps, lanes 4 bytes apart", warps),
          cycles_per_instruction("shared_loads_32", warps, of), "cycles per load");
    }
    by_schedulers("shared_loads_32", of);
  }

  // The cycles between two loads of a scheduler, when only some of them load.
  double by_schedulers(const std::string& kernel, Arguments of) {
    double of_one = 0;
    for (int schedulers = 1; schedulers <= all_schedulers; ++schedulers) {
      of.bytes = schedulers;
      const double loads = 1.0 * most_warps / all_schedulers * of.iterations * count_of(kernel);
      const double time = cycles(kernel, most_warps, of, schedulers) / loads;
      add(kernel, fmt::format("8 warps on each of {} schedulers", schedulers), time,
          "cycles per load of a scheduler");
      if (schedulers == 1) of_one = time;
    }
    return of_one;
  }

  // Lane i in line i modulo `lines`, at a bank of its own.
  static void set_lines(Arguments& of, int words, int lines) {
    for (int lane = 0; lane < lanes; ++lane) {
      of.offsets[lane] = line_bytes * (lane % lines) + 4 * words * lane % line_bytes;
    }
  }

  void l1_cache() {
    for (const int words : {1, 2, 4}) {
      const std::string kernel = fmt::format("l1_loads_{}", 32 * words);
      for (int lines = 1; lines <= lanes; lines = lines < 8 ? lines + 1 : lines * 2) {
        Arguments of = arguments(input_, 128);
        of.bytes = all_schedulers;
        if (lines == 1) {
          set_strides(of, words, 1);  // as many lines as there are words
        } else {
          set_lines(of, words, lines);
        }
        const double time = cycles_per_instruction(kernel, most_warps, of);
        add(kernel,
            lines == 1 ? fmt::format("{} warps, lanes in a row", most_warps)
                       : fmt::format("{} warps, {} lines", most_warps, lines),
            time, "cycles per load");
        if (words == 1 && lines == 1) set("l1_bytes_per_cycle", lanes * 4 / time);
        if (words == 1 && lines == lanes) set("l1_lines_per_cycle", lines / time);
      }
    }
    Arguments of = arguments(input_, 128);
    set_strides(of, 1, 1);
    set("memory_issue_cycles", by_schedulers("l1_loads_32", of));
  }

  // After how many cycles the n-th warp of a scheduler has issued its load: the median of some
  // runs.
  void memory_queue() {
    Arguments of = arguments(input_, 1);
    set_strides(of, 1, lanes);  // the pipe is busy with each for as many cycles as there are lanes
    device_.launch("queue", {.threads = most_warps * lanes}, of);
    device_.wait();
    constexpr int warps = most_warps / all_schedulers;
    const auto clocks = clocks_.copy<long long>(warps * queue_repeats);
    std::vector<std::vector<double>> waits(warps);
    for (int run = 1; run < queue_repeats; ++run) {  // the first fetches the code
      std::vector<long long> issued;
      for (int warp = 0; warp < warps; ++warp) issued.push_back(clocks[queue_repeats * warp + run]);
      std::ranges::sort(issued);
      for (int i = 0; i < warps; ++i) {
        waits[i].push_back(static_cast<double>(issued[i] - issued[0]));
      }
    }
    std::vector<double> times;
    for (int i = 0; i < warps; ++i) {
      std::ranges::sort(waits[i]);
      times.push_back(median(waits[i]));
      add("queue", fmt::format("load {} of a scheduler", i + 1), times.back(),
          "cycles after the first");
    }
    set("memory_queue", queue_length(times, lanes));
  }

  void arithmetic() {
    double best_ffma = 0;
    std::vector<std::string> kernels(std::begin(ffma_kernels), std::end(ffma_kernels));
    kernels.insert(kernels.end(), {"int32", "int32_and_ffma", "special"});
    for (const std::string& kernel : kernels) {
      for (const int warps : {1, 4, 8, 16}) {
        const double time = cycles_per_instruction(kernel, warps, arguments(input_, 256));
        const std::string of = kernel == "int32_and_ffma" ? "pair" : "instruction";
        add(kernel, fmt::format("{} warps", warps), time, "cycles per " + of);
        if (warps != 16) continue;
        const double found = lanes / time;
        if (kernel.starts_with("ffma")) best_ffma = std::max(best_ffma, found);
        if (kernel == "int32") set("int32_lanes", nearest_power_of_two(found));
        if (kernel == "special") set("special_function_lanes", nearest_power_of_two(found));
      }
    }
    set("fp32_lanes_per_multiprocessor", nearest_power_of_two(best_ffma));
  }

  // Products of several warps reach more than those of one from Hopper on, where each has its own
  // instructions, but not those of FP64.
  bool is_of_several_warps(const std::string& kernel) const {
    return (gpu_.compute_major == 9 || gpu_.compute_major == 10) && kernel != "mma_fp64";
  }

  void products() {
    const simt::GpuSpec& nearest = nearest_gpu(gpu_);
    const double known = nearest.details->tensor_fp16_fp32_fmas;
    for (const ProductLoop& loop : product_loops) {
      if (!loop_of(loop.kernel).is_for(gpu_.compute_capability())) continue;
      const double rate = product_rate(loop);
      if (!is_of_several_warps(loop.kernel)) {
        set(loop.key, nearest_power_of_two(rate));
      } else if (std::string(loop.kernel) == "mma_fp16_fp32" && known > 0) {
        set("mma_share", std::min(1.0, rate / known));
      }
    }
    const double shallow = product_rate(shallow_product_loop);
    if (!is_of_several_warps(shallow_product_loop.kernel)) {
      set("mma_share", 1);
    } else if (known > 0) {
      set(shallow_product_loop.key, std::min(1.0, shallow / known));
    }
    add("chained_mma", "1 warp", cycles_per_instruction("chained_mma", 1, arguments(input_, 256)),
        "cycles per product that waits for the one before");
  }

  // FMAs per cycle of an SM.
  double product_rate(const ProductLoop& loop) {
    const int fmas = gpu_.compute_major >= 8 ? loop.fmas : loop.turing_fmas;
    double best = 0;
    for (const int warps : {1, 4, 8, 16}) {
      const double time = cycles_per_instruction(loop.kernel, warps, arguments(input_, 256));
      add(loop.kernel, fmt::format("{} warps", warps), time, "cycles per product");
      best = std::max(best, fmas / time);
    }
    return best;
  }

  // The longest loop that is no slower than the shortest fits.
  void instruction_cache() {
    constexpr double slower = 1.3;
    double shortest = 0;
    bool fits = true;
    for (const int kibibytes : code_lengths) {
      const std::string kernel = fmt::format("code_{}", kibibytes);
      double time = 0;
      for (const int warps : {16, 4}) {  // with one warp, a scheduler issues what it fetches once
        time = all_schedulers * cycles_per_instruction(kernel, warps, arguments(input_, 32));
        add(kernel, fmt::format("{} warps", warps), time, "cycles per instruction of a scheduler");
      }
      if (shortest == 0) shortest = time;
      fits = fits && time <= slower * shortest;
      if (fits) set("instruction_cache_bytes", kibibytes * 1024.0);
      if (!fits && !measured_.values.contains("fetch_cycles")) set("fetch_cycles", time);
    }
  }

  void copies() {
    const Arguments of = arguments(input_, 256);
    const double load = cycles("waited_loads", 1, of) / of.iterations;
    const double copy = cycles("waited_copies", 1, of) / of.iterations;
    add("waited_loads", "from the L2 cache", load, "cycles per load");
    add("waited_copies", "from the L2 cache", copy, "cycles per copy and wait");
    set("copy_cycles", std::max(0.0, copy - load));
  }

  // More copies take longer; the time to wait for the last of them is the same. This is no key of
  // the file: the copies of several warps take less time each than those of one thread.
  void bulk_copies() {
    constexpr int rounds = 8;
    Arguments of = arguments(input_, 64);
    const auto time = [&](int of_rounds) {
      of.bytes = of_rounds;
      return cycles("bulk_copies", 1, of) / of.iterations;
    };
    const double each = (time(rounds) - time(1)) / ((rounds - 1) * bulk_copies_of_a_round);
    add("bulk_copies", "32 bytes each, by one thread", each, "cycles per copy");
  }

  // Bytes that `blocks` blocks of 1,024 threads read per second.
  double read_rate(int blocks, const Buffer& buffer) {
    constexpr int threads = 1024, bytes_per_load = 16;
    Arguments of = arguments(buffer, 512);
    of.bytes = static_cast<long long>(buffer.bytes());
    double least = std::numeric_limits<double>::infinity();
    for (int run = 0; run < repeats; ++run) {
      least = std::min(least, device_.milliseconds([&] {
        device_.launch("read_l2", {.blocks = blocks, .threads = threads}, of);
      }));
    }
    return 1.0 * blocks * threads * of.iterations * count_of("read_l2") * bytes_per_load /
           (least * 1e-3);
  }

  std::size_t l2_bytes() const {
    return static_cast<std::size_t>(device_.attribute(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE));
  }

  void l2_cache() {
    const Buffer buffer(device_.driver(),
                        std::clamp(std::bit_floor(l2_bytes() / 3), mib, 16 * mib));
    Arguments of = arguments(buffer, 512);
    of.bytes = static_cast<long long>(buffer.bytes());
    const double time = cycles_per_instruction("read_l2", most_warps, of);
    add("read_l2", "1 SM", lanes * 16 / time, "bytes per cycle");
    set("l2_bytes_per_cycle_per_sm", lanes * 16 / time);
    const double rate = read_rate(gpu_.multiprocessors, buffer);
    add("read_l2", fmt::format("{} SMs, {} MiB", gpu_.multiprocessors, buffer.bytes() / mib), rate,
        "bytes per second");
    set("l2_bandwidth", rate);
  }

  void dram() {
    Buffer from(device_.driver(), 512 * mib), to(device_.driver(), 512 * mib);
    from.copy_from(random_words(from.bytes()));
    Arguments of = arguments(from, 1);
    of.output = to.address();
    of.bytes = static_cast<long long>(from.bytes());
    double least = std::numeric_limits<double>::infinity();
    for (int run = 0; run < 5 * repeats; ++run) {
      least = std::min(least, device_.milliseconds([&] {
        device_.launch("copy_dram", {.blocks = 16 * gpu_.multiprocessors, .threads = 512}, of);
      }));
    }
    const double rate = 2.0 * static_cast<double>(from.bytes()) / (least * 1e-3);
    add("copy_dram", "2 × 512 MiB", rate, "bytes per second");
    set("dram_efficiency", std::min(1.0, rate / gpu_.memory_bandwidth));
  }

  void blocks() {
    double of_one = 0, of_most = 0;
    for (const int warps : {1, 2, 4, 8, 16, most_warps}) {
      const Arguments of = arguments(input_, 64);
      const double time = cycles("barriers", warps, of) / (of.iterations * count_of("barriers"));
      add("barriers", fmt::format("{} warps", warps), time, "cycles per barrier");
      if (warps == 1) of_one = time;
      of_most = time;
    }
    const double arrival = (of_most - of_one) / (most_warps - 1);
    set("barrier_arrival_cycles", arrival);
    set("barrier_cycles", of_one - arrival);
    constexpr int launches = 400;
    const Shape whole{.blocks = gpu_.multiprocessors, .threads = 256};
    const auto start = [&] {
      for (int i = 0; i < launches; ++i) device_.launch("empty", whole, arguments(input_, 1));
    };
    double least = std::numeric_limits<double>::infinity();
    for (int run = 0; run < 3 * repeats; ++run)
      least = std::min(least, device_.milliseconds(start));
    const double launch_us = least * 1e3 / launches;
    add("empty", fmt::format("{} in a queue", launches), launch_us, "microseconds per launch");
    set("launch_us", launch_us);

    // So much shared memory that an SM has room for one block.
    const Shape alone{.blocks = 8 * gpu_.multiprocessors,
                      .threads = 256,
                      .dynamic_shared_bytes = gpu_.shared_bytes_per_block_optin};
    const auto count = static_cast<std::size_t>(alone.blocks);
    device_.launch("block_times", alone, arguments(input_, 1));
    device_.wait();
    const auto sms = output_.copy<unsigned>(count);
    const auto times = clocks_.copy<long long>(2 * count);
    std::vector<BlockTime> found;
    for (std::size_t i = 0; i < count; ++i) {
      found.push_back({sms[i], times[2 * i], times[2 * i + 1]});
    }
    const double pause = median_pause(found);
    add("block_times", "256 threads, one block per SM", pause, "cycles between blocks");
    set("block_start_cycles", pause);
  }

  // Some seconds, as the power limit lowers the clock step by step.
  void load() {
    set("loaded_clock_ghz",
        clock_under("full_load", {.blocks = 2 * gpu_.multiprocessors, .threads = 512}, 200000, 4));
    set("tensor_clock_ghz",
        clock_under("tensor_load", {.blocks = gpu_.multiprocessors, .threads = lanes}, 20000, 1));
  }

  double clock_under(const std::string& kernel, const Shape& shape, int iterations,
                     double least_seconds) {
    double ghz = 0, seconds = 0;
    while (seconds < least_seconds) {
      seconds += 1e-3 * device_.milliseconds(
                            [&] { device_.launch(kernel, shape, arguments(input_, iterations)); });
      const auto times = clocks_.copy<long long>(4);
      ghz = static_cast<double>(times[1] - times[0]) / static_cast<double>(times[3] - times[2]);
    }
    add(kernel, fmt::format("after {:.1f} s", seconds), ghz, "GHz");
    return ghz;
  }

  Device& device_;
  simt::GpuSpec gpu_;
  Buffer input_, output_, clocks_;
  Measured measured_;
};

}  // namespace

Measured measure(Device& device, const simt::GpuSpec& gpu) {
  return Calibration(device, gpu).measure();
}

}  // namespace gemm_tutor::calibration
