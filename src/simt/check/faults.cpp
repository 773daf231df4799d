// Reports faults: the thread and the facts.
#include "simt/exec/places.hpp"
#include "simt/exec/worker.hpp"

namespace gemm_tutor::simt {
namespace {

std::vector<Dim3> threads_of(const Warp& warp, std::uint32_t mask) {
  std::vector<Dim3> threads;
  for (int lane = 0; lane < lanes; ++lane) {
    if (mask >> lane & 1) threads.push_back(thread_of(warp, lane));
  }
  return threads;
}

AccessKind kind_of(const CountedAccess& access, ptx::Space space) {
  switch (access.kind) {
    case CountedAccess::Kind::store:
      return AccessKind::store;
    case CountedAccess::Kind::atomic:
      return AccessKind::atomic;
    case CountedAccess::Kind::copy:
      return space == ptx::Space::shared ? AccessKind::copy_to : AccessKind::copy_from;
    default:
      return AccessKind::load;
  }
}

}  // namespace

void report_fault(Warp& warp, const Instruction& instruction, Fault fault, int lane,
                  std::uint64_t address, int bytes, ptx::Space space, std::uint64_t times) {
  const RunContext& context = warp.worker->machine->context();
  const auto describe = [&](FoundFault& finding) {
    finding.thread = thread_of(warp, lane);
    switch (fault) {
      case Fault::divergent_barrier:
        finding.threads = threads_of(warp, warp.live & ~warp.active);
        return;
      case Fault::endless:
        finding.instructions = context.max_instructions;
        return;
      case Fault::deep_calls:
        finding.instructions = most_calls;
        return;
      case Fault::end_of_body:
      case Fault::no_function:
      case Fault::trap:
        return;
      case Fault::not_in_mask:
        finding.mask = static_cast<std::uint32_t>(address);
        return;
      case Fault::missing_lane:
      case Fault::part_of_a_warp:
        finding.threads = threads_of(warp, static_cast<std::uint32_t>(address));
        return;
      case Fault::unset_fragment:
        finding.matrix = static_cast<char>(address);
        return;
      case Fault::returned_lane:
        finding.other.thread = thread_of(warp, static_cast<int>(address));
        return;
      default:
        finding.access = {.kind = kind_of(context.program->accesses[instruction.index], space),
                          .element = element_at(context, address, space),
                          .bytes = bytes};
        // A wide access may begin within the array: then the first element after it is outside.
        if (Element& element = finding.access.element; fault == Fault::outside) {
          const bool begins_within = element.index >= 0 && element.index < element.elements;
          if (begins_within) element.index = element.elements;
        }
    }
  };
  warp.worker->machine->add_finding(fault, instruction, describe, times);
}

}  // namespace gemm_tutor::simt
