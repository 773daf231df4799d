// The data for a drawing of one request of one warp. For global memory it has the sectors and their
// lanes, for shared memory the banks of each pass. All numbers follow from the emulator's rules
// (simt/emulator.hpp). Others draw it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "course/lesson_run.hpp"
#include "trace/padding.hpp"

namespace gemm_tutor {

// An element by its name in the source.
struct Element {
  std::string array;  // "A", "a_tile"; empty if no array is known at the address
  std::vector<std::int64_t>
      indices;               // one per extent; one offset in words if the extents are not known
  std::string text() const;  // "A[3][7]"
};

// 32 bytes of global memory.
struct SectorPicture {
  std::uint64_t number = 0;  // of the buffer's sectors
  Element first;             // its first element
  Element first_of_line;     // that of the 128 bytes that it is in
  std::uint32_t lanes = 0;   // lanes that access it
  int bytes_used = 0;        // number of distinct bytes
};

struct GlobalPicture {
  Element first;                       // the first active lane's element
  std::vector<SectorPicture> sectors;  // ascending
  int lines = 0;                       // of 128 bytes
  int bytes_used = 0, bytes_moved = 0;
  int least_sectors = 0;  // the fewest sectors for that many bytes
  // Bytes from each active lane to the next; nothing if they differ, or for one lane.
  std::optional<std::int64_t> stride;
  std::string why;     // one sentence
  std::string remedy;  // how the same bytes could be in fewer sectors; empty if not possible or not
                       // known
};

// A word of shared memory: 4 bytes of one bank.
struct BankWord {
  int bank = 0;
  std::uint64_t word = 0;   // index in the block's shared memory
  std::uint32_t lanes = 0;  // lanes that access it; a load broadcasts a word to several lanes
};

struct PassPicture {
  std::vector<BankWord> words;  // sorted by bank; each bank at most once
};

// Lanes that are served together.
struct GroupPicture {
  std::uint32_t lanes = 0;  // active lanes
  int first_lane = 0, last_lane = 0;
  std::vector<PassPicture> passes;  // one per wavefront; all but the first are conflicts
};

struct SharedPicture {
  Element first;
  std::vector<GroupPicture> groups;
  int wavefronts = 0, conflicts = 0;
  int broadcasts = 0;  // number of words that several lanes of a group load
  std::optional<std::int64_t> stride;
  std::string why;     // one sentence
  std::string remedy;  // one sentence on what would remove the conflicts; empty if there are none
};

struct AccessPicture {
  simt::Access access;
  std::variant<GlobalPicture, SharedPicture> memory;
  std::uint32_t outside = 0;  // lanes that are out of bounds of the matrix, or of all shared arrays
  // Lanes with misaligned addresses, at which a GPU stops the kernel. Such a request must not be
  // drawn.
  std::uint32_t misaligned = 0;

  const GlobalPicture* global() const { return std::get_if<GlobalPicture>(&memory); }
  const SharedPicture* shared() const { return std::get_if<SharedPicture>(&memory); }
  // True if it needs more sectors than its bytes fill, or has bank conflicts.
  bool is_costly() const;
};

// Returns the array of the block's shared memory that contains the byte; null if there is none.
const simt::SharedArray* array_at(const Trace& trace, std::uint64_t offset);

// Returns the element of the matrix or shared array at an offset of the access.
Element element_at(const Trace& trace, const simt::Access& access, std::uint64_t offset);

// Returns the bytes of an element of the matrix or shared array that it accesses; 4 if that is not
// known.
int element_bytes_of(const Trace& trace, const simt::Access& access);

// Returns the matrix of an access to global memory; null if it is not to a matrix, but for example
// to a variable of the module.
const TracedMatrix* matrix_of(const Trace& trace, const simt::Access& access);

// Returns the lanes in the mask, ascending.
std::vector<int> lanes_of(std::uint32_t mask);

// Returns the access's lanes that are out of bounds of the matrix, or of all shared arrays.
std::uint32_t lanes_outside(const Trace& trace, const simt::Access& access);

// True if several lanes of a store write to the same address, so that only one value remains.
bool is_overwritten(const simt::Access& access);

// Draws a request. The first form is for many requests of a trace: `paddings` is of the whole
// trace, and `trace` may have only the accesses of the request's warp in the same step.
AccessPicture draw(const Trace& trace, const simt::Access& access, Paddings& paddings);
AccessPicture draw(const Trace& trace, const simt::Access& access);

// Explains a request's cost, and what would reduce it, in one sentence each.
std::string why(const Trace& trace, const simt::Access& access, const GlobalPicture& picture);
std::string why(const Trace& trace, const simt::Access& access, const SharedPicture& picture);

// Returns how the same bytes could be in fewer sectors. Empty if there is no general rule.
std::string remedy(const Trace& trace, const simt::Access& access, const GlobalPicture& picture);

// Returns what would remove the bank conflicts, checked with the same rules: rows with padding, or
// loads of four floats in place of single ones. Otherwise says which words the lanes should access.
std::string remedy(const Trace& trace, const simt::Access& access, const SharedPicture& picture,
                   Paddings& paddings);

}  // namespace gemm_tutor
