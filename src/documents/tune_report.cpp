#include "documents/tune_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <vector>

#include "course/ladder.hpp"
#include "course/settings.hpp"
#include "course/size_class.hpp"
#include "documents/estimate_section.hpp"
#include "documents/json.hpp"
#include "documents/launch_text.hpp"
#include "documents/lesson_json.hpp"
#include "documents/run_sections.hpp"
#include "support/text.hpp"
#include "view/units.hpp"

namespace gemm_tutor {
namespace {

constexpr std::size_t most_configurations = 12, most_left_out = 5;

std::string size_arguments(const Problem& p) {
  if (p.m == p.n && p.n == p.k) return fmt::format("--size {}", p.m);
  return fmt::format("--m {} --n {} --k {}", p.m, p.n, p.k);
}

// --- The table

// Settings that differ between configurations have a column.
std::vector<std::string> different_settings(const std::vector<Candidate>& candidates) {
  std::vector<std::string> names;
  for (const auto& [name, value] : candidates.front().settings) {
    const bool differs =
        std::ranges::any_of(candidates, [&name = name, &value = value](const Candidate& candidate) {
          return candidate.settings[name] != value;
        });
    if (differs) names.push_back(name);
  }
  return names;
}

std::string same_settings(const std::vector<Candidate>& candidates,
                          const std::vector<std::string>& different) {
  std::vector<std::string> words;
  for (const auto& [name, value] : candidates.front().settings) {
    if (std::ranges::count(different, name)) continue;
    words.push_back(fmt::format("{} {}", name, value));
  }
  return words.empty() ? "" : fmt::format("All have {}.", join(words));
}

// Errors about settings often name them.
std::string with_settings(const Candidate& candidate, const std::string& why) {
  const std::string settings = join(assignments(candidate.settings));
  const std::string reason = split_lines(why + "\n").front();
  return reason.starts_with(settings) ? reason : fmt::format("{}: {}", settings, reason);
}

// As narrow as possible, because a kernel may have a dozen settings.
std::vector<Column> columns_of(const std::vector<std::string>& settings, const Tuning& tuning) {
  const bool measured = tuning.measured;
  const int place_width = gemm_tutor::columns(std::to_string(tuning.result.candidates.size())) + 1;
  std::vector<Column> columns = {{.align = Align::right, .width = place_width}};
  for (const std::string& name : settings) {
    int width = 0;  // of those not shown, too
    for (const Candidate& candidate : tuning.result.candidates) {
      width = std::max(width, gemm_tutor::columns(std::to_string(candidate.settings[name])));
    }
    columns.push_back(number_column(name, width, 1));
  }
  if (measured) {
    columns.push_back(number_column("time", 7, 1));
    columns.push_back(number_column("peak", 4, 1));
    columns.push_back(number_column("cuBLAS", 6, 1));
  }
  columns.push_back(measured ? number_column("est.", 7, 1) : number_column("estimated", 9, 1));
  if (!measured) columns.push_back({{{"limited by"}}});
  return columns;
}

double percent_of_peak(const Tuning& tuning, const Candidate& candidate) {
  const double tflops = tuning.problem.flops() / (candidate.median_ms() * 1e9);
  return gemm_tutor::percent_of_peak(tflops, tuning.gpu);
}

std::vector<Cell> row(const std::vector<std::string>& settings, const Candidate& candidate,
                      std::size_t place, const Tuning& tuning) {
  const Style style = place == 1 ? Style::good : Style::plain;
  std::vector<Cell> cells = {
      text_cell(std::to_string(place) + (candidate.is_default ? "*" : " "), style)};
  for (const std::string& name : settings) {
    cells.push_back(text_cell(std::to_string(candidate.settings[name]), style));
  }
  const std::string estimated =
      candidate.estimated() ? duration_text(candidate.estimate->median_ms) : "";
  if (!tuning.measured) {
    cells.push_back(text_cell(estimated));
    cells.push_back(text_cell(std::string(words_for(candidate.estimate->limited_by()))));
    return cells;
  }
  const auto percent = candidate.percent_of_cublas();
  cells.push_back(text_cell(duration_text(candidate.median_ms())));
  cells.push_back(text_cell(fmt::format("{:.1f}", percent_of_peak(tuning, candidate))));
  cells.push_back(text_cell(percent ? fmt::format("{:.1f}", *percent) : ""));
  cells.push_back(text_cell(estimated, Style::dim));
  return cells;
}

// What the table ranks: measured, or estimated where nothing is.
std::vector<const Candidate*> rows_of(const Tuning& tuning) {
  std::vector<const Candidate*> rows;
  for (const Candidate& candidate : tuning.result.candidates) {
    if (tuning.measured ? candidate.measured() : candidate.estimated()) rows.push_back(&candidate);
  }
  return rows;
}

// The candidates, ranked; nothing where there are none.
Parts ranking(const Tuning& tuning) {
  const std::vector<const Candidate*> rows = rows_of(tuning);
  if (rows.empty()) return {};
  const std::vector<std::string> settings = different_settings(tuning.result.candidates);
  Parts parts;
  if (const std::string same = same_settings(tuning.result.candidates, settings); !same.empty()) {
    parts.fact({{same, Style::dim}});
  }
  Table table{.columns = columns_of(settings, tuning), .rows = {}};
  std::size_t left_out = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i < most_configurations || rows[i]->is_default) {
      table.rows.push_back(row(settings, *rows[i], i + 1, tuning));
    } else {
      ++left_out;
    }
  }
  parts.add(std::move(table));
  std::string below = "* the kernel's own settings";
  if (tuning.measured) below += "; peak and cuBLAS in percent, est. is the estimate";
  if (left_out > 0) below += fmt::format("; {} more are in --format json", left_out);
  parts.fact({{below, Style::dim}});
  return parts;
}

// Configurations that are not in the table: the first few that have a reason, with their settings.
using Reason = std::function<std::string(const Candidate&)>;

Facts left_out(const Tuning& tuning, std::string_view what, const Reason& reason_of) {
  std::vector<std::string> all;
  for (const Candidate& candidate : tuning.result.candidates) {
    const std::string reason = reason_of(candidate);
    if (!reason.empty()) all.push_back(with_settings(candidate, reason));
  }
  Facts facts;
  if (all.empty()) return facts;
  const std::string count = counted(std::ssize(all), "configuration");
  facts.add({{fmt::format("{} {}:", count, what), Style::bad}});
  for (std::size_t i = 0; i < std::min(all.size(), most_left_out); ++i) {
    facts.add({{"  " + all[i]}}, {}, 4);
  }
  if (all.size() > most_left_out) {
    facts.add(
        {{fmt::format("  and {} more, in --format json", all.size() - most_left_out), Style::dim}},
        {}, 2);
  }
  return facts;
}

Facts failures(const Tuning& tuning) {
  return left_out(tuning, "cannot win",
                  [](const Candidate& candidate) { return candidate.failure; });
}

Facts unreliable(const Tuning& tuning) {
  return left_out(tuning, "cannot be estimated reliably", [](const Candidate& candidate) {
    return candidate.estimate ? join(candidate.estimate->doubts) : "";
  });
}

// --- Progress and accuracy

// "12 % less to 20 % more": of all, as the range of one may be wider than that of another.
std::string range_text(const std::vector<Candidate>& candidates) {
  double less = 0, more = 0;
  for (const Candidate& candidate : candidates) {
    if (!candidate.estimated()) continue;
    const Estimate& estimate = *candidate.estimate;
    less = std::max(less, 1 - estimate.low_ms / estimate.median_ms);
    more = std::max(more, estimate.high_ms / estimate.median_ms - 1);
  }
  return fmt::format("{} less to {} more", percent_text(100 * less), percent_text(100 * more));
}

std::string how_estimated(const Tuning& tuning) {
  const std::vector<Candidate>& all = tuning.result.candidates;
  const auto estimated = std::ranges::count_if(all, &Candidate::estimated);
  std::string text = fmt::format("{} of {} estimated for the {}; nothing was run there or stored.",
                                 with_thousands(estimated),
                                 counted(std::ssize(all), "configuration"), tuning.gpu.full_name);
  if (estimated > 0) {
    text +=
        fmt::format(" Nine of ten measured kernels took {} than their estimate.", range_text(all));
  }
  return text + (tuning.result.interrupted ? " It was interrupted." : "");
}

std::string how_far(const Tuning& tuning) {
  const SearchResult& result = tuning.result;
  const auto all = static_cast<std::int64_t>(result.candidates.size());
  if (!tuning.measured) return how_estimated(tuning);
  std::string text =
      fmt::format("{} of {} measured in {:.0f} s", with_thousands(result.count_measured()),
                  counted(all, "configuration"), result.seconds);
  if (result.interrupted) return text + "; then it was interrupted.";
  if (result.out_of_time) return text + "; a larger --budget measures the others, too.";
  return text + ".";
}

// --- Why

// In as few columns as the table has: "≈ 6.449 G" floats.
std::string floats_text(const KernelRun& run, double floats) {
  constexpr double giga = 1e9;
  const std::string number = floats < giga ? with_thousands(static_cast<std::int64_t>(floats))
                                           : fmt::format("{:.3f} G", floats / giga);
  return (run.traffic.count_is_exact ? "" : "≈ ") + number;
}

std::string aspect_value(const std::string& name, const KernelRun& run, double value) {
  if (name == "floats loaded") return floats_text(run, value);
  if (name == "shared wavefronts per FFMA") return fmt::format("{:.2f}", value);
  return breakable(percent_text(100 * value));
}

double waves(const KernelRun& run) {
  const double at_once =
      1.0 * run.gpu->multiprocessors * std::max(1, run.occupancy->blocks_per_multiprocessor);
  return static_cast<double>(run.launch->grid.count()) / at_once;
}

template <class Value>
std::vector<Cell> why_row(const std::string& name, const std::vector<Counted>& all,
                          const Value& value_of) {
  std::vector<Cell> cells = {text_cell(name)};
  for (const Counted& one : all) cells.push_back(text_cell(value_of(one.run)));
  return cells;
}

Table why_table(const std::vector<Counted>& all) {
  Table table;
  table.columns = {{.width = 33}};
  for (const Counted& one : all) table.columns.push_back(number_column(one.role, 13, 2));
  const std::vector<Aspect> of_best = aspects(all[0].run, all[0].run);
  for (std::size_t i = 0; i < of_best.size(); ++i) {
    table.rows.push_back(why_row(of_best[i].name, all, [&](const KernelRun& run) {
      const Aspect aspect = aspects(run, run)[i];
      return aspect_value(aspect.name, run, aspect.best);
    }));
  }
  table.rows.push_back(why_row("blocks", all, [](const KernelRun& run) {
    return with_thousands(static_cast<std::int64_t>(run.launch->grid.count()));
  }));
  if (has_exact_occupancy(all[0].run)) {
    table.rows.push_back(why_row("waves of resident blocks", all, [](const KernelRun& run) {
      return fmt::format("{:.2f}", waves(run));
    }));
    table.rows.push_back(why_row("registers of a thread", all, registers_text));
  }
  return table;
}

std::string sentence(const Counted& best, const Counted& other) {
  const std::string whom = fmt::format("the {}", other.role);
  const std::optional<Aspect> aspect = largest_advantage(best.run, other.run);
  if (!aspect) {
    return fmt::format("In none of these counts is the {} clearly better than {}.", best.role,
                       whom);
  }
  return fmt::format("The largest advantage over {}: {} {}, where {} has {} ({}).", whom,
                     aspect->name, aspect_value(aspect->name, best.run, aspect->best), whom,
                     aspect_value(aspect->name, other.run, aspect->other),
                     factor_text(aspect->factor()));
}

Section why(const std::vector<Counted>& all) {
  Section section{"", "Why: what the emulator counted", {why_table(all)}};
  if (all.size() > 1) section.parts.fact({{sentence(all[0], all[1])}});
  return section;
}

Section stored_section(const Tuning& tuning) {
  Facts facts;
  facts.add({{tuning.stored.words}});
  if (tuning.stored.done) {
    facts.add(
        {{fmt::format("{} uses it on the {} for {}; 'gemm-tutor tune --forget' "
                      "removes it.",
                      capitalised(tuning.tunable.lesson->name()), tuning.gpu.full_name,
                      words_for(size_class(tuning.problem)))}});
  }
  return section("Winner", {std::move(facts)});
}

Section next_section(const Tuning& tuning) {
  const std::string text =
      tuning.measured
          ? unbreakable(fmt::format("gemm-tutor lesson {} {}", tuning.tunable.lesson->key(),
                                    size_arguments(tuning.problem)))
          : fmt::format(
                "On a machine with an NVIDIA GPU, '{}' measures them and keeps the fastest.",
                unbreakable("gemm-tutor tune " + size_arguments(tuning.problem)));
  return section("Next", {facts({{{text}}})});
}

// --- JSON

Json candidate_json(const Tuning& tuning, const Candidate& candidate) {
  Json json = {{"settings", settings_json(candidate.settings)}};
  if (candidate.is_default) json["default"] = true;
  if (candidate.estimate) json["estimate"] = estimate_json(*candidate.estimate);
  if (candidate.measured()) {
    json["median_ms"] = candidate.median_ms();
    json["percent_of_peak"] = percent_of_peak(tuning, candidate);
    if (const auto percent = candidate.percent_of_cublas()) json["percent_of_cublas"] = *percent;
    json["measurements"] = candidate.measurements.size();
    json["final"] = candidate.in_final;
  }
  if (!candidate.failure.empty()) json["failure"] = candidate.failure;
  return json;
}

Json counted_json(const Counted& counted) {
  const KernelRun& run = counted.run;
  Json json = {{"role", counted.role},
               {"settings", settings_json(run.settings)},
               {"counts_exact", run.traffic.count_is_exact}};
  json["ffma_share"] = ffma_share(run);
  json["shared_wavefronts_per_ffma"] = wavefronts_per_ffma(run).value_or(0);
  json["load_floats"] = run.traffic.counted_loads.value_or(0);
  json["blocks"] = run.launch->grid.count();
  json["multiprocessors_at_work"] = busy_share(run);
  if (has_exact_occupancy(run)) {
    json["block_waves"] = waves(run);
    json["occupancy"] = run.occupancy->occupancy;
    json["registers_per_thread"] = run.resources->registers_per_thread;
  }
  return json;
}

}  // namespace

std::string tune_progress_text(const Tuning& tuning, int done, int all, const Candidate* best) {
  std::string text =
      done < all ? fmt::format("{} of {}", done + 1, all) : "the best few again, in turns";
  if (!best) return text;
  text += fmt::format(" · best so far {}, {} of peak", breakable(duration_text(best->median_ms())),
                      breakable(percent_text(percent_of_peak(tuning, *best))));
  if (const auto percent = best->percent_of_cublas()) {
    text += fmt::format(", {:.0f} % of cuBLAS", *percent);
  }
  return text;
}

Document tune_document(const Tuning& tuning) {
  Document document{
      .title = fmt::format("{} {} at {}", tuning.measured ? "Tuning" : "Estimates for",
                           tuning.tunable.kernel->name, sizes_text(tuning.problem)),
      .right = {{tuning.gpu.full_name, Style::dim}},
      .subtitles = {{{{how_far(tuning)}}}}};
  if (Parts parts = ranking(tuning); !parts.empty()) {
    document.parts.add(Group{std::move(parts)});
  }
  for (Facts& facts : std::array{unreliable(tuning), failures(tuning)}) {
    if (!facts.lines.empty()) document.parts.add(std::move(facts));
  }
  if (!tuning.counted.empty()) document.parts.add(why(tuning.counted));
  if (!tuning.stored.words.empty()) document.parts.add(stored_section(tuning));
  document.parts.add(next_section(tuning));
  return document;
}

std::string tune_json(const Tuning& tuning) {
  Json json = {{"lesson", key_json(*tuning.tunable.lesson)},
               {"kernel", tuning.tunable.kernel->name},
               {"problem", problem_json(tuning.problem)},
               {"size_class", key_of(size_class(tuning.problem))},
               {"device", tuning.gpu.full_name},
               {"date", tuning.date},
               {"measured", tuning.measured}};
  if (tuning.measured) {
    json["budget_seconds"] = tuning.budget;
    json["seconds"] = tuning.result.seconds;
    json["interrupted"] = tuning.result.interrupted;
    json["out_of_time"] = tuning.result.out_of_time;
  }
  if (!tuning.measured && tuning.result.interrupted) json["interrupted"] = true;
  json["configurations"] = Json::array();
  for (const Candidate& candidate : tuning.result.candidates) {
    json["configurations"].push_back(candidate_json(tuning, candidate));
  }
  json["why"] = Json::array();
  for (const Counted& counted : tuning.counted) json["why"].push_back(counted_json(counted));
  if (!tuning.stored.words.empty()) json["stored"] = tuning.stored.words;
  return to_text(json);
}

}  // namespace gemm_tutor
