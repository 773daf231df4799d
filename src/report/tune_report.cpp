#include "report/tune_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <vector>

#include "course/ladder.hpp"
#include "course/settings.hpp"
#include "course/tuning_file.hpp"
#include "report/estimate_section.hpp"
#include "report/json.hpp"
#include "report/launch_text.hpp"
#include "report/lesson_json.hpp"
#include "report/run_sections.hpp"
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

// Errors about settings often name them.
std::string with_settings(const Candidate& candidate, const std::string& why) {
  const std::string settings = join(assignments(candidate.settings));
  const std::string reason = split_lines(why + "\n").front();
  return reason.starts_with(settings) ? reason : fmt::format("{}: {}", settings, reason);
}

double percent_of_peak(const Tuning& tuning, const Candidate& candidate) {
  const double tflops = tuning.problem.flops() / (candidate.median_ms() * 1e9);
  return gemm_tutor::percent_of_peak(tflops, tuning.gpu).value_or(0);
}

// The candidates, ranked; nothing where there are none. As narrow as possible, because a kernel may
// have a dozen settings: those that differ have a column.
Parts ranking(const Tuning& tuning) {
  const std::vector<const Candidate*> all = tuning.ranking();
  std::vector<std::size_t> shown;  // their places
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i < most_configurations || all[i]->is_default) shown.push_back(i);
  }
  if (shown.empty()) return {};
  Table table{.columns = {}, .rows = {shown.size(), std::vector<Cell>()}};
  const auto add = [&](Column column, const auto& text_of) {
    table.columns.push_back(std::move(column));
    for (std::size_t row = 0; row < shown.size(); ++row) {
      const Style style = row == 0 ? Style::good : Style::plain;
      table.rows[row].push_back(text_cell(text_of(*all[shown[row]]), style));
    }
  };
  const auto add_number = [&](const std::string& head, const auto& text_of) {
    add(number_column(head, 0, 1), text_of);
  };
  add({.align = Align::right}, [&](const Candidate& candidate) {
    const auto place = std::ranges::find(all, &candidate) - all.begin() + 1;
    return std::to_string(place) + (candidate.is_default ? "*" : " ");
  });
  std::vector<std::string> same;
  for (const auto& [name, value] : all.front()->settings) {
    const auto text_of = [&name = name](const Candidate& candidate) {
      return std::to_string(candidate.settings[name]);
    };
    const auto is_same = [&, text = std::to_string(value)](const Candidate& candidate) {
      return text_of(candidate) == text;
    };
    if (std::ranges::all_of(tuning.result.candidates, is_same)) {
      same.push_back(fmt::format("{} {}", name, value));
    } else {
      add_number(name, text_of);
    }
  }
  if (tuning.measured) {
    add_number("time", [](const Candidate& one) { return duration_text(one.median_ms()); });
    add_number("peak", [&](const Candidate& one) {
      return fmt::format("{:.1f}", percent_of_peak(tuning, one));
    });
    add_number("cuBLAS", [](const Candidate& one) {
      const auto percent = one.percent_of_cublas();
      return percent ? fmt::format("{:.1f}", *percent) : "";
    });
  }
  add_number(tuning.measured ? "est." : "estimated", [](const Candidate& one) {
    return one.estimated() ? duration_text(one.estimate->median_ms) : "";
  });
  if (!tuning.measured) {
    add({{{"limited by"}}},
        [](const Candidate& one) { return std::string(words_for(one.estimate->limited_by())); });
  }
  Parts parts;
  if (!same.empty()) parts.fact({{fmt::format("All have {}.", join(same)), Style::dim}});
  parts.add(std::move(table));
  std::string below = "* the kernel's own settings";
  if (tuning.measured) below += "; peak and cuBLAS in percent, est. is the estimate";
  if (all.size() > shown.size()) {
    below += fmt::format("; {} more are in --format json", all.size() - shown.size());
  }
  parts.fact({{below, Style::dim}});
  return parts;
}

// Configurations that are not in the table: the first few that have a reason, with their settings.
Facts left_out(const Tuning& tuning, std::string_view what,
               std::string (*reason_of)(const Candidate&)) {
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

std::string failure_of(const Candidate& candidate) { return candidate.failure; }

std::string doubts_of(const Candidate& candidate) {
  return candidate.estimate ? join(candidate.estimate->doubts) : "";
}

// --- Progress and accuracy

// "12 % less to 20 % more": of all, as the range of one may be wider than that of another.
std::string range_text(const std::vector<Candidate>& candidates) {
  double less = 0, more = 0;
  for (const Candidate& candidate : candidates) {
    if (!candidate.estimated()) continue;
    const simt::Estimate& estimate = *candidate.estimate;
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

std::string share_text(const KernelRun&, double share) {
  return breakable(percent_text(100 * share));
}

std::string decimal_text(const KernelRun&, double value) { return fmt::format("{:.2f}", value); }

double blocks(const KernelRun& run) { return static_cast<double>(run.launch->grid.count()); }

// The average share of multiprocessors that have a block until the last block ends, if all blocks
// take the same time.
double busy_share(const KernelRun& run) {
  const double sms = run.gpu->multiprocessors;
  return blocks(run) / (std::ceil(blocks(run) / sms) * sms);
}

double waves(const KernelRun& run) {
  const int at_once = std::max(1, run.launch->occupancy.blocks_per_multiprocessor);
  return blocks(run) / (1.0 * run.gpu->multiprocessors * at_once);
}

using Run = const KernelRun&;
constexpr std::array<Aspect, 8> aspects = {{
    {"FFMA of all instructions", "ffma_share", ffma_share, share_text, 1},
    {"shared wavefronts per FFMA", "shared_wavefronts_per_ffma",
     [](Run run) { return wavefronts_per_ffma(run).value_or(0); }, decimal_text, -1},
    {"floats loaded", "load_floats",
     [](Run run) { return static_cast<double>(run.traffic.counted_loads.value_or(0)); },
     floats_text, -1},
    {"SMs at work", "multiprocessors_at_work", busy_share, share_text, 1},
    {"occupancy", "occupancy", [](Run run) { return run.launch->occupancy.occupancy; }, share_text,
     1, true},
    {"blocks", "blocks", blocks,
     [](Run, double value) { return with_thousands(static_cast<std::int64_t>(value)); }},
    {"waves of resident blocks", "block_waves", waves, decimal_text, 0, true},
    {"registers of a thread", "registers_per_thread",
     [](Run run) { return 1.0 * run.launch->resources.registers_per_thread; },
     [](Run run, double) { return registers_text(run); }, 0, true},
}};

// By which factor the best is better; less than 1 if it is worse.
double advantage(const Aspect& aspect, const KernelRun& best, const KernelRun& other) {
  double large = aspect.of(best), small = aspect.of(other);
  if (aspect.better < 0) std::swap(large, small);
  return aspect.better == 0 ? 1 : large / std::max(small, 1e-9);
}

}  // namespace

const Aspect* largest_advantage(const KernelRun& best, const KernelRun& other) {
  double largest = 1.05;  // less is not clearly better
  const Aspect* found = nullptr;
  for (const Aspect& aspect : aspects) {
    if (!aspect.is_known(best) || !aspect.is_known(other)) continue;
    const double factor = advantage(aspect, best, other);
    if (factor <= largest) continue;
    largest = factor;
    found = &aspect;
  }
  return found;
}

namespace {

Table why_table(const std::vector<Counted>& all) {
  Table table{.columns = {{.width = 33}}, .rows = {}};
  for (const Counted& one : all) table.columns.push_back(number_column(one.role, 13, 2));
  for (const Aspect& aspect : aspects) {
    if (!aspect.is_known(all[0].run)) continue;
    std::vector<Cell>& cells = table.rows.emplace_back();
    cells.push_back(text_cell(std::string(aspect.name)));
    for (const Counted& one : all) cells.push_back(text_cell(aspect.text_of(one.run)));
  }
  return table;
}

std::string sentence(const Counted& best, const Counted& other) {
  const std::string whom = fmt::format("the {}", other.role);
  const Aspect* aspect = largest_advantage(best.run, other.run);
  if (!aspect) {
    return fmt::format("In none of these counts is the {} clearly better than {}.", best.role,
                       whom);
  }
  return fmt::format("The largest advantage over {}: {} {}, where {} has {} ({}).", whom,
                     aspect->name, aspect->text_of(best.run), whom, aspect->text_of(other.run),
                     factor_text(advantage(*aspect, best.run, other.run)));
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
  const LessonRun& run = counted.run;
  Json json = {{"role", counted.role},
               {"settings", settings_json(run.settings)},
               {"counts_exact", run.traffic.count_is_exact}};
  for (const Aspect& aspect : aspects) {
    if (!aspect.is_known(run)) continue;
    const double value = aspect.of(run);
    const auto whole = static_cast<std::int64_t>(value);
    json[aspect.key] = value == static_cast<double>(whole) ? Json(whole) : Json(value);
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
  for (Facts& facts : std::array{left_out(tuning, "cannot be estimated reliably", doubts_of),
                                 left_out(tuning, "cannot win", failure_of)}) {
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
