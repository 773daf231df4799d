#include "documents/grade_report.hpp"

#include "catch.hpp"
#include "documents/json.hpp"
#include "sample_gradebook.hpp"
#include "view/terminal_text.hpp"
#include "view/text_checks.hpp"

using namespace gemm_tutor;

namespace {

const Terminal uncoloured{false, true, 80, false};

}  // namespace

TEST_CASE("a gradebook fits its terminal, however many exercises and however long the names") {
  const SampleGradebook sample(
      {std::string(300, 'x'),
       "\u4f60\u597d\u4f60\u597d\u4f60\u597d\u4f60\u597d\u4f60\u597d\u4f60\u597d\u4f60\u597d",
       "\x1b[31m\n"},
      20);
  for (const bool times : {false, true}) {
    const std::string text = terminal_text(grade_document(sample.book, times), uncoloured);
    CHECK(widest(text) <= 80);
    CHECK_FALSE(contains(text, "\x1b"));
    CHECK(contains(text, std::string(21, 'x') + "…"));
  }
  CHECK(is_ascii(terminal_text(grade_document(SampleGradebook({"anna"}, 3).book, false),
                               {false, false, 80, false})));
}

TEST_CASE("CSV quotes what must be, and no field is a formula") {
  SampleGradebook sample({"=1+1", "a,\"b\"", "\tx", "-2", "+3", "@f"}, 2);
  sample.book.notes = {"not in it"};
  const std::vector<std::string> lines = split_lines(grade_csv(sample.book, true));
  REQUIRE(lines.size() == 13);
  CHECK(lines[0] ==
        "student,exercise,points,result,safety,traffic,failed,reason,warp_instructions,"
        "solution_taken,seconds");
  CHECK(lines[1] == "'=1+1,exercise-0,100,50,25,25,,,117529,,0.250");
  CHECK(lines[2] ==
        "'=1+1,exercise-1,50,50,0,0,safety,\"race, line 14: a, \"\"b\"\" & <c>\",9000,,1.500");
  CHECK(lines[3].starts_with("\"a,\"\"b\"\"\",exercise-0,"));
  CHECK(lines[7].starts_with("'-2,"));
  CHECK(lines[9].starts_with("'+3,"));
  CHECK(lines[11].starts_with("'@f,"));
}

TEST_CASE("JSON has every grade, and times only where they are asked for") {
  SampleGradebook sample({"anna"}, 2);
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
