// What a kernel does wrong: the facts, and the sentence that is made of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "emulator/fault.hpp"
#include "model/launch.hpp"

namespace gemm_tutor::emulator {

// In the order in which those of one line are reported.
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
  equal_stores  // a note
};

inline constexpr std::size_t finding_kinds =
    static_cast<std::size_t>(FindingKind::equal_stores) + 1;

const char* name_of(FindingKind kind);  // "bounds": in text and in JSON
FindingKind kind_of(Fault fault);

enum class MemorySpace { global, shared, local };

// An FP32 element of a buffer, or of an array in shared or local memory.
struct Element {
  MemorySpace space = MemorySpace::global;
  std::string array = {};     // its name; empty: the address is in none
  std::int64_t index = 0;     // from the array's first element; it may lie outside
  std::int64_t elements = 0;  // of the whole array
  // Of the array as its source declares it, or the rows and columns of a matrix; else empty.
  std::vector<std::int64_t> extents = {};
  std::uint64_t address = 0;  // as the kernel has it
};

std::string text_of(const Element& element);  // "A[16][0]", "sums[12]"

enum class AccessKind { load, store, atomic, copy_from, copy_to };

struct MemoryAccess {
  AccessKind kind = AccessKind::load;
  Element element = {};
  int bytes = 4;  // of the thread
};

// Who made the other access of a race.
struct OtherAccess {
  enum class By {
    thread,
    threads_of_the_warp,
    threads_of_several_warps,
    threads_of_several_blocks
  } by = By::thread;
  Dim3 thread = {0, 0, 0}, block = {0, 0, 0};  // By::thread
  bool store = true;
  int line = 0;            // 0 where it is not known
  bool same_warp = false;  // as the thread of the finding: __syncwarp() would order them
};

// Where a barrier would separate two accesses: between their lines, and after the second at the end
// of the loop that both are in.
struct Separation {
  int first_line = 0, second_line = 0;
  bool between = false, around = false;
};

// Each fault has its own facts; the others keep their defaults.
struct Finding {
  Fault fault = Fault::outside;
  int line = 0;  // in the kernel's own source file; 0 for none
  std::uint64_t count = 1;
  // Where the function with that line is called, if it is not the kernel itself: lines of the
  // kernel's file, the innermost call first. Empty with clang, whose PTX does not name calls.
  std::vector<int> calls = {};

  Dim3 thread = {0, 0, 0}, block = {0, 0, 0};  // the first that did it
  MemoryAccess access = {};                    // of the faults that are accesses
  OtherAccess other = {};                      // of races; also the lane that has returned
  std::optional<Separation> separation = {};   // of races in a block, where it follows
  // Those that are missing at a barrier or in a mask, or that have returned.
  std::vector<Dim3> threads = {};
  std::uint32_t mask = 0;  // Fault::not_in_mask
  // Of barriers with a number: that, the threads that it is for, and those that came, or for how
  // many others wait.
  std::uint32_t barrier = 0, expected = 0, arrived = 0;
  std::int64_t instructions = 0;             // Fault::endless: the limit
  std::uint32_t warp = 0, other_warp = 0;    // Fault::different_barriers
  int other_line = 0;                        // likewise
  std::int64_t unwritten = 0, elements = 0;  // Fault::unwritten: of those checked
  std::string assertion = {};                // Fault::assertion: the text of the condition

  FindingKind kind() const { return kind_of(fault); }
};

// One sentence without its end: "thread (1, 0, 0) of block (0, 0, 0) reads A[16][0], outside A,
// which is 16×16".
std::string message(const Finding& finding);

}  // namespace gemm_tutor::emulator
