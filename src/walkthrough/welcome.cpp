#include "walkthrough/welcome.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "course/lesson.hpp"
#include "gpu/gpu.hpp"
#include "support/error.hpp"
#include "walkthrough/dialog.hpp"
#include "walkthrough/steps.hpp"
#include "walkthrough/views.hpp"

namespace gemm_tutor {
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
