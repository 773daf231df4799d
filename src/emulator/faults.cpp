// What a fault says: which thread of which block, and the address as the learner knows it.
#include <fmt/format.h>

#include "emulator/naming.hpp"
#include "emulator/worker.hpp"
#include "support/text.hpp"

namespace gemm_tutor::emulator {
namespace {

const char* kind_of(Fault fault) {
  switch (fault) {
    case Fault::outside:
    case Fault::read_only:
      return "bounds";
    case Fault::misaligned:
      return "alignment";
    case Fault::uninitialised:
      return "uninitialised";
    case Fault::divergent_barrier:
      return "barrier";
    case Fault::endless:
      return "endless";
  }
  return "";
}

std::string missing_lanes(const Warp& warp) {
  std::vector<std::string> missing;
  const std::uint32_t away = warp.live & ~warp.active;
  for (int lane = 0; lane < lanes; ++lane) {
    if (away >> lane & 1) missing.push_back(thread_coordinates(warp, lane));
  }
  return first_few(missing);
}

const char* verb(const CountedAccess& access, ptx::Space space) {
  switch (access.kind) {
    case CountedAccess::Kind::store:
      return "writes";
    case CountedAccess::Kind::copy:
      return space == ptx::Space::shared ? "copies to" : "copies from";
    default:
      return "reads";
  }
}

std::string describe(const Warp& warp, const Instruction& instruction, Fault fault, int lane,
                     std::uint64_t address, int bytes, ptx::Space space) {
  const RunContext& context = warp.worker->machine->context();
  if (fault == Fault::divergent_barrier) {
    return fmt::format(
        "__syncthreads() is reached by only some threads of a warp of block {}; missing are {}",
        coordinates(warp.worker->machine->block()), missing_lanes(warp));
  }
  if (fault == Fault::endless) {
    return fmt::format("{} is still in this loop after {} instructions", thread_name(warp, lane),
                       with_thousands(context.max_instructions));
  }
  const Place place = place_of(context, address, space);
  const std::string does = fmt::format("{} {} ", thread_name(warp, lane),
                                       verb(context.program->accesses[instruction.index], space));
  switch (fault) {
    case Fault::misaligned:
      return fmt::format("{}{} bytes at {}, which is not aligned to {} bytes", does, bytes,
                         place.element, bytes);
    case Fault::read_only:
      return fmt::format("{}{}, which is an input", does, place.element);
    case Fault::uninitialised:
      return fmt::format("{}{}, which nothing has written", does, place.element);
    default:
      return fmt::format("{}{}, outside {}", does, place.element, place.whole);
  }
}

}  // namespace

void report_fault(Warp& warp, const Instruction& instruction, Fault fault, int lane,
                  std::uint64_t address, int bytes, ptx::Space space) {
  warp.worker->machine->add_finding(kind_of(fault), instruction.line, [&] {
    return describe(warp, instruction, fault, lane, address, bytes, space);
  });
}

}  // namespace gemm_tutor::emulator
