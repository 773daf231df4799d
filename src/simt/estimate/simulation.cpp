#include "simt/estimate/simulation.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>

namespace gemm_tutor::simt {
namespace {

constexpr int barriers = 6;
constexpr std::uint32_t fills_kept = 4;  // iterations of a request
// Cycles in which instructions are prefetched while no warp needs them; assumed.
constexpr double fetched_ahead = 16;
constexpr double never = std::numeric_limits<double>::infinity();

struct Warp {
  int block = -1;  // slot; -1: it has none
  int number = 0;  // in the block
  std::uint32_t next = 0;
  double ready = 0;  // when the next operation may issue, as far as this warp decides
  bool at_barrier = false;
  std::array<double, barriers> free = {};  // the time when each barrier is free
  double copied = 0;                       // when the copies since the last group's end are there
  std::deque<double> groups;               // when those of each group are
  std::vector<std::uint32_t> visits;       // of each branch
  std::vector<std::uint32_t> requested;    // how often, of each request
  int phase_waits = 0;
};

struct BlockSlot {
  int live = 0, waiting = 0;
  std::uint64_t number = 0;
  std::vector<double> copied = {};  // when each asynchronous copy was there, and all before it
};

// Sectors that several warps of a block ask for.
struct Fill {
  std::uint64_t key = 0;  // of the block and its iteration, ascending; 0 for none
  double there = 0;       // when the L1 cache has them
};

struct Scheduler {
  std::vector<int> warps;
  int last = -1;
  const Warp* last_arithmetic = nullptr;
  std::array<double, 8> unit_free = {};
  double banks_free[2] = {0, 0};
  double fetched = 0;  // when the next instruction is there that the cache does not have
  // Of each operation, when its instruction was last fetched, counted in fetches; 0: never.
  std::vector<std::uint64_t> fetches;
  std::uint64_t fetch_count = 0;
  std::vector<double> queue;  // when each of the last memory operations left it
  std::size_t queued = 0;
};

class Simulation {
 public:
  Simulation(const SmWork& work, const SmTimes& times)
      : work_(work),
        times_(times),
        fills_(work.requests.size()),
        missed_(work.requests.size()),
        from_dram_(work.requests.size()) {
    const int resident = std::min(work.resident, work.blocks);
    warps_.resize(static_cast<std::size_t>(resident) * static_cast<std::size_t>(work.warps));
    slots_.resize(static_cast<std::size_t>(resident));
    schedulers_.resize(static_cast<std::size_t>(times.schedulers));
    for (Scheduler& s : schedulers_) {
      s.queue.assign(static_cast<std::size_t>(times.memory_queue), 0);
      s.fetches.resize(work.operations.size());
    }
    for (int slot = 0; slot < resident; ++slot) {
      for (int w = 0; w < work.warps; ++w) {
        const int index = index_of(slot, w);
        schedulers_[static_cast<std::size_t>(index % times.schedulers)].warps.push_back(index);
      }
      start_block(slot, 0);
    }
  }

  Simulated run() {
    double now = 0;
    constexpr std::uint64_t most_issued = 6'000'000;
    while (running_ > 0) {
      if (result_.issued > most_issued) {
        result_.end = Simulated::End::too_long;
        break;
      }
      double next = never;
      bool issued = false;
      for (Scheduler& scheduler : schedulers_) {
        double wait = never;
        if (issue_one(scheduler, now, wait)) {
          issued = true;
        } else {
          next = std::min(next, wait);
        }
      }
      if (issued) {
        now += 1;
      } else if (next == never) {
        result_.end = Simulated::End::stuck;
        break;
      } else {
        now = std::max(now + 1, std::ceil(next));
      }
    }
    result_.cycles = std::max(now, end_);
    return result_;
  }

 private:
  int index_of(int slot, int warp) const { return slot * work_.warps + warp; }

  void start_block(int slot, double at) {
    if (started_ == work_.blocks) return;
    ++started_;
    slots_[static_cast<std::size_t>(slot)] = {
        work_.warps, 0, static_cast<std::uint64_t>(started_), {}};
    running_ += work_.warps;
    for (int w = 0; w < work_.warps; ++w) {
      Warp& warp = warps_[static_cast<std::size_t>(index_of(slot, w))];
      warp = {};
      warp.block = slot;
      warp.number = w;
      warp.ready = at;
      warp.visits.assign(static_cast<std::size_t>(work_.branches), 0);
      warp.requested.assign(work_.requests.size(), 0);
    }
  }

  bool issue_one(Scheduler& scheduler, double now, double& wait) {
    int chosen = -1;
    double earliest = never;
    for (std::size_t i = scheduler.warps.size(); i-- > 0;) {
      const int index = scheduler.warps[i];
      const double at = may_issue(scheduler, warps_[static_cast<std::size_t>(index)], now);
      if (at <= now) {
        if (index == scheduler.last) {
          chosen = index;
          break;
        }
        if (chosen < 0) chosen = index;
      } else {
        earliest = std::min(earliest, at);
      }
    }
    if (chosen < 0) {
      wait = earliest;
      return false;
    }
    scheduler.last = chosen;
    issue(scheduler, warps_[static_cast<std::size_t>(chosen)], now);
    return true;
  }

  // The cache has the instructions that were fetched last: for the warp's next iteration, if the
  // loop is short, and for another warp shortly after.
  bool is_fetched(const Scheduler& scheduler, std::uint32_t operation) const {
    constexpr double instruction_bytes = 16;
    const std::uint64_t number = scheduler.fetches[operation];
    return number > 0 && static_cast<double>(scheduler.fetch_count - number) * instruction_bytes <
                             times_.instruction_cache_bytes;
  }

  double may_issue(const Scheduler& scheduler, const Warp& warp, double now) const {
    if (warp.block < 0 || warp.at_barrier) return never;
    if (warp.ready > now) return warp.ready;
    const Operation& op = work_.operations[warp.next];
    double at = scheduler.unit_free[static_cast<std::size_t>(op.unit)];
    if (!is_fetched(scheduler, warp.next)) at = std::max(at, scheduler.fetched);
    for (int bank = 0; bank < 2; ++bank) {
      if (op.bank_reads[bank] == 0) continue;
      at = std::max(at, scheduler.banks_free[bank]);
    }
    if (op.unit == UnitKind::memory) {
      at = std::max(at, scheduler.queue[scheduler.queued % scheduler.queue.size()]);
    }
    return at;
  }

  double interval(const Operation& op) const {
    switch (op.unit) {
      case UnitKind::fp32:
        return times_.fp32_interval;
      case UnitKind::multiply:
      case UnitKind::integer:
        return times_.integer_interval;
      case UnitKind::special:
        return times_.special_interval;
      case UnitKind::fp64:
        return times_.fp64_interval;
      case UnitKind::memory:
        return times_.memory_interval;
      case UnitKind::tensor:
        return std::max(1.0, tensor_cycles(op, times_));
      case UnitKind::other:
        break;
    }
    return 1;
  }

  void issue(Scheduler& scheduler, Warp& warp, double now) {
    const Operation& op = work_.operations[warp.next];
    ++result_.issued;
    // A unit that was not idle continues at its rate, which need not be a whole number of cycles.
    double& free = scheduler.unit_free[static_cast<std::size_t>(op.unit)];
    free = (now - free < 1 ? free : now) + interval(op);
    if (!is_fetched(scheduler, warp.next)) {
      scheduler.fetched = std::max(scheduler.fetched, now - fetched_ahead) + times_.fetch_interval;
      scheduler.fetches[warp.next] = ++scheduler.fetch_count;
    }
    const bool is_other = &warp != scheduler.last_arithmetic;
    const std::uint8_t* reads = is_other ? op.reads_without_reuse : op.bank_reads;
    for (int bank = 0; bank < 2; ++bank) {
      if (reads[bank] == 0) continue;
      scheduler.banks_free[bank] = std::max(scheduler.banks_free[bank], now) + reads[bank];
      scheduler.last_arithmetic = &warp;
    }
    double done = now;
    if (op.request >= 0) done = access(scheduler, warp, op, now);
    warp.ready = now + std::max<int>(1, op.stall);
    if (op.request < 0) {
      if (op.write_barrier < barriers) set(warp, op.write_barrier, now + latency(op));
      if (op.read_barrier < barriers) set(warp, op.read_barrier, now + op.latency / 2.0);
    }
    end_ = std::max(end_, done);
    go_on(warp, op, now);
  }

  // Of a product, the last rows leave the tensor core some cycles after the next one may enter it;
  // assumed. From Ampere on, only those of FP64 set a barrier: the stall counts of others are
  // enough.
  double latency(const Operation& op) const {
    constexpr double after_last_rows = 10;
    if (op.unit != UnitKind::tensor) return op.latency;
    return std::max<double>(op.latency, interval(op) + after_last_rows);
  }

  static void set(Warp& warp, int barrier, double at) {
    double& free = warp.free[static_cast<std::size_t>(barrier)];
    free = std::max(free, at);
  }

  // Returns the time when its data has arrived.
  double access(Scheduler& scheduler, Warp& warp, const Operation& op, double now) {
    const auto number = static_cast<std::size_t>(op.request);
    const MemoryRequest& request = work_.requests[number];
    if (request.is_bulk) return copy_in_bulk(warp, op, now);
    const double start = std::max(now + 2, pipe_free_);
    const double pipe_cycles = passes(request, times_);
    pipe_free_ = start + pipe_cycles;
    scheduler.queue[scheduler.queued++ % scheduler.queue.size()] = start;
    double done = start + pipe_cycles - 1;
    if (!request.is_global) {
      done += times_.shared_latency;
    } else {
      done = std::max(done + times_.l1_latency, fetched(warp, number, start));
      if (!request.is_store) done = l1_done_ = std::max(done, l1_done_);
    }
    if (op.write_barrier < barriers) set(warp, op.write_barrier, done);
    if (op.read_barrier < barriers) set(warp, op.read_barrier, start + 4);
    if (op.is_asynchronous) copies_until(warp, done);
    return done;
  }

  double copy_in_bulk(Warp& warp, const Operation& op, double now) {
    const double start = std::max(now, bulk_free_);
    bulk_free_ = start + times_.bulk_copy_interval;
    const double done = fetch(static_cast<std::size_t>(op.request), 1, start);
    if (op.read_barrier < barriers) set(warp, op.read_barrier, now + 4);
    copies_until(warp, done);
    return done;
  }

  void copies_until(Warp& warp, double done) {
    warp.copied = std::max(warp.copied, done);
    if (work_.copies_per_wait == 0) return;
    std::vector<double>& copied = slots_[static_cast<std::size_t>(warp.block)].copied;
    copied.push_back(copied.empty() ? done : std::max(copied.back(), done));
  }

  // A warp's n-th wait is for the first n shares of its block's started copies.
  double time_of_phase(Warp& warp, double now) const {
    const std::vector<double>& copied = slots_[static_cast<std::size_t>(warp.block)].copied;
    const double until = ++warp.phase_waits * work_.copies_per_wait * work_.warps;
    const auto number = std::min(copied.size(), static_cast<std::size_t>(std::lround(until)));
    return number == 0 ? now : copied[number - 1];
  }

  // When the sectors of a request are there that the L1 cache does not have.
  double fetched(Warp& warp, std::size_t number, double start) {
    const MemoryRequest& request = work_.requests[number];
    const std::uint32_t iteration = warp.requested[number]++;
    const double share = request.missing;
    if (std::floor((iteration + 1) * share) <= std::floor(iteration * share)) return start;
    const double sharing = request.sharing_warps;
    if (request.sharing_warps == 1) return fetch(number, 1 / share, start);
    std::vector<Fill>& fills = fills_[number];
    const int groups = (work_.warps + request.sharing_warps - 1) / request.sharing_warps;
    if (fills.empty()) fills.resize(slots_.size() * static_cast<std::size_t>(groups) * fills_kept);
    const auto slot = static_cast<std::uint32_t>(warp.block);
    const auto group = static_cast<std::uint32_t>(warp.number / request.sharing_warps);
    Fill& fill = fills[(slot * static_cast<std::uint32_t>(groups) + group) * fills_kept +
                       iteration % fills_kept];
    const std::uint64_t key = slots_[slot].number << 32 | (iteration + 1);
    if (fill.key < key) fill = {key, fetch(number, sharing / share, start)};
    return fill.key == key ? fill.there : start;
  }

  // `requests` times the sectors that a request misses on average.
  double fetch(std::size_t number, double requests, double start) {
    const MemoryRequest& request = work_.requests[number];
    double there = start;
    // Whole sectors of what has added up take the link's time; what is left is kept.
    const auto take = [&](double& pending, double sectors, double& free, double per_cycle) {
      pending += sectors * requests;
      const double whole = std::floor(pending);
      if (whole < 1) return false;
      pending -= whole;
      free = std::max(free, start) + whole / per_cycle;
      return true;
    };
    if (take(missed_[number], request.sectors_of_l2, l2_free_, times_.l2_sectors)) {
      const double lines = std::min(request.lines, request.sectors_of_l2 * requests);
      const double latency = std::lerp(times_.l2_latency, times_.l2_far_latency, request.far) +
                             times_.l2_line * std::max(0.0, lines - 1);
      there = std::max(start + latency, l2_free_ + latency - 8);
    }
    if (take(from_dram_[number], request.sectors_of_dram, dram_free_, times_.dram_sectors)) {
      there = std::max(there, dram_free_ + times_.dram_latency);
    }
    return there;
  }

  void go_on(Warp& warp, const Operation& op, double now) {
    switch (op.flow) {
      case WarpFlow::exit:
        return leave(warp, now);
      case WarpFlow::branch:
        if (takes(warp, op)) {
          warp.next = op.target;
          warp.ready += times_.branch;
        } else {
          ++warp.next;
        }
        break;
      case WarpFlow::block_barrier:
        ++warp.next;
        arrive(warp, now);
        return;
      case WarpFlow::group_end:
        warp.groups.push_back(warp.copied);
        if (op.write_barrier < barriers) set(warp, op.write_barrier, now);
        ++warp.next;
        break;
      case WarpFlow::group_wait:
        while (static_cast<int>(warp.groups.size()) > op.groups) {
          warp.ready = std::max(warp.ready, warp.groups.front() + times_.copy);
          warp.groups.pop_front();
        }
        ++warp.next;
        break;
      case WarpFlow::phase_wait:
        warp.ready = std::max(warp.ready, time_of_phase(warp, now));
        ++warp.next;
        break;
      case WarpFlow::next:
        ++warp.next;
        break;
    }
    wait_for_barriers(warp);
  }

  void wait_for_barriers(Warp& warp) {
    const int mask = work_.operations[warp.next].wait_mask;
    for (int b = 0; b < barriers; ++b) {
      if (mask >> b & 1) warp.ready = std::max(warp.ready, warp.free[static_cast<std::size_t>(b)]);
    }
  }

  // The rarer way is taken each time that the sum of its shares reaches another whole number: over
  // a warp's iterations, over the SM's warps or over its blocks.
  bool takes(Warp& warp, const Operation& op) const {
    if (op.rarer <= 0) return !op.rarer_is_taken;
    std::uint64_t visit = warp.visits[static_cast<std::size_t>(op.branch)]++;
    double phase = 1e-6;
    if (op.by_warp || op.by_block) {
      phase = 0.5;
      const std::uint64_t block = slots_[static_cast<std::size_t>(warp.block)].number - 1;
      visit = op.by_block ? block
                          : block * static_cast<std::uint64_t>(work_.warps) +
                                static_cast<std::uint64_t>(warp.number);
    }
    const auto number = static_cast<double>(visit);
    const bool rarely =
        std::floor((number + 1) * op.rarer + phase) > std::floor(number * op.rarer + phase);
    return rarely == op.rarer_is_taken;
  }

  void arrive(Warp& warp, double now) {
    BlockSlot& slot = slots_[static_cast<std::size_t>(warp.block)];
    warp.at_barrier = true;
    ++slot.waiting;
    barrier_free_ = std::max(barrier_free_, now) + times_.barrier_arrival;
    complete(warp.block, barrier_free_);
  }

  void complete(int block, double now) {
    BlockSlot& slot = slots_[static_cast<std::size_t>(block)];
    if (slot.waiting == 0 || slot.waiting < slot.live) return;
    slot.waiting = 0;
    for (int w = 0; w < work_.warps; ++w) {
      Warp& other = warps_[static_cast<std::size_t>(index_of(block, w))];
      if (!other.at_barrier) continue;
      other.at_barrier = false;
      other.ready = std::max(other.ready, now + times_.barrier);
      wait_for_barriers(other);
    }
  }

  void leave(Warp& warp, double now) {
    const int block = warp.block;
    warp.block = -1;
    --running_;
    BlockSlot& slot = slots_[static_cast<std::size_t>(block)];
    --slot.live;
    if (slot.live > 0) {
      complete(block, now);
    } else {
      start_block(block, now + times_.block_start);
    }
  }

  const SmWork& work_;
  const SmTimes& times_;
  std::vector<Warp> warps_;
  std::vector<BlockSlot> slots_;
  std::vector<Scheduler> schedulers_;
  std::vector<std::vector<Fill>> fills_;    // of each request
  std::vector<double> missed_, from_dram_;  // sectors of each request that are not yet asked for
  int started_ = 0, running_ = 0;
  double pipe_free_ = 0, l1_done_ = 0, l2_free_ = 0, dram_free_ = 0;
  double barrier_free_ = 0, bulk_free_ = 0, end_ = 0;
  Simulated result_;
};

}  // namespace

double passes(const MemoryRequest& request, const SmTimes& times) {
  return std::max({times.pipe_interval, request.wavefronts, request.lines / times.l1_lines,
                   request.sectors / times.l1_sectors});
}

double tensor_cycles(const Operation& operation, const SmTimes& times) {
  const auto& rates = operation.is_shallow ? times.shallow_mma_fmas : times.mma_fmas;
  const double rate = rates[static_cast<std::size_t>(operation.product)];
  return rate > 0 ? operation.fmas / rate : 0;
}

SmWork without(const SmWork& work, const std::vector<std::size_t>& operations) {
  SmWork result = work;
  std::vector<std::uint32_t> places;  // of each operation, or of the next that is left
  std::uint32_t place = 0;
  result.operations.clear();
  for (std::size_t i = 0; i < work.operations.size(); ++i) {
    places.push_back(place);
    if (std::ranges::find(operations, i) != operations.end()) continue;
    result.operations.push_back(work.operations[i]);
    ++place;
  }
  for (Operation& op : result.operations) {
    if (op.flow == WarpFlow::branch) op.target = places[op.target];
  }
  return result;
}

Simulated simulate(const SmWork& work, const SmTimes& times) {
  return Simulation(work, times).run();
}

}  // namespace gemm_tutor::simt
