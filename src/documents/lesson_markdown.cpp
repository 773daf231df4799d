#include "documents/lesson_markdown.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <set>

#include "course/question.hpp"
#include "course/recorded.hpp"
#include "documents/launch_text.hpp"
#include "documents/lesson_parts.hpp"
#include "documents/lesson_report.hpp"
#include "documents/picture_svg.hpp"
#include "documents/source_view.hpp"
#include "documents/traffic_view.hpp"
#include "documents/work_view.hpp"
#include "exercise/exercise.hpp"
#include "support/text.hpp"
#include "trace/selection.hpp"
#include "view/markdown_text.hpp"
#include "view/mathematics.hpp"
#include "view/units.hpp"

namespace gemm_tutor {
namespace {

constexpr int drawn_warp = 0;
constexpr std::array recorded_sizes = {512, 1024, 2048, 4096, 8192};
constexpr std::string_view recorded_device = "NVIDIA H200";

std::string section(std::string_view name, const std::string& content) {
  return content.empty() ? "" : fmt::format("## {}\n\n{}\n", name, content);
}

std::string code_block(std::string_view language, const std::string& text) {
  return fmt::format("```{}\n{}```\n", language, text);
}

std::string row(const std::vector<std::string>& cells) {
  return fmt::format("| {} |\n", join(cells, " | "));
}

// The first columns are of words, the others are of numbers.
std::string table(const std::vector<std::string>& heads,
                  const std::vector<std::vector<std::string>>& rows,
                  std::size_t columns_of_words = 1) {
  std::vector<std::string> rules(heads.size(), "---:");
  std::fill_n(rules.begin(), columns_of_words, "---");
  std::string text = row(heads) + row(rules);
  for (const std::vector<std::string>& cells : rows) text += row(cells);
  return text;
}

// The points between facts are no products.
std::string fact(const Line& line) {
  std::string text;
  for (const Span& span : line) text += breakable(span.text);
  constexpr std::string_view point = " · ";
  std::vector<std::string> parts;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t end = std::min(text.find(point, from), text.size());
    parts.push_back(as_markdown(text.substr(from, end - from)));
    from = end + point.size();
  }
  return join(parts, point);
}

// A line each, in one paragraph.
std::string facts(const std::vector<Line>& lines) {
  std::vector<std::string> texts;
  for (const Line& line : lines) texts.push_back(fact(line));
  return join(texts, "<br>\n") + "\n";
}

const Lesson* lesson_with(int number) {
  const auto found = std::ranges::find(lessons(), number, &Lesson::number);
  return found == lessons().end() ? nullptr : &*found;
}

// The first mention of another lesson leads there.
std::string set(std::string_view markdown, const Lesson& lesson) {
  std::set<int> mentioned = {lesson.number};
  return with_mathematics(markdown, [&](int number) {
    const Lesson* other = mentioned.insert(number).second ? lesson_with(number) : nullptr;
    return other ? markdown_file(*other) : "";
  });
}

// --- What this is
// ----------------------------------------------------------------------------

std::string stem(const Lesson& lesson) {
  return fmt::format("{:02}-{}", lesson.number, lesson.slug);
}

std::string written_by(std::string_view from) {
  return fmt::format(
      "<!-- Written by scripts/write-lessons from {}; change that and run it again. "
      "-->\n\n",
      from);
}

// The way to the lessons before and behind, and to all.
std::string neighbours(const Lesson& lesson) {
  std::vector<std::string> links;
  if (const Lesson* before = lesson_with(lesson.number - 1)) {
    links.push_back(fmt::format("[← {}: {}]({})", before->number, as_markdown(before->title),
                                markdown_file(*before)));
  }
  links.push_back("[all lessons](README.md)");
  if (const Lesson* after = lesson_with(lesson.number + 1)) {
    links.push_back(fmt::format("[{}: {} →]({})", after->number, as_markdown(after->title),
                                markdown_file(*after)));
  }
  return join(links, " · ") + "\n";
}

std::string header(const Lesson& lesson) {
  return written_by("lessons/" + stem(lesson)) +
         fmt::format("# Lesson {}: {}\n\n{}\n", lesson.number, as_markdown(lesson.title),
                     neighbours(lesson));
}

// --- The source
// ----------------------------------------------------------------------------

std::string source_link(const KernelRun& run) {
  return fmt::format("[{0}](../../{0})", run.source_file);
}

bool is_behind_a_gap(const std::vector<SourceLine>& lines, std::size_t i) {
  return i > 0 && lines[i].number != lines[i - 1].number + 1;
}

std::string source_text(const std::vector<SourceLine>& lines) {
  std::string text;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (is_behind_a_gap(lines, i)) text += "// …\n";
    text += lines[i].text + "\n";
  }
  return text;
}

std::string notes(const KernelRun& run) {
  std::string text;
  for (const Note& note : run.kernel->notes) {
    text += fmt::format("- {}<br>\n  {}\n", markdown_code(note.code),
                        trimmed(set(note.text, *run.lesson)));
  }
  return text.empty() ? "" : "\n" + text;
}

std::string other_kernels(const std::vector<KernelRun>& runs) {
  if (runs.size() < 2) return "";
  std::string text =
      fmt::format("\nThe file holds {} kernels. This is the lesson's own; the ", runs.size());
  text += runs.size() == 2 ? "other is\n\n" : "others are\n\n";
  for (std::size_t i = 1; i < runs.size(); ++i) {
    const Kernel& kernel = *runs[i].kernel;
    text += fmt::format("- {}{}{}\n", markdown_code(kernel.name), kernel.title.empty() ? "" : ": ",
                        trimmed(set(kernel.title, *runs[i].lesson)));
  }
  return text;
}

std::string source_part(const std::vector<KernelRun>& runs) {
  const KernelRun& run = runs.front();
  const char* language = run.kernel->cpu ? "cpp" : "cuda";
  return section(run.kernel->is_cuda() ? "The kernel" : "The code",
                 fmt::format("From {}:\n\n", source_link(run)) +
                     code_block(language, source_text(run.excerpt)) + notes(run) +
                     other_kernels(runs));
}

// --- Questions
// ----------------------------------------------------------------------------

std::string question_text(const Question& question, const KernelRun& run) {
  const Problem problem = problem_of(question, *run.kernel, run.settings, run.problem);
  const Values values = values_before(*run.kernel, run.settings, problem);
  const auto shown = [&](const std::string& text) {
    return std::string(trimmed(set(filled_in(text, values), *run.lesson)));
  };
  std::string text = shown(question.ask);
  if (!(problem == run.problem))
    text += fmt::format(" (For {}.)", as_markdown(sizes_text(problem)));
  text += "\n";
  for (const Choice& choice : question.choices) {
    text += fmt::format("   - {}\n", shown(choice.text));
  }
  return text;
}

std::string questions(const KernelRun& run) {
  if (run.kernel->questions.empty()) return "";
  std::string text =
      fmt::format("For {}, before you read on:\n\n", as_markdown(sizes_text(run.problem)));
  int number = 0;
  for (const Question& question : run.kernel->questions) {
    text += fmt::format("{}. {}", ++number, question_text(question, run));
  }
  return section("Predict",
                 text + fmt::format("\n{} asks the same, counts what is right, and shows the "
                                    "arithmetic that leads there.\n",
                                    markdown_code(command_of(*run.lesson, "learn"))));
}

// --- The launch
// ----------------------------------------------------------------------------

std::string launch(const KernelRun& run) {
  if (run.kernel->from_library || !run.launch) return "";
  std::string text = fmt::format("At {}:\n\n", as_markdown(sizes_text(run.problem))) +
                     code_block("cuda", run.launch_statement + ";\n") + "\n" +
                     facts(launch_lines(run)) + "\n";
  if (run.second_launch) {
    text += code_block("cuda", run.second_launch->statement + ";\n") + "\n" +
            facts(second_launch_lines(run)) + "\n";
  }
  text += as_markdown(grid_text(run)) + "\n";
  const std::string residency = run.occupancy && run.gpu ? residency_text(run) : "";
  if (!residency.empty()) text += "\n" + as_markdown(residency) + "\n";
  return section("The launch", text);
}

// --- Counts
// ----------------------------------------------------------------------------

std::string how_counted(const EmulatedLesson& lesson) {
  const KernelRun& run = lesson.runs.front();
  if (run.compiler.empty()) {
    return fmt::format(
        "Counted at {} by running the same code on floats that count their loads "
        "and stores.\n\n",
        as_markdown(sizes_text(run.problem)));
  }
  return fmt::format(
      "Counted at {} on the emulator, all {} of the grid, from the PTX of {} with the limits of an "
      "{}: these numbers are exact. [What each counts](../emulator.md#what-it-counts).\n\n",
      as_markdown(sizes_text(run.problem)),
      counted(static_cast<std::int64_t>(run.emulation->blocks_total), "block"), run.compiler,
      run.gpu->full_name);
}

bool asks_memory(const LineCounts& counts) {
  return !counts.global.empty() || !counts.shared.empty();
}

// "4.0" of "4.0 sec/req".
std::string number_alone(const std::string& count) { return count.substr(0, count.find(' ')); }

// The lines that ask something of memory, in CUDA C++ still: what was counted stands in comments.
std::string counted_lines(const KernelRun& run) {
  const std::vector<LineCounts> counts = counts_beside(run);
  std::string text = "/* line  sec/req  wf/req */\n";
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (!asks_memory(counts[i])) continue;
    text += fmt::format("/* {:>4}  {:>7}  {:>5}{} */  {}\n", run.excerpt[i].number,
                        number_alone(counts[i].global), number_alone(counts[i].shared),
                        counts[i].has_conflicts ? "!" : " ", trimmed(run.excerpt[i].text));
  }
  const bool conflicts = std::ranges::any_of(counts, &LineCounts::has_conflicts);
  return code_block("cuda", text) +
         fmt::format(
             "\nsec/req: sectors of 32 bytes for each request of a warp to global memory; "
             "wf/req: wavefronts, passes of shared memory, for each request to it{}.\n",
             conflicts ? fmt::format("; !: {}", conflicts_legend) : "");
}

// A counter and what a reader calls it; rows of nothing but zeros are left out.
struct CountRow {
  std::string_view name;
  std::function<std::uint64_t(const emulator::Counters&)> value;
};

std::vector<CountRow> count_rows() {
  using C = emulator::Counters;
  return {
      {"warp instructions (PTX)", [](const C& c) { return c.warp_instructions(); }},
      {"FFMAs of threads", [](const C& c) { return c.ffma; }},
      {"global load requests", [](const C& c) { return c.global_load_requests; }},
      {"global load sectors", [](const C& c) { return c.global_load_sectors; }},
      {"global store requests", [](const C& c) { return c.global_store_requests; }},
      {"global store sectors", [](const C& c) { return c.global_store_sectors; }},
      {"shared load requests", [](const C& c) { return c.shared_load_requests; }},
      {"shared load wavefronts", [](const C& c) { return c.shared_load_wavefronts; }},
      {"… of them by conflicts", [](const C& c) { return c.shared_load_conflicts; }},
      {"shared store requests", [](const C& c) { return c.shared_store_requests; }},
      {"shared store wavefronts", [](const C& c) { return c.shared_store_wavefronts; }},
      {"… of them by conflicts", [](const C& c) { return c.shared_store_conflicts; }},
      {"local load requests", [](const C& c) { return c.local_load_requests; }},
      {"local store requests", [](const C& c) { return c.local_store_requests; }},
      {"barriers of warps", [](const C& c) { return c.barriers; }},
  };
}

std::string with_thousands_of(std::uint64_t count) {
  return with_thousands(static_cast<std::int64_t>(count));
}

// Nothing for 0, so that the others are seen.
std::string number_or_blank(std::uint64_t count) {
  return count == 0 ? "" : with_thousands_of(count);
}

std::string counts_by_line(const KernelRun& run) {
  using C = emulator::Counters;
  const std::vector<LineCounts> counts = counts_beside(run);
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (!asks_memory(counts[i])) continue;
    const auto line = std::ranges::find(run.emulation->lines, run.excerpt[i].number,
                                        &emulator::LineCounters::line);
    const C& c = line->counters;
    rows.push_back({fmt::format("{}", line->line),
                    number_or_blank(c.global_load_requests + c.global_store_requests),
                    number_or_blank(c.global_load_sectors + c.global_store_sectors),
                    number_or_blank(c.shared_load_requests + c.shared_store_requests),
                    number_or_blank(c.shared_load_wavefronts + c.shared_store_wavefronts),
                    number_or_blank(c.shared_load_conflicts + c.shared_store_conflicts)});
  }
  return table(
      {"line", "global requests", "sectors", "shared requests", "wavefronts", "by conflicts"},
      rows);
}

std::string totals(const std::vector<KernelRun>& runs) {
  std::vector<std::string> heads = {""};
  for (const KernelRun& run : runs) heads.push_back(markdown_code(run.kernel->name));
  std::vector<std::vector<std::string>> rows;
  for (const CountRow& count : count_rows()) {
    std::vector<std::string> cells = {std::string(count.name)};
    bool any = false;
    for (const KernelRun& run : runs) {
      const std::uint64_t value = count.value(run.emulation->total);
      any = any || value > 0;
      cells.push_back(with_thousands_of(value));
    }
    if (any) rows.push_back(std::move(cells));
  }
  return table(heads, rows);
}

// The formula in symbols, the number it gives, and the number counted.
std::string traffic(const std::vector<KernelRun>& runs) {
  std::vector<std::vector<std::string>> rows;
  for (const KernelRun& run : runs) {
    for (const TrafficRow& line : traffic_rows(run)) {
      const auto formula = tex(line.formula);
      rows.push_back({(runs.size() > 1 ? markdown_code(run.kernel->name) + " " : "") + line.name,
                      formula ? fmt::format("${}$", *formula) : as_markdown(line.formula),
                      line.predicted, line.counted, line.mark.text});
    }
  }
  return rows.empty() ? "" : table({"floats", "formula", "by it", "counted", ""}, rows, 2);
}

std::string counts(const EmulatedLesson& lesson) {
  const KernelRun& run = lesson.runs.front();
  if (!run.traffic.counted_loads) return "";
  std::string text = how_counted(lesson);
  if (run.emulation) text += counted_lines(run) + "\n" + counts_by_line(run) + "\n";
  text +=
      fmt::format("Floats loaded from and stored to {}memory, by the formula and as counted:\n\n",
                  run.emulation ? "global " : "") +
      traffic(lesson.runs) + "\n" + facts(traffic_lines(run)) + "\n";
  if (run.emulation) {
    text += "All counts:\n\n" + totals(lesson.runs) + "\n" + facts(work_lines(run));
    if (run.emulation->total.shared_load_requests > 0) {
      text += fmt::format("\nCounts of shared memory are {}.\n", ptx_legend);
    }
  }
  return section("What was counted", text);
}

// --- Times
// ----------------------------------------------------------------------------

std::optional<RecordedTiming> recorded(const KernelRun& run, int size) {
  const Problem problem = {size, size, size};
  return run.kernel->from_library ? recorded_cublas_timing(problem, recorded_device)
                                  : recorded_timing(run.kernel->name, problem, recorded_device);
}

std::string time_text(const RecordedTiming& time) {
  std::string text = breakable(
      fmt::format("{}<br>{}", duration_text(time.median_ms), flop_rate_text(time.tflops * 1e12)));
  if (time.percent_of_cublas)
    text += breakable(fmt::format("<br>{}", percent_text(*time.percent_of_cublas)));
  return text;
}

std::string times(const std::vector<KernelRun>& runs) {
  std::optional<RecordedTiming> any;
  std::vector<std::string> heads = {"M = N = K"};
  for (const int size : recorded_sizes) heads.push_back(with_thousands(size));
  std::vector<std::vector<std::string>> rows;
  for (const KernelRun& run : runs) {
    std::vector<std::string> cells = {markdown_code(run.kernel->name)};
    for (const int size : recorded_sizes) {
      const auto time = recorded(run, size);
      cells.push_back(time ? time_text(*time) : "");
      if (time) any = time;
    }
    rows.push_back(std::move(cells));
  }
  if (!any) return "";
  const bool of_library = runs.front().kernel->from_library;
  return section(
      "Recorded times",
      fmt::format("Measured on an {} on {} (driver {}): the median time{}. [All "
                  "results](../results/README.md).\n\n{}",
                  any->device, any->date, any->driver,
                  of_library ? " and FLOP/s" : ", FLOP/s, and percent of cuBLAS in the same run",
                  table(heads, rows)));
}

// --- The picture
// ----------------------------------------------------------------------------

std::vector<SelectedLine> drawn_lines(const Trace& trace) {
  std::vector<SelectedLine> lines = select(trace, {.warp = drawn_warp});
  std::ranges::sort(lines, {}, &SelectedLine::line);
  return lines;
}

std::string picture(const EmulatedLesson& lesson) {
  if (!lesson.trace) return "";
  const KernelRun& run = lesson.runs.front();
  return section(
      "What a warp asks of memory",
      fmt::format("Warp {} of the first block, when it comes to a line for the first time. The "
                  "numbers in the cells are its lanes. ([The picture alone]({}))\n\n"
                  "![The requests of warp {} in lesson {}, line by line, in sectors and "
                  "banks]({})\n",
                  drawn_warp, picture_file(*run.lesson), drawn_warp, run.lesson->number,
                  picture_file(*run.lesson)));
}

// --- What to do
// ----------------------------------------------------------------------------

std::string size_option(const KernelRun& run) { return fmt::format(" --size {}", run.problem.m); }

std::string commands(const KernelRun& run) {
  const Lesson& lesson = *run.lesson;
  const std::string emulated =
      run.kernel->is_cuda() ? " --blocks all --backend emulator --gpu h200" : "";
  std::string text = command_of(lesson, "lesson") + size_option(run) + emulated +
                     (run.kernel->from_library ? "" : "  # the counts above") + "\n";
  if (run.kernel->is_cuda()) {
    text += command_of(lesson, "trace") + size_option(run) + "  # the picture\n";
  }
  return section("Try it", code_block("sh", text));
}

// As it is handed out, an exercise is not solved: the mark tells whoever runs a page's commands.
std::string exercise(const Lesson& lesson) {
  const Exercise* found = exercise_of(lesson);
  if (!found) return "";
  const std::string start = fmt::format("{}  # writes {}, for you to edit\n",
                                        command_of(lesson, "exercise start"), found->file_name);
  const std::string check = "gemm-tutor check  # right, safe, and lean enough? Not yet\n";
  return section("The exercise",
                 fmt::format("{}\n\n{}\n<!-- exit: 1 -->\n{}\n{} helps.\n",
                             trimmed(set(found->terms.task, lesson)), code_block("sh", start),
                             code_block("sh", check), markdown_code(command_of(lesson, "hint"))));
}

}  // namespace

std::string markdown_file(const Lesson& lesson) { return stem(lesson) + ".md"; }

std::string picture_file(const Lesson& lesson) { return "pictures/" + stem(lesson) + ".svg"; }

std::string lesson_markdown(const EmulatedLesson& lesson) {
  const KernelRun& run = lesson.runs.front();
  const LessonParts parts = parts_of(*run.lesson);
  const auto part = [&](const std::string& text) {
    const std::string_view body = trimmed(text);
    return body.empty() ? "" : set(fmt::format("{}\n", body), *run.lesson) + "\n";
  };
  return header(*run.lesson) + part(parts.before) + source_part(lesson.runs) + questions(run) +
         part(parts.memory) + part(parts.after) + launch(run) + counts(lesson) + picture(lesson) +
         times(lesson.runs) + commands(run) + exercise(*run.lesson) + neighbours(*run.lesson);
}

std::optional<std::string> lesson_picture(const EmulatedLesson& lesson) {
  if (!lesson.trace) return {};
  return trace_svg(*lesson.trace, {.warp = drawn_warp}, drawn_lines(*lesson.trace));
}

std::string lessons_index(const std::vector<EmulatedLesson>& lessons) {
  std::vector<std::vector<std::string>> rows;
  for (const EmulatedLesson& lesson : lessons) {
    const KernelRun& run = lesson.runs.front();
    const auto time = recorded(run, 4096);
    rows.push_back(
        {fmt::format("[{}: {}]({})", run.lesson->number, as_markdown(run.lesson->title),
                     markdown_file(*run.lesson)),
         time && time->percent_of_cublas ? breakable(percent_text(*time->percent_of_cublas)) : "",
         run.emulation ? with_thousands_of(run.emulation->total.global_load_sectors) : "",
         run.emulation ? with_thousands_of(run.emulation->total.shared_load_wavefronts) : ""});
  }
  const auto counted_run = std::ranges::find_if(
      lessons, [](const EmulatedLesson& lesson) { return !lesson.runs.front().compiler.empty(); });
  std::string text = written_by("lessons") + "# The lessons\n\n" +
                     "Each page has a lesson's idea, its kernel, questions to answer before you "
                     "read on, what the kernel asks of memory, and the times that were recorded. "
                     "The program runs them all: `gemm-tutor` begins the course where you left "
                     "it.\n\n";
  text += table({"lesson", "of cuBLAS", "sectors loaded", "shared load wavefronts"}, rows);
  if (counted_run == lessons.end()) return text;
  return text + fmt::format(
                    "\nCounts at {}, of the lesson's own kernel, from the PTX of {}; the "
                    "share of cuBLAS's speed at 4,096 was recorded on an {}.\n",
                    as_markdown(sizes_text(counted_run->runs.front().problem)),
                    counted_run->runs.front().compiler, recorded_device);
}

}  // namespace gemm_tutor
