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
    case Fault::not_in_mask:
    case Fault::missing_lane:
    case Fault::returned_lane:
      return "barrier";
    case Fault::endless:
      return "endless";
    case Fault::end_of_body:
      return "unreachable";
  }
  return "";
}

std::string threads_named(const Warp& warp, std::uint32_t mask) {
  std::vector<std::string> threads;
  for (int lane = 0; lane < lanes; ++lane) {
    if (mask >> lane & 1) threads.push_back(thread_coordinates(warp, lane));
  }
  return first_few(threads);
}

const char* verb(const CountedAccess& access, ptx::Space space) {
  switch (access.kind) {
    case CountedAccess::Kind::store:
      return "writes";
    case CountedAccess::Kind::atomic:
      return "adds to";
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
        coordinates(warp.worker->machine->block()), threads_named(warp, warp.live & ~warp.active));
  }
  if (fault == Fault::endless) {
    return fmt::format("{} is still in this loop after more than {} instructions",
                       thread_name(warp, lane), with_thousands(context.max_instructions));
  }
  if (fault == Fault::end_of_body) {
    return fmt::format(
        "{} gets to the end of the code without a return: the compiler took this for unreachable",
        thread_name(warp, lane));
  }
  if (fault == Fault::not_in_mask) {
    return fmt::format("{} is not in the mask {:#010x} that it gives itself",
                       thread_name(warp, lane), address);
  }
  if (fault == Fault::missing_lane) {
    return fmt::format("{} is here without others that its mask names: {}", thread_name(warp, lane),
                       threads_named(warp, static_cast<std::uint32_t>(address)));
  }
  if (fault == Fault::returned_lane) {
    return fmt::format("{} takes the value of thread {}, which has returned",
                       thread_name(warp, lane),
                       thread_coordinates(warp, static_cast<int>(address)));
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
  warp.worker->machine->add_finding(kind_of(fault), instruction, [&] {
    return describe(warp, instruction, fault, lane, address, bytes, space);
  });
}

}  // namespace gemm_tutor::emulator
