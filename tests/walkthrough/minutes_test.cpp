// The minutes in the documents' tables, compared with the course's own estimates.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "catch.hpp"
#include "course/lesson.hpp"
#include "support/file.hpp"
#include "support/text.hpp"
#include "walkthrough/views.hpp"

using namespace gemm_tutor;

namespace {

using Cells = std::vector<std::string>;

// The rows of the table below that heading row of a document.
std::vector<Cells> rows_below(const std::string& document, const std::string& heading) {
  const std::string page = read_file(PROJECT_SOURCE_DIR "/" + document).value();
  const std::size_t at = page.find("\n| " + heading + " |");
  INFO(document << " has no table " << heading);
  REQUIRE(at != page.npos);
  std::vector<Cells> rows;
  const std::vector<std::string> lines = split_lines(std::string_view(page).substr(at + 1));
  for (std::size_t i = 2; i < lines.size() && lines[i].starts_with('|'); ++i) {
    Cells cells;
    for (const std::string& cell : split(lines[i], '|')) cells.emplace_back(trimmed(cell));
    rows.emplace_back(cells.begin() + 1, cells.end() - 1);
  }
  return rows;
}

// The text between the first two backticks.
std::string code_in(const std::string& cell) {
  const Cells parts = split(cell, '`');
  return parts.size() < 3 ? "" : parts[1];
}

// The lessons and chapters of a session: "3 to 5", "9 and 10", "8 and the chapter `order-of-sums`".
std::vector<const Lesson*> lessons_of(const std::string& cell) {
  std::vector<const Lesson*> result;
  std::istringstream words(cell);
  for (std::string word; words >> word;) {
    if (const auto number = number_in<int>(word)) {
      const bool continues = cell.find(" to ") != cell.npos && !result.empty();
      for (int n = continues ? *result.back()->number + 1 : *number; n <= *number; ++n) {
        result.push_back(&find_lesson(std::to_string(n)));
      }
    } else if (word.starts_with('`')) {
      result.push_back(&find_lesson(code_in(word)));
    }
  }
  return result;
}

const std::string of_lessons = "lesson | reading | exercise | what to look for";

}  // namespace

TEST_CASE("the tables of self-study have the minutes that the course estimates") {
  std::set<std::string> named;
  const auto check = [&](const std::string& slug, const std::string& minutes) {
    INFO(slug);
    CHECK(minutes == fmt::format("{} min", estimated_minutes(find_lesson(slug))));
    named.insert(slug);
  };
  for (const Cells& row : rows_below("docs/self-study.md", of_lessons)) {
    check(code_in(row[0]), row[1]);
    CHECK(row[0].starts_with(find_lesson(code_in(row[0])).number_text() + " `"));
  }
  for (const Cells& row :
       rows_below("docs/self-study.md", "after lesson | chapter | reading | what to look for")) {
    check(code_in(row[1]), row[2]);
  }
  for (const Lesson& lesson : lessons()) {
    INFO(lesson.name());
    CHECK(named.contains(lesson.slug));
  }
}

TEST_CASE("the table of sessions adds up the minutes of self-study") {
  std::map<std::string, int> of_exercise;  // by the lesson's number
  for (const Cells& row : rows_below("docs/self-study.md", of_lessons)) {
    of_exercise[find_lesson(code_in(row[0])).number_text()] = std::stoi(row[2]);
  }
  std::set<std::string> taught;
  for (const Cells& row : rows_below(
           "docs/teaching.md", "session | lessons | reading | exercise in class | together")) {
    INFO("session " << row[0]);
    int reading = 0;
    for (const Lesson* lesson : lessons_of(row[1])) {
      reading += estimated_minutes(*lesson);
      taught.insert(lesson->slug);
    }
    CHECK(row[2] == std::to_string(reading));
    const Cells exercise = split(row[3], ':');
    REQUIRE(exercise.size() == 2);
    const int minutes = std::stoi(exercise[1]);
    // One that belongs to no lesson has no minutes in the table of lessons.
    if (of_exercise.contains(exercise[0])) CHECK(minutes == of_exercise[exercise[0]]);
    CHECK(row[4] == std::to_string(reading + minutes));
  }
  for (const Lesson& lesson : numbered_lessons()) {
    INFO(lesson.name());
    CHECK(taught.contains(lesson.slug));
  }
}
