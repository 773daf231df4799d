// One request of one warp as a picture: for global memory the sectors and the lanes in each, for
// shared memory the banks, pass by pass. Every number follows from the rules that the emulator
// counts by (emulator/access_cost.hpp); how it is drawn is left to others.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "trace/padding.hpp"
#include "trace/trace.hpp"

namespace gemm_tutor {

// A place as the source names it.
struct Element {
  std::string array;  // "A", "a_tile"; empty where nothing is known to lie there
  std::vector<std::int64_t>
      indices;               // one for each extent; in floats from the beginning if unknown
  std::string text() const;  // "A[3][7]"
};

// 32 bytes of global memory.
struct SectorPicture {
  std::uint64_t number = 0;  // of the buffer's sectors
  Element first;             // its first float
  Element first_of_line;     // that of the 128 bytes that it is in
  std::uint32_t lanes = 0;   // that want any of it
  int bytes_used = 0;        // distinct ones
};

struct GlobalPicture {
  Element first;                       // what the first active lane wants
  std::vector<SectorPicture> sectors;  // ascending
  int lines = 0;                       // of 128 bytes
  int bytes_used = 0, bytes_moved = 0;
  int least_sectors = 0;  // that as many bytes would fit in
  // Bytes from each active lane to the next, where that is the same for all; none for one lane.
  std::optional<std::int64_t> stride;
  std::string why;     // one sentence
  std::string remedy;  // one on how as many bytes would be in fewer sectors; empty where that is
                       // not known, or cannot be
};

// A word of shared memory: 4 bytes of one bank.
struct BankWord {
  int bank = 0;
  std::uint64_t word = 0;   // of the block's shared memory
  std::uint32_t lanes = 0;  // that want it; several of a load are served by a broadcast
};

struct PassPicture {
  std::vector<BankWord> words;  // by bank; no bank twice
};

// Lanes that are served together.
struct GroupPicture {
  std::uint32_t lanes = 0;  // that are active
  int first_lane = 0, last_lane = 0;
  std::vector<PassPicture> passes;  // one a wavefront; those after the first are conflicts
};

struct SharedPicture {
  Element first;
  std::vector<GroupPicture> groups;
  int wavefronts = 0, conflicts = 0;
  int broadcasts = 0;  // words that several lanes of a group load
  std::optional<std::int64_t> stride;
  std::string why;  // one sentence
  std::string
      remedy;  // one sentence on what would remove the conflicts; empty where there are none
};

struct AccessPicture {
  emulator::Access access;
  std::variant<GlobalPicture, SharedPicture> memory;
  std::uint32_t outside = 0;  // lanes out of the bounds of the matrix, or of all shared arrays
  // Lanes whose place is no multiple of their bytes: a GPU stops at them. Such a request is counted
  // by where its lanes begin, and not to be drawn.
  std::uint32_t misaligned = 0;

  const GlobalPicture* global() const { return std::get_if<GlobalPicture>(&memory); }
  const SharedPicture* shared() const { return std::get_if<SharedPicture>(&memory); }
  // More sectors than the bytes need, or bank conflicts.
  bool is_costly() const;
};

// The array of the traced block's shared memory with that byte; null where there is none.
const emulator::SharedArray* array_at(const Trace& trace, std::uint64_t offset);

// The element of the matrix or shared array that the offset of an access lies in.
Element element_at(const Trace& trace, const emulator::Access& access, std::uint64_t offset);
// The matrix that an access to global memory goes to; null for another, such as a variable of the
// module.
const TracedMatrix* matrix_of(const Trace& trace, const emulator::Access& access);

// The lanes, ascending.
std::vector<int> lanes_of(std::uint32_t mask);

// Those of the access that are out of the bounds of the matrix, or of all shared arrays.
std::uint32_t lanes_outside(const Trace& trace, const emulator::Access& access);

// Whether lanes of a store write to the same place, where only one of their values can stay.
bool is_overwritten(const emulator::Access& access);

// For many requests of a trace: `paddings` are of the whole of it. `trace` itself may hold no more
// than what the request's warp did in the same step.
AccessPicture draw(const Trace& trace, const emulator::Access& access, Paddings& paddings);
AccessPicture draw(const Trace& trace, const emulator::Access& access);

}  // namespace gemm_tutor
