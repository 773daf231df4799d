#include "report/lesson_document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "course/ladder.hpp"
#include "course/question.hpp"
#include "report/code_view.hpp"
#include "report/estimate_section.hpp"
#include "report/launch_text.hpp"
#include "report/picture_svg.hpp"
#include "report/requests.hpp"
#include "report/run_sections.hpp"
#include "report/source.hpp"
#include "run/stream_k_schedule.hpp"
#include "support/text.hpp"
#include "trace/selection.hpp"
#include "trace/who_loads.hpp"
#include "view/markdown.hpp"

namespace gemm_tutor {
namespace {

constexpr std::string_view memory_heading = "What it asks of memory";

constexpr int drawn_warp = 0, drawn_thread = 0;

// --- What this is

bool is_one_of_several(const LessonRun& run) { return run.lesson->kernels.size() > 1; }

Document titled(const KernelRun& run, Line kernel) {
  return {.right = {{run.device, Style::dim}},
          .subtitles = {{std::move(kernel), {{sizes_text(run.problem), Style::dim}}}}};
}

Parts other_kernels_of(const LessonRun& run) {
  if (!is_one_of_several(run)) return {};
  Parts parts = {Paragraph{{{"The lesson's other kernels:"}}}};
  parts.append(other_kernels(*run.lesson, *run.kernel));
  Commands commands;
  for (const Kernel& kernel : run.lesson->kernels) {
    if (kernel.name == run.kernel->name) continue;
    commands.commands.push_back({other_kernel_command(run, kernel), "this report for it"});
  }
  parts.add(std::move(commands));
  return parts;
}

// --- The launch

template <typename Test>
std::string elements_text(const TileOwners& tile, const Test& is_part) {
  return counted(std::ranges::count_if(tile.owners, is_part), "element");
}

Span swatch(std::string_view color) { return {std::string(color), Style::swatch}; }

std::vector<Line> grid_caption(const Trace& trace, const std::vector<Region>& regions) {
  const auto blocks = static_cast<std::int64_t>(trace.launch.grid.count());
  if (trace.kernel.shape.stream_k) {
    const StreamKSchedule schedule(trace.kernel.shape, trace.problem);
    return {{{fmt::format("C in {}, which {} share.", counted(schedule.tiles(), "tile"),
                          counted(blocks, "block"))}},
            {swatch("block"),
             {fmt::format("block {}: {}, whole or in part", trace.block.x,
                          counted(std::ssize(regions), "tile"))}}};
  }
  return {{{fmt::format("C in {}; ", counted(blocks, "block"))},
           {"blockIdx.x", Style::code},
           {fmt::format(" counts {}.",
                        trace.kernel.shape.grid_x_along_rows ? "down" : "to the right")}},
          {swatch("block"),
           {fmt::format("block {}: {}", place_text(trace.block), region_text(regions.front()))}}};
}

Parts launch_pictures(const Trace& trace) {
  const TileOwners tile = who_loads(trace, 0).c;
  const std::vector<Region> regions = block_regions(trace.kernel.shape, trace.problem, trace.block);
  const auto of_warp = [](const Owner& owner) { return owner.warp == drawn_warp; };
  const auto of_thread = [](const Owner& owner) { return owner.thread == drawn_thread; };
  return {
      Picture{.kind = "geometry-of",
              .caption = grid_caption(trace, regions),
              .svg = svg_element(grid_diagram(trace.problem, trace.kernel.shape, regions))},
      Picture{.kind = "geometry-of",
              .caption = {{{fmt::format("The {} of C that this block computes.",
                                        regions.size() > 1 ? "first tile" : "tile")}},
                          {swatch("warp"),
                           {fmt::format("warp {}: {}", drawn_warp, elements_text(tile, of_warp))}},
                          {swatch("thread"),
                           {fmt::format("thread {}: {}", drawn_thread,
                                        elements_text(tile, of_thread))}}},
              .svg = svg_element(tile_part_diagram(tile, drawn_warp, drawn_thread))}};
}

Section launch_with_pictures(const AnyRun auto& run) {
  Section section = launch_section(run);
  if (run.trace) section.parts.add(for_pages(Group{launch_pictures(*run.trace)}));
  if constexpr (requires { run.lesson; }) section.parts.add(for_pages(Group{grid_parts(run)}));
  return section;
}

// --- Requests of memory

// Draws requests one after the other. A drawing that an earlier line has is not repeated.
class RequestsDrawn {
 public:
  Parts parts(const SelectedAccess& access, int line) {
    Parts parts = request_parts(access);
    auto& picture = std::get<Picture>(parts.front().content);
    const auto [known, is_new] = drawn_.emplace(likeness(access, parts), line);
    if (is_new || access.picture.outside != 0) return parts;
    return {facts(picture.caption),
            Paragraph{{{fmt::format("As drawn for line {}{}.", known->second,
                                    known->second == line ? ", above" : "")}}}};
  }

 private:
  // Of a drawing without names, and of what is said of it.
  static std::string likeness(const SelectedAccess& access, const Parts& parts) {
    std::string text = svg_element(request_diagram(access.picture, false));
    for (const Fact& fact : std::get<Facts>(parts.back().content).lines) {
      text += plain_text(fact.text);
    }
    return text;
  }

  std::map<std::string, int> drawn_;  // and the line that it was drawn for
};

Line requests_introduction(const Trace& trace, const std::vector<SelectedLine>& lines) {
  Line line = {{fmt::format(
      "What warp {} of block {} asks of memory when it reaches a line for the first time. The "
      "numbers in the cells are its lanes, 0 to 31.",
      drawn_warp, place_text(trace.block))}};
  if (std::ranges::any_of(lines, &SelectedLine::is_costly)) {
    line = std::move(line) + Line{{" "},
                                  {"!", Style::bad},
                                  {" marks a request that takes more sectors than its bytes need, "
                                   "or that has bank conflicts."}};
  }
  return line;
}

Section requests_section(const std::optional<Trace>& trace) {
  Section section{"What a warp asks of memory"};
  if (!trace) return section;
  std::vector<SelectedLine> lines = select(*trace, {.warp = drawn_warp});
  std::ranges::sort(lines, {}, &SelectedLine::line);  // as in the source above
  if (lines.empty()) return section;
  section.parts.add(Paragraph{requests_introduction(*trace, lines)});
  RequestsDrawn drawn;
  for (const SelectedLine& line : lines) {
    section.parts.add(Heading{3, Line{{fmt::format("{}  ", line.line), Style::dim},
                                      {printable(trimmed(line.text)), Style::code}}});
    for (const SelectedAccess& access : line.accesses) {
      section.parts.append(drawn.parts(access, line.line));
    }
  }
  return section;
}

// --- What a class does with it

Subject asked_in(const LessonRun& run) {
  const auto usual = [&](const Problem& size) {
    return run.gpu ? effective_settings(*run.kernel, *run.gpu, size) : run.kernel->settings;
  };
  return subject_of_questions(*run.lesson, *run.kernel, {run.problem, run.settings}, usual);
}

Parts question_parts(const Question& question, const LessonRun& run, const Subject& asked) {
  const Problem problem = problem_of(question, *run.kernel, asked.settings, asked.problem);
  const Values values = values_before(*run.kernel, asked.settings, problem);
  const Line ask =
      first_paragraph(filled_in(question.ask, values)) + size_of_question(problem, run.problem);
  if (question.choices.empty()) return {facts({ask}), Blank{question.unit}};
  List choices{List::Kind::choices, {}};
  for (const Choice& choice : question.choices) {
    choices.items.push_back({facts({first_paragraph(filled_in(choice.text, values))})});
  }
  return {facts({ask}), std::move(choices)};
}

List questions_of(const LessonRun& run, bool after_run) {
  const Subject asked = asked_in(run);
  List list{List::Kind::questions, {}};
  for (const Question& question : run.kernel->questions) {
    if (question.after_run == after_run) list.items.push_back(question_parts(question, run, asked));
  }
  return list;
}

// The questions that need counts.
Section why_section(const LessonRun& run) {
  Section section{"Why is it so?"};
  List list = questions_of(run, true);
  if (list.items.empty()) return section;
  section.parts.add(std::move(list));
  section.parts.add(Paragraph{{{command_of(*run.lesson, "learn"), Style::code},
                               {" asks this after the run, and answers each choice."}}});
  return section;
}

// The course begins with the lesson's first kernel and its own size.
Parts what_is_right(const LessonRun& run) {
  Parts parts;
  const Subject asked = asked_in(run);
  if (asked.problem != run.problem) {
    const std::string command =
        command_of(*run.lesson, "lesson") +
        options_of(*run.lesson, *run.kernel, asked.problem, asked.settings, run.gpu);
    parts.add(
        as_answer(Paragraph{{{command, Style::code}, {" counts what is right.", Style::dim}}}));
  } else if (run.emulation || run.traffic.counted_loads) {
    parts.add(as_answer(
        Paragraph{{{"What this run counted is beside the source and below.", Style::dim}}}));
  }
  parts.add(Paragraph{
      {{command_of(*run.lesson, "learn"), Style::code},
       {fmt::format(
           " asks this as well, at the size and with the tiles that are chosen there{}; "
           "it counts what is right, and shows the arithmetic that leads there.",
           is_own_kernel(run) ? "" : ", once the key k has brought you to this kernel")}}});
  return parts;
}

Section next_section(const LessonReport& report) {
  Section section{"Next", "", {commands(next_commands(report))}};
  Parts for_page;
  if (report.run.lesson->of_course) {
    for_page.add(Paragraph{{{"DIR is the folder that holds the course's lessons."}}});
  }
  for_page.add(Paragraph{{{"gemm-tutor explain WORD", Style::code},
                          {" says what a word of this page means, such as FFMA or PTX."}}});
  if (report.next) {
    for_page.add(Paragraph{
        {{fmt::format("The next lesson is {}: {}.", report.next->key(), report.next->title)}}});
  }
  section.parts.add(for_pages(Group{std::move(for_page)}));
  return section;
}

// A page has the lesson's text, and a terminal may have it.
Part text_part(const LessonReport& report, Parts text) {
  return report.has_text ? Prose{std::move(text)} : for_pages(Prose{std::move(text)});
}

// What shows whether a prediction was right.
std::vector<PlacedPart> answers(const auto& report) {
  const auto& run = report.run;
  std::vector<PlacedPart> parts = {{Place::launch, launch_with_pictures(run)},
                                   {Place::traffic, traffic_section(run)},
                                   {Place::requests, for_pages(requests_section(run.trace))},
                                   {Place::timing, timing_section(run)},
                                   {Place::timing, speed_section(run)},
                                   {Place::limits, limits_section(run)},
                                   {Place::advice, try_section(run.estimate)},
                                   {Place::work, work_section(run)},
                                   {Place::work, gpus_section(run)},
                                   {Place::messages, warnings_section(run.warnings)},
                                   {Place::messages, printed_section(run)},
                                   {Place::messages, notes_section(run)}};
  if (!says_all_of_result(run)) {
    parts.push_back({Place::stages, result_section(run)});
    parts.push_back({Place::stages, sizes_section(run)});
  }
  if (report.machine) {
    parts.push_back({Place::machine, machine_section(run, machine_code(run), *report.machine)});
  }
  Section found = found_section(run);
  if constexpr (requires { run.lesson; }) {
    LessonParts text = parts_of(*run.lesson);
    text.memory.append(std::move(text.after));
    parts.push_back({Place::meaning, text_part(report, std::move(text.memory))});
    // A page asks before it answers.
    Group folded{found.parts, {{"To open after the questions"}}};
    parts.push_back({Place::found, for_pages(Section{"", found.heading, {std::move(folded)}})});
    parts.push_back({Place::next, for_pages(why_section(run))});
    parts.push_back({Place::next, next_section(report)});
  } else {
    parts.push_back({Place::next, for_terminals(verdict_section(run))});
  }
  parts.push_back({Place::found, for_terminals(std::move(found))});
  for (PlacedPart& one : parts) one.part.is_answer = true;
  return parts;
}

// --- The run

// The kernel is compiled and counted again for each GPU.
void estimate_on_each(KernelRun& run, const ReportRequest& request,
                      const std::function<KernelRun(const RunOptions&)>& run_on) {
  if (request.gpus.size() < 2 || !run.launch || !is_clean(run)) return;
  run.estimates = {{*run.gpu, run.estimate}};
  RunOptions options = request.options;
  options.backend = Backend::emulator;
  options.one_of_many = true;
  options.check = false;  // the first run has already checked the kernel
  options.trace.reset();
  options.further.reset();
  for (std::size_t i = 1; i < request.gpus.size(); ++i) {
    options.gpu = request.gpus[i];
    const KernelRun other = run_on(options);
    run.estimates.push_back({*other.gpu, other.estimate});
  }
}

}  // namespace

LessonParts parts_of(const Lesson& lesson) {
  LessonParts result;
  Parts* current = &result.before;
  bool is_first = true;
  for (Part& part : read_markdown(lesson_text(lesson))) {
    const auto* heading = std::get_if<Heading>(&part.content);
    const bool is_title = is_first && heading && heading->level == 1;
    is_first = false;
    if (is_title) continue;
    if (heading && heading->level == 2) {
      if (plain_text(heading->text) == memory_heading) {
        current = &result.memory;
      } else if (current == &result.memory) {
        current = &result.after;
      }
    }
    current->push_back(std::move(part));
  }
  return result;
}

Section questions_section(const LessonRun& run) {
  Section section{"Predict before you run"};
  List list = questions_of(run, false);
  if (list.items.empty()) return section;
  section.parts.add(std::move(list));
  section.parts.append(what_is_right(run));
  return section;
}

KernelReport kernel_report(const ReportRequest& request,
                           const std::function<KernelRun(const RunOptions&)>& run) {
  KernelReport report{run(request.options), request.machine};
  estimate_on_each(report.run, request, run);
  return report;
}

LessonReport lesson_report(const ReportRequest& request,
                           const std::function<LessonRun(const RunOptions&)>& run, bool has_text) {
  LessonReport report{
      .run = run(request.options), .machine = request.machine, .has_text = has_text};
  estimate_on_each(report.run, request, run);
  report.next = lesson_after(*report.run.lesson);
  report.concepts = drawn_concepts(report.run, request.options);
  return report;
}

Document kernel_document(const KernelReport& report) {
  Document document = titled(report.run, {});
  document.label = "Kernel " + report.run.name;
  std::vector<PlacedPart> parts = answers(report);
  parts.push_back({Place::command, command_section(report.run)});
  parts.push_back({Place::source, source_section(report.run, report.machine)});
  document.parts = in_order(std::move(parts));
  return document;
}

Document lesson_document(const LessonReport& report) {
  const LessonRun& run = report.run;
  Document document = titled(run, is_one_of_several(run) ? kernel_line(*run.kernel) : Line());
  document.label = capitalised(run.lesson->name());
  document.title = run.lesson->title;
  document.without_answers = "For a class: only what comes before the prediction";
  std::vector<PlacedPart> parts = answers(report);
  parts.push_back({Place::source, source_section(run, report.machine)});
  parts.push_back({Place::source, for_pages(Group{other_kernels_of(run)})});
  if (!report.has_text) {
    parts.push_back(
        {Place::idea,
         for_terminals(section("Idea", {facts({first_paragraph(lesson_text(*run.lesson))})}))});
  }
  parts.push_back({Place::idea, text_part(report, parts_of(*run.lesson).before)});
  parts.push_back({Place::pictures, concepts_section(report.concepts)});
  parts.push_back({Place::change, change_section(*run.lesson, *run.kernel, run.settings)});
  parts.push_back({Place::questions, for_pages(questions_section(run))});
  document.parts = in_order(std::move(parts));
  return document;
}

}  // namespace gemm_tutor
