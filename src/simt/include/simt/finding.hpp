// Findings: errors of a kernel, each with the sentence that describes it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "simt/gpu_spec.hpp"

namespace gemm_tutor::simt {

// The order is that in which the findings of one line are reported.
enum class FindingKind {
  alignment,
  barrier,
  bounds,
  endless,
  assertion,
  trap,
  race,
  uninitialised,
  unreachable,
  unwritten,
  equal_stores,      // a note
  barriers_apart,    // a note
  array_alignment,   // a note
  order_by_matrices  // a note
};

const char* name_of(FindingKind kind);  // "bounds": in text and in JSON

enum class MemorySpace { global, shared, local };

enum class AccessKind { load, store, atomic, copy_from, copy_to };

// An array as declared in the source, so that a finding can name a_tile[3][7].
struct ArrayShape {
  std::string name;
  std::vector<std::int64_t> extents;  // empty for a dynamic array
  int element_bytes = 0;              // 0 if not known
};

struct FoundFault;  // all facts of a fault, for simt alone

struct Finding {
  std::shared_ptr<const FoundFault> fault = {};
  int line = 0;  // in the kernel's source file; 0 for none
  std::uint64_t count = 1;
  // If the line is in another function than the kernel: the lines of the calls, the innermost call
  // first. Empty with clang, because its PTX does not have the calls.
  std::vector<int> calls = {};
  Dim3 thread = {0, 0, 0}, block = {0, 0, 0};  // the first thread with this fault
  // For a fault of a memory access: how and what it accesses. `array` is the name of a buffer or of
  // an array in shared or local memory, empty if the address is in none.
  AccessKind access = AccessKind::load;
  MemorySpace space = MemorySpace::global;
  std::string array = {};
  int other_line = 0;  // of the other access of a race; 0 if not known
  // For a race in a block: the lines after which a barrier would order the accesses, if they are
  // known. message() advises them unless they are removed here.
  std::vector<int> barriers_after = {};
  // If the finding comes from the edge of the problem: what the edge is, as a sentence. Findings
  // with the same one have one cause.
  std::string edge = {};
  // The lines of all findings of this cause, if it stands for them (one_per_cause).
  std::vector<int> lines = {};

  FindingKind kind() const;
  bool is_outside() const;  // it accesses memory outside of every array
};

// Make the findings that a run does not: of a loop in the source that leaves an array of a thread,
// and of an output of which `unwritten` elements of those that were `checked` were never written.
Finding beyond_array(int line, AccessKind access, const ArrayShape& array, std::int64_t index);
Finding never_written(const std::string& array, std::int64_t unwritten, std::int64_t checked);

bool has_kind(const std::vector<Finding>& findings, FindingKind kind);

// Returns one sentence without a full stop, for a cause that has an edge with that before it:
// "thread (1, 0, 0) of block (0, 0, 0) reads A[16][0], outside A, which is 16×16".
std::string message(const Finding& finding);

// Returns the same without thread and element, with the line: "reads outside A (line 12)".
std::string short_message(const Finding& finding);

// Returns one finding for each cause: the first one, with the lines and the counts of all. These
// have one cause: the findings of one edge; races that one barrier would order; and faults of the
// same kind with the same array, or at barriers.
std::vector<Finding> one_per_cause(const std::vector<Finding>& findings);

}  // namespace gemm_tutor::simt
