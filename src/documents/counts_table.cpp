#include "documents/counts_table.hpp"

#include <fmt/format.h>

#include "course/ladder.hpp"
#include "documents/launch_text.hpp"
#include "view/units.hpp"

namespace gemm_tutor {

Table counts_table(const std::vector<NamedRun>& runs, int kernel_columns) {
  Table table;
  table.columns = {{{{"   kernel"}}, Align::left, kernel_columns},
                   number_column("loads", 5, 1),
                   number_column("wf/FFMA", 7, 1),
                   number_column("FLOP/B", 6, 1),
                   number_column("shared", 6, 1),
                   number_column("regs", 4, 1),
                   number_column("occupancy", 9, 1)};
  const auto ratio = [](double value) { return value > 0 ? fmt::format("{:.2f}", value) : ""; };
  for (const auto& [name, run] : runs) {
    const auto wavefronts = wavefronts_per_ffma(*run);
    const auto loads = static_cast<double>(run->traffic.counted_loads.value_or(0));
    table.rows.push_back({name, text_cell(short_count(loads)),
                          text_cell(wavefronts ? fmt::format("{:.2f}", *wavefronts) : ""),
                          text_cell(ratio(global_intensity(*run))),
                          text_cell(ratio(shared_intensity(*run))), text_cell(registers_text(*run)),
                          text_cell(occupancy_text(*run))});
  }
  return table;
}

}  // namespace gemm_tutor
