#include "walkthrough/own_ladder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <set>

#include "course/ladder.hpp"
#include "report/run_sections.hpp"
#include "support/text.hpp"
#include "view/units.hpp"

namespace gemm_tutor {
namespace {

// Of lessons with a run of their own kernel.
struct Rung {
  const Lesson* lesson;
  const RunRecord* run;
};

const RunRecord* run_of(const Lesson& lesson, const Progress& progress) {
  const auto found = progress.lessons.find(lesson.slug);
  return found != progress.lessons.end() && found->second.run ? &*found->second.run : nullptr;
}

std::vector<Rung> rungs_of(const Progress& progress) {
  std::vector<Rung> rungs;
  for (const Lesson& lesson : lessons()) {
    if (const RunRecord* run = run_of(lesson, progress)) rungs.push_back({&lesson, run});
  }
  return rungs;
}

double rate(const RunRecord& run) { return run.time.empty() ? 0 : run.tflops; }

constexpr double tera = 1e12;

std::string rate_text(const RunRecord& run) {
  return rate(run) == 0 ? "" : flop_rate_text(tera * run.tflops);
}

// "recorded on NVIDIA H200".
std::string source_text(const RunRecord& run) {
  const std::string_view where = run.time == "estimated" ? "for" : "on";
  return fmt::format("{} {} {}", run.time, where, run.device);
}

bool are_comparable(const RunRecord& before, const RunRecord& now) {
  return before.problem == now.problem && before.time == now.time && before.device == now.device &&
         rate(before) > 0;
}

// The size of most runs, and of these the last. Runs of other sizes cannot be compared with them.
Problem usual_problem(const std::vector<Rung>& rungs) {
  const auto runs_at = [&](const Rung& one) {
    return std::ranges::count_if(
        rungs, [&](const Rung& other) { return other.run->problem == one.run->problem; });
  };
  return std::ranges::max_element(rungs.rbegin(), rungs.rend(), {}, runs_at)->run->problem;
}

std::string legend(const std::vector<Rung>& rungs, const Problem& compared, bool of_rates) {
  std::string text =
      of_rates ? "The bars are FLOP/s" : "The bars are FLOP per byte of global memory";
  const auto is_compared = [&](const Rung& rung) { return rung.run->problem == compared; };
  if (!std::ranges::all_of(rungs, is_compared)) {
    text += fmt::format(" at {}; runs at another size have no bar", size_words(compared));
  }
  std::set<std::string> times;
  for (const Rung& rung : rungs) {
    if (rate(*rung.run) > 0) times.insert(source_text(*rung.run));
  }
  for (const std::string& time : times) text += "; " + time;
  return text + ". FLOP/byte was counted in your own runs.";
}

}  // namespace

RunRecord record_of(const LessonRun& run) {
  RunRecord record;
  record.problem = run.problem;
  record.device = run.device;
  if (run.emulation) {
    record.flops_a_byte = global_intensity(run);
    record.wavefronts_a_ffma = wavefronts_per_ffma(run).value_or(0);
  } else if (run.traffic.counted_loads) {
    record.flops_a_byte = run.problem.flops() / (run.traffic.load_bytes *
                                                 static_cast<double>(*run.traffic.counted_loads));
  }
  const auto time = time_of(run);
  if (!time) return record;
  record.tflops = time->tflops;
  record.time = name_of(time->source);
  record.percent_of_cublas = time->percent_of_cublas.value_or(0);
  record.percent_of_peak = time->percent_of_peak.value_or(0);
  if (time->source == TimeSource::recorded) record.device = run.recorded->device;
  if (time->source == TimeSource::estimated) record.device = run.estimate->gpu;
  return record;
}

std::string time_text(const LessonRun& run, const LadderTime& time) {
  return timing_text(time) + " · " + source_text(record_of(run));
}

std::string comparison_text(const LessonRun& run, const Progress& progress) {
  const RunRecord now = record_of(run);
  const Lesson* other = is_own_kernel(run) ? changed_lesson(*run.lesson) : run.lesson;
  if (!other || rate(now) == 0) return "";
  const RunRecord* before = run_of(*other, progress);
  if (!before || !are_comparable(*before, now)) {
    return fmt::format("There is no run of {} at {} yet to compare it with.", other->name(),
                       size_words(now.problem));
  }
  const double factor = now.tflops / before->tflops;
  return fmt::format("{}, in your run at {}: {}. This is {:.1f} times as {}.",
                     capitalised(other->name()), size_words(now.problem), rate_text(*before),
                     factor >= 1 ? factor : 1 / factor, factor >= 1 ? "fast" : "slow");
}

std::string run_sentence(const Lesson& lesson, const Progress& progress) {
  const RunRecord* run = run_of(lesson, progress);
  if (!run || rate(*run) == 0) return "";
  std::string text =
      fmt::format("{} at {}: {}, {}", capitalised(lesson.name()), size_words(run->problem),
                  flop_rate_text(tera * run->tflops), source_text(*run));
  const Lesson* changed = changed_lesson(lesson);
  const RunRecord* before = changed ? run_of(*changed, progress) : nullptr;
  if (before && are_comparable(*before, *run)) {
    text += fmt::format(", {:.1f} × {}", run->tflops / before->tflops, changed->name());
  }
  const auto add = [&](double percent, std::string_view of) {
    if (percent > 0) text += fmt::format(", {} of {}", percent_text(percent), of);
  };
  add(run->percent_of_peak, "peak");
  add(run->percent_of_cublas, "cuBLAS");
  return text + ".";
}

Parts own_ladder(const Progress& progress) {
  const std::vector<Rung> rungs = rungs_of(progress);
  if (rungs.empty()) return {};
  const Problem compared = usual_problem(rungs);
  const auto is_compared = [&](const Rung& r) { return r.run->problem == compared; };
  const bool of_rates = std::ranges::count_if(rungs, [&](const Rung& r) {
                          return is_compared(r) && rate(*r.run) > 0;
                        }) > 1;
  const auto value = [&](const Rung& r) {
    if (!is_compared(r)) return 0.0;
    return of_rates ? rate(*r.run) : r.run->flops_a_byte;
  };
  const double most = std::max(1e-9, value(std::ranges::max(rungs, {}, value)));
  Table table;
  table.columns = {{{{"   lesson"}}, Align::left, 25},
                   {{{"size"}}, Align::right, 6, 1},
                   {{{"FLOP/byte"}}, Align::right, 9, 1},
                   {{{"rate"}}, Align::right, 12, 1},
                   {.width = 9, .gap = 1},
                   {.width = 14, .gap = 1, .medium = Medium::terminal, .is_bar = true}};
  for (const Rung& rung : rungs) {
    const RunRecord& run = *rung.run;
    const std::string reuse = run.flops_a_byte > 0 ? fmt::format("{:.2f}", run.flops_a_byte) : "";
    table.rows.push_back(
        {{{{fmt::format("{:>2} {}", rung.lesson->number_text(), rung.lesson->slug)}}},
         text_cell(size_words(run.problem)),
         text_cell(reuse),
         text_cell(rate_text(run)),
         text_cell(rate(run) > 0 ? run.time : "", Style::dim),
         {{}, value(rung) / most}});
  }
  return {std::move(table), Paragraph{{{legend(rungs, compared, of_rates), Style::dim}}}};
}

}  // namespace gemm_tutor
