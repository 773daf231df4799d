#include "walkthrough/views.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "course/assignments.hpp"
#include "documents/change_view.hpp"
#include "documents/exercise_report.hpp"
#include "documents/launch_text.hpp"
#include "documents/lesson_parts.hpp"
#include "documents/lesson_report.hpp"
#include "documents/source_view.hpp"
#include "documents/trace_report.hpp"
#include "documents/traffic_view.hpp"
#include "documents/work_view.hpp"
#include "gpu/gpu.hpp"
#include "support/text.hpp"
#include "view/bar.hpp"
#include "view/markdown.hpp"
#include "view/units.hpp"
#include "walkthrough/steps.hpp"

namespace gemm_tutor {
namespace {

std::string problem_text(const Problem& p) {
  if (p.m == p.n && p.n == p.k) return with_thousands(p.m);
  return fmt::format("{} × {} × {}", with_thousands(p.m), with_thousands(p.n), with_thousands(p.k));
}

// A question's text with its numbers; plain words in `style`, code as code.
Line text_of(const std::string& text, const Values& values, Style style = Style::plain) {
  Line line = first_paragraph(filled_in(text, values));
  for (Span& span : line) {
    if (span.style == Style::plain) span.style = style;
  }
  return line;
}

constexpr std::string_view gutter = "   ";

void add_indented(Page& page, const Line& line) {
  page.row({{std::string(gutter)}}, {{std::string(gutter)}}, line);
}

// "2 of 3 questions predicted right".
std::string score_text(const Score& score) {
  return fmt::format("{} of {} predicted right", score.right, counted(score.answered, "question"));
}

// Of lessons with a run of their own kernel.
struct Rung {
  const Lesson* lesson;
  const RunRecord* run;
};

std::vector<Rung> ladder_of(const Progress& progress) {
  std::vector<Rung> rungs;
  for (const Lesson& lesson : lessons()) {
    const auto found = progress.lessons.find(lesson.slug);
    if (found != progress.lessons.end() && found->second.run) {
      rungs.push_back({&lesson, &*found->second.run});
    }
  }
  return rungs;
}

// "36.8 r": with a mark where it was recorded.
std::string rate_text(const RunRecord& run) {
  if (run.tflops == 0) return "";
  return fmt::format("{:.3g}{}", run.tflops, run.recorded ? " r" : "  ");
}

std::string ladder_legend(const std::vector<Rung>& rungs, bool of_rates) {
  std::string text =
      of_rates ? "The bars are TFLOP/s." : "The bars are FLOP for each byte of global memory.";
  text += " FLOP/byte was counted in your own runs";
  const auto recorded = std::ranges::find_if(rungs, [](const Rung& r) { return r.run->recorded; });
  if (recorded != rungs.end()) text += "; r: recorded earlier on an " + recorded->run->device;
  return text + ".";
}

void add_ladder(Page& page, const std::vector<Rung>& rungs) {
  constexpr int bar_columns = 20;
  const bool of_rates =
      std::ranges::count_if(rungs, [](const Rung& r) { return r.run->tflops > 0; }) > 1;
  const auto value = [&](const Rung& r) { return of_rates ? r.run->tflops : r.run->flops_a_byte; };
  const double most = std::max(1e-9, value(std::ranges::max(rungs, {}, value)));
  const std::string head =
      fmt::format("   {:<22} {:>6}  {:>9}  {:>9}", "lesson", "size", "FLOP/byte", "TFLOP/s");
  page.row({}, {}, {{head, Style::dim}});
  for (const Rung& rung : rungs) {
    const RunRecord& run = *rung.run;
    const std::string reuse = run.flops_a_byte > 0 ? fmt::format("{:.2f}", run.flops_a_byte) : "";
    page.row(
        {}, {},
        {{fmt::format("{:>2} {:<22} {:>6}  {:>9}  {:>9}  ", rung.lesson->number, rung.lesson->slug,
                      with_thousands(run.problem.m), reuse, rate_text(run))},
         {bar(value(rung) / most, bar_columns, page.terminal().unicode), Style::good}});
  }
  page.blank();
  page.row({}, {}, {{ladder_legend(rungs, of_rates), Style::dim}});
}

}  // namespace

int estimated_minutes(const Lesson& lesson) {
  constexpr double words_a_minute = 150, minutes_a_question = 1, minutes_for_source = 3;
  std::istringstream words(lesson.text);
  const auto count = std::distance(std::istream_iterator<std::string>(words), {});
  const auto questions = static_cast<double>(lesson.kernels.front().questions.size());
  return static_cast<int>(std::ceil(static_cast<double>(count) / words_a_minute +
                                    minutes_a_question * questions + minutes_for_source));
}

void add_idea(Page& page, const Lesson& lesson, const Kernel& kernel) {
  add_markdown(page, parts_of(lesson).before);
  if (&kernel == &lesson.kernels.front()) {
    page.blank();
    page.row({}, {},
             {{fmt::format("About {} minutes, by its length. Press g for what a word means.",
                           estimated_minutes(lesson)),
               Style::dim}});
  }
}

void add_annotated_kernel(Page& page, const Lesson& lesson, const Kernel& kernel) {
  if (!kernel.title.empty()) {
    page.row({}, {}, {{kernel.name, Style::code}, {": " + kernel.title}});
  }
  add_annotated_source(page, excerpt(lesson, kernel), lesson.source_file, kernel.notes);
}

void add_question(Page& page, const Question& question, const Values& values,
                  const std::string& earlier) {
  page.row({}, {}, text_of(question.ask, values, Style::heading));
  page.blank();
  for (std::size_t i = 0; i < question.choices.size(); ++i) {
    const Line number = {{fmt::format("  {}  ", i + 1), Style::code}};
    page.row(number, {{"     "}}, text_of(question.choices[i].text, values));
  }
  if (!question.choices.empty()) page.blank();
  std::string hint;
  if (!earlier.empty()) {
    hint = fmt::format("Your answer so far: {}. Another takes its place; Enter alone keeps it.",
                       earlier);
  } else {
    hint = question.choices.empty() ? fmt::format(
                                          "A number of {}, or arithmetic: 1,500, 2^9, 3*128, 4/3, "
                                          "with M, N, K and the tile's "
                                          "names too. Enter alone leaves it out.",
                                          question.unit)
                                    : "Give its number. Enter alone leaves it out.";
  }
  page.row({}, {}, {{hint + " A key, such as p, takes Enter here as well.", Style::dim}});
}

void add_geometry(Page& page, const KernelRun& run) {
  add_launch(page, run);
  if (!run.launch || !run.kernel->shape) return;
  page.blank();
  page.row({}, {}, {{grid_text(run)}});
  if (const std::string residency = residency_text(run); !residency.empty()) {
    page.blank();
    page.row({}, {}, {{residency}});
  }
}

void add_memory(Page& page, const KernelRun& run) {
  const bool is_own = run.kernel == &run.lesson->kernels.front();  // which the text is about
  if (is_own) add_markdown(page, parts_of(*run.lesson).memory);
  if (run.traffic.predicted_loads) add_traffic(page, run);
}

void add_counts(Page& page, const KernelRun& run, const std::vector<SelectedLine>& requests) {
  const bool gpu_missing = run.backend == Backend::emulator && !gpu::status().available;
  if (run.traffic.counted_loads || run.emulation) add_traffic(page, run);
  add_timing(page, {run, nullptr, gpu_missing});
  add_result(page, run);
  add_work(page, run);
  add_source(page, run, requests);
  if (!run.emulation) return;
  page.text({{"Press g for what a word means, and t for the requests in full.", Style::dim}});
}

void add_trace_of(Page& page, const Trace& trace) {
  const Selection selection;
  const std::vector<SelectedLine> lines = select(trace, selection);
  add_trace(page, {trace, selection, lines});
  page.blank();
  page.text({{"Other warps, lines and steps: "}, {unbreakable(trace_command(trace)), Style::code}});
}

void add_comparison(Page& page, const std::vector<CheckedPrediction>& predictions,
                    const Problem& problem) {
  for (const CheckedPrediction& p : predictions) {
    if (&p != &predictions.front()) page.blank();
    page.row({}, {}, text_of(p.question.ask, p.values, Style::heading));
    Line verdict = {{"You left it out. "}};
    if (!p.answer.empty()) {
      const Span mark = p.checked.right ? Span{"✓ ", Style::good} : Span{"✗ ", Style::bad};
      verdict = {mark, {fmt::format("You said: {}. ", p.answer)}};
    }
    const std::string where = p.counted_at == problem ? ""
                                                      : fmt::format(", at {}, where no tile is cut",
                                                                    problem_text(p.counted_at));
    add_indented(page,
                 verdict + Line{{"Counted: "}, {p.checked.counted, Style::heading}, {where + "."}});
    if (!p.checked.arithmetic.empty()) add_indented(page, {{p.checked.arithmetic, Style::code}});
    add_indented(page, first_paragraph(p.checked.why));
  }
}

void add_changes(Page& page, const Lesson& lesson, const Kernel& kernel) {
  const Predecessor before = predecessor(lesson, kernel);
  const bool own = &kernel == &lesson.kernels.front();
  if (own && !lesson.change.empty()) {
    page.row({}, {}, {{lesson.change}});
    page.blank();
  }
  if (kernel.from_library) return;
  page.row({}, {},
           {{fmt::format("From {} (lesson {}) to {}:", before.kernel->name, before.lesson->number,
                         kernel.name),
             Style::dim}});
  add_change(page, excerpt(*before.lesson, *before.kernel), excerpt(lesson, kernel));
}

void add_recap(Page& page, const Lesson& lesson, const LessonProgress& progress) {
  add_markdown(page, parts_of(lesson).after);
  if (lesson.kernels.size() > 1) {
    page.blank();
    page.row(
        {}, {},
        {{fmt::format("This lesson has {} kernels: k goes through them.", lesson.kernels.size())}});
  }
  if (!lesson.exercise.empty()) {
    page.blank();
    page.row({}, {},
             {{"Your turn: e shows this lesson's exercise, a kernel for you to complete."}});
  }
  if (const Score score = score_of(progress); score.answered > 0) {
    page.blank();
    page.row({}, {}, {{fmt::format("In this lesson: {}.", score_text(score)), Style::good}});
  }
}

void add_finish(Page& page, const Progress& progress) {
  page.row(
      {}, {},
      {{"You have walked the whole way, from three loops on a CPU past cuBLAS. What each lesson "
        "changed:"}});
  page.blank();
  for (const Lesson& lesson : lessons()) {
    const Line number = {{fmt::format("{:>3}  ", lesson.number), Style::code}};
    page.row(number, {{"     "}}, {{lesson.change.empty() ? lesson.title + "." : lesson.change}});
  }
  if (const Score score = score_of(progress); score.answered > 0) {
    page.blank();
    page.row({}, {}, {{score_text(score) + ".", Style::good}});
  }
  if (const std::vector<Rung> rungs = ladder_of(progress); !rungs.empty()) {
    page.blank();
    page.row({}, {}, {{"Your own ladder", Style::heading}});
    page.blank();
    add_ladder(page, rungs);
  }
  page.blank();
  page.row({}, {}, {{"Where to go on", Style::heading}});
  page.blank();
  const auto way = [&](std::string_view command, std::string_view meaning) {
    page.row({{fmt::format("  {:<32}", command), Style::code}}, {{std::string(34, ' ')}},
             {{std::string(meaning)}});
  };
  way("gemm-tutor compare", "all the kernels side by side, at any size");
  way("gemm-tutor lesson 9 --set BK=16", "the same kernels with other tiles");
  way("gemm-tutor tune", "which tiles are fastest on your GPU");
  way("gemm-tutor exercise", "the kernels with gaps to fill, bugs to find, speed to gain");
  way("gemm-tutor run FILE.cu", "a kernel of your own, with every count and check");
  way("gemm-tutor explain", "the words of the course");
  page.blank();
  page.row(
      {}, {},
      {{"Beyond FP32 on CUDA cores lie tensor cores and lower precision. NVIDIA's CUTLASS shows "
        "how libraries use them, and Nsight Compute counts on a GPU what the emulator counts "
        "here."}});
}

void add_exercise(Page& page, const Exercise& exercise) {
  add_task(page, exercise);
  page.section("Begin");
  page.text({{unbreakable("gemm-tutor exercise start " + short_name(exercise)), Style::code},
             {", in another terminal or once you have left: it writes the file "},
             {exercise.file_name, Style::code},
             {", for you to edit"}});
  page.section("Check");
  page.text({{unbreakable("gemm-tutor watch"), Style::code}, {" checks it at each save"}});
}

void add_keys(Page& page) {
  const auto key = [&](std::string_view name, std::string_view meaning) {
    page.row({{fmt::format("  {:<14}", name), Style::code}}, {{std::string(16, ' ')}},
             {{std::string(meaning)}});
  };
  key("Enter, Space", "further down the page; at its end the next step");
  key("n", "the next step");
  key("p, Esc", "the step before");
  key("arrows", "up and down the page; also Page Up, Page Down, Home, End");
  key("l", "the lessons, and where you are");
  key("r", "run the kernel again");
  key("s", "another size of the matrices");
  key("k", "another kernel of the lesson, where it has several");
  key("e", "the lesson's exercise: a kernel for you to complete");
  key("t", "the memory accesses of one warp, drawn: its lanes in sectors and banks");
  key("g", "what a word means");
  key("h, ?", "this page");
  key("q, Ctrl-C", "leave; the next 'gemm-tutor' goes on where you were");
  page.blank();
  page.row({}, {},
           {{"At a question, type your answer and press Enter. A single letter of those above "
             "still is a "
             "key there, with Enter behind it."}});
  page.blank();
  page.row({}, {}, {{"While something runs, Esc, q or Ctrl-C stops it and brings you back."}});
}

void add_size(Page& page, const Problem& problem, const Settings& settings) {
  page.row({}, {},
           {{fmt::format("M, N and K are now {}, {} and {}.", with_thousands(problem.m),
                         with_thousands(problem.n), with_thousands(problem.k))}});
  page.blank();
  page.row({}, {},
           {{"Give one number for square matrices, such as 512, or three for M, N and K, such as "
             "300 200 100. "
             "A size that is no multiple of the tile shows what happens at the edges. A prediction "
             "is for one "
             "size: at another you are asked again."}});
  if (settings.empty()) return;
  page.blank();
  page.row({}, {},
           {{"The kernel's tile can be changed as well: "},
            {join(assignments(settings), " "), Style::code},
            {"."}});
}

}  // namespace gemm_tutor
