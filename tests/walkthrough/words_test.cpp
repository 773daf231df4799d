// The words of the course's screens, held against the lessons that introduce them.
#include <set>

#include "catch.hpp"
#include "course/glossary.hpp"
#include "course/shown_code.hpp"
#include "sample.hpp"
#include "scripted_screen.hpp"
#include "view/terminal_text.hpp"
#include "walkthrough/own_ladder.hpp"
#include "walkthrough/run_pages.hpp"
#include "walkthrough/steps.hpp"
#include "walkthrough/views.hpp"

using namespace gemm_tutor;

namespace {

struct NamedScreen {
  std::string name, text;
  int height = 0;  // in screens of 80×24
};

// The screens of a lesson with one of its kernels: each question open and with every answer, and
// the details of the run.
class ScreensOfLesson {
 public:
  ScreensOfLesson(const Lesson& lesson, const Kernel& kernel) : lesson_(lesson), kernel_(kernel) {
    RunOptions options;
    options.problem = problem_;
    options.backend = kernel.from_library ? std::optional<Backend>() : Backend::emulator;
    settings_ = effective_settings(kernel, options);
    ScriptedScreen screen({});
    LessonRuns runs(screen, options);
    const Subject chosen{problem_, settings_};
    runs.set(lesson, kernel, chosen,
             subject_of_questions(lesson, kernel, chosen, [&](const Problem& size) {
               RunOptions usual = options;
               usual.problem = size;
               return effective_settings(kernel, usual);
             }));
    REQUIRE((runs.execute() && runs.trace_drawings()));
    before_run();
    for (const Question& question : kernel.questions) asked(question, runs);
    after_run(runs);
  }

  std::vector<NamedScreen> screens;

 private:
  void before_run() {
    add("idea", idea_parts({kernel_, settings_, problem_}, lesson_));
    add("code", annotated_kernel(lesson_, kernel_));
    if (predecessor(lesson_, kernel_).kernel) add("change", change_parts(lesson_, kernel_));
  }

  void asked(const Question& question, LessonRuns& runs) {
    add("question " + question.id, question_parts(question, runs, true));
    for (const Reply& reply : question.replies) {
      add("reply to " + question.id,
          {Paragraph{{{filled_in(reply.text, runs.values_of(question))}}}});
    }
    REQUIRE(runs.count(question));
    for (std::size_t i = 0; i < std::max<std::size_t>(1, question.choices.size()); ++i) {
      add("answer " + question.id,
          verdict_parts(judge(question, std::to_string(i + 1), runs), problem_));
    }
  }

  void after_run(LessonRuns& runs) {
    Progress progress;
    progress.lessons[lesson_.slug].run = record_of(runs.executed());
    const ShownRun shown{runs.executed(), runs.others(), progress};
    add("run", run_page(shown));
    for (const DetailPage& page : detail_pages(shown)) add(page.name, page.parts);
    add("traffic", memory_parts(runs.executed()));
    for (const DetailPage& page : drawing_pages(runs)) add(page.name, page.parts);
    add("recap", recap_parts(lesson_, kernel_, progress));
  }

  void add(std::string name, const Parts& parts) {
    std::string text;
    for (const Line& row : terminal_rows(parts, {})) text += plain_text(row) + "\n";
    screens.push_back({std::move(name), std::move(text), gemm_tutor::screens(parts)});
  }

  const Lesson& lesson_;
  const Kernel& kernel_;
  const Problem problem_{64, 64, 64};
  Settings settings_;
};

}  // namespace

TEST_CASE("no word is on a screen before the lesson that introduces it, and no command") {
  for (const Lesson& lesson : sample_of(lessons(), 11)) {
    for (const Kernel& kernel : lesson.kernels) {
      for (const NamedScreen& screen : ScreensOfLesson(lesson, kernel).screens) {
        const GlossaryTerm* later = later_term(screen.text, lesson.place);
        INFO(lesson.name() << ", " << kernel.name << ", " << screen.name << ": "
                           << (later ? later->name : "") << "\n"
                           << screen.text);
        CHECK(later == nullptr);
        CHECK(screen.text.find("gemm-tutor ") == std::string::npos);
      }
    }
  }
}

TEST_CASE("few presses of Enter lead from a lesson's start to its exercise") {
  for (const Lesson& lesson : lessons()) {
    if (lesson.place > 9) break;
    const Kernel& kernel = lesson.kernels.front();
    std::set<std::string> steps = {"idea", "change", "run", "traffic", "recap"};
    if (!predecessor(lesson, kernel).kernel) steps.insert("code");
    int presses = 0;
    for (const NamedScreen& screen : ScreensOfLesson(lesson, kernel).screens) {
      if (steps.contains(screen.name)) presses += screen.height;
    }
    INFO(lesson.name());
    CHECK(presses <= 12);
  }
}

TEST_CASE("the change of lessons 3 to 5 shows every line") {
  for (const char* number : {"3", "4", "5"}) {
    const Lesson& lesson = find_lesson(number);
    for (const Line& row : terminal_rows(change_parts(lesson, lesson.kernels.front()), {})) {
      INFO(plain_text(row));
      CHECK(plain_text(row).find("…") == std::string::npos);
    }
  }
}
