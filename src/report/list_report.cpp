#include "report/list_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>

#include "report/chapters.hpp"
#include "report/json.hpp"
#include "support/text.hpp"

namespace gemm_tutor {
namespace {

std::vector<std::string> kernel_names(const Lesson& lesson) {
  std::vector<std::string> names;
  for (const Kernel& kernel : lesson.kernels) names.push_back(kernel.name);
  return names;
}

bool has_begun(const Progress& progress) {
  return !progress.lesson.empty() || !progress.lessons.empty();
}

LessonProgress progress_of(const Lesson& lesson, const Progress& progress) {
  const auto found = progress.lessons.find(lesson.slug);
  return found == progress.lessons.end() ? LessonProgress() : found->second;
}

// The index of the learner's lesson. If that lesson does not exist, the first, as in the
// walkthrough.
std::size_t current_place(const std::vector<Lesson>& lessons, const Progress& progress) {
  const auto found = std::ranges::find(lessons, progress.lesson, &Lesson::slug);
  return found == lessons.end() ? 0 : static_cast<std::size_t>(found - lessons.begin());
}

bool is_current(const Lesson& lesson, const std::vector<Lesson>& lessons,
                const Progress& progress) {
  return has_begun(progress) && &lesson == &lessons[current_place(lessons, progress)];
}

// The current lesson, or the next unfinished one after it (cyclically); null if all are done.
const Lesson* next_lesson(const std::vector<Lesson>& lessons, const Progress& progress) {
  const std::size_t current = current_place(lessons, progress);
  for (std::size_t i = 0; i < lessons.size(); ++i) {
    const Lesson& lesson = lessons[(current + i) % lessons.size()];
    if (i > 0 && !lesson.number) continue;  // a chapter is beside the way
    if (!is_behind(lesson, progress)) return &lesson;
  }
  return nullptr;
}

Span mark_of(const Lesson& lesson, const std::vector<Lesson>& lessons, const Progress& progress) {
  if (state_of(lesson, progress) == LessonState::solved) return {"✓", Style::good};
  const bool is_next = is_current(lesson, lessons, progress) && next_lesson(lessons, progress);
  return {is_next ? "→" : "", Style::heading};
}

std::string_view name_of(LessonState state) {
  constexpr std::array<std::string_view, 5> names = {"open", "proved by an exercise", "read",
                                                     "answered", "solved"};
  return names.at(static_cast<std::size_t>(state));
}

// "read · 2/3 right · exercise solved".
Line state_text(const Lesson& lesson, const Progress& progress) {
  std::vector<std::string> parts;
  const LessonState state = state_of(lesson, progress);
  if (state != LessonState::open) parts.emplace_back(name_of(state));
  if (const Score score = score_of(progress_of(lesson, progress)); score.answered > 0) {
    parts.push_back(fmt::format("{}/{} right", score.right, score.answered));
  }
  const auto exercise = progress.exercises.find(lesson.slug);
  if (exercise != progress.exercises.end()) {
    const ExerciseProgress& own = exercise->second;
    if (state != LessonState::solved) {
      parts.push_back(own.solved    ? "exercise solved"
                      : own.put_off ? "exercise put off"
                                    : "exercise begun");
    }
  }
  return parts.empty() ? Line() : Line{{join(parts, " · "), Style::dim}};
}

auto count_of_numbered(const std::vector<Lesson>& lessons) {
  return std::ranges::count_if(lessons, [](const Lesson& one) { return one.number.has_value(); });
}

Json json_of(const Lesson& lesson, const std::vector<Lesson>& lessons, const Progress& progress) {
  Json json = named_json(lesson);
  json["title"] = lesson.title;
  json["kernels"] = kernel_names(lesson);
  json["done"] = progress_of(lesson, progress).done;
  json["state"] = name_of(state_of(lesson, progress));
  if (is_current(lesson, lessons, progress)) json["current"] = true;
  if (const Score score = score_of(progress_of(lesson, progress)); score.answered > 0) {
    json["score"] = {
        {"right", score.right}, {"right_later", score.right_later}, {"answered", score.answered}};
  }
  return json;
}

}  // namespace

Document overview_document(std::string_view version, const std::vector<Lesson>& lessons,
                           const StoredProgress& stored) {
  Document document{.title = fmt::format("gemm-tutor {}", version)};
  document.subtitles = {
      {{{"How a CUDA matrix multiply is made fast, one idea per lesson, GPU or not."}}}};
  Definitions commands = commands_in_words(
      {{"gemm-tutor learn", "the course, step by step; also 'gemm-tutor' alone"},
       {"gemm-tutor list", fmt::format("the {} lessons", count_of_numbered(lessons))},
       {"gemm-tutor lesson 3", "one lesson: idea, kernel, counts, time"},
       {"gemm-tutor lesson 3 --size 2048", "the same at another size"},
       {"gemm-tutor compare", "the lessons side by side, with cuBLAS"},
       {"gemm-tutor exercise", "kernels for you to complete, fix, speed up"},
       {"gemm-tutor run FILE.cu", "a kernel of your own"},
       {"gemm-tutor device", "what this machine can do"},
       {"gemm-tutor explain warp", "what a word of the course means"},
       {"gemm-tutor --help", "everything else"}},
      4);
  document.parts = {std::move(commands)};
  document.parts.append(note_parts(stored));
  if (!lessons.empty()) {
    document.parts.add(section("Next", {facts({next_step(lessons, stored.progress)})}));
  }
  return document;
}

std::string at_second_try(const Score& score) {
  return score.right_later == 0 ? "" : fmt::format(", {} at the second try", score.right_later);
}

std::string summary_of(const std::vector<Lesson>& lessons, const Progress& progress) {
  int done = 0;
  Score total;
  for (const Lesson& lesson : lessons) {
    done += lesson.number && is_behind(lesson, progress);
    total += score_of(progress_of(lesson, progress));
  }
  const std::string lessons_done =
      fmt::format("{} of {} lessons done", done, count_of_numbered(lessons));
  if (total.answered == 0) return lessons_done;
  return fmt::format("{} · {} of {} predictions right{}", lessons_done, total.right, total.answered,
                     at_second_try(total));
}

Line next_step(const std::vector<Lesson>& lessons, const Progress& progress) {
  if (lessons.empty()) return {{"gemm-tutor device", Style::code}};
  if (!has_begun(progress)) {
    return {{"gemm-tutor learn", Style::code}, {" · the course, step by step"}};
  }
  const Lesson* next = next_lesson(lessons, progress);
  if (!next) {
    return {{"gemm-tutor compare", Style::code},
            {" · all lessons are done: see them side by side"}};
  }
  const bool goes_on = is_current(*next, lessons, progress);
  return {
      {goes_on ? "gemm-tutor learn" : fmt::format("gemm-tutor learn {}", next->key()), Style::code},
      {fmt::format(" · {}, {}", next->name(), next->title)}};
}

std::string trouble_with(const StoredProgress& stored) {
  const auto trouble = [&](const char* what) {
    return fmt::format("Your progress in {} {}", stored.path.string(), what);
  };
  switch (stored.state) {
    case StoredProgress::State::missing:
    case StoredProgress::State::good:
      return "";
    case StoredProgress::State::damaged:
      return trouble("is damaged");
    case StoredProgress::State::newer:
      return trouble("was saved by a newer gemm-tutor");
    case StoredProgress::State::unreadable:
      return trouble("cannot be read");
  }
  return "";
}

std::string description_of(const StoredProgress& stored) {
  if (const std::string trouble = trouble_with(stored); !trouble.empty()) return trouble + ".";
  std::int64_t solved = 0, hints = 0;
  for (const auto& [slug, exercise] : stored.progress.exercises) {
    solved += exercise.solved;
    hints += exercise.hints;
  }
  std::string text = "Your progress: " + summary_of(lessons(), stored.progress);
  if (solved > 0) text += fmt::format(" · {} solved", counted(solved, "exercise"));
  if (hints > 0) text += fmt::format(" · {} taken", counted(hints, "hint"));
  return text + ".";
}

std::string note_on(const StoredProgress& stored) {
  const std::string trouble = trouble_with(stored);
  if (trouble.empty()) return "";
  if (stored.state == StoredProgress::State::unreadable) return trouble + ".";
  return trouble + ": the course will keep it aside and begin a new one.";
}

Parts note_parts(const StoredProgress& stored) {
  const std::string note = note_on(stored);
  return note.empty() ? Parts() : Parts{Paragraph{{{note, Style::doubtful}}}};
}

Parts lesson_rows(const std::vector<Lesson>& lessons, const Progress& progress) {
  Definitions numbered{.definitions = {}, .has_marks = has_begun(progress)}, others = numbered;
  const auto add_chapter = [&](const Chapter& chapter) {
    others.definitions.push_back(
        {{{fmt::format("     {}", chapter.name), Style::code}}, {{title_of(chapter)}}});
  };
  add_chapter(chapters().front());
  for (const Lesson& lesson : lessons) {
    auto& rows = (lesson.number ? numbered : others).definitions;
    rows.push_back({{{fmt::format("{:>3}  {}", lesson.number_text(), lesson.slug), Style::code}},
                    {{lesson.title}},
                    state_text(lesson, progress),
                    mark_of(lesson, lessons, progress)});
    rows.push_back({{}, {{join(kernel_names(lesson), " · "), Style::dim}}});
  }
  std::for_each(chapters().begin() + 1, chapters().end(), add_chapter);
  Parts parts = {std::move(numbered),
                 Section{"", "Chapters beside the lessons", {std::move(others)}}};
  if (has_begun(progress)) parts.add(Paragraph{{{summary_of(lessons, progress)}}});
  return parts;
}

Document list_document(const std::vector<Lesson>& lessons, const StoredProgress& stored) {
  Document document{.parts = lesson_rows(lessons, stored.progress)};
  document.parts.append(note_parts(stored));
  document.parts.add(section("Next", {facts({next_step(lessons, stored.progress)})}));
  return document;
}

std::string list_json(const std::vector<Lesson>& lessons, const StoredProgress& stored) {
  Json json;
  json["lessons"] = Json::array();
  for (const Lesson& lesson : lessons) {
    json["lessons"].push_back(json_of(lesson, lessons, stored.progress));
  }
  if (const std::string note = note_on(stored); !note.empty()) json["note"] = note;
  return to_text(json);
}

}  // namespace gemm_tutor
