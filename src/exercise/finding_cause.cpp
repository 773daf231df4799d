// What findings usually come of.
#include <algorithm>

#include "exercise/diagnosis.hpp"

namespace gemm_tutor {
namespace {

using emulator::AccessKind;
using emulator::Fault;
using emulator::Finding;
using emulator::FindingKind;
using emulator::MemorySpace;

// It is about A, B or C, and not about an array of the kernel's own.
bool is_about(const Finding& finding, const char* matrix) {
  const emulator::Element& element = finding.access.element;
  return element.space == MemorySpace::global && element.array == matrix;
}

// By threads of one warp, which do one after the other what the program says.
bool is_race_within_warp(const Finding& finding) {
  return finding.fault == Fault::race && finding.other.same_warp;
}

std::string cause_of_bounds(const Finding& finding) {
  if (finding.fault == Fault::read_only) {
    return "A and B are only read: store to C.";
  }
  if (finding.access.element.index < 0) {
    return "An index falls below 0: look at what is subtracted in it.";
  }
  if (is_about(finding, "A")) {
    return "This thread's row or k lies beyond the edge of A: read only where row < M and k < K, "
           "and take 0 elsewhere.";
  }
  if (is_about(finding, "B")) {
    return "This thread's k or column lies beyond the edge of B: read only where k < K and "
           "column < N, and take 0 elsewhere.";
  }
  if (is_about(finding, "C")) {
    return "This thread's row or column lies beyond the edge of C: it must not store there. Guard "
           "the store by row < M and column < N; or, where no barrier follows, let the thread "
           "return "
           "before it reads.";
  }
  return "The index goes beyond what the array is declared with: compare its extents, in their "
         "order, with the loop's end and the thread's indices.";
}

std::string cause_of_alignment(const Finding& finding) {
  if (finding.access.element.space == MemorySpace::global) {
    return "A float4 or float2 must begin at a multiple of its own size, which a row does only "
           "where its length is a multiple of 4 or 2 floats: elsewhere read or write single "
           "floats.";
  }
  return "A float4 or float2 must begin at a multiple of its own size: declare the array with "
         "alignas(16), and make each row's length, padding included, a multiple of 4 floats.";
}

std::string cause_of_uninitialised(const Finding& finding) {
  if (is_about(finding, "C")) {
    return "C holds nothing before the kernel writes it: collect the sum in a register that begins "
           "with 0, and store it once, with = for +=.";
  }
  return "Not all of the array is filled before it is used: let the threads together write every "
         "element, a 0 where the matrix ends (and begin sums with 0).";
}

std::string cause_of_race(const Finding& finding) {
  if (finding.fault == Fault::race_with_copy) {
    return "An asynchronous copy is not there before it was waited for: wait for it "
           "(__pipeline_wait_prior, or cp.async's wait), then __syncthreads(), and only then read.";
  }
  if (finding.fault == Fault::simultaneous_write) {
    return "Several threads store to one element, and chance decides whose value stays: the index "
           "must be another for each thread, or one thread alone must store.";
  }
  if (finding.fault == Fault::written_twice) {
    return "Two threads compute the same element of C: row and column need the block's index times "
           "its tile, and the thread's index times the elements that it computes.";
  }
  if (finding.fault == Fault::race_of_blocks) {
    return "Blocks run in any order, and at the same time: let each write elements of its own and "
           "read what was there before the launch, or add to what they share with atomicAdd().";
  }
  if (finding.fault == Fault::stale_read) {
    return "__ldg() and a const pointer with __restrict__ are for memory that the kernel does not "
           "write: read this by a plain pointer, and with a barrier after the write.";
  }
  const bool writes = finding.access.kind == AccessKind::store;
  if (writes && finding.other.store && !finding.other.same_warp) {
    return "Two threads write one element with no __syncthreads() between: their indices overlap "
           "where they fill the array, or a __syncthreads() at the end of the loop's step is "
           "missing.";
  }
  if (finding.other.same_warp) {
    return writes ? "A __syncthreads() is missing between the last read and the next write: at the "
                    "end of the loop's step, before the tiles are filled again."
                  : "A __syncthreads() is missing between the write and the read: after the tiles "
                    "are filled and before they are read.";
  }
  // The finding does not show which of the two it is: warps run ahead of each other, so that
  // without either the tile is seen read too early and filled too early.
  return "There must be a __syncthreads() between filling the tile and reading it, and another "
         "between reading it and the next step that fills it again: one of them is missing.";
}

std::string cause_of_barrier(const Finding& finding) {
  if (finding.fault == Fault::different_barriers) {
    return "Threads wait at different __syncthreads(), in the branches of an if: all threads of "
           "the block must reach the same one, so put it after the branches.";
  }
  if (finding.fault == Fault::returned_lane) {
    return "A shuffle takes a value from a thread that has returned: let all threads of the warp "
           "stay until it is done.";
  }
  if (finding.fault == Fault::not_in_mask || finding.fault == Fault::missing_lane) {
    return "The mask must name just the threads of the warp that execute this line: 0xffffffff "
           "where all do, outside of any branch.";
  }
  if (finding.fault == Fault::shared_barrier) {
    return "Warps that do not wait for each other use one barrier: give each group of them a "
           "number "
           "of its own.";
  }
  if (finding.fault == Fault::missing_warps) {
    return "Threads beyond the edge must not return before a __syncthreads() that others wait at: "
           "let them take part in the loop, and guard only the loads and the store.";
  }
  return "All threads of the block must reach a __syncthreads(): take it out of the if, or of the "
         "loop that some leave earlier, and let no thread return before it.";
}

}  // namespace

std::string cause_of(const Finding& finding) {
  switch (finding.kind()) {
    case FindingKind::bounds:
      return cause_of_bounds(finding);
    case FindingKind::alignment:
      return cause_of_alignment(finding);
    case FindingKind::uninitialised:
      return cause_of_uninitialised(finding);
    case FindingKind::race:
      return cause_of_race(finding);
    case FindingKind::barrier:
      return cause_of_barrier(finding);
    case FindingKind::endless:
      return "The loop's condition never becomes false: its variable must change in every "
             "iteration (k0 += BK), towards the value that it is compared with.";
    case FindingKind::assertion:
      return "The kernel's own assert() says what it expects: look at the thread and the line, and "
             "print the values with printf().";
    case FindingKind::trap:
      return "The kernel calls __trap(): look for the condition that leads there.";
    case FindingKind::unreachable:
      return "A function that has a result ends without a return, or __builtin_unreachable() is "
             "executed: give every way through the function a return.";
    case FindingKind::unwritten:
      return "No thread stores these elements: a condition before the store leaves them out, or "
             "the block's threads together compute less than its tile.";
    case FindingKind::equal_stores:  // a note
      break;
  }
  return "";
}

std::string cause_of(const std::vector<Finding>& findings) {
  // Threads that wait at different barriers also race.
  const auto barrier = std::ranges::find(findings, FindingKind::barrier, &Finding::kind);
  if (barrier != findings.end()) return cause_of(*barrier);
  const Finding& first = findings.front();
  if (first.kind() == FindingKind::bounds) {
    // A thread that stores outside C should not have read outside A or B either.
    const auto outside_c = std::ranges::find_if(findings, [](const Finding& finding) {
      return finding.kind() == FindingKind::bounds && is_about(finding, "C");
    });
    return cause_of(outside_c == findings.end() ? first : *outside_c);
  }
  if (first.kind() == FindingKind::race) {
    // Where a barrier is missing, warps are found to read what others write and to write what
    // others read, whichever comes first in the program; within a warp only what does.
    const auto within_warp = std::ranges::find_if(findings, is_race_within_warp);
    return cause_of(within_warp == findings.end() ? first : *within_warp);
  }
  return cause_of(first);
}

}  // namespace gemm_tutor
