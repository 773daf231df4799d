#include "documents/compare_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "documents/launch_text.hpp"
#include "documents/lesson_json.hpp"
#include "documents/lesson_report.hpp"
#include "support/text.hpp"
#include "view/bar.hpp"
#include "view/layout.hpp"
#include "view/units.hpp"

namespace gemm_tutor {
namespace {

constexpr int bar_columns = 10;

// "537 M": three digits and a prefix.
std::string short_count(double count) {
  constexpr const char* prefixes[] = {"", " k", " M", " G", " T"};
  std::size_t power = 0;
  for (; count >= 999.5 && power + 1 < std::size(prefixes); ++power) count /= 1000;
  return fmt::format("{:.{}f}{}", count, power > 0 && count < 9.995 ? 1 : 0, prefixes[power]);
}

constexpr int name_columns = 29;

// The lesson's number stands before its own kernel alone.
Span name_of(const KernelRun& run) {
  const bool own = is_own_kernel(run);
  const std::string number = own ? std::to_string(run.lesson->number) : "";
  return {flush_left(fmt::format("{:>2} {}", number, run.kernel->name), name_columns),
          own ? Style::plain : Style::dim};
}

Line row(const Ladder& ladder, const KernelRun& run, bool unicode) {
  const auto time = time_of(run);
  const auto faster = speed_up(ladder, run);
  const std::string percent =
      time && time->percent_of_cublas ? fmt::format("{:.1f}", *time->percent_of_cublas) : "";
  const std::string share =
      time ? bar(time->percent_of_cublas.value_or(0) / 100, bar_columns, unicode) : "";
  const bool clean = is_clean(run);
  const bool measured = run.timing && run.timing->where == Backend::gpu;
  Line line = {name_of(run)};
  line.push_back({flush_right(time ? duration_text(time->median_ms) : "", 8)});
  line.push_back(
      {flush_right(measured ? fmt::format("±{:.1f}", run.timing->spread_percent / 2) : "", 5),
       Style::dim});
  line.push_back({flush_right(time ? fmt::format("{:.1f}", time->tflops) : "", 6)});
  line.push_back({flush_right(percent, 6)});
  line.push_back({" " + flush_left(share, bar_columns), Style::good});
  line.push_back({flush_right(faster ? factor_text(*faster) : "", 6)});
  line.push_back(
      {flush_right(short_count(static_cast<double>(run.traffic.counted_loads.value_or(0))), 6)});
  if (!clean) line.push_back({" ✗", Style::bad});
  return line;
}

void add_problem(Page& page, const Ladder& ladder, const Problem& problem, bool unicode) {
  page.blank();
  page.row({}, {}, {{sizes_text(problem), Style::heading}});
  page.row({}, {},
           {{flush_left("   kernel", name_columns) + flush_right("time", 8) + flush_right("%", 5) +
                 flush_right("TFLOP/s", 8) + flush_right("% of cuBLAS", 13) +
                 flush_right("faster", 8) + flush_right("loads", 7),
             Style::dim}});
  for (const KernelRun& run : ladder.runs) {
    if (run.problem == problem) page.row({}, {}, row(ladder, run, unicode));
  }
}

// Counts of shared memory and of instructions do not depend on the size much: once, at the last.
void add_counts(Page& page, const Ladder& ladder) {
  page.blank();
  page.row({}, {}, {{"What the emulator counted", Style::heading}});
  page.row({}, {},
           {{flush_left("   kernel", name_columns) + flush_right("FFMA", 6) +
                 flush_right("wf/FFMA", 9) + flush_right("FLOP/B", 8) + flush_right("shared", 8) +
                 flush_right("regs", 6) + flush_right("occupancy", 11),
             Style::dim}});
  const Problem& last = ladder.runs.back().problem;
  for (const KernelRun& run : ladder.runs) {
    if (run.problem != last) continue;
    const auto ratio = [](double value) { return value > 0 ? fmt::format("{:.2f}", value) : ""; };
    const auto wavefronts = wavefronts_per_ffma(run);
    page.row({}, {},
             {name_of(run),
              {flush_right(fmt::format("{:.0f} %", 100 * ffma_share(run)), 6) +
               flush_right(wavefronts ? fmt::format("{:.2f}", *wavefronts) : "", 9) +
               flush_right(ratio(global_intensity(run)), 8) +
               flush_right(ratio(shared_intensity(run)), 8) + flush_right(registers_text(run), 6) +
               flush_right(occupancy_text(run), 11)}});
  }
}

bool any_recorded(const Ladder& ladder) {
  return std::ranges::any_of(ladder.runs, [](const KernelRun& run) {
    const auto time = time_of(run);
    return time && time->recorded;
  });
}

std::string where_from(const Ladder& ladder) {
  if (ladder.backend == Backend::gpu) {
    return "Times are medians on this GPU, with the spread of the middle half of the runs (± %), "
           "and of cuBLAS in the same run.";
  }
  if (!any_recorded(ladder)) return "No times: there is no GPU here, and none are recorded.";
  const auto with_time = std::ranges::find_if(
      ladder.runs, [](const KernelRun& run) { return run.recorded.has_value(); });
  return fmt::format("Times are recorded, not taken now: {}, {}. Counts are the emulator's.",
                     with_time->recorded->device, with_time->recorded->date);
}

// Of kernels that can be tuned: what is said of their settings, each sentence once.
std::vector<std::string> tuning_sentences(const Ladder& ladder) {
  std::vector<std::string> sentences;
  for (const KernelRun& run : ladder.runs) {
    if (run.tuning.empty()) continue;
    std::string sentence = fmt::format("{}: {}", run.kernel->name, run.tuning);
    if (!std::ranges::count(sentences, sentence)) sentences.push_back(std::move(sentence));
  }
  return sentences;
}

std::string field(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

template <typename Value>
std::string number_or_nothing(const std::optional<Value>& value) {
  return value ? fmt::format("{}", *value) : "";
}

}  // namespace

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

std::string compare_text(const Ladder& ladder, const Terminal& terminal) {
  Page page(terminal);
  page.row({}, {}, {{"The ladder", Style::heading}}, {{ladder.device, Style::dim}});
  for (const Problem& problem : problems_of(ladder)) {
    add_problem(page, ladder, problem, terminal.unicode);
  }
  add_counts(page, ladder);
  page.blank();
  page.row({}, {}, {{where_from(ladder), Style::dim}});
  for (const std::string& sentence : tuning_sentences(ladder)) {
    page.row({}, {}, {{sentence, Style::dim}});
  }
  if (const std::string others = left_out_text(ladder); !others.empty()) {
    page.row({}, {}, {{others, Style::dim}});
  }
  page.row({}, {},
           {{"faster: than the lesson that it changes; loads: floats from global memory; wf/FFMA: "
             "wavefronts of shared memory for each FFMA of a warp, as written in PTX; FLOP/B: FLOP "
             "for each byte of global and of shared memory.",
             Style::dim}});
  return page.str();
}

std::string compare_json(const Ladder& ladder) {
  Json json;
  json["device"] = ladder.device;
  if (ladder.driver) json["driver"] = *ladder.driver;
  json["date"] = ladder.date;
  if (ladder.clocks) json["clocks"] = *ladder.clocks;
  json["runs"] = Json::array();
  for (const KernelRun& run : ladder.runs) json["runs"].push_back(lesson_object(run));
  for (const Kernel* kernel : ladder.left_out) json["left_out"].push_back(kernel->name);
  return to_text(json);
}

std::string compare_csv(const Ladder& ladder) {
  std::string text =
      "lesson,kernel,m,n,k,device,time,median_ms,tflops,percent_of_cublas,spread_percent,faster,"
      "load_floats,store_floats,global_load_requests,global_load_sectors,shared_load_wavefronts,"
      "shared_store_wavefronts,ffma,warp_instructions,counts_exact,registers_per_thread,occupancy,"
      "passed\n";
  for (const KernelRun& run : ladder.runs) {
    const auto time = time_of(run);
    const emulator::Counters& c = run.emulation->total;
    std::vector<std::string> fields = {
        std::to_string(run.lesson->number),
        run.kernel->name,
        std::to_string(run.problem.m),
        std::to_string(run.problem.n),
        std::to_string(run.problem.k),
        field(time && time->recorded ? run.recorded->device : run.device),
        !time            ? ""
        : time->recorded ? "recorded"
                         : "measured"};
    fields.push_back(time ? fmt::format("{}", time->median_ms) : "");
    fields.push_back(time ? fmt::format("{}", time->tflops) : "");
    fields.push_back(time ? number_or_nothing(time->percent_of_cublas) : "");
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
    fields.push_back(has_exact_occupancy(run) ? fmt::format("{}", run.occupancy->occupancy) : "");
    fields.emplace_back(is_clean(run) ? "true" : "false");
    text += join(fields, ",") + "\n";
  }
  return text;
}

}  // namespace gemm_tutor
