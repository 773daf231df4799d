#include "simt/finding.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "simt/check/fault.hpp"
#include "simt/exec/address_space.hpp"
#include "support/numbers.hpp"
#include "support/text.hpp"

namespace gemm_tutor::simt {
namespace {

const char* name_of(MemorySpace space) {
  switch (space) {
    case MemorySpace::shared:
      return "shared";
    case MemorySpace::local:
      return "local";
    default:
      return "global";
  }
}

// "A, which is 256×256".
std::string array_text(const Element& element) {
  const bool is_global = element.space == MemorySpace::global;
  if (element.array.empty()) {
    return is_global ? "any buffer"
                     : fmt::format("every array in {} memory", name_of(element.space));
  }
  if (element.extents.size() > 1) {
    return fmt::format("{}, which is {}", element.array, fmt::join(element.extents, "×"));
  }
  if (is_global) return fmt::format("{}, which is {} floats long", element.array, element.elements);
  return fmt::format("{}, which has {} {}", element.array, element.elements,
                     element.element_bytes == sizeof(float) ? "floats" : "elements");
}

std::string coordinates(const Dim3& at) { return fmt::format("({}, {}, {})", at.x, at.y, at.z); }

std::string thread_of_block(const Dim3& thread, const Dim3& block) {
  return fmt::format("thread {} of block {}", coordinates(thread), coordinates(block));
}

// "(0, 0, 0), (1, 0, 0) and 61 more".
std::string first_few(const std::vector<Dim3>& threads) {
  constexpr std::size_t most = 4;
  std::vector<std::string> names;
  for (const Dim3& thread : threads) names.push_back(coordinates(thread));
  if (names.size() <= most) return join(names);
  return fmt::format("{} and {} more", fmt::join(names.begin(), names.begin() + most, ", "),
                     names.size() - most);
}

const char* verb(AccessKind kind) {
  switch (kind) {
    case AccessKind::store:
      return "writes";
    case AccessKind::atomic:
      return "updates";
    case AccessKind::copy_from:
      return "copies from";
    case AccessKind::copy_to:
      return "copies to";
    default:
      return "reads";
  }
}

std::string other_threads(const OtherAccess& other) {
  switch (other.by) {
    case OtherAccess::By::threads_of_the_warp:
      return "other threads of its warp";
    case OtherAccess::By::threads_of_several_warps:
      return "threads of several warps";
    case OtherAccess::By::threads_of_several_blocks:
      return "threads of several blocks";
    default:
      return "thread " + coordinates(other.thread);
  }
}

// Of whatever block.
std::string any_threads(const OtherAccess& other) {
  return other.by == OtherAccess::By::thread ? thread_of_block(other.thread, other.block)
                                             : other_threads(other);
}

// Of the other access, where that is another one.
std::string at_line(const FoundFault& finding) {
  const int line = finding.other.line;
  return line > 0 && line != finding.line ? fmt::format(" at line {}", line) : "";
}

std::string advice(const FoundFault& finding) {
  if (!finding.separation) return "";
  const Separation& separation = *finding.separation;
  const int first = separation.first_line, second = separation.second_line;
  const std::string between = first < second
                                  ? fmt::format("between line {} and line {}", first, second)
                                  : fmt::format("after line {}, before line {}", first, second);
  const std::string around = fmt::format("at the end of the loop, after line {}", second);
  if (separation.between && separation.around) {
    return fmt::format(": put one {}, and one {}", between, around);
  }
  return fmt::format(": put one {}", separation.between ? between : around);
}

}  // namespace

const char* name_of(FindingKind kind) {
  switch (kind) {
    case FindingKind::bounds:
      return "bounds";
    case FindingKind::alignment:
      return "alignment";
    case FindingKind::uninitialised:
      return "uninitialised";
    case FindingKind::race:
      return "race";
    case FindingKind::barrier:
      return "barrier";
    case FindingKind::endless:
      return "endless";
    case FindingKind::assertion:
      return "assertion";
    case FindingKind::trap:
      return "trap";
    case FindingKind::unreachable:
      return "unreachable";
    case FindingKind::unwritten:
      return "unwritten";
    case FindingKind::equal_stores:
      return "equal_stores";
    case FindingKind::barriers_apart:
      return "barriers_apart";
    case FindingKind::array_alignment:
      return "array_alignment";
    case FindingKind::order_by_matrices:
      return "order_by_matrices";
  }
  return "";
}

FindingKind kind_of(Fault fault) {
  switch (fault) {
    case Fault::outside:
    case Fault::beyond_array:
    case Fault::read_only:
    case Fault::wrong_space:
    case Fault::no_function:
      return FindingKind::bounds;
    case Fault::misaligned:
      return FindingKind::alignment;
    case Fault::uninitialised:
    case Fault::unset_fragment:
      return FindingKind::uninitialised;
    case Fault::race:
    case Fault::race_with_copy:
    case Fault::simultaneous_write:
    case Fault::written_twice:
    case Fault::race_of_blocks:
    case Fault::stale_read:
      return FindingKind::race;
    case Fault::divergent_barrier:
    case Fault::missing_warps:
    case Fault::bad_barrier:
    case Fault::barrier_counts:
    case Fault::incomplete_barrier:
    case Fault::shared_barrier:
    case Fault::not_in_mask:
    case Fault::missing_lane:
    case Fault::returned_lane:
    case Fault::part_of_a_warp:
      return FindingKind::barrier;
    case Fault::endless:
    case Fault::deep_calls:
      return FindingKind::endless;
    case Fault::assertion:
      return FindingKind::assertion;
    case Fault::trap:
      return FindingKind::trap;
    case Fault::end_of_body:
      return FindingKind::unreachable;
    case Fault::equal_stores:
    case Fault::same_value:
      return FindingKind::equal_stores;
    case Fault::different_barriers:
      return FindingKind::barriers_apart;
    case Fault::array_alignment:
      return FindingKind::array_alignment;
    case Fault::order_by_matrices:
      return FindingKind::order_by_matrices;
    case Fault::unwritten:
      break;
  }
  return FindingKind::unwritten;
}

namespace {

std::string text_of(const Gap& gap, const Element& of) {
  const auto text = [&](const char* what, std::int64_t unit) {
    return range_text(what, static_cast<int>(gap.first / unit), static_cast<int>(gap.last / unit));
  };
  const bool is_matrix = of.extents.size() == 2;
  const std::int64_t row = is_matrix ? of.extents.back() : of.elements;
  std::string which = text("element", 1);
  if (is_matrix && gap.of == row) {
    which = text("column", 1);
  } else if (is_matrix && gap.first % row == 0 && (gap.last + 1) % row == 0) {
    which = text("row", row);
  } else if (gap.of < of.elements) {
    which += fmt::format(" of each {}", gap.of);
  }
  return fmt::format("{} of {}", which, of.array);
}

std::string text_of(const Element& element) {
  if (element.array.empty()) {
    return element.space == MemorySpace::global
               ? fmt::format("address {:#x}", element.address)
               : fmt::format("{} address {:#x}", name_of(element.space), element.address);
  }
  // Outside of the array the first index is too large, or negative.
  std::string indices;
  std::int64_t index = element.index;
  for (std::size_t d = element.extents.size(); d-- > 1;) {
    const std::int64_t above = floor_divide(index, element.extents[d]);
    indices = fmt::format("[{}]{}", index - above * element.extents[d], indices);
    index = above;
  }
  return fmt::format("{}[{}]{}", element.array, index, indices);
}

}  // namespace

std::string sentence(const FoundFault& finding) {
  const std::string thread = thread_of_block(finding.thread, finding.block);
  const std::string element = text_of(finding.access.element);
  const std::string does = fmt::format("{} {} ", thread, verb(finding.access.kind));
  const OtherAccess& other = finding.other;
  switch (finding.fault) {
    case Fault::outside:
      return fmt::format("{}{}, outside {}", does, element, array_text(finding.access.element));
    case Fault::beyond_array:
      return fmt::format("a loop {} {}, outside {}: C++ leaves open what happens then",
                         verb(finding.access.kind), element, array_text(finding.access.element));
    case Fault::read_only:
      return fmt::format("{}{}, which is an input", does, element);
    case Fault::wrong_space:
      return fmt::format(
          "{}{}, which is in {} memory; this instruction accesses shared memory alone", does,
          element, name_of(finding.access.element.space));
    case Fault::misaligned:
      return fmt::format("{}{} bytes at {}, which is not aligned to {} bytes", does,
                         finding.access.bytes, element, finding.access.bytes);
    case Fault::uninitialised:
      return fmt::format("{}{}, which nothing has written{}", does, element,
                         finding.gap && finding.gap->first < finding.gap->last
                             ? fmt::format("; the block never writes {}",
                                           text_of(*finding.gap, finding.access.element))
                             : "");
    case Fault::race:
      return fmt::format("{}{}, which {} {}{} with no {} between{}", does, element,
                         other_threads(other), other.store ? "wrote" : "read", at_line(finding),
                         other.same_warp ? "__syncwarp() or __syncthreads()" : "__syncthreads()",
                         advice(finding));
    case Fault::race_with_copy:
      return fmt::format(
          "{}{}, which an asynchronous copy that no thread has waited for is still filling", does,
          element);
    case Fault::simultaneous_write:
      return fmt::format("{} and thread {} write different values to {} at the same time", thread,
                         coordinates(other.thread), element);
    case Fault::equal_stores:
      return fmt::format(
          "{} and thread {} write the same value to {} in one instruction, which is no fault; one "
          "of them is enough",
          thread, coordinates(other.thread), element);
    case Fault::same_value:
      return fmt::format(
          "{}{}, where {} wrote the same value{} with no order between them, which is no fault; "
          "one of them is enough",
          does, element,
          finding.access.element.space == MemorySpace::shared ? other_threads(other)
                                                              : any_threads(other),
          at_line(finding));
    case Fault::order_by_matrices:
      return fmt::format(
          "{}{}, which {} {}{}; they are in order only because a warp's lanes wait for each other "
          "at a matrix instruction in between. PTX does not promise that memory keeps this order, "
          "and __syncwarp() does",
          does, element, other_threads(other), other.store ? "wrote" : "read", at_line(finding));
    case Fault::array_alignment:
      return fmt::format(
          "{} asks for an alignment of {} bytes and begins at address {:#x}: from compute "
          "capability 9.0 on, shared memory begins at {:#x}, and alignments of more than {} bytes "
          "hold only from there (up to 8.9 it begins at 0). A kernel that switches buffers by a "
          "bit of an address may then mix them up; let it flip the bit in an offset from the "
          "array's first element",
          finding.access.element.array, with_thousands(finding.access.bytes),
          finding.access.element.address, first_shared_address(90),
          with_thousands(first_shared_address(90)));
    case Fault::written_twice:
      return fmt::format("{}{}, which {} wrote too", does, element, any_threads(other));
    case Fault::race_of_blocks:
      return fmt::format("{}{}, which {} {} too, and blocks run in any order", does, element,
                         any_threads(other),
                         other.by != OtherAccess::By::thread ? (other.store ? "write" : "read")
                                                             : (other.store ? "writes" : "reads"));
    case Fault::stale_read:
      return fmt::format("{}{} as memory that the kernel does not write, and {} has written it",
                         does, element, any_threads(other));
    case Fault::divergent_barrier:
      return fmt::format(
          "__syncthreads() is reached by only some threads of a warp of block {}; missing are {}",
          coordinates(finding.block), first_few(finding.threads));
    case Fault::different_barriers:
      return fmt::format(
          "the warps of block {} meet at different __syncthreads(): warp {} here and warp {} at "
          "line {}; all are there, so that it is no fault",
          coordinates(finding.block), finding.warp, finding.other_warp, finding.other_line);
    case Fault::missing_warps:
      return fmt::format(
          "block {} waits at this __syncthreads() for threads that have returned: {}",
          coordinates(finding.block), first_few(finding.threads));
    case Fault::bad_barrier:
      return fmt::format(
          "{} reaches barrier {} of {} threads; a block has the barriers 0 to 15, each for a "
          "multiple of 32 of its threads",
          thread, finding.barrier, finding.expected);
    case Fault::barrier_counts:
      return fmt::format("{} reaches barrier {} of {} threads, at which others wait for {}", thread,
                         finding.barrier, finding.expected, finding.arrived);
    case Fault::incomplete_barrier:
      return fmt::format("block {} waits at barrier {} for {} threads, of which only {} arrive",
                         coordinates(finding.block), finding.barrier, finding.expected,
                         finding.arrived);
    case Fault::shared_barrier:
      return fmt::format(
          "{} reaches barrier {} of {} threads, which other warps use too, with nothing that "
          "orders them: any of them may complete it",
          thread, finding.barrier, finding.expected);
    case Fault::not_in_mask:
      return fmt::format("{} is not in the mask {:#010x} that it gives itself", thread,
                         finding.mask);
    case Fault::missing_lane:
      return fmt::format("{} is here without others that its mask names: {}", thread,
                         first_few(finding.threads));
    case Fault::part_of_a_warp:
      if (finding.threads.empty()) {
        return fmt::format(
            "{} is in a warp of fewer than 32 threads, and this instruction needs all "
            "32",
            thread);
      }
      return fmt::format(
          "{} is here without others of its warp: {}; all 32 threads must execute "
          "this instruction together",
          thread, first_few(finding.threads));
    case Fault::unset_fragment:
      return fmt::format(
          "{} takes a part of {} in D = A·B + C from a register that nothing has set: its fragment "
          "must be {} before",
          thread, finding.matrix, finding.matrix == 'C' ? "filled or loaded" : "loaded");
    case Fault::returned_lane:
      return fmt::format("{} takes the value of thread {}, which has returned", thread,
                         coordinates(other.thread));
    case Fault::endless:
      return fmt::format("{} is still in this loop after more than {} instructions", thread,
                         with_thousands(finding.instructions));
    case Fault::end_of_body:
      return fmt::format(
          "{} reaches the end of the code without a return: the compiler took this for unreachable",
          thread);
    case Fault::no_function:
      return fmt::format("{} calls through a pointer that points to no such function", thread);
    case Fault::deep_calls:
      return fmt::format("{} is in more than {} calls at once, of functions that call themselves",
                         thread, finding.instructions);
    case Fault::assertion:
      return fmt::format("{} finds that `{}` does not hold", thread, finding.assertion);
    case Fault::trap:
      return fmt::format("{} calls __trap(), which ends the kernel", thread);
    case Fault::unwritten:
      break;
  }
  return fmt::format("{} of the {} elements of {} that were checked were never written",
                     with_thousands(finding.unwritten), with_thousands(finding.elements),
                     finding.access.element.array);
}

Finding finding_of(FoundFault fault) {
  const MemoryAccess& access = fault.access;
  Finding finding{.line = fault.line,
                  .count = fault.count,
                  .calls = fault.calls,
                  .thread = fault.thread,
                  .block = fault.block,
                  .access = access.kind,
                  .space = access.element.space,
                  .array = access.element.array,
                  .other_line = fault.other.line};
  if (fault.separation && fault.separation->between)
    finding.barriers_after.push_back(fault.separation->first_line);
  if (fault.separation && fault.separation->around)
    finding.barriers_after.push_back(fault.separation->second_line);
  finding.fault = std::make_shared<const FoundFault>(std::move(fault));
  return finding;
}

Finding beyond_array(int line, AccessKind access, const ArrayShape& array, std::int64_t index) {
  Element element{.space = MemorySpace::local,
                  .array = array.name,
                  .index = index,
                  .elements = 1,
                  .element_bytes = array.element_bytes,
                  .extents = array.extents};
  for (const std::int64_t extent : array.extents) element.elements *= extent;
  return finding_of({.fault = Fault::beyond_array, .line = line, .access = {access, element}});
}

Finding never_written(const std::string& array, std::int64_t unwritten, std::int64_t checked) {
  return finding_of({.fault = Fault::unwritten,
                     .access = {.element = {.array = array}},
                     .unwritten = unwritten,
                     .elements = checked});
}

FindingKind Finding::kind() const { return kind_of(fault->fault); }

bool Finding::is_outside() const { return fault->fault == Fault::outside; }

bool has_kind(const std::vector<Finding>& findings, FindingKind kind) {
  return std::ranges::find(findings, kind, &Finding::kind) != findings.end();
}

std::string message(const Finding& finding) {
  const bool has_edge = !finding.lines.empty() && !finding.edge.empty();
  FoundFault fault = *finding.fault;
  if (finding.barriers_after.empty()) fault.separation.reset();
  return (has_edge ? finding.edge + ": " : "") + sentence(fault);
}

std::string short_message(const Finding& finding) {
  const FoundFault& fault = *finding.fault;
  const bool is_read =
      finding.access == AccessKind::load || finding.access == AccessKind::copy_from;
  const std::string name = finding.array.empty() ? "every array" : finding.array;
  std::string text;
  switch (finding.kind()) {
    case FindingKind::bounds:
      text = fault.fault == Fault::read_only
                 ? fmt::format("writes to {}, which is an input", name)
                 : fmt::format("{} outside {}", is_read ? "reads" : "writes", name);
      break;
    case FindingKind::alignment:
      text = fmt::format("{} {} bytes of {} at an address that is not aligned to that",
                         is_read ? "reads" : "writes", fault.access.bytes, name);
      break;
    case FindingKind::race:
      text = finding.array.empty() ? "a race" : "a race on " + name;
      break;
    case FindingKind::uninitialised:
      if (fault.fault == Fault::unset_fragment) {
        text = "multiplies a fragment that nothing has set";
        break;
      }
      text = fmt::format("reads values that nothing has written{}",
                         fault.gap               ? ": " + text_of(*fault.gap, fault.access.element)
                         : finding.array.empty() ? ""
                                                 : " to " + name);
      break;
    case FindingKind::barrier:
      text = "not every thread reaches a barrier";
      break;
    case FindingKind::endless:
      text = "a loop does not end";
      break;
    case FindingKind::unwritten:
      text = fmt::format("{} of {} elements of {} are never written",
                         with_thousands(fault.unwritten), with_thousands(fault.elements), name);
      break;
    default:
      text = name_of(finding.kind());
  }
  return finding.line > 0 ? fmt::format("{} (line {})", text, finding.line) : text;
}

}  // namespace gemm_tutor::simt
