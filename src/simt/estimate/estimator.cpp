#include "simt/estimate/estimator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "simt/estimate/simulation.hpp"
#include "simt/exec/program.hpp"
#include "simt/gpus/gpu_details.hpp"
#include "simt/machine/code.hpp"
#include "support/numbers.hpp"

namespace gemm_tutor::simt {
namespace {

using machine::Kind;

constexpr double warp_lanes = 32, bytes_of_a_sector = 32;

// The times of one of `working` SMs.
SmTimes sm_times(const GpuSpec& gpu, double working) {
  const GpuDetails& t = details_of(gpu);
  const auto interval = [&](int of_an_sm) { return warp_lanes * t.schedulers / of_an_sm; };
  const double cycles_per_second = t.highest_clock_ghz() * 1e9;
  const auto sectors_per_cycle = [&](double bytes_per_second) {
    return bytes_per_second / cycles_per_second / working / bytes_of_a_sector;
  };
  SmTimes result;
  result.schedulers = t.schedulers;
  result.fp32_interval = interval(gpu.fp32_lanes_per_multiprocessor);
  result.integer_interval = interval(t.int32_lanes);
  result.special_interval = interval(t.special_function_lanes);
  result.fp64_interval = interval(t.fp64_lanes);
  for (std::size_t p = 0; p < machine::products; ++p) {
    const auto product = static_cast<Product>(p);
    result.mma_fmas[p] = t.mma_fmas(product, false) / t.schedulers;
    result.shallow_mma_fmas[p] = t.mma_fmas(product, true) / t.schedulers;
  }
  result.shared_latency = t.shared_latency;
  result.l1_latency = t.l1_latency;
  result.l2_latency = t.l2_latency;
  result.l2_far_latency = std::max(t.l2_latency, t.l2_far_latency);
  result.l2_line = t.l2_line_cycles;
  result.dram_latency = t.dram_latency;
  result.memory_interval = t.memory_issue_cycles;
  result.memory_queue = t.memory_queue;
  // The pipe starts a memory instruction every second cycle where its lanes are for half a warp.
  result.pipe_interval = warp_lanes / t.load_store_lanes;
  result.l1_lines = t.l1_lines_per_cycle;
  result.l1_sectors = t.l1_bytes_per_cycle / bytes_of_a_sector;
  result.l2_sectors =
      std::min(t.l2_bytes_per_cycle_per_sm / bytes_of_a_sector, sectors_per_cycle(t.l2_bandwidth));
  result.dram_sectors = sectors_per_cycle(gpu.memory_bandwidth * t.dram_efficiency);
  result.barrier_arrival = t.barrier_arrival_cycles;
  result.barrier = t.barrier_cycles;
  result.block_start = t.block_start_cycles;
  result.instruction_cache_bytes = t.instruction_cache_bytes;
  result.fetch_interval = t.fetch_cycles;
  result.copy = t.copy_cycles;
  result.bulk_copy_interval = t.bulk_copy_cycles;
  return result;
}

// The busiest SM's part of a launch.
class Sm {
 public:
  Sm(const LaunchedCode& launched, const GpuSpec& gpu)
      : launched_(launched),
        warps_(static_cast<double>(
            ceil_divide(launched.launch.block.count(), static_cast<std::uint64_t>(warp_lanes)))),
        grid_(static_cast<double>(launched.launch.grid.count())),
        times_(sm_times(gpu, std::min<double>(grid_, gpu.multiprocessors))),
        blocks_(std::ceil(grid_ / gpu.multiprocessors)),
        resident_(std::min<double>(launched.resident, blocks_)),
        work_(work_of(launched, 1)) {}

  // One iteration: of operations and requests, which are the same for any number of them.
  const SmWork& work() const { return work_; }
  const SmTimes& times() const { return times_; }
  double resident_warps() const { return warps_ * resident_; }

  // This SM's share of what all blocks of the grid have.
  double part(double of_the_grid) const { return of_the_grid / grid_ * blocks_; }

  using Change = std::function<void(SmWork&)>;

  // With that many blocks at a time; each work is changed before it is simulated.
  double cycles(double resident, const Change& change) const {
    const auto simulated = [&](double blocks, double iterations) {
      SmWork work = work_of(launched_, iterations);
      work.warps = static_cast<int>(warps_);
      work.resident = static_cast<int>(resident);
      work.blocks = static_cast<int>(blocks);
      if (change) change(work);
      const Simulated result = simulate(work, times_);
      if (result.end != Simulated::End::complete) bad_end_ = result.end;
      return result;
    };
    constexpr double few_iterations = 8, more_iterations = 24, further_waves = 2;
    // A few iterations of the first blocks and of the last wave, which may not be full.
    const double last = std::fmod(blocks_ - 1, resident) + 1;
    const double first = blocks_ <= 2 * resident ? blocks_ : last + resident;
    const Simulated some = simulated(first, few_iterations);
    double cycles = some.cycles, issued = static_cast<double>(some.issued);
    if (first < blocks_) {  // and as much for each wave between as further ones add
      const Simulated longer = simulated(first + further_waves * resident, few_iterations);
      const double waves = (blocks_ - first) / resident / further_waves;
      cycles += waves * (longer.cycles - some.cycles);
      issued += waves * static_cast<double>(longer.issued - some.issued);
    }
    // The other iterations take as long as those of one full wave.
    double all = 0;
    for (const MachineInstruction& each : launched_.counted.machine) {
      all += static_cast<double>(each.executions);
    }
    const double rest = part(all) - issued;
    if (rest <= issued / 100) return cycles;
    const Simulated fewer = first == resident ? some : simulated(resident, few_iterations);
    // A block with several tiles computes all of them, with few iterations each.
    constexpr double many_instructions = 1e6, some_more_iterations = 12;
    const bool is_long = static_cast<double>(fewer.issued) > many_instructions;
    const Simulated more = simulated(resident, is_long ? some_more_iterations : more_iterations);
    if (more.issued <= fewer.issued) return cycles;
    return cycles +
           rest * (more.cycles - fewer.cycles) / static_cast<double>(more.issued - fewer.issued);
  }
  double cycles(const Change& change = nullptr) const { return cycles(resident_, change); }
  double resident() const { return resident_; }
  // True if some simulated warps have not reached their end.
  std::optional<Simulated::End> bad_end() const { return bad_end_; }
  double blocks() const { return blocks_; }

 private:
  const LaunchedCode& launched_;
  double warps_, grid_;
  SmTimes times_;
  double blocks_, resident_;
  SmWork work_;
  mutable std::optional<Simulated::End> bad_end_;
};

// How long each unit is busy.
std::array<double, limit_count> busy_cycles(const Sm& sm, Estimate& estimate) {
  const SmTimes& times = sm.times();
  std::array<double, limit_count> cycles = {};
  const auto add = [&](Limit limit, double executions, double each) {
    cycles[static_cast<std::size_t>(limit)] += sm.part(executions) * each;
  };
  const SmWork& work = sm.work();
  double instructions = 0, barriers = 0, ffma = 0, conflicting = 0;
  for (const Operation& op : work.operations) {
    if (op.instruction == nullptr) continue;
    const auto executions = static_cast<double>(op.instruction->executions);
    instructions += executions;
    add(Limit::issue, executions, 1.0 / times.schedulers);
    if (op.unit == UnitKind::fp32) {
      add(Limit::fp32, executions, times.fp32_interval / times.schedulers);
    }
    if (op.unit == UnitKind::tensor) {
      add(Limit::tensor, executions, tensor_cycles(op, times) / times.schedulers);
    }
    if (op.instruction->kind == Kind::ffma) {
      ffma += executions;
      conflicting += op.instruction->register_bank_conflicts > 0 ? executions : 0;
    }
    if (op.flow == WarpFlow::block_barrier) barriers += executions;
    if (op.request < 0) continue;
    const MemoryRequest& request = work.requests[static_cast<std::size_t>(op.request)];
    add(request.is_global ? Limit::l1 : Limit::shared, executions, passes(request, times));
    add(Limit::l2, executions, request.sectors_of_l2 / times.l2_sectors);
    add(Limit::dram, executions, request.sectors_of_dram / times.dram_sectors);
  }
  estimate.warps_per_scheduler = sm.resident_warps() / times.schedulers;
  if (barriers > 0) estimate.instructions_per_barrier = instructions / barriers;
  if (ffma > 0) estimate.conflicting_ffma_share = conflicting / ffma;
  return cycles;
}

// Shares of all executed instructions.
struct Unmodelled {
  double unknown = 0, calls = 0, jumps_by_register = 0;
};

Unmodelled unmodelled(const LaunchedCode& launched) {
  Unmodelled result;
  double all = 0;
  for (const MachineInstruction& each : launched.counted.machine) {
    const auto executions = static_cast<double>(each.executions);
    const machine::Instruction& instruction = launched.code.instruction_at(each.address);
    all += executions;
    if (instruction.kind == Kind::unknown) result.unknown += executions;
    if (instruction.role == machine::Role::call && !instruction.is_branch())
      result.calls += executions;
    if (instruction.role == machine::Role::jump_by_register) result.jumps_by_register += executions;
  }
  for (double* share : {&result.unknown, &result.calls, &result.jumps_by_register}) {
    *share /= std::max(all, 1.0);
  }
  return result;
}

std::vector<std::string> doubts_of(const LaunchedCode& launched, const Unmodelled& shares,
                                   const GpuSpec& gpu) {
  constexpr double negligible = 0.001;
  // At this share the estimate still is about as good as others: see cycles_of_unknown().
  constexpr double most_unknown = 0.01;
  std::set<std::string> doubts;
  for (const MachineInstruction& each : launched.counted.machine) {
    if (each.executions == 0) continue;
    const machine::Instruction& instruction = launched.code.instruction_at(each.address);
    if (instruction.kind == Kind::atomic) doubts.insert("atomic operations");
    if (instruction.kind == Kind::tensor &&
        details_of(gpu).mma_fmas(instruction.product, instruction.is_shallow) == 0) {
      doubts.insert(fmt::format("the rate of its tensor cores for {} is not known",
                                machine::words_for(instruction.product)));
    }
    if (instruction.role == machine::Role::phase_arrival)
      doubts.insert("copies whose end an mbarrier counts");
  }
  if (launched.has_loop_by_data) doubts.insert("loops whose length depends on data");
  if (shares.unknown > most_unknown) doubts.insert("instructions that are not known");
  if (shares.calls > negligible) doubts.insert("calls of functions");
  if (shares.jumps_by_register > negligible) doubts.insert("jumps to a place in a register");
  return {doubts.begin(), doubts.end()};
}

// An instruction that is not known is simulated with the stall and the barriers that the assembler
// wrote into it, and with a free unit. At most, its unit is as slow as the slowest that is known.
double cycles_of_unknown(double instructions, const SmTimes& times) {
  return instructions * std::max(times.special_interval, times.fp64_interval) / times.schedulers;
}

void remove_register_conflicts(SmWork& work) {
  for (Operation& op : work.operations) {
    if (op.unit == UnitKind::tensor) continue;  // many registers, but no conflict
    for (std::uint8_t* reads : {op.bank_reads, op.reads_without_reuse}) {
      for (int bank = 0; bank < 2; ++bank) reads[bank] = std::min<std::uint8_t>(reads[bank], 1);
    }
  }
}

void remove_bank_conflicts(SmWork& work) {
  for (MemoryRequest& request : work.requests) {
    if (!request.is_global) request.wavefronts = std::min(request.wavefronts, request.least_passes);
  }
}

void coalesce(SmWork& work) {
  for (MemoryRequest& request : work.requests) {
    if (!request.is_global || request.lines <= request.least_passes) continue;
    const double fewer = request.least_passes / request.lines;
    request.lines = request.wavefronts = request.least_passes;
    const double sectors = std::min(request.sectors, 4 * request.least_passes);
    request.sectors_of_l2 *= fewer;
    request.sectors_of_dram *= fewer;
    request.sectors = sectors;
  }
}

// Of a kernel's lines that with the most of something.
class Lines {
 public:
  void add(int line, double amount) { amounts_[line] += amount; }
  int first() const {
    const auto most = std::ranges::max_element(
        amounts_, {}, [](const auto& line_and_amount) { return line_and_amount.second; });
    return most == amounts_.end() || most->second <= 0 ? 0 : most->first;
  }

 private:
  std::map<int, double> amounts_;
};

// Estimates the time with one changed count.
class Changes {
 public:
  Changes(const LaunchedCode& launched, const Sm& sm, const Estimate& estimate, double cycles,
          double launch_ms)
      : launched_(launched), sm_(sm), estimate_(estimate), cycles_(cycles), launch_ms_(launch_ms) {}

  std::vector<Change> all() {
    find_lines();
    const double issue = estimate_.of(Limit::issue);
    const bool waits = estimate_.limited_by() == Limit::latency;
    if (estimate_.of(Limit::shared) > issue / 2) {
      add(Change::Kind::no_bank_conflicts, sm_.cycles(remove_bank_conflicts), conflicts_.first());
    }
    if (estimate_.of(Limit::l1) > issue / 2) {
      add(Change::Kind::coalesced, sm_.cycles(coalesce), scattered_.first());
    }
    if (std::max(estimate_.of(Limit::shared), estimate_.of(Limit::l1)) > issue / 2) {
      twice_the_results();
    }
    if (estimate_.of(Limit::registers) > 0) {
      add(Change::Kind::no_register_conflicts, cycles_ - estimate_.of(Limit::registers),
          banks_.first());
    }
    if (waits && sm_.blocks() > sm_.resident()) {
      add(Change::Kind::more_blocks, sm_.cycles(sm_.resident() + 1, nullptr), 0);
    }
    std::ranges::sort(changes_, {}, &Change::median_ms);
    return std::move(changes_);
  }

 private:
  void add(Change::Kind kind, double cycles, int line) {
    constexpr double least_gain = 0.05;
    const double median_ms = estimate_.milliseconds(cycles) + launch_ms_;
    if (median_ms > (1 - least_gain) * estimate_.median_ms) return;
    changes_.push_back({kind, median_ms, line});
  }

  void find_lines() {
    const SmWork& work = sm_.work();
    for (const Operation& op : work.operations) {
      if (op.instruction == nullptr) continue;
      const auto executions = static_cast<double>(op.instruction->executions);
      const int line = op.instruction->line;
      if (op.unit == UnitKind::fp32) {
        banks_.add(line, executions * op.instruction->register_bank_conflicts);
      }
      if (op.request < 0) continue;
      const MemoryRequest& request = work.requests[static_cast<std::size_t>(op.request)];
      (request.is_global ? scattered_ : conflicts_)
          .add(line, executions * ((request.is_global ? request.lines : request.wavefronts) -
                                   request.least_passes));
      if (feeds_sums(op)) loads_.add(line, executions * passes(request, sm_.times()));
    }
  }

  // True if it loads operands of the sums: from shared memory, if the kernel uses it.
  bool feeds_sums(const Operation& op) const {
    return op.instruction->kind ==
           (estimate_.of(Limit::shared) > 0 ? Kind::shared_load : Kind::global_load);
  }

  // Half the loads of the line whose loads take longest, as each value is used twice as often.
  void twice_the_results() {
    constexpr int most_registers = 128;  // twice the sums have to fit into 255
    if (launched_.registers > most_registers || loads_.first() == 0) return;
    const auto remove = [&](SmWork& work) {
      std::vector<std::size_t> removed;
      bool is_second = false;
      for (std::size_t o = 0; o < work.operations.size(); ++o) {
        const Operation& op = work.operations[o];
        if (op.request < 0 || op.flow != WarpFlow::next || !op.is_in_loop) continue;
        if (!feeds_sums(op) || op.instruction->line != loads_.first()) continue;
        if (is_second) removed.push_back(o);
        is_second = !is_second;
      }
      work = without(work, removed);
    };
    add(Change::Kind::twice_the_results, sm_.cycles(remove), loads_.first());
  }

  const LaunchedCode& launched_;
  const Sm& sm_;
  const Estimate& estimate_;
  double cycles_, launch_ms_;
  Lines banks_, conflicts_, scattered_, loads_;
  std::vector<Change> changes_;
};

}  // namespace

std::string_view name_of(Limit limit) {
  constexpr std::array<std::string_view, limit_count> names = {
      "issue", "fp32", "tensor", "registers", "shared", "l1", "l2", "dram", "latency", "launch"};
  return names[static_cast<std::size_t>(limit)];
}

Limit Estimate::limited_by() const {
  return static_cast<Limit>(std::ranges::max_element(cycles) - cycles.begin());
}

Estimate estimate_time(const LaunchedCode& launched, const GpuSpec& gpu) {
  Estimate result;
  result.gpu = gpu.full_name;
  result.clock_ghz = details_of(gpu).highest_clock_ghz();
  const Unmodelled shares = unmodelled(launched);
  result.doubts = doubts_of(launched, shares, gpu);
  result.unknown_share = shares.unknown;
  if (!result.is_reliable()) return result;
  const Sm sm(launched, gpu);
  double cycles = sm.cycles();
  const double launch_ms = details_of(gpu).launch_us / 1000;
  if (const auto end = sm.bad_end()) {
    result.doubts.push_back(*end == Simulated::End::too_long
                                ? "more instructions per block than the simulation takes"
                                : "barriers that end otherwise than counted");
    return result;
  }
  // Nine of ten measured kernels are within this range (docs/measuring.md).
  constexpr double low = 0.87, high = 1.22;
  result.cycles = busy_cycles(sm, result);
  const double busiest = *std::ranges::max_element(result.cycles);
  // In nested loops the simulation may follow too little of the kernel to say what a change brings.
  const bool is_followed = cycles > busiest / 2;
  cycles = std::max(cycles, busiest);
  // The power limit lowers the clock in proportion to the work of the FP32 units and tensor cores.
  // This is assumed.
  const double work = std::max(result.of(Limit::fp32), result.of(Limit::tensor));
  const GpuDetails& details = details_of(gpu);
  result.clock_ghz = std::lerp(result.clock_ghz, details.loaded_clock_ghz, work / cycles);
  if (const double tensor = result.of(Limit::tensor); tensor > 0) {
    if (details.tensor_clock_ghz > 0) {
      result.clock_ghz = std::min(result.clock_ghz, details.tensor_clock_ghz);
    }
    if (details.tensor_busy_ghz > 0) {
      // The last wave of blocks may leave some SMs without work.
      const double blocks = static_cast<double>(launched.launch.grid.count());
      const double waves = blocks / gpu.multiprocessors;
      const double share = tensor / cycles * waves / std::ceil(waves);
      result.clock_ghz = std::min(result.clock_ghz, details.tensor_busy_ghz / share);
    }
  }
  result.median_ms = result.milliseconds(cycles) + launch_ms;
  result.low_ms = low * result.median_ms;
  const double instructions =
      shares.unknown * result.of(Limit::issue) * static_cast<double>(sm.times().schedulers);
  result.high_ms =
      high * result.median_ms + result.milliseconds(cycles_of_unknown(instructions, sm.times()));
  if (is_followed && result.conflicting_ffma_share > 0.01) {
    const double without_conflicts = sm.cycles(remove_register_conflicts);
    result.cycles[static_cast<std::size_t>(Limit::registers)] =
        std::max(0.0, cycles - without_conflicts);
  }
  const auto set = [&](Limit limit, double value) {
    result.cycles[static_cast<std::size_t>(limit)] = value;
  };
  set(Limit::latency, std::max(0.0, cycles - busiest - result.of(Limit::registers)));
  set(Limit::launch, launch_ms * result.clock_ghz * 1e6);
  if (is_followed) result.changes = Changes(launched, sm, result, cycles, launch_ms).all();
  return result;
}

std::optional<Estimate> estimate_time(const Program& program, const Launch& launch,
                                      const std::vector<Buffer>& buffers,
                                      const std::vector<Argument>& arguments,
                                      const KernelResources& resources, const Result& counted,
                                      const GpuSpec& gpu) {
  const DecodedProgram& decoded = program.impl().program;
  if (!decoded.machine || counted.machine.empty()) return {};
  const int resident = occupancy(gpu, resources, launch).blocks_per_multiprocessor;
  const int shared_bytes = resources.static_shared_bytes + launch.dynamic_shared_bytes;
  const LaunchedCode launched{
      *decoded.machine,
      counted,
      observe_traffic(decoded, launch, buffers, arguments, gpu, resident, shared_bytes),
      launch,
      resident,
      resources.registers_per_thread,
      decoded.has_loop_by_data};
  return estimate_time(launched, gpu);
}

}  // namespace gemm_tutor::simt
