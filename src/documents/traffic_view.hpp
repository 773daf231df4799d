// Traffic: by the formula, and as counted.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "course/kernel_run.hpp"
#include "view/layout.hpp"

namespace gemm_tutor {

// By a lesson's formula, and as counted: numbers with thousands separators, in floats.
struct TrafficRow {
  std::string name, formula, predicted;
  std::string counted;  // empty when nothing was counted
  Span mark;            // whether the two agree
};
std::vector<TrafficRow> traffic_rows(const KernelRun& run);  // none where there is no formula

// What is said below them, a paragraph each.
std::vector<Line> traffic_lines(const KernelRun& run);

// In their place, of an emulation that stopped.
inline constexpr std::string_view traffic_not_told =
    "not told: the emulator stopped at what it found, and the counts beside the source are of what "
    "ran until then";

void add_traffic(Page& page, const KernelRun& run);

}  // namespace gemm_tutor
