// Traffic: by the formula, and as counted.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/run_sections.hpp"
#include "support/text.hpp"
#include "view/units.hpp"

namespace gemm_tutor {
namespace {

// In its place, of an emulation that stopped.
constexpr std::string_view traffic_not_known =
    "not known: the emulator stopped at what it found, and the counts beside the source are of "
    "what "
    "ran until then";

Span mark(const LessonRun& run, std::int64_t predicted, std::int64_t counted) {
  if (!run.traffic.count_is_exact) return {"≈", Style::doubtful};
  if (predicted == counted) return {"✓", Style::good};
  return run.predicted.is_exact ? Span{"✗", Style::bad} : Span{"≈", Style::doubtful};
}

Equation equation(const LessonRun& run, const char* name, std::string formula,
                  std::int64_t predicted, std::optional<std::int64_t> counted) {
  return {{{name}},
          std::move(formula),
          with_thousands(predicted),
          counted ? with_thousands(*counted) : "",
          counted ? mark(run, predicted, *counted) : Span{}};
}

// A user's kernel has no formula.
Equation counted_alone(const Traffic& traffic, const char* name,
                       const std::optional<std::int64_t>& counted) {
  return {{{name}},
          "",
          "",
          with_thousands(counted.value_or(0)),
          traffic.count_is_exact ? Span{} : Span{"≈", Style::doubtful}};
}

// The text for a factor: 32 is "32.0× less", 0.5 "2.0× more", 1 is empty.
std::string factor_word(double factor, std::string_view less) {
  if (factor_text(std::max(factor, 1 / factor)) == factor_text(1)) return "";
  return factor > 1 ? fmt::format("{} {}", factor_text(factor), less)
                    : factor_text(1 / factor) + " more";
}

}  // namespace

std::string comparison_text(const Comparison& comparison) {
  const std::string floats = factor_word(comparison.load_floats_factor, "less");
  const std::string sectors = factor_word(comparison.load_sectors_factor, "fewer");
  return fmt::format(
      "{}{} {} · {} sectors", comparison.exact ? "" : "≈ ",
      floats.empty() ? fmt::format("as many {} as", comparison.unit) : floats + " than",
      comparison.lesson->name(), sectors.empty() ? "as many" : sectors);
}

namespace {

// Of the loads: the stores of C are the same for every kernel.
std::string loads_intensity_text(const KernelRun& run, std::optional<std::int64_t> predicted = {}) {
  const auto loads = run.traffic.counted_loads ? run.traffic.counted_loads : predicted;
  const double intensity =
      run.problem.flops() / (run.traffic.load_bytes * static_cast<double>(loads.value_or(0)));
  if (!std::isfinite(intensity)) return "nothing loaded from global memory";
  return unbreakable(intensity_text(intensity) + " loaded");
}

// Why the formula's numbers are not the counted ones.
std::string formula_doubt(const LessonRun& run) {
  const bool has_tile = run.kernel->shape != nullptr;
  const LaunchShape shape = has_tile ? run.kernel->shape(run.settings) : LaunchShape();
  if (run.problem.m < shape.tile_rows || run.problem.n < shape.tile_columns) {
    return fmt::format("the formula is for whole tiles, and one of {} × {} reaches beyond all of C",
                       shape.tile_rows, shape.tile_columns);
  }
  return "the formula is for whole tiles; at this size some are cut at the edges";
}

bool counted_as_predicted(const LessonRun& run) {
  return run.traffic.count_is_exact && run.traffic.counted_loads == run.predicted.loads &&
         run.traffic.counted_stores == run.predicted.stores;
}

std::string doubt_text(const AnyRun auto& run) {
  std::vector<std::string> reasons;
  if constexpr (requires { run.predicted; }) {
    if (run.predicted.loads && !run.predicted.is_exact && !counted_as_predicted(run))
      reasons.push_back(formula_doubt(run));
  }
  if (!run.traffic.count_is_exact) {
    reasons.push_back(run.emulation
                          ? fmt::format("{} of {} blocks{} emulated, scaled to all",
                                        with_thousands(run.emulation->blocks_emulated),
                                        with_thousands(run.emulation->blocks_total),
                                        !run.earlier_launches.empty() ? " of the last launch"
                                        : run.second_launch           ? " of the first launch"
                                                                      : "")
                          : "counted for some rows of C, scaled to all");
  }
  return reasons.empty() ? "" : "≈ " + join(reasons, "; ");
}

}  // namespace

Equations traffic_equations(const AnyRun auto& run) {
  const Traffic& traffic = run.traffic;
  const char* unit = run.update.types.are_floats() ? "floats" : "elements";
  if constexpr (requires { run.predicted; }) {
    const auto& [loads, stores, is_exact] = run.predicted;
    const TrafficFormula& formula = run.kernel->traffic;
    if (loads) {
      return {{equation(run, "loads", formula.loads, *loads, traffic.counted_loads),
               equation(run, "stores", formula.stores, *stores, traffic.counted_stores)},
              unit};
    }
  }
  return {{counted_alone(traffic, "loads", traffic.counted_loads),
           counted_alone(traffic, "stores", traffic.counted_stores)},
          unit};
}

Facts traffic_facts(const AnyRun auto& run) {
  Facts facts;
  std::string loads = loads_intensity_text(run);
  if constexpr (requires { run.predicted; }) {
    const TrafficFormula& formula = run.kernel->traffic;
    if (const auto& symbol = formula.symbol) {
      const double value = values_before(*run.kernel, run.settings, run.problem).at(symbol->name);
      facts.add({{fmt::format("{} = {}: {}", symbol->name,
                              with_thousands(static_cast<std::int64_t>(value)), symbol->words)}});
    }
    if (!formula.loads.empty() && !run.predicted.loads) {
      facts.add({{"the formula has no value at this size", Style::doubtful}});
    }
    loads = loads_intensity_text(run, run.predicted.loads);
    if (run.comparison) loads = comparison_text(*run.comparison) + " · " + loads;
  }
  if (const std::string doubt = doubt_text(run); !doubt.empty()) {
    facts.add({{doubt, Style::doubtful}});
  }
  facts.add({{loads}});
  return facts;
}

Section traffic_section(const AnyRun auto& run) {
  if (!run.not_emulated.empty()) {
    return section("Traffic",
                   {facts({{{"not counted, and no fault was looked for: " + run.not_emulated}}})});
  }
  if (run.is_stopped()) {
    return section("Traffic", {facts({{{std::string(traffic_not_known)}}})});
  }
  if (!run.traffic.counted_loads && !run.emulation) return {};
  return section("Traffic", {traffic_equations(run), traffic_facts(run)});
}

template Equations traffic_equations(const KernelRun&);
template Equations traffic_equations(const LessonRun&);
template Facts traffic_facts(const KernelRun&);
template Facts traffic_facts(const LessonRun&);
template Section traffic_section(const KernelRun&);
template Section traffic_section(const LessonRun&);

}  // namespace gemm_tutor
