// Every question and note of every kernel: that the arithmetic it explains leads to what the run
// counts, and that its texts can be shown.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <random>
#include <regex>
#include <set>
#include <tuple>
#include <utility>

#include "course/question.hpp"
#include "course_checks.hpp"
#include "sample.hpp"
#include "source/excerpt.hpp"
#include "support/parallel.hpp"
#include "support/text.hpp"

namespace gemm_tutor {
namespace {

// A multiple of all tiles; of none; and one with three different sides.
const std::vector<Problem> three_sizes = {{256, 256, 256}, {200, 200, 200}, {96, 328, 72}};

// What a kernel counts at a size, run once.
class Runs {
 public:
  Runs(const Lesson& lesson, const Kernel& kernel) : Runs(lesson, kernel, kernel.settings) {}
  Runs(const Lesson& lesson, const Kernel& kernel, const Settings& settings)
      : lesson_(lesson), kernel_(kernel), settings_(settings) {}

  const LessonRun& at(const Problem& p) {
    const std::tuple key(p.m, p.n, p.k);
    if (!runs_.contains(key))
      runs_.emplace(key, run_kernel(lesson_, kernel_, settings_, on_emulator(p)));
    return runs_.at(key);
  }

 private:
  const Lesson& lesson_;
  const Kernel& kernel_;
  const Settings settings_;
  std::map<std::tuple<int, int, int>, LessonRun> runs_;
};

// Those of every lesson, or of each `step`-th one.
template <typename Action>
void for_each_kernel(Action action, std::size_t step = 1) {
  for (const Lesson& lesson : sample_of(lessons(), step)) {
    for (const Kernel& kernel : lesson.kernels) {
      INFO(lesson.name() << ", " << kernel.name);
      action(lesson, kernel);
    }
  }
}

template <typename Action>
void for_each_question_at_each_size(Action action) {
  for_each_kernel(
      [&](const Lesson& lesson, const Kernel& kernel) {
        Runs runs(lesson, kernel);
        for (const Question& question : kernel.questions) {
          for (const Problem& size : three_sizes) {
            INFO(question.id << " at " << text(size));
            action(question, runs.at(problem_of(question, kernel, kernel.settings, size)));
          }
        }
      },
      4);
}

bool is_number(const Question& question) { return question.choices.empty(); }

std::size_t lines_with(const std::string& code, const std::vector<SourceLine>& lines) {
  std::size_t count = 0;
  for (const SourceLine& line : lines) count += contains(line.text, code);
  return count;
}

bool is_sentence(const std::string& text) {
  return text.size() > 15 &&
         (text.ends_with('.') || text.ends_with("…") || text.ends_with('?') || text.ends_with(')'));
}

// A question's arithmetic leads to what is counted.
void check_arithmetic(const Question& question, const LessonRun& run) {
  const Values before = values_before(*run.kernel, run.settings, run.problem);
  const double worked_out = evaluated(question.work, before);
  const double counted = evaluated(question.count, values_counted(question, run));
  CHECK(number_text(worked_out) == number_text(counted));
  CHECK(nearly_equal(worked_out, counted));

  const Checked right = check(question, {.number = counted, .choice = {}}, run);
  CHECK(right.right);
  CHECK(right.counted == quantity_text(counted, question.unit));
  CHECK(right.arithmetic.starts_with(question.work + " = "));
  CHECK(right.arithmetic.ends_with(" = " + number_text(counted)));
  CHECK_FALSE(check(question, {.number = counted + 1, .choice = {}}, run).right);
  CHECK_FALSE(check(question, {.number = 2 * counted, .choice = {}}, run).right);
}

// The arithmetic and the number can be typed as an answer.
void check_typed_answers(const Question& question, const LessonRun& run) {
  const Values before = values_before(*run.kernel, run.settings, run.problem);
  const std::string number = number_text(evaluated(question.work, before));
  for (const std::string& typed : {question.work, number, number + " " + question.unit}) {
    INFO(typed);
    const auto parsed = parse_answer(question, typed, before);
    REQUIRE(std::holds_alternative<Answer>(parsed));
    CHECK(check(question, std::get<Answer>(parsed), run).right);
  }
}

// Exactly one choice holds.
void check_choices(const Question& question, const LessonRun& run) {
  const Values counted = values_counted(question, run);
  int holding = 0;
  for (std::size_t i = 0; i < question.choices.size(); ++i) {
    const bool holds = evaluated(question.choices[i].holds, counted) != 0;
    holding += holds;
    CHECK(check(question, {.number = {}, .choice = i}, run).right == holds);
  }
  CHECK(holding == 1);
}

// A wrong choice gets its own reply, and the right one none.
void check_replies(const Question& question, const LessonRun& run) {
  const Values before = values_before(*run.kernel, run.settings, run.problem);
  for (std::size_t i = 0; i < question.choices.size(); ++i) {
    const Checked checked = check(question, {.number = {}, .choice = i}, run);
    CHECK(checked.reply == (checked.right ? "" : filled_in(question.choices[i].reply, before)));
    CHECK(checked.reply.empty() == checked.right);
    CHECK((checked.right || is_sentence(checked.reply)));
  }
}

// A wrong number gets the first reply that fits it, the right one none.
void check_replies_to_numbers(const Question& question, const LessonRun& run) {
  const Values before = values_before(*run.kernel, run.settings, run.problem);
  REQUIRE(!question.replies.empty());
  for (const Reply& reply : question.replies) {
    INFO("reply: " << reply.text);
    CHECK(is_sentence(filled_in(reply.text, before)));
    if (reply.answer.empty()) continue;
    const double number = evaluated(reply.answer, before);
    const Checked checked = check(question, {.number = number, .choice = {}}, run);
    CHECK(checked.reply.empty() == checked.right);
    const double right = evaluated(question.work, before);
    CHECK((checked.right || !nearly_equal(number, right)));
  }
  CHECK(check(question, {.number = -1, .choice = {}}, run).reply ==
        filled_in(question.replies.back().text, before));
}

// A question's texts can be filled in, and its choices told apart.
void check_texts(const Question& question, const LessonRun& run) {
  const Values before = values_before(*run.kernel, run.settings, run.problem);
  const std::string ask = filled_in(question.ask, before);
  CHECK(is_sentence(ask));
  CHECK(is_sentence(filled_in(question.why, before)));
  std::set<std::string> texts;
  for (const Choice& choice : question.choices) {
    const std::string choice_text = filled_in(choice.text, before);
    INFO(choice_text);
    CHECK(texts.insert(choice_text).second);
    // Else a digit could mean its place or its first letter.
    CHECK(choice_text.find_first_of("0123456789") != 0);
    CHECK(std::holds_alternative<Answer>(parse_answer(question, choice_text, before)));
  }
}

// The kernel's own settings, and those with one or two of them halved or doubled, if it takes them.
std::vector<Settings> many_settings(const Kernel& kernel) {
  std::vector<Settings> all = {kernel.settings};
  const auto add_changed = [&](const Settings& from) {
    for (const Setting& setting : kernel.settings) {
      for (const int value : {setting.value / 2, 2 * setting.value}) {
        Settings changed = from;
        changed.set(setting.name, value);
        if (value > 0) all.push_back(std::move(changed));
      }
    }
  };
  add_changed(kernel.settings);
  for (const Settings& once : std::vector<Settings>(all)) add_changed(once);
  std::erase_if(all, [&](const Settings& settings) {
    try {
      if (kernel.shape) kernel.shape(settings);
      return false;
    } catch (const Error&) {
      return true;
    }
  });
  return all;
}

// "32 threads, or 32": two equal alternatives.
bool has_equal_values(const std::string& text) {
  static const std::regex alternatives(R"(\b([0-9]+)\b[^.;:?0-9]{0,40}\bor ([0-9]+)\b)");
  for (std::sregex_iterator found(text.begin(), text.end(), alternatives), end; found != end;
       ++found) {
    if ((*found)[1] == (*found)[2]) return true;
  }
  return false;
}

bool asks_about_nothing(const std::string& text) {
  static const std::regex nothing(R"(\b(is|are|have|has|makes?) 0 )");
  return std::regex_search(text, nothing);
}

// All texts of the question, the choices first. Adds those that offer equal values to `wrong`.
void check_shown(const Question& question, const Values& before, std::set<std::string>& wrong) {
  std::vector<std::string> shown;
  for (const Choice& choice : question.choices) shown.push_back(filled_in(choice.text, before));
  for (const std::string& text : shown) {
    if (std::ranges::count(shown, text) > 1) wrong.insert("a choice twice: " + text);
  }
  for (const Choice& choice : question.choices) shown.push_back(filled_in(choice.reply, before));
  for (const Reply& reply : question.replies) shown.push_back(filled_in(reply.text, before));
  shown.push_back(filled_in(question.ask, before));
  shown.push_back(filled_in(question.why, before));
  for (const std::string& text : shown) {
    if (has_equal_values(text)) wrong.insert("equal values: " + text);
    if (asks_about_nothing(text)) wrong.insert("nothing to ask about: " + text);
  }
}

}  // namespace

TEST_CASE("no question offers equal values or asks about nothing, at many sizes and settings") {
  const std::vector<Problem> many_sizes = {
      {2048, 2048, 2048}, {100, 260, 36}, {1, 1, 1}, {64, 64, 64}, {1024, 1024, 1024}};
  std::set<std::string> wrong;
  for_each_kernel([&](const Lesson& lesson, const Kernel& kernel) {
    const auto usual = [&](const Problem&) { return kernel.settings; };
    for (const Settings& settings : sample_of(many_settings(kernel), 12)) {
      for (const Problem& size : many_sizes) {
        const Subject asked = subject_of_questions(lesson, kernel, {size, settings}, usual);
        for (const Question& question : kernel.questions) {
          const Problem problem = problem_of(question, kernel, asked.settings, asked.problem);
          check_shown(question, values_before(kernel, asked.settings, problem), wrong);
        }
        if (settings != kernel.settings) break;  // one size is enough
      }
    }
  });
  INFO(join(std::vector<std::string>(wrong.begin(), wrong.end()), "\n"));
  CHECK(wrong.empty());
  // Texts that the check must refuse.
  CHECK(has_equal_values("is read by 32 threads, or 32"));
  CHECK_FALSE(has_equal_values("is read by 32 threads, or 16"));
  CHECK(asks_about_nothing("At this size there are 0 parts."));
}

TEST_CASE("a question's arithmetic, choices and texts are right, at three sizes",
          "[long][clang-nightly]") {
  int numbers = 0;
  for_each_question_at_each_size([&](const Question& question, const LessonRun& run) {
    check_texts(question, run);
    check_replies(question, run);
    if (is_number(question)) {
      check_replies_to_numbers(question, run);
      check_arithmetic(question, run);
      check_typed_answers(question, run);
      ++numbers;
    } else {
      check_choices(question, run);
    }
  });
  CHECK(numbers >= (takes_all() ? 25 : 5) * 3);
}

namespace {

// Each setting is up to three times halved or doubled, in a way that the kernel takes.
Settings random_settings(const Kernel& kernel, std::mt19937& random) {
  for (;;) {
    Settings settings = kernel.settings;
    for (const Setting& setting : kernel.settings) {
      const int power = std::max(0, static_cast<int>(random() % 12) - 5);  // often none
      const int shift = power > 3 ? 3 - power : power;
      settings.set(setting.name,
                   std::max(1, shift < 0 ? setting.value >> -shift : setting.value << shift));
    }
    try {
      if (kernel.shape) kernel.shape(settings);
      return settings;
    } catch (const Error&) {
    }
  }
}

bool is_asked(const Question& question, const Kernel& kernel, const Settings& settings,
              const Problem& problem) {
  if (question.needs.empty()) return true;
  const Values before = values_before(kernel, settings, problem);
  return evaluated(question.needs, before) != 0;
}

// What is wrong with the question after that run; empty if it has exactly one right answer.
std::string fault_of(const Question& question, const LessonRun& run) {
  const Values before = values_before(*run.kernel, run.settings, run.problem);
  const Values counted = values_counted(question, run);
  std::set<std::string> wrong;
  check_shown(question, before, wrong);
  if (!wrong.empty()) return *wrong.begin();
  if (is_number(question)) {
    const double number = evaluated(question.count, counted);
    const double worked_out = evaluated(question.work, before);
    if (nearly_equal(worked_out, number)) return "";
    return fmt::format("{} gives {}, counted {}", question.work, worked_out, number);
  }
  const auto right = std::ranges::count_if(question.choices, [&](const Choice& choice) {
    return evaluated(choice.holds, counted) != 0;
  });
  return right == 1 ? "" : fmt::format("{} choices are right", right);
}

struct Times {
  int settings = 1;
  int sizes = 1;         // for each
  int parts = 1;         // each with that many settings, which run at the same time
  std::size_t step = 1;  // between kernels
  int of_a_part() const { return settings * sizes; }
};

// What was found by asking a kernel's questions, by their ids.
struct Asked {
  std::map<std::string, int> times;
  std::map<std::string, std::vector<std::string>> faults;
};

// Each question of a kernel that often, at random settings and sizes for which it may be asked.
Asked ask_anywhere(const Lesson& lesson, const Kernel& kernel, const Times& times, unsigned seed) {
  std::mt19937 random(seed);
  const auto side = [&] { return static_cast<int>(1 + random() % (random() % 4 == 0 ? 10 : 200)); };
  Asked asked;
  Settings settings;
  for (int draw = 0; draw < 50 * times.of_a_part(); ++draw) {
    if (draw % times.sizes == 0) settings = random_settings(kernel, random);
    const Problem size = {side(), side(), side()};
    Runs runs(lesson, kernel, settings);
    for (const Question& question : kernel.questions) {
      const Problem p = problem_of(question, kernel, settings, size);
      int& count = asked.times[question.id];
      if (count == times.of_a_part() || !is_asked(question, kernel, settings, p)) continue;
      const LessonRun* run = nullptr;
      try {
        run = &runs.at(p);
      } catch (const Error&) {  // too much shared memory, or a kernel's static_assert
        break;
      }
      ++count;
      const std::string fault = fault_of(question, *run);
      if (fault.empty()) continue;
      asked.faults[question.id].push_back(
          fmt::format("{} at {}: {}", kernel.name_expression(settings, p), text(p), fault));
    }
  }
  return asked;
}

void check_anywhere(const Times& times, unsigned seed) {
  std::vector<std::pair<const Lesson*, const Kernel*>> kernels;
  for_each_kernel(
      [&](const Lesson& lesson, const Kernel& kernel) { kernels.emplace_back(&lesson, &kernel); });
  const std::vector<std::size_t> places = sampled_places(kernels.size(), times.step);
  const auto parts = static_cast<std::size_t>(times.parts);
  std::vector<Asked> asked(places.size() * parts);
  parallel_for(std::ssize(asked), core_count(), [&](std::int64_t i, int) {
    const std::size_t part = static_cast<std::size_t>(i), place = places[part / parts];
    const auto& [lesson, kernel] = kernels[place];
    // A kernel is asked the same alone as among all.
    const auto own_seed = static_cast<unsigned>(seed + place * parts + part % parts);
    asked[part] = ask_anywhere(*lesson, *kernel, times, own_seed);
  });
  for (std::size_t i = 0; i < asked.size(); ++i) {
    for (const Question& question : kernels[places[i / parts]].second->questions) {
      const std::vector<std::string>& faults = asked[i].faults[question.id];
      INFO("seed " << seed << ", " << question.id << "\n" << join(faults, "\n"));
      CHECK(faults.empty());
      CHECK(asked[i].times[question.id] == times.of_a_part());
    }
  }
}

}  // namespace

// CI asks some kernels' questions at one setting, because each setting is another compilation. The
// seed is fixed, so that CI fails only because of a change. The nightly test draws 200 in each run.
TEST_CASE("a question has one right answer wherever it is asked: at another setting",
          "[long][clang-nightly]") {
  check_anywhere({.settings = 1, .sizes = 1, .step = 5}, 39);
}

TEST_CASE("a question has one right answer wherever it is asked: 200 settings",
          "[nightly][clang-nightly]") {
  check_anywhere({.settings = 5, .sizes = 5, .parts = 8}, std::random_device()());
}

TEST_CASE("each wrong answer that is foreseen has a reply, and every other number a hint") {
  for_each_kernel([](const Lesson&, const Kernel& kernel) {
    for (const Question& question : kernel.questions) {
      INFO(question.id);
      const auto replies = std::ranges::count_if(
          question.choices, [](const Choice& choice) { return !choice.reply.empty(); });
      CHECK(replies >= std::ssize(question.choices) - 1);
      if (!is_number(question)) continue;
      REQUIRE(question.replies.size() >= 2);
      CHECK(question.replies.back().answer.empty());
      CHECK(std::ranges::count(question.replies, "", &Reply::answer) == 1);
    }
  });
}

TEST_CASE(
    "each reply to a number is met at some size: the number is wrong, and has no other reply") {
  const std::vector<Problem> many_sizes = {{1024, 1024, 1024}, {4096, 4096, 96}, {520, 390, 136}};
  for_each_kernel([&](const Lesson& lesson, const Kernel& kernel) {
    const auto usual = [&](const Problem&) { return kernel.settings; };
    const std::vector<Settings> all_settings = many_settings(kernel);
    for (const Question& question : kernel.questions) {
      for (std::size_t i = 0; i + 1 < question.replies.size(); ++i) {
        INFO(question.id << ": " << question.replies[i].answer);
        bool is_met = false;
        for (const Settings& settings : all_settings) {
          for (const Problem& size : many_sizes) {
            if (is_met) break;
            const Subject asked = subject_of_questions(lesson, kernel, {size, settings}, usual);
            const Values known =
                values_before(kernel, asked.settings,
                              problem_of(question, kernel, asked.settings, asked.problem));
            const auto value = [&](const std::string& expression) {
              return evaluated(expression, known);
            };
            const double number = value(question.replies[i].answer);
            is_met = !nearly_equal(number, value(question.work));
            for (std::size_t j = 0; j < i; ++j) {
              is_met = is_met && !nearly_equal(number, value(question.replies[j].answer));
            }
          }
        }
        CHECK(is_met);
      }
    }
  });
}

TEST_CASE("each lesson asks why, and from lesson 3 on what an earlier one said") {
  for (const Lesson& lesson : lessons()) {
    INFO(lesson.name());
    int whys = 0, recalls = 0;
    for (const Question& question : lesson.kernels.front().questions) {
      if (!question.after_run) continue;
      INFO(question.id);
      (question.recalls.empty() ? whys : recalls) += 1;
      if (question.recalls.empty()) continue;
      CHECK(find_lesson(question.recalls).place < lesson.place);
    }
    CHECK(whys >= 1);
    CHECK(recalls >= (lesson.place >= 3 ? 1 : 0));
  }
}

// The ids say what a question is about. Chapters have no number, and need not ask all four.
TEST_CASE("each lesson asks for a count, a bound, another size or setting, and what came before") {
  const auto begins = [](const Question& question, const std::vector<std::string>& words) {
    return std::ranges::any_of(
        words, [&](const std::string& word) { return question.id.starts_with(word); });
  };
  for (const Lesson& lesson : numbered_lessons()) {
    INFO(lesson.name());
    const auto asks = [&](const auto& kind) {
      return std::ranges::any_of(lesson.kernels.front().questions, kind);
    };
    CHECK(asks(is_number));
    CHECK(asks([&](const Question& q) { return begins(q, {"which-", "at-most", "same-bound"}); }));
    CHECK(asks([&](const Question& q) {
      return begins(q, {"other-", "smaller-", "deeper-", "more-", "twice-", "odd-"});
    }));
    if (lesson.place >= 3) CHECK(asks([](const Question& q) { return !q.recalls.empty(); }));
  }
}

TEST_CASE("what is right is the same choice at every size, or nobody could explain it", "[long]") {
  for_each_kernel(
      [](const Lesson& lesson, const Kernel& kernel) {
        Runs runs(lesson, kernel);
        for (const Question& question : kernel.questions) {
          if (is_number(question)) continue;
          INFO(question.id);
          std::set<std::size_t> right;
          for (const Problem& size : three_sizes) {
            const LessonRun& run = runs.at(problem_of(question, kernel, kernel.settings, size));
            for (std::size_t i = 0; i < question.choices.size(); ++i) {
              if (check(question, {.number = {}, .choice = i}, run).right) right.insert(i);
            }
          }
          CHECK(right.size() == 1);
        }
      },
      4);
}

TEST_CASE("a question is of a number or of a choice, whole, and has an id of its own") {
  for (const Lesson& lesson : lessons()) {
    std::set<std::string> ids;
    for (const Kernel& kernel : lesson.kernels) {
      for (const Question& question : kernel.questions) {
        INFO(lesson.name() << ": " << question.id);
        CHECK_FALSE(question.id.empty());
        CHECK(ids.insert(question.id).second);
        CHECK(question.id.find_first_not_of("abcdefghijklmnopqrstuvwxyz-") == question.id.npos);
        CHECK(question.unit.empty() != is_number(question));
        CHECK(question.work.empty() != is_number(question));
        CHECK(question.count.empty() != is_number(question));
        CHECK((is_number(question) || question.choices.size() >= 3));
      }
    }
  }
}

TEST_CASE("there are questions enough: 2 a lesson and 25 in all, and a number for each kernel") {
  std::size_t all = 0;
  for (const Lesson& lesson : lessons()) {
    INFO(lesson.name());
    CHECK(lesson.kernels.front().questions.size() >= 2);
    for (const Kernel& kernel : lesson.kernels) {
      INFO(kernel.name);
      CHECK(std::ranges::any_of(kernel.questions, is_number));
      all += kernel.questions.size();
    }
  }
  CHECK(all >= 25);
}

TEST_CASE("a note is at one line of the kernel's excerpt") {
  for_each_kernel([](const Lesson& lesson, const Kernel& kernel) {
    const std::vector<SourceLine> lines = excerpt(lesson, kernel);
    const bool is_own = &kernel == &lesson.kernels.front(), is_new = kernel.function == kernel.name;
    if (is_new) CHECK(kernel.notes.size() >= (is_own ? 3 : 2));
    CHECK(kernel.notes.size() <= 7);
    for (const Note& note : kernel.notes) {
      INFO(note.code);
      CHECK(lines_with(note.code, lines) == 1);
      CHECK(is_sentence(note.text));
      CHECK(note.text.find_first_of("{}") == note.text.npos);
    }
  });
}

TEST_CASE("what a lesson asks of memory stands apart, for it comes after the predictions") {
  for (const Lesson& lesson : lessons()) {
    INFO(lesson.name());
    std::size_t headings = 0;
    for (const std::string& line : split_lines(lesson_text(lesson))) {
      headings += line == "## What it asks of memory";
    }
    CHECK(headings == 1);
  }
}

}  // namespace gemm_tutor
