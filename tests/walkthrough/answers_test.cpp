// Every lesson, by a learner who answers all questions: what is asked for was on no screen before
// it is judged, and the way to the run is short.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <regex>
#include <stdexcept>
#include <utility>

#include "catch.hpp"
#include "course/question.hpp"
#include "own_folder.hpp"
#include "sample.hpp"
#include "support/text.hpp"
#include "view/layout.hpp"
#include "walkthrough/views.hpp"
#include "walkthrough/walkthrough.hpp"

using namespace gemm_tutor;

namespace {

// A learner who answers each question, and goes on to the end of the lesson.
class AnsweringScreen : public Screen {
 public:
  explicit AnsweringScreen(const Lesson& lesson) : title_(capitalised(lesson.name()) + " ") {}

  Input show(const View& view) override {
    if (!view.title.starts_with(title_)) return {};
    views.push_back(view);
    if (!view.prompt.empty()) return {Input::Kind::line, '\0', "1"};
    const bool has_choices = std::ranges::count(view.keys, '1', &KeyHelp::key) > 0;
    if (has_choices) return {Input::Kind::key, '1'};
    return {Input::Kind::key, view.keys.front().key};
  }

  bool wait(BackgroundJob& job) override {
    while (!job.wait_for(std::chrono::hours(1))) continue;
    return job.finish();
  }

  std::vector<View> views;

 private:
  std::string title_;
};

std::vector<View> views_of(const Lesson& lesson, const Problem& problem, int blocks = 0) {
  const OwnFolder directory;
  ProgressFile file(directory.path() / "progress.json");
  file.progress.experience = "new";
  WalkthroughRequest request;
  request.problem = problem;
  request.run.backend = Backend::emulator;
  request.run.blocks = blocks;
  request.lesson = &lesson;
  AnsweringScreen learner(lesson);
  walk_through(learner, file, request);
  return learner.views;
}

std::string text_of(const View& view) {
  std::string text;
  for (const Line& row : rows_of(view, {})) text += paint(row, {}) + "\n";
  return text;
}

// Without the numbers of a listing's lines, and in one line.
std::string prose_of(const std::string& screen) {
  static const std::regex line_numbers("(^|\n)[ 0-9]*│"), blanks("\\s+");
  return std::regex_replace(std::regex_replace(screen, line_numbers, "\n"), blanks, " ");
}

// "1,024", "1 024" and "1024" are alike. A small number is the one that is asked for where its unit
// follows, or where it ends a calculation; so is one that is the same at every size.
bool has_number(const std::string& screen, double number, const std::string& unit,
                bool depends_on_size = true) {
  const bool is_telling = number != std::floor(number) || number >= (depends_on_size ? 30 : 1000);
  static const std::regex numbers("[0-9]+([ ,'_][0-9]{3})*(\\.[0-9]+)?");
  const std::string text = prose_of(screen), stem = unit.substr(0, unit.size() - 1);
  for (std::sregex_iterator at(text.begin(), text.end(), numbers), end; at != end; ++at) {
    std::string digits = at->str();
    std::erase_if(digits, [](char c) { return std::string(" ,'_").find(c) != std::string::npos; });
    if (!nearly_equal(std::stod(digits), number)) continue;
    const std::string before = at->prefix().str(), after = at->suffix().str();
    static const std::regex two_words("^( [^ ]+){1,2}");
    std::smatch next;
    const bool unit_follows =
        std::regex_search(after, next, two_words) && next.str().find(stem) != std::string::npos;
    const bool is_result = before.ends_with("= ") && after.find_first_of(".,;") == 0;
    if (is_telling || unit_follows || is_result) return true;
  }
  return false;
}

// What is known before the run that the question is about.
Values values_known(const Lesson& lesson, const Question& question, const Problem& problem) {
  const Kernel& kernel = lesson.kernels.front();
  const auto usual = [&](const Problem& size) {
    RunOptions options;
    options.problem = size;
    return effective_settings(kernel, options);
  };
  const Subject asked = subject_of_questions(lesson, kernel, {problem, usual(problem)}, usual);
  return values_before(kernel, asked.settings,
                       problem_of(question, kernel, asked.settings, asked.problem));
}

// A reply to a wrong number that has the right one; empty if no reply has it.
std::string reply_with(const Question& question, const Values& values, double number,
                       bool depends_on_size) {
  for (const Reply& reply : question.replies) {
    const std::string text = filled_in(reply.text, values);
    if (has_number(text, number, question.unit, depends_on_size)) return text;
  }
  return "";
}

// Where the number of a question is on a screen before its verdict; empty where it is on none.
std::string given_away(const Question& question, double number, bool depends_on_size,
                       const std::vector<std::string>& screens) {
  const std::string verdict = "Counted: " + quantity_text(number, question.unit);
  for (const std::string& screen : screens) {
    if (prose_of(screen).find(verdict) != std::string::npos) return "";
    if (has_number(screen, number, question.unit, depends_on_size)) return screen;
  }
  throw std::logic_error("no screen has " + verdict);
}

}  // namespace

TEST_CASE("a number is found in whatever form it is written") {
  CHECK(has_number("1,024 blocks in all", 1024, "blocks"));
  CHECK(has_number("of 1024 blocks", 1024, "blocks"));
  CHECK(has_number("1 024", 1024, "blocks"));
  CHECK(has_number("touch 16 sectors", 16, "sectors"));
  CHECK(has_number("  TM + 1 = 5.", 5, "requests"));
  CHECK_FALSE(has_number("  16 │ a tile of 16 rows", 16, "sectors"));
  CHECK_FALSE(has_number("11,024 blocks", 1024, "blocks"));
}

TEST_CASE("what is asked for was on no earlier screen of the lesson, and is in no reply") {
  // What merely happens to be equal is so at one size alone.
  const std::vector<Problem> sizes = {{64, 64, 64}, {384, 640, 96}};
  for (const Lesson& lesson : sample_of(lessons(), 12)) {
    const Kernel& kernel = lesson.kernels.front();
    std::vector<std::vector<std::string>> shown;
    for (const Problem& size : sizes) {
      shown.emplace_back();
      for (const View& view : views_of(lesson, size)) shown.back().push_back(text_of(view));
    }
    for (const Question& question : kernel.questions) {
      if (!question.choices.empty()) continue;
      std::vector<Values> known;
      std::vector<double> numbers;
      for (const Problem& size : sizes) {
        known.push_back(values_known(lesson, question, size));
        numbers.push_back(evaluated(question.work, known.back()));
      }
      const bool differ = numbers[0] != numbers[1];
      std::vector<std::string> found;
      for (std::size_t i = 0; i < sizes.size(); ++i) {
        std::string screen = given_away(question, numbers[i], differ, shown[i]);
        if (screen.empty()) screen = reply_with(question, known[i], numbers[i], differ);
        if (!screen.empty()) found.push_back(screen);
      }
      INFO(lesson.name() << ", " << question.id);
      if (found.size() == sizes.size()) FAIL_CHECK("is given away:\n" << found.front());
    }
  }
}

TEST_CASE("a question and its verdict fit a screen, and the run is the ninth at the latest") {
  for (const Lesson& lesson : sample_of(lessons(), 12)) {
    INFO(lesson.name());
    std::map<std::string, int> most;  // by place: a question and its verdict are on one screen
    int before_run = 0;
    bool is_before_run = true;
    for (const View& view : views_of(lesson, {1024, 1024, 1024}, 1)) {
      INFO(view.place);
      const int count = screens(view.body);
      const bool asks = view.place.find("predict") != view.place.npos ||
                        view.place.find("why") != view.place.npos;
      if (asks) CHECK(count == 1);
      is_before_run = is_before_run && !view.place.ends_with("run");
      if (!is_before_run) continue;
      if (view.place.ends_with("change")) CHECK(count <= 4);
      before_run += count - std::exchange(most[view.place], count);
    }
    CHECK(before_run + 1 <= 9);
  }
}
