#include "walkthrough/screen.hpp"
#include "catch.hpp"

using namespace gemm_tutor;

namespace {

View view_with(const std::string& prompt) {
  View view;
  view.keys = {{'n', "next"}, {'p', "back"}, {'s', "size"}};
  view.prompt = prompt;
  return view;
}

}  // namespace

TEST_CASE("a line is a key, a key's name, or what was asked for") {
  const View plain = view_with(""), asking = view_with("Size");
  CHECK(meaning_of("", plain).key == enter_key);
  CHECK(meaning_of("  ", asking).key == enter_key);
  CHECK(meaning_of("p", plain).key == 'p');
  CHECK(meaning_of(":p", plain).key == 'p');
  CHECK(meaning_of(" :back ", asking).key == 'p');
  const Input size = meaning_of("s 300 200 100", plain);
  CHECK(size.kind == Input::Kind::key);
  CHECK(size.key == 's');
  CHECK(size.line == "300 200 100");

  CHECK(meaning_of("x", plain).kind == Input::Kind::end);
  CHECK(meaning_of("nn", plain).kind == Input::Kind::end);
  const Input answer = meaning_of(" 2^20 ", asking);
  CHECK(answer.kind == Input::Kind::line);
  CHECK(answer.line == "2^20");
  for (const std::string typed : {"n", "N", "s", "p*2", "back"}) {  // values' names, no keys
    CHECK(meaning_of(typed, asking).kind == Input::Kind::line);
    CHECK(meaning_of(typed, asking).line == typed);
  }
  CHECK(meaning_of(":x", asking).kind == Input::Kind::end);
}

TEST_CASE("work is told with its share, where that is known") {
  CHECK(text_of(Activity::State{}) == "working");
  CHECK(text_of({"compiling", 0, 0}) == "compiling");
  CHECK(text_of({"emulating", 37, 100}) == "emulating: 37 %");
  CHECK(text_of({"emulating", 101, 100}) == "emulating: 100 %");
}

TEST_CASE("a view begins with its notice, and without blank rows") {
  View view = view_with("");
  view.body = {Section{"Launch", "", {facts({{{"here"}}})}}};
  CHECK(rows_of(view, {}).size() == 1);
  view.notice = "Stopped.";
  const std::vector<Line> rows = rows_of(view, {});
  REQUIRE(rows.size() == 3);
  CHECK(paint(rows[0], {}) == "Stopped.");
  CHECK(rows[1].empty());
  CHECK(paint(rows[2], {}) == "Launch   here");
}
