#include "simt/count/machine_requests.hpp"

#include <bit>
#include <tuple>

#include "simt/count/access_cost.hpp"
#include "simt/count/counting.hpp"
#include "simt/exec/machine.hpp"

namespace gemm_tutor::simt {
namespace {

bool is_store(const CountedAccess& access) { return access.kind == CountedAccess::Kind::store; }

bool is_joined(const CountedAccess& access) { return access.machine.bytes > access.bytes; }

const AccessCounter::Wide& wide(const AccessCounter& counted, int bytes) {
  return counted.wide[bytes == 16];
}

// Makes it the wider request, of `bytes`, that it is part of.
void widen(Access& access, int bytes) {
  access.bytes = bytes;
  std::uint32_t addresses[32] = {};
  for (std::size_t lane = 0; lane < 32; ++lane) {
    access.offsets[lane] -= access.offsets[lane] % static_cast<std::uint64_t>(bytes);
    addresses[lane] = static_cast<std::uint32_t>(access.offsets[lane]);
  }
  const SharedCost cost = shared_cost(addresses, access.active, bytes, access.store);
  access.cost = cost.wavefronts;
  access.conflicts = cost.conflicts;
}

// Accesses by the offset of their first lanes, within one multiple of the widest machine access.
using Parts = std::map<std::uint64_t, Access*>;

// The instruction of an access that is part of another access's request.
constexpr std::uint32_t later_part = 0xffffffffu;

// Makes one request of the largest width (a bit as in Group) if all its parts exist, or if no
// smaller width fits the existing ones; otherwise makes smaller requests.
void join(const Parts& parts, unsigned widths) {
  const unsigned bytes = std::bit_floor(widths), narrower = std::bit_floor(widths - bytes);
  const auto least = static_cast<unsigned>(parts.begin()->second->bytes);
  if (bytes <= least) return;
  if (parts.size() * least == bytes || narrower < least) {
    widen(*parts.begin()->second, static_cast<int>(bytes));
    parts.begin()->second->joined = static_cast<int>(parts.size());
    for (const auto& [offset, part] : parts) {
      if (part != parts.begin()->second) part->instruction = later_part;
    }
    return;
  }
  std::map<std::uint64_t, Parts> smaller;
  for (const auto& [offset, part] : parts) smaller[offset / narrower][offset] = part;
  for (const auto& [number, some] : smaller) join(some, widths - bytes);
}

}  // namespace

MachineRequests::MachineRequests(const DecodedProgram& program, const Tally& tally,
                                 const std::vector<std::uint64_t>& executions)
    : program_(program), tally_(tally) {
  if (program.machine) count_copies(executions);
  for (std::size_t a = 0; a < program.accesses.size(); ++a) add_to_group(a);
}

void MachineRequests::count_copies(const std::vector<std::uint64_t>& executions) {
  for (std::size_t i = 0; i < executions.size(); ++i) {
    const machine::Instruction& instruction = program_.machine->instructions[i];
    const bool store = instruction.kind == machine::Kind::shared_store;
    if (!store && instruction.kind != machine::Kind::shared_load) continue;
    copies_[{instruction.ptx_line, store}][instruction.bits / 8] += executions[i];
  }
}

const MachineRequests::Copies& MachineRequests::copies_of(const CountedAccess& access) const {
  static const Copies none;
  const auto found = copies_.find({access.machine.ptx_line, is_store(access)});
  return found == copies_.end() ? none : found->second;
}

void MachineRequests::add_to_group(std::size_t index) {
  const CountedAccess& access = program_.accesses[index];
  if (access.space != ptx::Space::shared || access.machine.group < 0) return;
  const AccessCounter& counted = tally_.accesses[index];
  const auto bytes = static_cast<std::uint64_t>(access.bytes);
  const auto machine_bytes = static_cast<std::uint64_t>(access.machine.bytes);
  Group& group = groups_[access.machine.group];
  group.store = is_store(access);
  group.of_requests += counted.requests * bytes;
  group.of_lanes += counted.lanes * bytes;
  if (machine_bytes >= bytes) {
    const std::uint64_t first_lanes =
        is_joined(access) ? wide(counted, access.machine.bytes).first_lanes : counted.lanes;
    group.by_addresses += first_lanes * machine_bytes;
  }
  for (const auto& [width, times] : copies_of(access)) {
    group.by_copies += times * static_cast<std::uint64_t>(width);
    group.widths |= static_cast<unsigned>(width);
  }
  group.widths |= static_cast<unsigned>(access.machine.bytes);
}

// A load may be wider than the used words, so only its copies tell. A store may not, and its
// addresses do not depend on the accuracy of executions.
MachineRequests::Basis MachineRequests::basis(std::size_t access) const {
  const auto found = groups_.find(program_.accesses[access].machine.group);
  if (found == groups_.end()) return Basis::ptx;
  if (!program_.machine) return Basis::addresses;  // from the joining rule
  const Group& group = found->second;
  const bool by_addresses = group.by_addresses == group.of_lanes;
  const bool by_copies = group.by_copies >= group.of_requests;
  if (by_copies && !(group.store && by_addresses)) return Basis::copies;
  return by_addresses ? Basis::addresses : Basis::ptx;
}

SharedCounts MachineRequests::counts(std::size_t access) const {
  switch (basis(access)) {
    case Basis::copies:
      return counts_by_copies(access);
    case Basis::addresses:
      if (is_joined(program_.accesses[access])) return counts_by_addresses(access);
      break;
    case Basis::ptx:
      break;
  }
  const AccessCounter& counted = tally_.accesses[access];
  const auto bytes = static_cast<std::uint64_t>(program_.accesses[access].bytes);
  return {counted.requests, counted.cost, counted.conflicts, counted.lanes * bytes};
}

SharedCounts MachineRequests::counts_by_addresses(std::size_t access) const {
  const int bytes = program_.accesses[access].machine.bytes;
  const AccessCounter::Wide& first = wide(tally_.accesses[access], bytes);
  return {first.first_requests, first.first_cost, first.first_conflicts,
          first.first_lanes * static_cast<std::uint64_t>(bytes)};
}

SharedCounts MachineRequests::counts_by_copies(std::size_t index) const {
  const CountedAccess& access = program_.accesses[index];
  const AccessCounter& counted = tally_.accesses[index];
  const Copies& copies = copies_of(access);
  SharedCounts sum;
  if (counted.requests == 0) return sum;
  for (const auto& [bytes, times] : copies) {
    const bool is_wide = bytes > access.bytes;
    if (is_wide && copies.size() == 1 && times == wide(counted, bytes).first_requests) {
      return counts_by_addresses(index);
    }
    const AccessCounter::Wide& all = wide(counted, bytes);
    sum.requests += times;
    sum.wavefronts += scale(is_wide ? all.cost : counted.cost, times, counted.requests);
    sum.conflicts += scale(is_wide ? all.conflicts : counted.conflicts, times, counted.requests);
    sum.bytes += scale(counted.lanes * static_cast<std::uint64_t>(bytes), times, counted.requests);
  }
  return sum;
}

void MachineRequests::join(std::vector<Access>& recorded) const {
  // Of each warp, group and multiple of its widest access.
  std::map<std::tuple<int, int, std::uint64_t>, Parts> open;
  for (Access& access : recorded) {
    const int number = program_.accesses[access.instruction].machine.group;
    if (number < 0 || access.active == 0 || basis(access.instruction) == Basis::ptx) continue;
    const unsigned widths = groups_.at(number).widths;
    const std::uint64_t offset =
        access.offsets[static_cast<std::size_t>(std::countr_zero(access.active))];
    Parts& parts = open[{access.warp, number, offset / std::bit_floor(widths)}];
    if (parts.contains(offset)) {  // it occurs again, for the next request
      simt::join(parts, widths);
      parts.clear();
    }
    parts[offset] = &access;
  }
  for (const auto& [place, parts] : open) {
    simt::join(parts, groups_.at(std::get<1>(place)).widths);
  }
  std::erase_if(recorded, [](const Access& access) { return access.instruction == later_part; });
}

}  // namespace gemm_tutor::simt
