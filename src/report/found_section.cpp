// What a report begins with.
#include <fmt/format.h>

#include "course/ladder.hpp"
#include "report/estimate_section.hpp"
#include "report/run_sections.hpp"
#include "view/units.hpp"

namespace gemm_tutor {
namespace {

Line verdict(const KernelRun& run) {
  const bool is_right = is_clean(run);
  return {{is_right ? "✓ " : "✗ ", is_right ? Style::good : Style::bad}, {verdict_text(run)}};
}

Parts verdict_parts(const KernelRun& run) {
  if (says_all_of_result(run)) return result_section(run).parts;
  return {facts({verdict(run)})};
}

// "loads M·N·K·(1/BM + 1/BN) = 16,384 floats, as counted ✓"; empty without counts.
Line counted_loads(const KernelRun& run, const Equations& traffic) {
  const bool is_counted = run.traffic.counted_loads && !run.is_stopped();
  if (!is_counted || !run.not_emulated.empty()) return {};
  const Equation& loads = traffic.rows.front();
  if (loads.formula.empty()) return {{fmt::format("loads {} {}", loads.counted, traffic.unit)}};
  const bool is_same = loads.value == loads.counted;
  return {{fmt::format("loads {} = {} {}, {} ", loads.formula, loads.value, traffic.unit,
                       is_same ? "as counted" : "counted " + loads.counted)},
          loads.mark};
}

// With the lesson that it changes, or with what a user's kernel could be.
Parts compared_parts(const AnyRun auto& run) {
  if constexpr (requires { run.comparison; }) {
    if (!run.comparison) return {};
    return {facts({{{"loads " + comparison_text(*run.comparison)}}})};
  }
  if (!is_clean(run)) return {};
  Parts advice = try_section(run.estimate).parts;
  if (advice.empty()) return {};
  Facts first = std::get<Facts>(advice.front().content);
  first.lines.resize(1);
  return {first};
}

}  // namespace

Line time_and_limit(const KernelRun& run) {
  const auto time = time_of(run);
  if (!time) return {};
  const bool is_estimated = time->source == TimeSource::estimated;
  std::string text =
      fmt::format("{}{}", is_estimated ? "estimated " : "",
                  time->percent_of_peak ? duration_text(time->median_ms) + shares_text(*time)
                                        : timing_text(*time));
  if (time->source == TimeSource::recorded) text += ", recorded on an " + run.recorded->device;
  if (run.estimate && run.estimate->is_reliable()) {
    text += fmt::format(" · limited by {}{}", words_for(run.estimate->limited_by()),
                        is_estimated ? "" : ", as estimated");
  }
  return {{text}};
}

bool says_all_of_result(const KernelRun& run) {
  return is_clean(run) && run.further.empty() && run.source.found.reading.empty();
}

Section found_section(const AnyRun auto& run) {
  Section section{"Found", "What was found", verdict_parts(run)};
  Line loads = counted_loads(run, traffic_equations(run));
  if (!loads.empty()) section.parts.fact(std::move(loads));
  // The time of a kernel that is wrong says little.
  if (Line time = time_and_limit(run); is_clean(run) && !time.empty())
    section.parts.fact(std::move(time));
  section.parts.append(compared_parts(run));
  return section;
}

Section verdict_section(const KernelRun& run) { return {"Verdict", "", {facts({verdict(run)})}}; }

template Section found_section(const KernelRun&);
template Section found_section(const LessonRun&);

}  // namespace gemm_tutor
