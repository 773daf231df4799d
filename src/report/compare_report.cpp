#include "report/compare_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "report/estimate_section.hpp"
#include "report/ladder_svg.hpp"
#include "report/launch_text.hpp"
#include "report/lesson_json.hpp"
#include "report/reference_section.hpp"
#include "report/run_sections.hpp"
#include "report/source.hpp"
#include "support/text.hpp"
#include "view/units.hpp"

namespace gemm_tutor {
namespace {

constexpr int name_columns = 28;

Column narrow_column(const char* head, int width, Medium medium = Medium::any) {
  Column column = number_column(head, width, 1);
  column.medium = medium;
  return column;
}

// The lesson's number is shown only before its first kernel.
Cell name_of(const LessonRun& run) {
  const bool own = is_own_kernel(run);
  const std::string number = own ? run.lesson->number_text() : "";
  return {{{fmt::format("{:>2} {}", number, run.kernel->name), own ? Style::plain : Style::dim}}};
}

std::string time_text(double milliseconds) {
  return milliseconds > 0 ? duration_text(milliseconds) : "";
}

// Percent of the speed of cuBLAS with FP32.
std::optional<double> percent_of_fp32(const Ladder& ladder, const LessonRun& run,
                                      const std::optional<LadderTime>& time) {
  const auto cublas_ms = cublas_fp32_ms(ladder, run);
  return time && cublas_ms ? std::optional(100 * *cublas_ms / time->median_ms) : std::nullopt;
}

std::vector<Cell> row(const Ladder& ladder, const LessonRun& run) {
  const auto time = time_of(run);
  const auto estimated = estimated_time(run);
  const auto faster = speed_up(ladder, run);
  const auto factors = time ? speed_factors(run, *time) : std::nullopt;
  const auto percent = [](std::optional<double> value) {
    return text_cell(value ? fmt::format("{:.1f}", *value) : "");
  };
  const auto share = [&](double SpeedFactors::*factor) {
    return percent(factors ? std::optional(100 * (*factors).*factor) : std::nullopt);
  };
  const bool measured = run.timing && run.timing->where == Backend::gpu;
  const std::string spread = measured ? fmt::format("±{:.1f}", run.timing->spread_percent / 2) : "";
  const bool is_fp32 = library_precision(run.update.types.precision) == Precision::fp32;
  return {name_of(run),
          text_cell(time_text(measured ? run.timing->median_ms : 0)),
          {{{spread, Style::dim}}},
          text_cell(time_text(estimated ? estimated->median_ms : 0)),
          text_cell(time_text(run.recorded ? run.recorded->median_ms : 0)),
          percent(time ? time->percent_of_peak : std::nullopt),
          share(&SpeedFactors::ffma_share),
          share(&SpeedFactors::issue_rate),
          percent(time ? time->percent_of_cublas : std::nullopt),
          percent(is_fp32 ? std::nullopt : percent_of_fp32(ladder, run, time)),
          text_cell(faster ? factor_text(*faster) : ""),
          {{{is_clean(run) ? "" : "✗", Style::bad}}},
          text_cell(estimated ? std::string(words_for(run.estimate->limited_by())) : ""),
          text_cell(with_thousands(run.traffic.counted_loads.value_or(0))),
          {is_clean(run) ? Line{{"right"}} : Line{{"wrong", Style::bad}}}};
}

Table times(const Ladder& ladder, const Problem& problem, Precision precision) {
  Table table;
  table.columns = {{{{"   kernel"}}, Align::left, name_columns},
                   narrow_column("time", 7),
                   narrow_column("%", 4),
                   narrow_column("estimated", 7),
                   narrow_column("recorded", 7),
                   narrow_column("peak", 4),
                   narrow_column("FFMA", 4),
                   narrow_column("issue", 5),
                   narrow_column("cuBLAS", 5),
                   narrow_column("of FP32", 5),
                   narrow_column("faster", 6),
                   {.gap = 0, .medium = Medium::terminal},
                   {.head = {{"limited by"}}, .medium = Medium::page},
                   narrow_column("floats loaded", 0, Medium::page),
                   {.head = {{"result"}}, .medium = Medium::page}};
  for (const LessonRun& run : ladder.runs) {
    if (run.problem == problem && run.update.types.precision == precision)
      table.rows.push_back(row(ladder, run));
  }
  return table;
}

// Of a table's kernels, where the ladder has several precisions.
Line title_of(Precision precision, const simt::GpuSpec& gpu) {
  const double peak = gpu.peak_flops(product_of(precision));
  const std::string of_peak = peak > 0 ? fmt::format(", {} at most", flop_rate_text(peak)) : "";
  return {{std::string(terms_of(precision).title), Style::heading}, {of_peak, Style::dim}};
}

void add_times(Parts& parts, const Ladder& ladder, const Problem& problem) {
  const std::vector<Precision> precisions = precisions_of(ladder);
  for (const Precision precision : precisions) {
    if (precisions.size() > 1) parts.add(Paragraph{title_of(precision, ladder.gpu)});
    parts.add(times(ladder, problem, precision));
  }
}

// Of the lessons' own kernels: what limits them, and which of them leave room on the GPU.
Facts limits(const Ladder& ladder, const Problem& problem) {
  std::array<std::vector<std::string>, simt::limit_count> limited;
  std::vector<std::string> unfilled;
  for (const LessonRun& run : ladder.runs) {
    if (run.problem != problem || !is_own_kernel(run) || !estimated_time(run)) continue;
    const std::string key = run.lesson->key();
    limited[static_cast<std::size_t>(run.estimate->limited_by())].push_back(key);
    const auto blocks = static_cast<std::int64_t>(run.launch->grid.count());
    if (blocks >= blocks_at_once(run)) continue;
    unfilled.push_back(
        unbreakable(fmt::format("{} ({} of {})", run.lesson->name(), counted(blocks, "block"),
                                with_thousands(blocks_at_once(run)))));
  }
  std::vector<std::string> texts;
  for (std::size_t limit = 0; limit < simt::limit_count; ++limit) {
    if (limited[limit].empty()) continue;
    texts.push_back(fmt::format("{}: lesson{} {}", words_for(static_cast<simt::Limit>(limit)),
                                limited[limit].size() == 1 ? "" : "s", join(limited[limit])));
  }
  Facts facts;
  if (!texts.empty()) facts.add({{"limited by " + join(texts, " · "), Style::dim}}, {}, 2);
  if (!unfilled.empty()) {
    facts.add({{fmt::format("do not fill the {}, which has room for more blocks: {}",
                            ladder.gpu.full_name, join(unfilled)),
                Style::dim}},
              {}, 2);
  }
  return facts;
}

// Counts of shared memory and of instructions do not depend on the size much: once, at the last.
Table counts(const Ladder& ladder) {
  const Problem& last = ladder.runs.back().problem;
  std::vector<NamedRun> runs;
  for (const LessonRun& run : ladder.runs) {
    if (run.problem == last) runs.push_back({name_of(run), &run});
  }
  return counts_table(runs, name_columns);
}

const RecordedTiming* first_recorded(const Ladder& ladder) {
  for (const LessonRun& run : ladder.runs) {
    if (run.recorded) return &*run.recorded;
  }
  return nullptr;
}

const simt::Estimate* first_estimate(const Ladder& ladder) {
  for (const LessonRun& run : ladder.runs) {
    if (estimated_time(run)) return &*run.estimate;
  }
  return nullptr;
}

std::string where_from(const Ladder& ladder) {
  std::vector<std::string> texts;
  const bool measured = ladder.backend == Backend::gpu;
  const RecordedTiming* recorded = first_recorded(ladder);
  const simt::Estimate* estimate = first_estimate(ladder);
  if (measured) {
    texts.emplace_back(
        "Times are medians on this GPU, with the spread of the middle half of the runs (± %), "
        "and of cuBLAS in the same run.");
  }
  if (estimate) {
    texts.push_back(
        fmt::format("Estimated: a model of the {} computes them from the counts.", estimate->gpu));
  }
  if (recorded) {
    texts.push_back(
        fmt::format("Recorded, not taken now: {}, {}.", recorded->device, recorded->date));
  }
  if (estimate && (measured || recorded)) {
    texts.push_back(fmt::format("The columns after the times use the {} time, if there is one.",
                                measured ? "measured" : "recorded"));
  }
  if (texts.empty()) return "No times: there is no GPU here, and none are recorded.";
  return join(texts, " ");
}

// Of kernels that can be tuned: what is said of their settings, each sentence once.
std::vector<std::string> tuning_sentences(const Ladder& ladder) {
  std::vector<std::string> sentences;
  for (const LessonRun& run : ladder.runs) {
    if (!run.launch || run.launch->tuning.empty()) continue;
    std::string sentence = fmt::format("{}: {}", run.kernel->name, run.launch->tuning);
    if (!std::ranges::count(sentences, sentence)) sentences.push_back(std::move(sentence));
  }
  return sentences;
}

// The kernels that were left out, and why. Empty if there are none.
std::string left_out_text(const Ladder& ladder) {
  std::vector<std::string> kernels;
  for (const Kernel* kernel : ladder.left_out) {
    kernels.push_back(fmt::format("{} (compute capability {}.{})", kernel->name,
                                  kernel->compute_capability / 10,
                                  kernel->compute_capability % 10));
  }
  if (kernels.empty()) return "";
  return fmt::format("Left out, as the {} is older than they need: {}.", ladder.gpu.full_name,
                     join(kernels));
}

// When and on what the numbers of a page were taken.
std::string provenance(const Ladder& ladder) {
  if (ladder.backend == Backend::gpu) {
    return fmt::format("Driver {}, {}, clocks {}.", ladder.driver.value_or("unknown"), ladder.date,
                       ladder.clocks.value_or("unknown"));
  }
  const auto* recorded = first_recorded(ladder);
  return fmt::format(
      "Counted on {}{}.", ladder.date,
      recorded ? fmt::format("; times recorded with driver {}", recorded->driver) : "");
}

// Of runs with one compiler: where it makes no machine code, none has any.
std::string shared_memory_text(const Ladder& ladder) {
  for (const LessonRun& run : ladder.runs) {
    if (const std::string note = shared_memory_note(run); !note.empty()) {
      return fmt::format("wf/FFMA: {}.", note);
    }
  }
  return "";
}

// What the columns of percentages are.
std::string columns_text(const Ladder& ladder) {
  std::optional<SpeedFactors> factors;
  bool has_time = false;
  for (const LessonRun& run : ladder.runs) {
    const auto time = time_of(run);
    has_time = has_time || time;
    if (time && !factors) factors = speed_factors(run, *time);
  }
  if (!has_time) return "";
  const std::vector<Precision> precisions = precisions_of(ladder);
  std::string text =
      precisions.size() > 1
          ? fmt::format("peak: percent of what the {} can do in the precision",
                        ladder.gpu.full_name)
          : fmt::format("peak: percent of the {}'s {}", ladder.gpu.full_name,
                        flop_rate_text(ladder.gpu.peak_flops(product_of(precisions.front()))));
  if (factors) {
    const double slots = factors->slots_per_ffma;
    text += fmt::format(
        ". Where whole tiles cover C it is FFMA × issue{}: the share of FFMAs in the machine "
        "instructions, and the share of issue slots with an instruction",
        slots == 1 ? "" : fmt::format(" × {:g} slots per FFMA", slots));
  }
  const bool is_fp32 = precisions == std::vector{Precision::fp32};
  return text + (is_fp32
                     ? ". cuBLAS: percent of its speed."
                     : ". cuBLAS: percent of its speed with the same types. of FP32: percent of "
                       "its speed with FP32.");
}

Facts notes(const Ladder& ladder) {
  Facts facts;
  facts.add({{where_from(ladder), Style::dim}});
  if (const std::string text = columns_text(ladder); !text.empty()) {
    facts.add({{text, Style::dim}});
  }
  for (const std::string& sentence : tuning_sentences(ladder)) {
    facts.add({{sentence, Style::dim}});
  }
  if (const std::string others = left_out_text(ladder); !others.empty()) {
    facts.add({{others, Style::dim}});
  }
  const bool has_speed_ups = std::ranges::any_of(
      ladder.runs, [&](const LessonRun& run) { return speed_up(ladder, run).has_value(); });
  facts.add(
      {{fmt::format("{}loads: elements from global memory; wf/FFMA: wavefronts of shared memory "
                    "per FFMA of a warp; FLOP/B: FLOP per byte of global and of shared memory.",
                    has_speed_ups ? "faster: than the lesson that it changes; " : ""),
        Style::dim}});
  if (const std::string note = shared_memory_text(ladder); !note.empty()) {
    facts.add({{note, Style::dim}});
  }
  return facts;
}

template <typename Value>
std::string number_or_nothing(const std::optional<Value>& value) {
  return value ? fmt::format("{}", *value) : "";
}

}  // namespace

Document compare_document(const Ladder& ladder) {
  Document document{.title = "The ladder", .right = {{ladder.device, Style::dim}}};
  document.parts.add(for_pages(Paragraph{{{provenance(ladder), Style::dim}}}));
  const std::vector<Problem> problems = problems_of(ladder);
  for (const Problem& problem : problems) {
    Section section{"", sizes_text(problem), {bars_picture(ladder, problem)}};
    add_times(section.parts, ladder, problem);
    section.parts.add(limits(ladder, problem));
    document.parts.add(std::move(section));
  }
  const Problem& last = problems.back();
  document.parts.add(for_pages(Section{
      "", fmt::format("The roofline at {}", size_words(last)), {roofline_picture(ladder, last)}}));
  if (Picture picture = speed_picture(ladder, last); !picture.svg.empty()) {
    document.parts.add(for_pages(
        Section{"", fmt::format("Share × issue at {}", size_words(last)), {std::move(picture)}}));
  }
  if (Picture picture = estimates_picture(ladder); !picture.svg.empty()) {
    document.parts.add(for_pages(Section{"", "How near the estimates are", {std::move(picture)}}));
  }
  document.parts.add(Section{"", "What the emulator counted", {counts(ladder)}});
  document.parts.add(notes(ladder));
  return document;
}

std::string compare_json(const Ladder& ladder) {
  Json json;
  json["device"] = ladder.device;
  if (ladder.driver) json["driver"] = *ladder.driver;
  json["date"] = ladder.date;
  if (ladder.clocks) json["clocks"] = *ladder.clocks;
  json["runs"] = Json::array();
  for (const LessonRun& run : ladder.runs) json["runs"].push_back(lesson_object(run));
  for (const Kernel* kernel : ladder.left_out) json["left_out"].push_back(kernel->name);
  return to_text(json);
}

std::string compare_csv(const Ladder& ladder) {
  std::string text =
      "lesson,kernel,m,n,k,device,time,median_ms,tflops,percent_of_peak,ffma_share,issue_rate,"
      "percent_of_cublas,precision,percent_of_cublas_fp32,spread_percent,faster,"
      "load_floats,store_floats,global_load_requests,global_load_sectors,shared_load_wavefronts,"
      "shared_store_wavefronts,ffma,warp_instructions,counts_exact,registers_per_thread,occupancy,"
      "passed,estimated_ms,estimated_low_ms,estimated_high_ms,limited_by\n";
  for (const LessonRun& run : ladder.runs) {
    const auto time = time_of(run);
    const simt::Counters& c = run.emulation->total;
    std::vector<std::string> fields = {
        run.lesson->key(),
        run.kernel->name,
        std::to_string(run.problem.m),
        std::to_string(run.problem.n),
        std::to_string(run.problem.k),
        csv_field(time && time->source == TimeSource::recorded ? run.recorded->device : run.device),
        time ? std::string(name_of(time->source)) : ""};
    fields.push_back(time ? fmt::format("{}", time->median_ms) : "");
    fields.push_back(time ? fmt::format("{}", time->tflops) : "");
    fields.push_back(time ? number_or_nothing(time->percent_of_peak) : "");
    const auto factors = time ? speed_factors(run, *time) : std::nullopt;
    fields.push_back(factors ? fmt::format("{}", factors->ffma_share) : "");
    fields.push_back(factors ? fmt::format("{}", factors->issue_rate) : "");
    fields.push_back(time ? number_or_nothing(time->percent_of_cublas) : "");
    fields.emplace_back(terms_of(run.update.types.precision).name);
    fields.push_back(number_or_nothing(percent_of_fp32(ladder, run, time)));
    fields.push_back(run.timing ? fmt::format("{}", run.timing->spread_percent) : "");
    fields.push_back(number_or_nothing(speed_up(ladder, run)));
    fields.push_back(number_or_nothing(run.traffic.counted_loads));
    fields.push_back(number_or_nothing(run.traffic.counted_stores));
    for (const std::uint64_t count :
         {c.global_load_requests, c.global_load_sectors, c.shared_load_wavefronts,
          c.shared_store_wavefronts, c.ffma, c.warp_instructions()}) {
      fields.push_back(std::to_string(count));
    }
    fields.emplace_back(run.emulation->exact ? "true" : "false");
    fields.push_back(registers_text(run));
    fields.push_back(has_exact_occupancy(run) ? fmt::format("{}", run.launch->occupancy.occupancy)
                                              : "");
    fields.emplace_back(is_clean(run) ? "true" : "false");
    const bool estimated = estimated_time(run).has_value();
    for (const double simt::Estimate::*time_ms :
         {&simt::Estimate::median_ms, &simt::Estimate::low_ms, &simt::Estimate::high_ms}) {
      fields.push_back(estimated ? fmt::format("{}", (*run.estimate).*time_ms) : "");
    }
    fields.push_back(estimated ? std::string(name_of(run.estimate->limited_by())) : "");
    text += join(fields, ",") + "\n";
  }
  return text;
}

}  // namespace gemm_tutor
