#include "walkthrough/views.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "course/settings.hpp"
#include "documents/change_view.hpp"
#include "documents/exercise_report.hpp"
#include "documents/lesson_document.hpp"
#include "documents/run_sections.hpp"
#include "documents/source.hpp"
#include "documents/trace_report.hpp"
#include "gpu/gpu.hpp"
#include "support/text.hpp"
#include "view/markdown_reader.hpp"
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

Part text(std::string words, Style style = Style::plain) {
  return Paragraph{{{std::move(words), style}}};
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

Parts ladder_parts(const std::vector<Rung>& rungs) {
  const bool of_rates =
      std::ranges::count_if(rungs, [](const Rung& r) { return r.run->tflops > 0; }) > 1;
  const auto value = [&](const Rung& r) { return of_rates ? r.run->tflops : r.run->flops_a_byte; };
  const double most = std::max(1e-9, value(std::ranges::max(rungs, {}, value)));
  Table table;
  table.columns = {{{{"   lesson"}}, Align::left, 25},
                   {{{"size"}}, Align::right, 6, 1},
                   {{{"FLOP/byte"}}, Align::right, 9},
                   {{{"TFLOP/s"}}, Align::right, 9},
                   {.width = 20, .medium = Medium::terminal, .is_bar = true}};
  for (const Rung& rung : rungs) {
    const RunRecord& run = *rung.run;
    const std::string reuse = run.flops_a_byte > 0 ? fmt::format("{:.2f}", run.flops_a_byte) : "";
    table.rows.push_back({{{{fmt::format("{:>2} {}", rung.lesson->number, rung.lesson->slug)}}},
                          {{{with_thousands(run.problem.m)}}},
                          {{{reuse}}},
                          {{{rate_text(run)}}},
                          {{}, value(rung) / most}});
  }
  return {std::move(table), text(ladder_legend(rungs, of_rates), Style::dim)};
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

Parts idea_parts(const Lesson& lesson, const Kernel& kernel) {
  Parts parts = {Prose{parts_of(lesson).before}};
  if (&kernel == &lesson.kernels.front()) {
    parts.add(text(fmt::format("About {} minutes, by its length. Press g for what a word means.",
                               estimated_minutes(lesson)),
                   Style::dim));
  }
  return parts;
}

Parts annotated_kernel(const Lesson& lesson, const Kernel& kernel) {
  Parts parts;
  if (!kernel.title.empty()) {
    parts.add(Paragraph{{{kernel.name, Style::code}, {": " + kernel.title}}});
  }
  parts.add(section(
      "Source", {annotated_listing(excerpt(lesson, kernel), lesson.source_file, kernel.notes)}));
  return parts;
}

Parts question_parts(const Question& question, const Values& values, const std::string& earlier) {
  Parts parts = {Paragraph{text_of(question.ask, values, Style::heading)}};
  std::vector<Line> choices;
  for (const Choice& choice : question.choices) choices.push_back(text_of(choice.text, values));
  if (!choices.empty()) parts.add(numbered(choices));
  std::string hint;
  if (!earlier.empty()) {
    hint = fmt::format("Your answer so far: {}. Another takes its place; Enter alone keeps it.",
                       earlier);
  } else if (choices.empty()) {
    hint = fmt::format(
        "A number of {}, or arithmetic: 1,500, 2^9, 3*128, 4/3, with M, N, K and the tile's names "
        "too. Enter alone leaves it out.",
        question.unit);
  } else {
    hint = "Give its number. Enter alone leaves it out.";
  }
  parts.add(text(hint + " A key, such as p, takes Enter here as well.", Style::dim));
  return parts;
}

Parts geometry_parts(const KernelRun& run) {
  Parts parts = {launch_section(run)};
  parts.append(grid_parts(run));
  return parts;
}

Parts memory_parts(const KernelRun& run) {
  Parts parts;
  const bool is_own = run.kernel == &run.lesson->kernels.front();  // which the text is about
  if (is_own) parts.add(Prose{parts_of(*run.lesson).memory});
  if (run.traffic.predicted_loads) parts.add(traffic_section(run));
  return parts;
}

Parts count_parts(const KernelRun& run, const std::vector<SelectedLine>& requests) {
  const bool gpu_missing = run.backend == Backend::emulator && !gpu::status().available;
  Parts parts;
  if (run.traffic.counted_loads || run.emulation) parts.add(traffic_section(run));
  Section source = source_section(run, requests);
  if (run.emulation) {
    source.parts.fact(
        {{"Press g for what a word means, t for the requests in full, and m for the machine code.",
          Style::dim}});
  }
  parts.append({timing_section({run, nullptr, gpu_missing}), result_section(run), work_section(run),
                std::move(source)});
  return parts;
}

Parts machine_parts(const KernelRun& run) {
  constexpr MachineDetail detail = MachineDetail::hot_loop;
  return {machine_section(run, machine_code(run), detail), source_section(run, {}, detail)};
}

Parts parts_of_trace(const Trace& trace) {
  const Selection selection;
  const std::vector<SelectedLine> lines = select(trace, selection);
  Parts parts = {Facts{{place_of(trace, fmt::format("warp {} of {} · step {}", selection.warp,
                                                    trace.warps(), selection.step))}}};
  parts.append(trace_parts({trace, selection, lines}));
  parts.add(section("", {facts({{{"Other warps, lines and steps: "},
                                 {unbreakable(trace_command(trace)), Style::code}}})}));
  return parts;
}

Parts comparison_parts(const std::vector<CheckedPrediction>& predictions, const Problem& problem) {
  Parts parts;
  for (const CheckedPrediction& p : predictions) {
    Line verdict = {{"You left it out. "}};
    if (!p.answer.empty()) {
      const Span mark = p.checked.right ? Span{"✓ ", Style::good} : Span{"✗ ", Style::bad};
      verdict = {mark, {fmt::format("You said: {}. ", p.answer)}};
    }
    const std::string where = p.counted_at == problem ? ""
                                                      : fmt::format(", at {}, where no tile is cut",
                                                                    problem_text(p.counted_at));
    Definitions answers{.definitions = {}, .indent = 3, .gap = 0};
    answers.definitions.push_back(
        {{}, verdict + Line{{"Counted: "}, {p.checked.counted, Style::heading}, {where + "."}}});
    if (!p.checked.arithmetic.empty()) {
      answers.definitions.push_back({{}, {{p.checked.arithmetic, Style::code}}});
    }
    answers.definitions.push_back({{}, first_paragraph(p.checked.why)});
    parts.add(
        Group{{facts({text_of(p.question.ask, p.values, Style::heading)}), std::move(answers)}});
  }
  return parts;
}

Parts change_parts(const Lesson& lesson, const Kernel& kernel) {
  const Predecessor before = predecessor(lesson, kernel);
  const bool own = &kernel == &lesson.kernels.front();
  Parts parts;
  if (own && !lesson.change.empty()) parts.add(text(lesson.change));
  if (kernel.from_library) return parts;
  parts.add(
      Group{{facts({{{fmt::format("From {} (lesson {}) to {}:", before.kernel->name,
                                  before.lesson->number, kernel.name),
                      Style::dim}}}),
             change_listing(excerpt(*before.lesson, *before.kernel), excerpt(lesson, kernel))}});
  return parts;
}

Parts recap_parts(const Lesson& lesson, const LessonProgress& progress) {
  Parts parts = {Prose{parts_of(lesson).after}};
  if (lesson.kernels.size() > 1) {
    parts.add(text(
        fmt::format("This lesson has {} kernels: k goes through them.", lesson.kernels.size())));
  }
  if (!lesson.exercise.empty()) {
    parts.add(text("Your turn: e shows this lesson's exercise, a kernel for you to complete."));
  }
  if (const Score score = score_of(progress); score.answered > 0) {
    parts.add(text(fmt::format("In this lesson: {}.", score_text(score)), Style::good));
  }
  return parts;
}

Parts finish_parts(const Progress& progress) {
  Parts parts = {
      text("You have walked the whole way, from three loops on a CPU past cuBLAS. What each lesson "
           "changed:")};
  Definitions changes;
  for (const Lesson& lesson : lessons()) {
    changes.definitions.push_back({{{fmt::format("{:>3}", lesson.number), Style::code}},
                                   {{lesson.change.empty() ? lesson.title + "." : lesson.change}}});
  }
  parts.add(std::move(changes));
  if (const Score score = score_of(progress); score.answered > 0) {
    parts.add(text(score_text(score) + ".", Style::good));
  }
  if (const std::vector<Rung> rungs = ladder_of(progress); !rungs.empty()) {
    parts.add(text("Your own ladder", Style::heading));
    parts.append(ladder_parts(rungs));
  }
  parts.add(text("Where to go on", Style::heading));
  Definitions ways = commands_in_words(
      {{"gemm-tutor compare", "all the kernels side by side, at any size"},
       {"gemm-tutor lesson 9 --set BK=16", "the same kernels with other tiles"},
       {"gemm-tutor tune", "which tiles are fastest on your GPU"},
       {"gemm-tutor exercise", "the kernels with gaps to fill, bugs to find, speed to gain"},
       {"gemm-tutor run FILE.cu", "a kernel of your own, with every count and check"},
       {"gemm-tutor explain", "the words of the course"}},
      1);
  parts.add(std::move(ways));
  parts.add(
      text("Beyond FP32 on CUDA cores lie tensor cores and lower precision. NVIDIA's CUTLASS shows "
           "how libraries use them, and Nsight Compute counts on a GPU what the emulator counts "
           "here."));
  return parts;
}

Parts exercise_parts(const Exercise& exercise) {
  Parts parts = task_parts(exercise);
  parts.add(section(
      "Begin",
      {facts({{{unbreakable("gemm-tutor exercise start " + short_name(exercise)), Style::code},
               {", in another terminal or once you have left: it writes the file "},
               {exercise.file_name, Style::code},
               {", for you to edit"}}})}));
  parts.add(section(
      "Check",
      {facts({{{unbreakable("gemm-tutor watch"), Style::code}, {" checks it at each save"}}})}));
  return parts;
}

Parts key_parts() {
  Definitions keys = commands_in_words(
      {{"Enter, Space", "further down the page; at its end the next step"},
       {"n", "the next step"},
       {"p, Esc", "the step before"},
       {"arrows", "up and down the page; also Page Up, Page Down, Home, End"},
       {"l", "the lessons, and where you are"},
       {"r", "run the kernel again"},
       {"s", "another size of the matrices"},
       {"k", "another kernel of the lesson, where it has several"},
       {"e", "the lesson's exercise: a kernel for you to complete"},
       {"t", "the memory accesses of one warp, drawn: its lanes in sectors and banks"},
       {"m", "the machine code of the hot loop, below the lines that it comes from"},
       {"g", "what a word means"},
       {"h, ?", "this page"},
       {"q, Ctrl-C", "leave; the next 'gemm-tutor' goes on where you were"}});
  return {std::move(keys),
          text("At a question, type your answer and press Enter. A single letter of those above is "
               "still a key there, followed by Enter."),
          text("While something runs, Esc, q or Ctrl-C stops it and brings you back.")};
}

Parts size_parts(const Problem& problem, const Settings& settings) {
  Parts parts = {
      text(fmt::format("M, N and K are now {}, {} and {}.", with_thousands(problem.m),
                       with_thousands(problem.n), with_thousands(problem.k))),
      text("Give one number for square matrices, such as 512, or three for M, N and K, such as "
           "300 200 100. A size that is no multiple of the tile shows what happens at the edges. A "
           "prediction is for one size: at another you are asked again.")};
  if (!settings.empty()) {
    parts.add(Paragraph{{{"The kernel's tile can be changed as well: "},
                         {join(assignments(settings), " "), Style::code},
                         {"."}}});
  }
  return parts;
}

}  // namespace gemm_tutor
