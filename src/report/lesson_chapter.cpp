#include "report/lesson_chapter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <set>

#include "course/ladder.hpp"
#include "course/question.hpp"
#include "course/recorded.hpp"
#include "exercise/exercise.hpp"
#include "report/code_view.hpp"
#include "report/lesson_document.hpp"
#include "report/picture_svg.hpp"
#include "report/run_sections.hpp"
#include "report/source.hpp"
#include "report/trace_report.hpp"
#include "support/text.hpp"
#include "trace/selection.hpp"
#include "view/markdown.hpp"
#include "view/units.hpp"

namespace gemm_tutor {
namespace {

constexpr int chapter_warp = 0;
constexpr std::array recorded_sizes = {512, 1024, 2048, 4096, 8192};
constexpr std::string_view recorded_device = "NVIDIA H200";

Paragraph paragraph(std::string text) { return {{{std::move(text)}}}; }

// The first columns are of words, the others are of numbers.
Table table(const std::vector<Line>& heads, const std::vector<std::vector<Line>>& rows) {
  Table result{.columns = {}, .rows = {}, .ruled = true};
  for (const Line& head : heads) {
    result.columns.push_back({head, result.columns.empty() ? Align::left : Align::right});
  }
  for (const std::vector<Line>& row : rows) {
    std::vector<Cell>& cells = result.rows.emplace_back();
    for (const Line& cell : row) cells.push_back({cell});
  }
  return result;
}

Line text_line(std::string text) { return {{std::move(text)}}; }

// --- Links to other lessons

// "lesson 7", "Lesson 7" and "chapter edges" lead to that page where it is mentioned first.
class Links {
 public:
  explicit Links(const Lesson& lesson) : mentioned_({&lesson}) {}

  void add_to(Line& line) {
    Line result;
    for (Span& span : line) {
      const bool is_text = span.style == Style::plain && span.address.empty();
      if (is_text) {
        add(result, span.text);
      } else {
        result.push_back(std::move(span));
      }
    }
    line = std::move(result);
  }

 private:
  void add(Line& result, const std::string& text) {
    constexpr std::string_view of_names = "abcdefghijklmnopqrstuvwxyz0123456789-";
    std::size_t done = 0;
    for (std::size_t gap = text.find(' '); gap != text.npos; gap = text.find(' ', gap + 1)) {
      const std::size_t end = std::min(text.find_first_not_of(of_names, gap + 1), text.size());
      const Lesson* lesson = lesson_in(lessons(), text.substr(gap + 1, end - gap - 1));
      if (lesson == nullptr) continue;
      const std::string_view word = lesson->number ? "lesson" : "chapter";
      if (gap < done + word.size()) continue;
      const std::size_t begin = gap - word.size();
      if (lower_case(text.substr(begin, word.size())) != word) continue;
      if (!mentioned_.insert(lesson).second) continue;
      result.push_back({text.substr(done, begin - done)});
      result.push_back({text.substr(begin, end - begin), Style::plain, markdown_file(*lesson)});
      done = end;
    }
    result.push_back({text.substr(done)});
  }

  std::set<const Lesson*> mentioned_;
};

Parts linked(Parts parts, const Lesson& lesson) {
  Links links(lesson);
  for_each_line(parts, [&](Line& line) { links.add_to(line); });
  return parts;
}

// --- What this is

std::string written_from(std::string_view from) {
  return fmt::format("Written by scripts/write-lessons from {}; change that and run it again.",
                     from);
}

// The way to the lessons before and after, and to all.
Paragraph neighbours(const Lesson& lesson) {
  Line line;
  if (const Lesson* before = lesson_before(lesson)) {
    line.push_back({fmt::format("← {}: {}", before->key(), before->title), Style::plain,
                    markdown_file(*before)});
    line.push_back({" · "});
  }
  line.push_back({"all lessons", Style::plain, "README.md"});
  if (const Lesson* after = lesson_after(lesson)) {
    line.push_back({" · "});
    line.push_back(
        {fmt::format("{}: {} →", after->key(), after->title), Style::plain, markdown_file(*after)});
  }
  return {line};
}

// --- The code

Section change_chapter(const LessonRun& run) {
  Section section = change_section(*run.lesson, *run.kernel, run.settings);
  section.parts = linked(std::move(section.parts), *run.lesson);
  return section;
}

Section source_chapter(const LessonRun& run) {
  const Lesson& lesson = *run.lesson;
  const ShownCode code = shown_code(lesson, *run.kernel);
  Section section{"", run.kernel->is_cuda() ? "The kernel" : "The code"};
  Listing listing = kernel_listing(lesson, *run.kernel);
  for (ListingLine& line : listing.lines) line.below = linked(std::move(line.below), lesson);
  section.parts = {Paragraph{{{"From "},
                              {run.source.file_name, Style::plain, "../../" + run.source.file_name},
                              {":"}}},
                   std::move(listing)};
  section.parts.append(functions_listing(*run.kernel, code.functions));
  section.parts.append(linked(earlier_functions(code), lesson));
  if (lesson.kernels.size() > 1) {
    section.parts.add(paragraph(lesson.kernels.size() == 2 ? "The file has another kernel:"
                                                           : "The file has other kernels:"));
    section.parts.append(linked(other_kernels(lesson, *run.kernel), lesson));
  }
  return section;
}

// --- Questions

Section questions(const LessonRun& run) {
  Section section = questions_section(run);
  section.heading = "Predict";
  if (section.parts.empty()) return section;
  section.parts = linked(std::move(section.parts), *run.lesson);
  section.parts = {
      paragraph(fmt::format("For {}, before you read on:", sizes_text(run.problem))),
      std::move(section.parts.front()),
      Paragraph{{{command_of(*run.lesson, "learn"), Style::code},
                 {" asks the same, counts what is right, and shows the arithmetic that "
                  "leads there."}}}};
  return section;
}

// --- The launch

Section launch(const LessonRun& run) {
  Section section{"", "The launch"};
  if (run.kernel->from_library || !run.launch) return section;
  section.parts = {paragraph(fmt::format("At {}:", sizes_text(run.problem)))};
  section.parts.append(launch_section(run).parts);
  section.parts.append(grid_parts(run));
  return section;
}

// --- Counts

Line how_counted(const LessonRun& run) {
  if (run.compiler.empty()) {
    return {
        {fmt::format("Counted at {} by running the same code on floats that count their loads "
                     "and stores.",
                     sizes_text(run.problem))}};
  }
  return {{fmt::format("Counted at {} on the emulator, all {} of the grid, from the PTX of {} with "
                       "the limits of an {}: these numbers are exact. ",
                       sizes_text(run.problem),
                       counted(static_cast<std::int64_t>(run.emulation->blocks_total), "block"),
                       run.compiler, run.gpu->full_name)},
          {"What each counts", Style::plain, "../emulator.md#what-it-counts"},
          {"."}};
}

bool asks_memory(const LineCounts& counts) {
  return !counts.global.empty() || !counts.shared.empty();
}

// "A 32.0" of "A 32.0 sec/req", with a mark if there are conflicts; empty after the last.
std::string number_alone(const std::vector<RequestCost>& costs, std::size_t row) {
  if (row >= costs.size()) return "";
  return costs[row].number + (costs[row].has_conflicts ? "!" : " ");
}

// What was counted of a line, in comments: a row for each operand, the first beside the code.
class CountComments {
 public:
  explicit CountComments(const std::vector<LineCounts>& lines) {
    for (const LineCounts& counts : lines) {
      for (std::size_t row = 0; row < rows(counts); ++row) {
        global_columns_ = std::max(global_columns_, columns(number_alone(counts.global, row)));
        shared_columns_ = std::max(shared_columns_, columns(number_alone(counts.shared, row)));
      }
    }
  }

  std::string head() const { return comment("line", "sec/req ", "wf/req"); }

  std::vector<std::string> of(const SourceLine& line, const LineCounts& counts) const {
    std::vector<std::string> result;
    for (std::size_t row = 0; row < rows(counts); ++row) {
      const bool is_first = row == 0;
      result.push_back(comment(is_first ? std::to_string(line.number) : "",
                               number_alone(counts.global, row), number_alone(counts.shared, row)));
      if (is_first) result.back() += fmt::format("  {}", trimmed(line.text));
    }
    return result;
  }

 private:
  static std::size_t rows(const LineCounts& counts) {
    return std::max(counts.global.size(), counts.shared.size());
  }

  std::string comment(const std::string& line, const std::string& global,
                      const std::string& shared) const {
    return fmt::format("/* {:>4}  {:>{}} {:>{}} */", line, global, global_columns_, shared,
                       shared_columns_);
  }

  int global_columns_ = 8, shared_columns_ = 6;
};

// The lines with memory requests, as CUDA C++.
Code counted_lines(const LessonRun& run, const std::vector<LineCounts>& counts) {
  const CountComments comments(counts);
  Code code{{comments.head()}, "cuda"};
  for (std::size_t i = 0; i < counts.size(); ++i) {
    std::ranges::move(comments.of(run.excerpt[i], counts[i]), std::back_inserter(code.lines));
  }
  return code;
}

// A counter and its name for readers. Rows with only zeros are left out.
struct CountRow {
  std::string_view name;
  std::function<std::uint64_t(const simt::Counters&)> value;
};

std::vector<CountRow> count_rows() {
  using C = simt::Counters;
  return {
      {"warp instructions (PTX)", [](const C& c) { return c.warp_instructions(); }},
      {"FFMAs of threads", [](const C& c) { return c.ffma; }},
      {"multiply-adds of tensor cores", [](const C& c) { return c.tensor_multiply_adds; }},
      {"global load requests", [](const C& c) { return c.global_load_requests; }},
      {"global load sectors", [](const C& c) { return c.global_load_sectors; }},
      {"wavefronts of the L1 cache", [](const C& c) { return c.global_load_wavefronts; }},
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

Line number(std::uint64_t count) {
  return text_line(with_thousands(static_cast<std::int64_t>(count)));
}

// Empty for 0, so that other numbers are easier to see.
Line number_or_blank(std::uint64_t count) { return count == 0 ? Line() : number(count); }

Table counts_by_line(const LessonRun& run, const std::vector<LineCounts>& counts) {
  using C = simt::Counters;
  std::vector<std::vector<Line>> rows;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (!asks_memory(counts[i])) continue;
    const auto line =
        std::ranges::find(run.emulation->lines, run.excerpt[i].number, &simt::LineCounters::line);
    const C& c = line->counters;
    rows.push_back({text_line(std::to_string(line->line)),
                    number_or_blank(c.global_load_requests + c.global_store_requests),
                    number_or_blank(c.global_load_sectors + c.global_store_sectors),
                    number_or_blank(c.shared_load_requests + c.shared_store_requests),
                    number_or_blank(c.shared_load_wavefronts + c.shared_store_wavefronts),
                    number_or_blank(c.shared_load_conflicts + c.shared_store_conflicts)});
  }
  return table({text_line("line"), text_line("global requests"), text_line("sectors"),
                text_line("shared requests"), text_line("wavefronts"), text_line("by conflicts")},
               rows);
}

Table totals(const std::vector<LessonRun>& runs) {
  std::vector<Line> heads(1);
  for (const LessonRun& run : runs) heads.push_back({{run.kernel->name, Style::code}});
  std::vector<std::vector<Line>> rows;
  for (const CountRow& count : count_rows()) {
    std::vector<Line> cells = {text_line(std::string(count.name))};
    bool any = false;
    for (const LessonRun& run : runs) {
      const std::uint64_t value = count.value(run.emulation->total);
      any = any || value > 0;
      cells.push_back(number(value));
    }
    if (any) rows.push_back(std::move(cells));
  }
  return table(heads, rows);
}

// The formula in symbols, the number it gives, and the number counted.
Equations traffic(const std::vector<LessonRun>& runs) {
  Equations all{{}, "floats"};
  for (const LessonRun& run : runs) {
    if (!run.predicted.loads) continue;
    for (Equation& row : traffic_equations(run).rows) {
      if (runs.size() > 1) row.name = Line{{run.kernel->name, Style::code}, {" "}} + row.name;
      all.rows.push_back(std::move(row));
    }
  }
  return all;
}

void add_lines(Parts& parts, const LessonRun& run) {
  const std::vector<LineCounts> counts = counts_beside(run.excerpt, run);
  parts.add(Paragraph{counts_legend(counts, run.lesson->place)});
  parts.add(counted_lines(run, counts));
  parts.add(counts_by_line(run, counts));
}

Section counts(const EmulatedLesson& lesson) {
  const LessonRun& run = lesson.runs.front();
  Section section{"", "What was counted"};
  if (!run.traffic.counted_loads) return section;
  Parts& parts = section.parts;
  parts.add(Paragraph{how_counted(run)});
  if (run.emulation) add_lines(parts, run);
  parts.add(paragraph(
      fmt::format("Floats loaded from and stored to {}memory, by the formula and as counted:",
                  run.emulation ? "global " : "")));
  if (Equations equations = traffic(lesson.runs); !equations.rows.empty()) {
    parts.add(std::move(equations));
  }
  parts.add(traffic_facts(run));
  if (!run.emulation) return section;
  parts.add(paragraph("All counts:"));
  parts.add(totals(lesson.runs));
  parts.append(work_section(run).parts);
  if (const std::string note = shared_memory_note(run); !note.empty()) {
    parts.add(paragraph(fmt::format("Note: {}.", note)));
  }
  return section;
}

// --- Times

std::optional<RecordedTiming> recorded(const LessonRun& run, int size) {
  const Problem problem = {size, size, size};
  return run.kernel->from_library ? recorded_cublas_timing(problem, recorded_device)
                                  : recorded_timing(run.kernel->name, problem, recorded_device);
}

Line percent_line(std::optional<double> value) {
  return value ? text_line(percent_text(*value)) : Line();
}

Line time_line(const LadderTime& time) {
  Line line = {{duration_text(time.median_ms)}};
  for (const auto& percent : {time.percent_of_peak, time.percent_of_cublas}) {
    if (percent) line = std::move(line) + Line{{"\n"}, {percent_text(*percent)}};
  }
  return line;
}

Section times(const std::vector<LessonRun>& runs) {
  std::optional<RecordedTiming> any;
  std::vector<Line> heads = {text_line("M = N = K")};
  for (const int size : recorded_sizes) heads.push_back(text_line(with_thousands(size)));
  std::vector<std::vector<Line>> rows;
  for (const LessonRun& run : runs) {
    std::vector<Line> cells = {{{run.kernel->name, Style::code}}};
    for (const int size : recorded_sizes) {
      const auto time = recorded(run, size);
      cells.push_back(time ? time_line(time_of(*time)) : Line());
      if (time) any = time;
    }
    rows.push_back(std::move(cells));
  }
  Section section{"", "Recorded times"};
  if (!any) return section;
  const bool of_library = runs.front().kernel->from_library;
  section.parts = {
      Paragraph{{{fmt::format("Measured on an {} on {} (driver {}): the median time{}. ",
                              any->device, any->date, any->driver,
                              of_library ? " and percent of the GPU's peak"
                                         : ", percent of the GPU's peak, and percent of cuBLAS in "
                                           "the same run")},
                 {"All results", Style::plain, "../results/README.md"},
                 {"."}}},
      table(heads, rows)};
  return section;
}

// --- The pictures

std::string concept_file(const Lesson& lesson, std::size_t place) {
  return fmt::format("pictures/{}-{}.svg", lesson.file_stem(), place + 1);
}

Section concepts_chapter(const EmulatedLesson& lesson) {
  const Lesson& own = *lesson.runs.front().lesson;
  Section section{"", "In pictures"};
  for (std::size_t i = 0; i < lesson.concepts.size(); ++i) {
    section.parts.add(Paragraph{first_paragraph(lesson.concepts[i].text)});
    section.parts.add(concept_picture(lesson.concepts[i], concept_file(own, i)));
  }
  return section;
}

std::vector<SelectedLine> drawn_lines(const Trace& trace) {
  std::vector<SelectedLine> lines = select(trace, {.warp = chapter_warp});
  std::ranges::sort(lines, {}, &SelectedLine::line);
  return lines;
}

Section picture(const EmulatedLesson& lesson) {
  Section section{"", "What a warp asks of memory"};
  if (!lesson.runs.front().trace) return section;
  const Lesson& own = *lesson.runs.front().lesson;
  section.parts = {
      Paragraph{{{fmt::format("Warp {} of the first block, when it reaches a line for the first "
                              "time. The numbers in the cells are its lanes. (",
                              chapter_warp)},
                 {"The picture alone", Style::plain, picture_file(own)},
                 {")"}}},
      Picture{.kind = "request",
              .file = picture_file(own),
              .description =
                  fmt::format("The requests of warp {} in {}, line by line, in sectors and banks",
                              chapter_warp, own.name())}};
  return section;
}

// --- What to do

Section to_try(const LessonRun& run) {
  const Lesson& lesson = *run.lesson;
  const bool is_cuda = run.kernel->is_cuda();
  const Problem& p = run.problem;
  const std::string size = p.m == p.n && p.n == p.k
                               ? fmt::format(" --size {}", p.m)
                               : fmt::format(" --size {}x{}x{}", p.m, p.n, p.k);
  const std::string emulated = is_cuda ? " --blocks all --backend emulator --gpu h200" : "";
  Commands commands{{{command_of(lesson, "lesson") + size + emulated,
                      run.kernel->from_library ? "" : "the counts above"}}};
  if (is_cuda) commands.commands.push_back({command_of(lesson, "trace") + size, "the picture"});
  return {"", "Try it", {std::move(commands)}};
}

// An exercise's handout does not solve it.
Section exercise(const Lesson& lesson) {
  Section section{"", "The exercise"};
  const Exercise* found = exercise_of(lesson);
  if (!found) return section;
  section.parts = linked(read_markdown(found->terms.task), lesson);
  section.parts.add(Commands{{{command_of(lesson, "exercise start"),
                               fmt::format("writes {}, for you to edit", found->file_name)},
                              {"gemm-tutor check", "right, safe, and lean enough? Not yet", 1}}});
  section.parts.add(Paragraph{{{command_of(lesson, "hint"), Style::code}, {" helps."}}});
  return section;
}

}  // namespace

std::string markdown_file(const Lesson& lesson) { return lesson.file_stem() + ".md"; }

std::string picture_file(const Lesson& lesson) { return "pictures/" + lesson.file_stem() + ".svg"; }

Document lesson_chapter(const EmulatedLesson& lesson) {
  const LessonRun& run = lesson.runs.front();
  LessonParts parts = parts_of(*run.lesson);
  Document document{.label = capitalised(run.lesson->name()),
                    .title = run.lesson->title,
                    .origin = written_from("lessons/" + run.lesson->file_stem())};
  document.parts = in_order({{Place::around, neighbours(*run.lesson)},
                             {Place::idea, Prose{linked(std::move(parts.before), *run.lesson)}},
                             {Place::pictures, concepts_chapter(lesson)},
                             {Place::change, change_chapter(run)},
                             {Place::source, source_chapter(run)},
                             {Place::questions, questions(run)},
                             {Place::meaning, Prose{linked(std::move(parts.memory), *run.lesson)}},
                             {Place::meaning, Prose{linked(std::move(parts.after), *run.lesson)}},
                             {Place::launch, launch(run)},
                             {Place::traffic, counts(lesson)},
                             {Place::requests, picture(lesson)},
                             {Place::timing, times(lesson.runs)},
                             {Place::next, to_try(run)},
                             {Place::next, exercise(*run.lesson)},
                             {Place::next, neighbours(*run.lesson)}});
  return document;
}

std::vector<PictureFile> lesson_pictures(const EmulatedLesson& lesson) {
  const LessonRun& run = lesson.runs.front();
  const Lesson& own = *run.lesson;
  std::vector<PictureFile> files;
  for (std::size_t i = 0; i < lesson.concepts.size(); ++i) {
    files.push_back({concept_file(own, i), diagram_svg(lesson.concepts[i].diagram)});
  }
  if (run.trace) {
    files.push_back(
        {picture_file(own), trace_svg(*run.trace, plain_text(trace_heading(own).heading()),
                                      {.warp = chapter_warp}, drawn_lines(*run.trace))});
  }
  return files;
}

std::string markdown_file(const Chapter& chapter) { return fmt::format("{}.md", chapter.name); }

Document chapter_page(const Chapter& chapter, const simt::GpuSpec& gpu) {
  Document document = chapter.document(gpu);
  document.origin = written_from(fmt::format("lessons/{}", chapter.name));
  return document;
}

Document lessons_index(const std::vector<EmulatedLesson>& lessons) {
  std::vector<std::vector<Line>> rows;
  for (const EmulatedLesson& lesson : lessons) {
    const LessonRun& run = lesson.runs.front();
    const auto time = recorded(run, 4096);
    const bool is_usual = run.emulation && !run.lesson->page_size;
    const std::string place = run.lesson->number_text();
    rows.push_back({{{(place.empty() ? "" : place + ": ") + run.lesson->title, Style::plain,
                      markdown_file(*run.lesson)}},
                    time ? percent_line(time_of(*time).percent_of_peak) : Line(),
                    time ? percent_line(time->percent_of_cublas) : Line(),
                    is_usual ? number(run.emulation->total.global_load_sectors) : Line(),
                    is_usual ? number(run.emulation->total.shared_load_wavefronts) : Line()});
  }
  Document document{.title = "The lessons", .origin = written_from("lessons")};
  document.parts = {
      Paragraph{{{"Each page has a lesson's idea, its kernel, questions to answer before you read "
                  "on, what the kernel asks of memory, and the times that were recorded. The "
                  "program runs them all: "},
                 {"gemm-tutor", Style::code},
                 {" continues the course where you stopped. Before the lessons: "},
                 {"the machine and the program", Style::plain, "machine.md"},
                 {". After them: "},
                 {"the lessons in Nsight Compute", Style::plain, "profiler.md"},
                 {"."}}},
      table({text_line("lesson"), text_line("of peak"), text_line("of cuBLAS"),
             text_line("sectors loaded"), text_line("shared load wavefronts")},
            rows)};
  const auto counted_run = std::ranges::find_if(
      lessons, [](const EmulatedLesson& lesson) { return !lesson.runs.front().compiler.empty(); });
  if (counted_run == lessons.end()) return document;
  const LessonRun& run = counted_run->runs.front();
  document.parts.add(paragraph(fmt::format(
      "Counts at {}, of the lesson's own kernel, from the PTX of {}. A lesson that is "
      "counted at another size has its counts on its page. The shares of the GPU's peak "
      "and of cuBLAS's speed at 4,096 were recorded on an {}.",
      sizes_text(run.problem), run.compiler, recorded_device)));
  return document;
}

}  // namespace gemm_tutor
