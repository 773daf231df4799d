#include "report/grade_report.hpp"

#include "catch.hpp"
#include "report/json.hpp"
#include "text_checks.hpp"

using namespace gemm_tutor;

namespace {

// Students with the same marks in some of the exercises there are.
struct Sample {
  std::vector<Exercise> exercises;
  Gradebook book;

  Sample(const std::vector<std::string>& students, int exercise_count) : exercises(exercise_count) {
    for (int i = 0; i < exercise_count; ++i) {
      exercises[i].lesson = i % 3 == 2 ? -1 : i;
      exercises[i].slug = "exercise-" + std::to_string(i);
      exercises[i].title = "The title of exercise " + std::to_string(i);
      book.exercises.push_back(&exercises[i]);
    }
    book.students = students;
    for (const std::string& student : students) {
      for (int i = 0; i < exercise_count; ++i)
        book.grades.push_back({student, &exercises[i], mark(i)});
    }
  }
  static Mark mark(int i) {
    if (i % 2 == 0) return {most_points, "", "", 117'529, 0.25};
    return {{50, 0, 0}, "safety", "race, line 14: a, \"b\" & <c>", 9'000, 1.5};
  }
};

const Terminal plain{false, true, 80, false};

}  // namespace

TEST_CASE("a gradebook of one exercise shows what its points are made of") {
  const Sample sample({"anna", "bob"}, 1);
  const std::string text = grade_text(sample.book, false, plain);
  CHECK(contains(text, "Exercise 0 · The title of exercise 0\n"));
  CHECK(contains(text, "student  result  safety traffic  points   warp instr.\n"));
  CHECK(contains(text, "anna         50      25      25     100       117,529\n"));
  CHECK(contains(text, "2 students · 2 of 2 solved · 100.0 of 100 points on average\n"));
  CHECK_FALSE(contains(text, "Reasons"));
  CHECK_FALSE(contains(text, "0.25"));
  CHECK(contains(grade_text(sample.book, true, plain), "117,529   0.25 s\n"));
}

TEST_CASE("a gradebook of several is a table of points, and the reasons") {
  const Sample sample({"anna", "bob"}, 3);
  const std::string text = grade_text(sample.book, false, plain);
  CHECK(contains(text, "  1  The title of exercise 1\n  A  The title of exercise 2\n"));
  CHECK(contains(text, "student    0    1    A   total\n"));
  CHECK(contains(text, "anna     100   50  100     250\n"));
  CHECK(contains(text, "\nanna      1  safety: race, line 14: a, \"b\" & <c>\n"));
  CHECK(contains(text, "2 students · 4 of 6 solved · 250.0 of 300 points on average\n"));
}

TEST_CASE("a gradebook fits its terminal, however many exercises and however long the names") {
  const Sample sample(
      {std::string(300, 'x'),
       "\u4f60\u597d\u4f60\u597d\u4f60\u597d\u4f60\u597d\u4f60\u597d\u4f60\u597d\u4f60\u597d",
       "\x1b[31m\n"},
      20);
  for (const bool times : {false, true}) {
    const std::string text = grade_text(sample.book, times, plain);
    CHECK(widest(text) <= 80);
    CHECK_FALSE(contains(text, "\x1b"));
    CHECK(contains(text, std::string(21, 'x') + "…"));
  }
  CHECK(is_ascii(grade_text(Sample({"anna"}, 3).book, false, {false, false, 80, false})));
}

TEST_CASE("CSV quotes what must be, and no field is a formula") {
  Sample sample({"=1+1", "a,\"b\"", "\tx", "-2", "+3", "@f"}, 2);
  sample.book.notes = {"not in it"};
  const std::vector<std::string> lines = split_lines(grade_csv(sample.book, true));
  REQUIRE(lines.size() == 13);
  CHECK(lines[0] ==
        "student,exercise,points,result,safety,traffic,failed,reason,warp_instructions,seconds");
  CHECK(lines[1] == "'=1+1,exercise-0,100,50,25,25,,,117529,0.250");
  CHECK(lines[2] ==
        "'=1+1,exercise-1,50,50,0,0,safety,\"race, line 14: a, \"\"b\"\" & <c>\",9000,1.500");
  CHECK(lines[3].starts_with("\"a,\"\"b\"\"\",exercise-0,"));
  CHECK(lines[7].starts_with("'-2,"));
  CHECK(lines[9].starts_with("'+3,"));
  CHECK(lines[11].starts_with("'@f,"));
}

TEST_CASE("JSON has every grade, and times only where they are asked for") {
  Sample sample({"anna"}, 2);
  sample.book.notes = {"x.cu: for no exercise that is graded"};
  const Json json = Json::parse(grade_json(sample.book, false));
  CHECK(json["exercises"][1]["slug"] == "exercise-1");
  CHECK(json["most_points"] == 200);
  const Json& anna = json["students"][0];
  CHECK(anna["points"] == 150);
  CHECK(anna["exercises"][0]["solved"] == true);
  CHECK_FALSE(anna["exercises"][0].contains("reason"));
  CHECK(anna["exercises"][1]["failed"] == "safety");
  CHECK_FALSE(anna["exercises"][1].contains("seconds"));
  CHECK(json["notes"].size() == 1);
  const Json timed = Json::parse(grade_json(sample.book, true));
  CHECK(timed["students"][0]["exercises"][1]["seconds"] == 1.5);
}

TEST_CASE("a page of HTML holds nothing that is not escaped, and needs no other file") {
  Sample sample({"<script>alert('1')</script>", "a&b\"c"}, 2);
  sample.book.notes = {"<b>: for no exercise that is graded"};
  const std::string html = grade_html(sample.book, false);
  CHECK(html.starts_with("<!DOCTYPE html>\n"));
  CHECK(html.ends_with("</html>\n"));
  for (const char* part : {"<script", "<b>", "<c>", "http", "alert('"}) {
    INFO(part);
    CHECK_FALSE(contains(html, part));
  }
  CHECK(contains(html, "&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;"));
  CHECK(contains(html, "a&amp;b&quot;c"));
  CHECK(contains(html, "&lt;b&gt;: for no exercise"));
  CHECK_FALSE(contains(html, "seconds"));
  CHECK(contains(grade_html(sample.book, true), "<td>1.50</td>"));
}
