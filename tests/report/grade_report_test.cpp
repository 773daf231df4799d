#include <algorithm>

#include "catch.hpp"
#include "report/grade_report.hpp"
#include "report/json.hpp"
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

namespace {

using State = MarkPart::State;

const Exercise& tile() { return find_exercise("shared-memory-tile"); }

Gradebook book_with(const Mark& mark) {
  return {.exercises = {&tile()},
          .students = {"ada"},
          .ids = {""},
          .grades = {{"ada", &tile(), mark}},
          .notes = {}};
}

Mark wrong_at_a_hidden_size() {
  Mark mark{{20, 0, 0}, "result", "right at 4 of 5 sizes", 0, 1.5};
  mark.parts = {{"compile", State::passed},
                {"published", State::passed, "1×1×1: right"},
                {"hidden", State::failed, "Wrong at a size. Think of sizes that cut a tile."},
                {"safety", State::not_reached},
                {"traffic", State::not_reached}};
  return mark;
}

int sum(const Json& tests, const char* key) {
  int result = 0;
  for (const Json& test : tests) result += test[key].get<int>();
  return result;
}

}  // namespace

TEST_CASE("the points of the parts are those of the mark, whatever they are") {
  const auto all = [](const Points& points) {
    int result = 0;
    for (const char* name : part_names) result += points_of_part(name, points);
    return result;
  };
  CHECK(all(most_points) == 100);
  for (const Points& points : {Points{50, 25, 16}, Points{50, 0, 0}, Points{18, 0, 0}, Points{}}) {
    CHECK(all(points) == points.total());
  }
  CHECK(points_of_part("published", {50, 25, 25}) == 25);
  CHECK(points_of_part("hidden", {50, 25, 25}) == 25);
  CHECK(points_of_part("hidden", {20, 0, 0}) == 0);
}

TEST_CASE("Gradescope's results: a test for each part, and the score is the mark") {
  const Json json = Json::parse(gradescope_json(book_with(wrong_at_a_hidden_size()), {"traffic"}));
  CHECK(json["score"] == 20);
  REQUIRE(json["tests"].size() == 5);
  CHECK(sum(json["tests"], "score") == 20);
  CHECK(sum(json["tests"], "max_score") == 100);
  CHECK(json["tests"][1]["status"] == "passed");
  CHECK(contains(json["tests"][1]["output"], "The points count the hidden sizes, too."));
  CHECK(json["tests"][2]["status"] == "failed");
  CHECK(json["tests"][2]["visibility"] == "visible");
  CHECK(json["tests"][4]["visibility"] == "hidden");
  CHECK(contains(json["output"], "cut a tile."));
  CHECK_FALSE(contains(json["output"], "right at 4 of 5 sizes"));  // the teacher's
  CHECK(contains(json["output"], "Hint: "));
  CHECK_FALSE(json.contains("execution_time"));
}

TEST_CASE("a hidden part that failed is not told by the reason either") {
  const Gradebook book = book_with(wrong_at_a_hidden_size());
  CHECK_FALSE(contains(gradescope_json(book, {"hidden"}), "4 of 5"));
  const std::string xml = junit_xml(book, {"hidden"});
  CHECK_FALSE(contains(xml, "4 of 5"));
  CHECK_FALSE(contains(xml, "cut a tile"));
  for (const std::string& text : {xml, gradescope_json(book, {"hidden"})}) {
    CHECK_FALSE(contains(text, "hidden sizes, too"));
  }
  CHECK(contains(xml, "Not solved yet."));
  CHECK(contains(junit_xml(book, {"traffic"}), "hidden sizes, too"));
  CHECK(contains(xml, "tests=\"5\" failures=\"1\" errors=\"0\" skipped=\"2\""));
}

TEST_CASE("a part that was not looked at says when it is, or why") {
  Mark mark = wrong_at_a_hidden_size();
  mark.parts[3].text = "Counts when the kernel does what the exercise is about.";
  const std::string xml = junit_xml(book_with(mark), {});
  CHECK(contains(xml, "<skipped message=\"Counts when the kernel does"));
  CHECK(contains(xml, "<skipped message=\"Checked when the parts above are right.\"/>"));
}

TEST_CASE("what is missing, or there twice, says what to hand in") {
  const auto output = [](const std::string& reason) {
    const std::string text = gradescope_json(book_with(no_mark("missing", reason)), {});
    CHECK(contains(text, "Not checked: " + reason));
    return Json::parse(text)["output"].get<std::string>();
  };
  CHECK(output("not handed in")
            .ends_with("Not handed in\nHand in one file, 03-shared-memory-tile.cu."));
  CHECK(contains(output("2 files are for this exercise, such as a.cu and b.cu"),
                 "b.cu\nHand in one file, "));
}

TEST_CASE("what was not checked has its reason in the first part, and XML has no character of it") {
  const Mark mark = no_mark("submission", "line 1: <a> & \"b\" \x1b[31m \xff \uffff");
  const std::string xml = junit_xml(book_with(mark), {});
  CHECK(contains(
      xml,
      "message=\"Not checked: line 1: &lt;a&gt; &amp; &quot;b&quot; \ufffd[31m \ufffd \ufffd\""));
  CHECK(contains(xml, "failures=\"1\" errors=\"0\" skipped=\"4\""));
  CHECK_FALSE(contains(xml, "\x1b"));
  const Json json = Json::parse(gradescope_json(book_with(mark), {}));
  CHECK(json["score"] == 0);
  CHECK(json["tests"][0]["status"] == "failed");
}

TEST_CASE("the same mark gives the same bytes, whatever the seconds") {
  Mark slow = wrong_at_a_hidden_size();
  slow.seconds = 17.25;
  const Gradebook one = book_with(wrong_at_a_hidden_size()), other = book_with(slow);
  CHECK(gradescope_json(one, {}) == gradescope_json(other, {}));
  CHECK(junit_xml(one, {}) == junit_xml(other, {}));
}

TEST_CASE("Canvas and Moodle: a line per student, with the numbers of their downloads") {
  const Exercise& other = find_exercise("vectorized-loads");
  const Mark solved{most_points, "", "", 0, 0};
  const Mark open{{50, 25, 12}, "traffic", "1 of 2 goals met, a < b", 0, 0};
  const Mark missing = no_mark("missing", "not handed in");
  const Gradebook book{.exercises = {&tile(), &other},
                       .students = {"=ada", "Ben O'Hara", "zoe"},
                       .ids = {"", "17", ""},
                       .grades = {{"=ada", &tile(), solved},
                                  {"=ada", &other, missing},
                                  {"Ben O'Hara", &tile(), solved},
                                  {"Ben O'Hara", &other, open},
                                  {"zoe", &tile(), missing},
                                  {"zoe", &other, missing}},
                       .notes = {}};
  CHECK(
      canvas_csv(book) ==
      "Student,ID,SIS User ID,SIS Login ID,Section,A tile in shared memory,Four floats at a time\n"
      "'=ada,,,'=ada,,100,\n"
      "Ben O'Hara,17,,,,100,87\n"
      "zoe,,,zoe,,,\n");
  CHECK(
      moodle_csv(book) ==
      "Identifier,Full name,Username,Grade,Maximum grade,Last modified (grade),Feedback comments\n"
      ",'=ada,'=ada,100,200,,Four floats at a time: not handed in\n"
      "Participant 17,Ben O'Hara,,187,200,,\"Four floats at a time: 1 of 2 goals met, a &lt; b\"\n"
      ",zoe,zoe,,200,,A tile in shared memory: not handed in; Four floats at a time: not handed "
      "in\n");
}
