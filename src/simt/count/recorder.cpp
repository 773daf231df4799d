#include "simt/count/recorder.hpp"

#include "simt/emulator.hpp"
#include "simt/exec/address_space.hpp"
#include "simt/exec/machine.hpp"

namespace gemm_tutor::simt {
namespace {

// The number of accesses that are kept per execution.
std::size_t recorded(const CountedAccess& access) {
  using Kind = CountedAccess::Kind;
  if (access.space == ptx::Space::local) return 0;
  if (access.kind == Kind::copy) return 2;
  return access.kind == Kind::load || access.kind == Kind::store ? 1 : 0;
}

// All lanes' offsets are relative to the first lane's buffer, because its address range is much
// larger than the buffer and has no other buffer.
void fill_global(Access& access, const Worker& worker, const std::uint64_t* addresses,
                 std::uint32_t active) {
  if (active == 0) return;
  const std::int64_t number = global_buffer(addresses[__builtin_ctz(active)]);
  const bool is_known = number >= 0 && number < worker.buffer_count;
  const std::uint64_t begin = is_known ? global_address(static_cast<std::uint64_t>(number)) : 0;
  access.active = active;
  if (is_known) access.buffer = static_cast<std::size_t>(number);
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    if (active >> lane & 1) access.offsets[lane] = addresses[lane] - begin;
  }
}

void fill_shared(Access& access, const Recorder& recorder, const std::uint32_t* addresses,
                 std::uint32_t active) {
  access.space = MemorySpace::shared;
  access.active = active;
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    if (active >> lane & 1) {
      access.offsets[lane] =
          static_cast<std::uint64_t>(std::int64_t{window_offset(addresses[lane])}) -
          recorder.first_shared();
    }
  }
}

Access* begin(Warp& warp, std::uint32_t instruction) {
  Recorder& recorder = *warp.worker->recorder;
  Access* access = recorder.begin(warp.number, instruction);
  if (access == nullptr && recorder.ends_warps()) warp.status = Status::done;
  return access;
}

}  // namespace

std::multimap<int, std::string> unrecorded(const DecodedProgram& program) {
  std::multimap<int, std::string> result;
  for (const CountedAccess& access : program.accesses) {
    if (access.line <= 0) continue;
    if (access.kind == CountedAccess::Kind::atomic) {
      result.emplace(access.line, "atomic additions");
    } else if (access.kind == CountedAccess::Kind::bulk_copy) {
      result.emplace(access.line, "bulk copies");
    } else if (access.space == ptx::Space::local) {
      result.emplace(access.line, "local memory");
    }
  }
  return result;
}

Recorder::Recorder(const DecodedProgram& program, std::uint32_t warps, std::size_t most,
                   std::optional<int> only)
    : program_(program), only_(only), steps_(program.accesses.size() * warps) {
  std::size_t in_a_step = 0;
  for (const CountedAccess& access : program.accesses) {
    in_a_step += recorded(access) * (only ? 1 : warps);
  }
  most_steps_ = in_a_step == 0 ? 0 : most / in_a_step;
}

Recorder Recorder::of_first_global_requests(const DecodedProgram& program, std::uint32_t warps,
                                            std::uint64_t steps) {
  Recorder result(program, warps, 0);
  result.most_steps_ = steps;
  result.ends_warps_ = true;
  return result;
}

Access* Recorder::begin(std::uint32_t warp, std::uint32_t instruction) {
  if (only_ && *only_ != static_cast<int>(warp)) return nullptr;
  const std::uint64_t step = steps_[warp * program_.accesses.size() + instruction]++;
  if (step >= most_steps_) {
    recording_.all_accesses = false;
    return nullptr;
  }
  const CountedAccess& counted = program_.accesses[instruction];
  Access& access = recording_.accesses.emplace_back();
  access.line = counted.line;
  access.ptx_line = counted.ptx_line;
  access.instruction = instruction;
  access.warp = static_cast<int>(warp);
  access.step = step;
  access.store = counted.kind == CountedAccess::Kind::store;
  access.bytes = counted.bytes;
  return &access;
}

Access* Recorder::second_half() {
  std::vector<Access>& accesses = recording_.accesses;
  accesses.push_back(accesses.back());
  return &accesses.back();
}

void record_global(Warp& warp, std::uint32_t instruction, const std::uint64_t* addresses,
                   std::uint32_t sectors) {
  Access* access = begin(warp, instruction);
  if (access == nullptr) return;
  fill_global(*access, *warp.worker, addresses, warp.active);
  access->cost = sectors;
}

void record_shared(Warp& warp, std::uint32_t instruction, const std::uint32_t* addresses,
                   std::uint32_t wavefronts, std::uint32_t conflicts) {
  if (!warp.worker->recorder->has_shared()) return;
  Access* access = warp.worker->recorder->begin(warp.number, instruction);
  if (access == nullptr) return;
  fill_shared(*access, *warp.worker->recorder, addresses, warp.active);
  access->cost = wavefronts;
  access->conflicts = conflicts;
}

void record_copy(Warp& warp, std::uint32_t instruction, const std::uint64_t* sources,
                 std::uint32_t reading, std::uint32_t sectors, const std::uint32_t* targets) {
  Recorder& recorder = *warp.worker->recorder;
  Access* load = begin(warp, instruction);
  if (load == nullptr) return;
  load->asynchronous = true;
  if (reading == 0) {  // only zeros are stored, without a request to global memory
    load->store = true;
    return fill_shared(*load, recorder, targets, warp.active);
  }
  if (recorder.has_shared()) {
    Access* store = recorder.second_half();
    store->store = true;
    fill_shared(*store, recorder, targets, warp.active);
    load = store - 1;  // making room may have moved it
  }
  fill_global(*load, *warp.worker, sources, reading);
  load->cost = sectors;
}

}  // namespace gemm_tutor::simt
