// Shows a memory request as a drawing and in words.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "simt/emulator.hpp"
#include "trace/picture.hpp"
#include "trace/selection.hpp"
#include "view/document.hpp"

namespace gemm_tutor {

// For global memory, the lanes in each sector, one row per 128-byte line. For shared memory, the
// lanes in each bank, one row per pass. Then the reason of its cost, and what would reduce it.
Parts request_parts(const SelectedAccess& selected);

// Describes a memory request in words, for `trace` and its pictures.
struct AccessWords {
  std::string kind;     // "global load"; all members are plain text
  std::string from;     // "from A[0][0] on · 4 bytes per lane · 4 such requests"
  std::string cost;     // "4 sectors in 1 line of 128 bytes · 128 of 128 bytes used"
  std::string outside;  // "out of bounds: lanes 8-31", or misaligned; empty if there are none
  std::string why;      // a sentence
  std::string remedy;   // a sentence; empty if nothing can be improved

  auto operator<=>(const AccessWords&) const = default;
};

// The meaning of the mark "!" before a request.
inline constexpr std::string_view costly_means = "more sectors or passes than the bytes need";

AccessWords words_of(const SelectedAccess& selected);

// "0-7", "0,4..28", "all 32".
std::string lanes_text(std::uint32_t mask);

inline constexpr std::size_t sectors_of_line = 4;

struct LineOfSectors {
  std::uint64_t number = 0;                                        // in the buffer
  std::array<const SectorPicture*, sectors_of_line> sectors = {};  // null: not touched
};

// Groups the picture's sectors by line, in order. The picture must outlive the result.
std::vector<LineOfSectors> by_line(const GlobalPicture& picture);

// The average cost of a line's requests, per buffer or shared array.

// "A 32.0 sec/req", or "4.0 sec/req" if the line has only one operand.
struct RequestCost {
  std::string number;  // with the operand's name if there are several
  std::string unit;
  bool has_conflicts = false;

  std::string text() const { return number + " " + unit; }
};

// For the operands in global or in shared memory. All texts have the same width.
std::vector<RequestCost> request_costs(const std::vector<simt::OperandCounters>& operands,
                                       simt::MemorySpace space);

}  // namespace gemm_tutor
