#include "walkthrough/views.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <sstream>
#include <utility>

#include "course/lesson.hpp"
#include "course/settings.hpp"
#include "course/shown_code.hpp"
#include "exercise/exercise.hpp"
#include "gpu/gpu.hpp"
#include "report/code_view.hpp"
#include "report/exercise_report.hpp"
#include "report/lesson_document.hpp"
#include "report/list_report.hpp"
#include "report/run_sections.hpp"
#include "report/source.hpp"
#include "report/thread_report.hpp"
#include "report/trace_report.hpp"
#include "support/error.hpp"
#include "support/text.hpp"
#include "trace/thread_story.hpp"
#include "trace/who_loads.hpp"
#include "view/markdown.hpp"
#include "view/terminal_text.hpp"
#include "view/units.hpp"
#include "walkthrough/dialog.hpp"
#include "walkthrough/own_ladder.hpp"
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
  return fmt::format("{} of {} predicted right{}", score.right, counted(score.answered, "question"),
                     at_second_try(score));
}

// "You did 12 of 14 lessons, ran 11 kernels, and solved 3 of 18 exercises. 20 of 31 questions …"
Part deeds(const Progress& progress) {
  const auto count = [](const auto& entries, auto has) {
    return std::ranges::count_if(entries, [&](const auto& entry) { return has(entry.second); });
  };
  std::string words = fmt::format(
      "You did {} of {} lessons and chapters, ran {} of their kernels, and solved {} of {} "
      "exercises.",
      count(progress.lessons, [](const LessonProgress& lesson) { return lesson.done; }),
      lessons().size(),
      count(progress.lessons, [](const LessonProgress& lesson) { return lesson.run.has_value(); }),
      count(progress.exercises, [](const ExerciseProgress& exercise) { return exercise.solved; }),
      exercises().size());
  if (const Score score = score_of(progress); score.answered > 0) {
    words += fmt::format(" {}.", score_text(score));
  }
  return text(words, Style::good);
}

// --- The drawings

// Empty for requests of a line with which the first warp makes none: at another size, or compiled
// by another compiler.
Parts drawing_parts(const KernelDrawing& drawing, const LessonRun& run, const Trace& trace) {
  Parts parts = {Paragraph{first_paragraph(drawing.text)}};
  if (drawing.of == KernelDrawing::Of::thread) {
    parts.append(thread_parts(thread_story(trace, {.number = 1})));
  } else if (drawing.of == KernelDrawing::Of::tile) {
    Parts tiles = who_loads_document(trace, {}, who_loads(trace, first_step(trace))).parts;
    tiles.erase(tiles.end() - 2, tiles.end());  // without those of B and C, which are alike
    parts.append(std::move(tiles));
  } else {
    const std::vector<SourceLine> lines_of_kernel = excerpt(*run.lesson, *run.kernel);
    const auto line = std::ranges::find_if(lines_of_kernel, [&](const SourceLine& source) {
      return source.text.find(drawing.line) != source.text.npos;
    });
    const Selection selection{.line = line->number};
    const auto is_of_it = [&](const simt::Access& access) {
      return access.warp == selection.warp && access.line == selection.line;
    };
    if (std::ranges::none_of(trace.result.accesses, is_of_it)) return {};
    const std::vector<SelectedLine> lines = select(trace, selection);
    parts.append(trace_parts({trace, selection, lines}));
  }
  return parts;
}

// --- What fits the screens before a run

constexpr int most_screens = 8;  // so that the run is on the ninth screen at the latest

// What a kernel shows of its code before it runs.
Parts code_parts(const Lesson& lesson, const Kernel& kernel) {
  return predecessor(lesson, kernel).kernel && !kernel.from_library
             ? change_parts(lesson, kernel)
             : annotated_kernel(lesson, kernel);
}

std::vector<Parts> sections_of(const Parts& parts) {
  std::vector<Parts> sections(1);
  for (const Part& part : parts) {
    if (std::holds_alternative<Heading>(part.content)) sections.emplace_back();
    sections.back().push_back(part);
  }
  return sections;
}

// A lesson's text up to what it asks of memory.
struct LessonText {
  Parts idea, rest;
};

// A drawing that does not fit is among drawing_pages().
bool is_picture(const Parts& section) {
  return section.size() == 1 && std::holds_alternative<Picture>(section.front().content);
}

// The lesson's text with its drawings after the idea and what the kernel does, but for those that
// need a trace.
std::vector<Parts> idea_sections(const DrawnKernel& drawn, const Lesson& lesson) {
  std::vector<Parts> sections = sections_of(parts_of(lesson).before);
  auto place = sections.begin() + std::min<std::ptrdiff_t>(2, std::ssize(sections));
  for (const DrawnConcept& concept_ : setting_concepts(drawn)) {
    place = sections.insert(place, {concept_picture(concept_)}) + 1;
  }
  return sections;
}

LessonText text_of_lesson(const DrawnKernel& drawn, const Lesson& lesson) {
  const Kernel& kernel = drawn.kernel;
  const auto asked = std::ranges::count(kernel.questions, false, &Question::after_run);
  const int most = most_screens - static_cast<int>(asked) - screens(code_parts(lesson, kernel));
  LessonText text;
  for (const Parts& section : idea_sections(drawn, lesson)) {
    Parts longer = text.idea;
    longer.append(section);
    const bool fits = screens({Prose{longer}, Paragraph{{{"About 9 minutes."}}}}) <= most;
    if ((fits || text.idea.empty()) && text.rest.empty()) {
      text.idea = std::move(longer);
    } else if (!is_picture(section)) {
      text.rest.append(section);
    }
  }
  return text;
}

}  // namespace

int estimated_minutes(const Lesson& lesson) {
  constexpr double words_a_minute = 150, minutes_a_question = 1, minutes_for_source = 3;
  std::istringstream words(lesson_text(lesson));
  const auto count = std::distance(std::istream_iterator<std::string>(words), {});
  const auto questions = static_cast<double>(lesson.kernels.front().questions.size());
  return static_cast<int>(std::ceil(static_cast<double>(count) / words_a_minute +
                                    minutes_a_question * questions + minutes_for_source));
}

int screens(const Parts& parts) {
  constexpr int rows_of_body = 20, rows_forward = rows_of_body - 1;  // one stays to be found again
  const int rows = static_cast<int>(terminal_rows(parts, {}).size());
  return 1 + std::max(0, (rows - rows_of_body + rows_forward - 1) / rows_forward);
}

Parts idea_parts(const DrawnKernel& drawn, const Lesson& lesson) {
  Parts parts = {Prose{text_of_lesson(drawn, lesson).idea}};
  if (&drawn.kernel == &lesson.kernels.front()) {
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
  const ShownCode code = shown_code(lesson, kernel);
  parts.add(annotated_listing(code.kernel, "", kernel.notes));
  parts.append(functions_listing(kernel, code.functions));
  parts.append(earlier_functions(code));
  return parts;
}

Parts question_parts(const Question& question, const LessonRuns& runs, bool explains) {
  const Values values = runs.values_of(question);
  Parts parts;
  if (!question.recalls.empty()) {
    parts.add(text(fmt::format("From lesson {}.", question.recalls), Style::dim));
  }
  parts.add(Paragraph{text_of(question.ask, values, Style::heading) +
                      size_of_question(runs.problem_of(question), runs.options().problem)});
  std::vector<Line> choices;
  for (const Choice& choice : question.choices) choices.push_back(text_of(choice.text, values));
  if (!choices.empty()) {
    parts.add(numbered(choices));
  } else if (explains) {
    parts.add(text(fmt::format("Type a number of {} or a formula such as 2*M*N; 1,500 and 2^9 are "
                               "read as well, and names of the code.",
                               question.unit),
                   Style::dim));
  } else {
    parts.add(text("A number or a formula.", Style::dim));
  }
  return parts;
}

Parts memory_parts(const LessonRun& run) {
  Parts parts;
  if (run.kernel == &run.lesson->kernels.front()) {  // which the text is about
    const DrawnKernel kernel{*run.kernel, run.settings, run.problem};
    parts.add(Prose{text_of_lesson(kernel, *run.lesson).rest});
    parts.add(Prose{parts_of(*run.lesson).memory});
  }
  if (run.predicted.loads) parts.add(traffic_section(run));
  return parts;
}

std::vector<DetailPage> drawing_pages(const LessonRuns& runs) {
  const LessonRun& run = runs.executed();
  std::vector<DetailPage> pages;
  const DrawnKernel kernel{*run.kernel, run.settings, run.problem};
  for (const DrawnConcept& shown : drawn_concepts(kernel, runs.owners())) {
    pages.push_back({shown.text, {concept_picture(shown)}});
  }
  for (const KernelDrawing& drawing : run.kernel->drawings) {
    if (drawing.is_concept()) continue;
    Parts parts = drawing_parts(drawing, run, runs.traced(drawing));
    if (!parts.empty())
      pages.push_back({plain_text(first_paragraph(drawing.text)), std::move(parts)});
  }
  return pages;
}

Parts machine_parts(const LessonRun& run) {
  constexpr MachineDetail detail = MachineDetail::hot_loop;
  return {machine_section(run, machine_code(run), detail), source_section(run, detail)};
}

Parts parts_of_trace(const Trace& trace) {
  const Selection selection;
  const std::vector<SelectedLine> lines = select(trace, selection);
  Parts parts = {Facts{{place_of(trace, fmt::format("warp {} of {} · step {}", selection.warp,
                                                    trace.warps(), selection.step))}}};
  parts.append(trace_parts({trace, selection, lines}));
  return parts;
}

Parts verdict_parts(const JudgedQuestion& judged, const Problem& problem) {
  const Checked& checked = judged.checked;
  const Span mark = checked.right ? Span{"✓ ", Style::good} : Span{"✗ ", Style::bad};
  const std::string where =
      judged.counted_at == problem
          ? ""
          : fmt::format(", at {}{}", problem_text(judged.counted_at),
                        judged.question->whole_tiles ? ", where no tile is cut" : "");
  Parts parts = {Paragraph{text_of(judged.question->ask, judged.values, Style::heading)}};
  Line line = {mark, {fmt::format("You said: {}. ", judged.answer)}};
  if (judged.question->choices.empty() || !checked.right) {
    line = line + Line{{"Counted: "}, {checked.counted, Style::heading}, {where + "."}};
  }
  Facts verdict;
  verdict.add(std::move(line));
  if (!checked.arithmetic.empty()) verdict.add({{checked.arithmetic, Style::code}});
  parts.add(std::move(verdict));
  // A reply to a number is for the second try; here its count is shown.
  const bool replies = !judged.question->choices.empty() && !checked.reply.empty();
  if (replies) parts.add(Paragraph{first_paragraph(checked.reply)});
  parts.add(Paragraph{first_paragraph(checked.why)});
  return parts;
}

// The least folded one that fits four screens.
Parts change_parts(const Lesson& lesson, const Kernel& kernel) {
  const Predecessor before = predecessor(lesson, kernel);
  const bool own = &kernel == &lesson.kernels.front();
  const std::vector<SourceLine> old_lines = excerpt(*before.lesson, *before.kernel),
                                new_lines = excerpt(lesson, kernel);
  Parts parts;
  for (const ChangeFolds& folds : change_folds) {
    parts = {};
    if (own && !lesson.change.empty()) parts.add(text(lesson.change));
    parts.append(changed_settings(before.kernel->settings, kernel.settings));
    Listing listing = change_listing(old_lines, new_lines, kernel.notes, folds);
    if (!listing.is_change()) {
      parts.add(text("The code is the same: c shows it.", Style::dim));
      break;
    }
    parts.add(Group{{facts({from_to(before, kernel) + Line{{"; c shows all lines:", Style::dim}}}),
                     std::move(listing)}});
    if (screens(parts) <= 4) break;
  }
  return parts;
}

namespace {

// The index of the kernel that a section is about: 1 for "The second kernel: padding". 0 is the
// lesson's own.
std::size_t kernel_of(const Parts& section) {
  constexpr std::array<std::string_view, 4> ordinals = {"second", "third", "fourth", "fifth"};
  const auto* heading = section.empty() ? nullptr : std::get_if<Heading>(&section.front().content);
  const std::string words = heading ? plain_text(heading->text) : "";
  const auto is_named = [&](std::string_view ordinal) {
    return words.starts_with(fmt::format("The {} kernel", ordinal));
  };
  const auto found = std::ranges::find_if(ordinals, is_named);
  return found == ordinals.end() ? 0 : static_cast<std::size_t>(found - ordinals.begin()) + 1;
}

// The end of the lesson's text, as far as it is about the kernel.
Parts end_of_text(const Lesson& lesson, const Kernel& kernel) {
  const auto index = static_cast<std::size_t>(&kernel - lesson.kernels.data());
  const std::vector<Parts> sections = sections_of(parts_of(lesson).after);
  const bool has_own = std::ranges::count(sections, index, kernel_of) > 0;
  Parts end;
  for (const Parts& section : sections) {
    if (!has_own || kernel_of(section) == index) end.append(section);
  }
  return end;
}

}  // namespace

// The learner's results in a lesson, with numbers that the screens have shown.
Parts recap_parts(const Lesson& lesson, const Kernel& kernel, const Progress& progress) {
  const auto found = progress.lessons.find(lesson.slug);
  const LessonProgress own = found == progress.lessons.end() ? LessonProgress() : found->second;
  Parts parts = {Prose{end_of_text(lesson, kernel)}};
  Facts done;
  if (const std::string sentence = run_sentence(lesson, progress); !sentence.empty()) {
    done.add({{sentence}});
  }
  if (own.run && own.run->flops_a_byte > 0) {
    done.add({{fmt::format(
        "You counted {} of {}memory at {}.", intensity_text(own.run->flops_a_byte),
        lesson.kernels.front().is_cuda() ? "global " : "", problem_text(own.run->problem))}});
  }
  if (const Score score = score_of(own); score.answered > 0) {
    done.add({{score_text(score) + ".", Style::good}});
  }
  if (!done.lines.empty()) parts.add(section("Done", {std::move(done)}));
  if (lesson.kernels.size() > 1) {
    parts.add(text(fmt::format("This lesson's code has {} versions: k goes through them.",
                               lesson.kernels.size())));
  }
  if (lesson.exercise.empty()) return parts;
  const auto exercise = progress.exercises.find(lesson.slug);
  if (exercise != progress.exercises.end() && exercise->second.solved) {
    parts.add(text("You have solved this lesson's exercise; e shows it again.", Style::good));
  } else {
    parts.add(
        text("Your turn: press e. The lesson's exercise is written to a file, for you to change, "
             "and checked here at each save."));
  }
  return parts;
}

Parts finish_parts(const Progress& progress) {
  Parts parts = {deeds(progress), text("From three loops on a CPU past cuBLAS, what each lesson "
                                       "changed:")};
  Definitions changes;
  for (const Lesson& lesson : numbered_lessons()) {
    changes.definitions.push_back({{{fmt::format("{:>3}", lesson.key()), Style::code}},
                                   {{lesson.change.empty() ? lesson.title + "." : lesson.change}}});
  }
  parts.add(std::move(changes));
  if (Parts ladder = own_ladder(progress); !ladder.empty()) {
    parts.add(text("Your own ladder", Style::heading));
    parts.append(std::move(ladder));
  }
  parts.add(text("Where to go on", Style::heading));
  Definitions ways = commands_in_words(
      {{"gemm-tutor compare", "all the kernels side by side, at any size"},
       {"gemm-tutor lesson 9 --set BK=16", "the same kernels with other tiles"},
       {"gemm-tutor tune", "which tiles are fastest on your GPU"},
       {"gemm-tutor list", "the chapters beside the lessons, and all exercises"},
       {"gemm-tutor exercise", "the kernels with gaps to fill, bugs to find, speed to gain"},
       {"gemm-tutor run FILE.cu", "a kernel of your own, with every count and check"},
       {"gemm-tutor explain", "the words of the course"}},
      1);
  parts.add(std::move(ways));
  parts.add(
      text("Tensor cores multiply small matrices in one instruction, mostly with less precision "
           "than FP32. NVIDIA's CUTLASS shows how libraries use them. With a GPU, Nsight Compute "
           "counts what the emulator counts here: gemm-tutor lesson profiler says how."));
  return parts;
}

Parts size_parts(const Problem& problem, const Settings& settings) {
  Parts parts = {
      text(fmt::format("M, N and K are now {}, {} and {}.", with_thousands(problem.m),
                       with_thousands(problem.n), with_thousands(problem.k))),
      text("Give one number for square matrices, such as 512, or three for M, N and K, such as "
           "33 65 17 or 33x65x17. A size that is not a multiple of the tile shows what happens at "
           "the edges. A prediction is for one size: at another you are asked again.")};
  if (!settings.empty()) {
    parts.add(Paragraph{{{"The kernel's tile can be set here as well. It is now "},
                         {join(assignments(settings), " "), Style::code},
                         {"."}}});
  }
  return parts;
}

namespace {

struct Option {
  std::string name;  // what is kept: "some"
  std::string text;
};

Parts greeting() {
  const gpu::Status& gpu = gpu::status();
  const auto [shortest, longest] = std::ranges::minmax(numbered_lessons(), {}, estimated_minutes);
  return {
      Paragraph{{{"This course takes a matrix multiply from three loops on a CPU to a kernel as "
                  "fast as NVIDIA's own library, one idea per lesson. You read a kernel, predict "
                  "what it asks of memory, run it, and compare."}}},
      Paragraph{
          {{gpu.available ? fmt::format("This machine has an {}: kernels run on it, and are timed.",
                                        gpu.spec.full_name)
                          : "This machine has no NVIDIA GPU that could be used, and needs none: "
                            "kernels run on a built-in emulator, which counts all that they ask of "
                            "memory."}}},
      Paragraph{{{fmt::format(
          "There are {} lessons of about {} to {} minutes each, by their length. Stop wherever you "
          "like: the next 'gemm-tutor' continues there.",
          numbered_lessons().size(), estimated_minutes(shortest), estimated_minutes(longest))}}}};
}

Parts why_predict() {
  return {Paragraph{
      {{"Before a kernel runs the course can ask you for two or three numbers, and then count "
        "them. Nothing depends on being right. But a number that you have guessed first is one you "
        "remember."}}}};
}

// Nothing where the learner left.
std::optional<std::string> choose(Screen& screen, Parts introduction, const std::string& question,
                                  const std::vector<Option>& options,
                                  const std::string& notice = "") {
  View view;
  view.title = "gemm-tutor";
  view.place = "welcome";
  view.body = std::move(introduction);
  view.body.push_back(Paragraph{{{question, Style::heading}}});
  std::vector<Line> texts;
  for (const Option& option : options) {
    texts.push_back({{option.text}});
    view.keys.push_back({static_cast<char>('0' + texts.size()), ""});
  }
  view.keys.back().meaning = "choose";
  view.keys.push_back(key_help('q'));
  view.about = [](char) { return "Press the number of your answer."; };
  view.body.push_back(numbered(texts));
  view.notice = notice;
  Input input = screen.show(view);
  while (input.key == enter_key) {
    view.notice = "Press the number of your answer.";
    input = screen.show(view);
  }
  if (input.kind != Input::Kind::key || input.key == 'q') return {};
  return options[static_cast<std::size_t>(input.key - '1')].name;
}

// Begins at a lesson's exercise. False where the learner left.
bool choose_exercise(Screen& screen, Progress& progress) {
  Definitions rows;
  for (const Lesson& lesson : numbered_lessons()) {
    if (lesson.exercise.empty()) continue;
    rows.definitions.push_back(
        {{{fmt::format("{:>3}", lesson.key()), Style::code}}, {{lesson.title}}});
  }
  Dialog dialog(screen);
  bool is_chosen = false;
  dialog.ask({"Begin with an exercise",
              "Of which lesson",
              {Paragraph{{{"The exercise of lesson 1 is the first kernel of all. Those of later "
                           "lessons prove that you know what comes before."}}},
               std::move(rows)}},
             "", [&](const std::string& typed) {
               const Lesson& lesson = find_lesson(typed);
               if (lesson.exercise.empty()) {
                 throw Error(ExitStatus::usage, lesson.name() + " has no exercise", "");
               }
               progress.experience = "some";
               progress.lesson = lesson.slug;
               progress.step = name_of(Step::exercise);
               is_chosen = true;
             });
  return is_chosen;
}

}  // namespace

bool welcome(Screen& screen, Progress& progress, const std::string& notice) {
  const auto experience =
      choose(screen, greeting(), "How much CUDA do you know?",
             {{"new", "None: begin at the beginning."},
              {"some", "I have written a kernel or two: begin with the first kernel, lesson 1."},
              {"much", "I know how warps read memory: begin with shared memory, lesson 3."},
              {"proof",
               "Let me code at once: begin with an exercise. Who solves the exercise of "
               "a lesson has the lessons up to it."}},
             notice);
  if (!experience) return false;
  if (*experience == "proof") return choose_exercise(screen, progress);
  const auto predicts = choose(screen, why_predict(), "Shall it ask you?",
                               {{"yes", "Yes, let me predict."}, {"no", "No, just show me."}});
  if (!predicts) return false;
  progress.experience = *experience;
  progress.predict = *predicts == "yes";
  progress.lesson = find_lesson(*experience == "new"    ? "0"
                                : *experience == "some" ? "1"
                                                        : "3")
                        .slug;
  progress.step.clear();  // the first: for "new" the chapter about the machine
  return true;
}

}  // namespace gemm_tutor
