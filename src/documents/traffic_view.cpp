#include "documents/traffic_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "support/text.hpp"
#include "view/layout.hpp"
#include "view/units.hpp"

namespace gemm_tutor {
namespace {

Span mark(const Traffic& traffic, std::int64_t predicted, std::int64_t counted) {
  if (!traffic.count_is_exact) return {"≈", Style::doubtful};
  if (predicted == counted) return {"✓", Style::good};
  return traffic.formula_is_exact ? Span{"✗", Style::bad} : Span{"≈", Style::doubtful};
}

TrafficRow make_row(const Traffic& traffic, std::string name, std::string formula,
                    std::int64_t predicted, std::optional<std::int64_t> counted) {
  return {std::move(name), std::move(formula), with_thousands(predicted),
          counted ? with_thousands(*counted) : "",
          counted ? mark(traffic, predicted, *counted) : Span{}};
}

// The numbers of all rows one under the other; counted beside predicted, or below it where the line
// would be too long.
class Table {
 public:
  explicit Table(const std::vector<TrafficRow>& rows) : rows_(rows) {
    for (const TrafficRow& row : rows) {
      formula_columns_ = std::max(formula_columns_, columns(row.formula));
      number_columns_ = std::max({number_columns_, columns(row.predicted), columns(row.counted)});
    }
  }

  void add_to(Page& page) const {
    bool fits = true;
    for (const TrafficRow& row : rows_) {
      fits = fits && columns(predicted(row) + counted_beside(row)) <= page.text_columns();
    }
    for (const TrafficRow& row : rows_) {
      page.text(fits ? predicted(row) + counted_beside(row) : predicted(row));
      if (!fits && !row.counted.empty()) page.text(counted_below(row));
    }
  }

 private:
  std::string before_number(const TrafficRow& row) const {
    return fmt::format("{:<8}{}  = ", row.name, flush_left(row.formula, formula_columns_));
  }

  Line predicted(const TrafficRow& row) const {
    return {{before_number(row)}, {fmt::format("{:>{}} floats", row.predicted, number_columns_)}};
  }

  Line counted_beside(const TrafficRow& row) const {
    if (row.counted.empty()) return {};
    return {{fmt::format("   counted {:>{}}  ", row.counted, number_columns_)}, row.mark};
  }

  Line counted_below(const TrafficRow& row) const {
    return {{fmt::format("{:>{}} {:>{}}  ", "counted", columns(before_number(row)) - 1, row.counted,
                         number_columns_)},
            row.mark};
  }

  const std::vector<TrafficRow>& rows_;
  int formula_columns_ = 0, number_columns_ = 0;
};

// What a factor says: 32 is "32.0× less", 0.5 "2.0× more", 1 nothing.
std::string factor_word(double factor, std::string_view less) {
  if (factor_text(std::max(factor, 1 / factor)) == factor_text(1)) return "";
  return factor > 1 ? fmt::format("{} {}", factor_text(factor), less)
                    : factor_text(1 / factor) + " more";
}

std::string comparison_text(const Comparison& comparison) {
  const std::string floats = factor_word(comparison.load_floats_factor, "less");
  const std::string sectors = factor_word(comparison.load_sectors_factor, "fewer");
  return fmt::format("{}{} lesson {} · {} sectors · ", comparison.exact ? "" : "≈ ",
                     floats.empty() ? "as many floats as" : floats + " than", comparison.lesson,
                     sectors.empty() ? "as many" : sectors);
}

// Of the loads: the stores of C are the same for every kernel.
std::string loads_intensity_text(const KernelRun& run) {
  const Traffic& traffic = run.traffic;
  const auto loads = traffic.counted_loads ? traffic.counted_loads : traffic.predicted_loads;
  const double intensity = run.problem.flops() / (4.0 * static_cast<double>(loads.value_or(0)));
  if (!std::isfinite(intensity)) return "nothing loaded from global memory";
  return unbreakable(intensity_text(intensity) + " loaded");
}

// Why the formula's numbers are not the counted ones.
std::string formula_doubt(const KernelRun& run) {
  const bool has_tile = run.kernel && run.kernel->shape;
  const LaunchShape shape = has_tile ? run.kernel->shape(run.settings) : LaunchShape();
  if (run.problem.m < shape.tile_rows || run.problem.n < shape.tile_columns) {
    return fmt::format("the formula is for whole tiles, and one of {} × {} reaches beyond all of C",
                       shape.tile_rows, shape.tile_columns);
  }
  return "the formula is for whole tiles; at this size some are cut at the edges";
}

bool counted_as_predicted(const Traffic& traffic) {
  return traffic.count_is_exact && traffic.counted_loads == traffic.predicted_loads &&
         traffic.counted_stores == traffic.predicted_stores;
}

std::string doubt_text(const KernelRun& run) {
  std::vector<std::string> reasons;
  if (run.traffic.predicted_loads && !run.traffic.formula_is_exact &&
      !counted_as_predicted(run.traffic)) {
    reasons.push_back(formula_doubt(run));
  }
  if (!run.traffic.count_is_exact) {
    reasons.push_back(run.emulation ? fmt::format("{} of {} blocks{} emulated, scaled to all",
                                                  with_thousands(run.emulation->blocks_emulated),
                                                  with_thousands(run.emulation->blocks_total),
                                                  run.second_launch ? " of the first launch" : "")
                                    : "counted for some rows of C, scaled to all");
  }
  return reasons.empty() ? "" : "≈ " + join(reasons, "; ");
}

// As counted alone: a kernel of the user's own has no formula.
void add_counted(Page& page, const Traffic& traffic) {
  const std::string loads = with_thousands(traffic.counted_loads.value_or(0));
  const std::string stores = with_thousands(traffic.counted_stores.value_or(0));
  const std::size_t width = std::max(loads.size(), stores.size());
  const Line doubt = {{traffic.count_is_exact ? "" : "  ≈", Style::doubtful}};
  page.text(Line{{fmt::format("loads   {:>{}} floats counted", loads, width)}} + doubt);
  page.text(Line{{fmt::format("stores  {:>{}} floats counted", stores, width)}} + doubt);
}

}  // namespace

std::vector<TrafficRow> traffic_rows(const KernelRun& run) {
  const Traffic& traffic = run.traffic;
  if (!traffic.predicted_loads) return {};
  const TrafficFormula& formula = run.kernel->traffic;
  return {
      make_row(traffic, "loads", formula.loads, *traffic.predicted_loads, traffic.counted_loads),
      make_row(traffic, "stores", formula.stores, *traffic.predicted_stores,
               traffic.counted_stores)};
}

std::vector<Line> traffic_lines(const KernelRun& run) {
  std::vector<Line> lines;
  if (const auto& symbol = run.kernel ? run.kernel->traffic.symbol : std::nullopt) {
    const double value = values_before(*run.kernel, run.settings, run.problem).at(symbol->name);
    lines.push_back(
        {{fmt::format("{} = {}: {}", symbol->name, with_thousands(static_cast<std::int64_t>(value)),
                      symbol->words)}});
  }
  if (run.kernel && !run.kernel->traffic.loads.empty() && !run.traffic.predicted_loads) {
    lines.push_back({{"the formula has no value at this size", Style::doubtful}});
  }
  if (const std::string doubt = doubt_text(run); !doubt.empty())
    lines.push_back({{doubt, Style::doubtful}});
  const std::string compared = run.comparison ? comparison_text(*run.comparison) : "";
  lines.push_back({{compared + loads_intensity_text(run)}});
  if (run.lesson && !run.lesson->change.empty()) lines.push_back({{run.lesson->change}});
  return lines;
}

void add_traffic(Page& page, const KernelRun& run) {
  page.section("Traffic");
  if (run.emulation && run.emulation->stopped) {
    page.text({{std::string(traffic_not_told)}});
    return;
  }
  const std::vector<TrafficRow> rows = traffic_rows(run);
  rows.empty() ? add_counted(page, run.traffic) : Table(rows).add_to(page);
  for (const Line& line : traffic_lines(run)) page.text(line);
}

}  // namespace gemm_tutor
