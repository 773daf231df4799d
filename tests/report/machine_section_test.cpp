// The machine code of a run that is filled in by hand: lesson 3's, of 2×2 elements per thread.
#include "report/machine_section.hpp"

#include "catch.hpp"
#include "report/json.hpp"
#include "report/lesson_document.hpp"
#include "report/lesson_json.hpp"
#include "report/source.hpp"
#include "sample_machine_code.hpp"
#include "support/error.hpp"
#include "view/html_page.hpp"
#include "view/terminal_text.hpp"
#include "view/text_checks.hpp"

using namespace gemm_tutor;
using Kind = simt::InstructionKind;

TEST_CASE("the hot loop is the one in which most is executed, not the longest") {
  CodeSample code = tile_code();
  CHECK(machine_code(code.run()).hot_loop == inner_loop);
  code.add(10000, "IADD3", Kind::integer, copies_line, outer_loop, 1);
  CHECK(machine_code(code.run()).hot_loop == inner_loop);
  code.add(1, "IADD3", Kind::integer, copies_line, outer_loop, 1000000);
  CHECK(machine_code(code.run()).hot_loop == outer_loop);
}

TEST_CASE("the steps along K of an iteration are said where the counts tell them") {
  const std::string unrolled = "Unrolling put 8 steps along K for each of a thread's 4 elements";
  CodeSample code = tile_code();
  CHECK(contains(code.report(), unrolled));
  code.run().source.shape.tile_rows = 63;  // not divisible by the threads
  CHECK_FALSE(contains(code.report(), "Unrolling"));
  code.run().source.shape.tile_rows = 64;
  CHECK(contains(code.report(), unrolled));
  code.add(4, "FFMA", Kind::ffma, sum_line, inner_loop, 500);  // in some iterations alone
  CHECK_FALSE(contains(code.report(), "Unrolling"));
  code.run().source.shape.tile_rows = 0;
  CHECK_FALSE(contains(code.report(), "Unrolling"));
}

TEST_CASE("the legend has what is shown, the most executed first, and ten at most") {
  const std::string text = tile_code().report();
  const std::size_t ffma = text.find("\n         FFMA "), lds = text.find("\n         LDS ");
  REQUIRE(ffma != text.npos);
  REQUIRE(lds != text.npos);
  CHECK(ffma < lds);
  CHECK_FALSE(contains(text, "\n         IMAD "));
  CHECK(contains(tile_code().report(MachineDetail::all), "\n         IMAD "));

  CodeSample many;
  for (const char* name :
       {"FFMA", "FMUL", "FADD", "LDG", "STG", "LDL", "STL", "BAR", "IMAD", "LEA", "LOP3", "SHF"}) {
    many.add(1, name, Kind::integer, sum_line, inner_loop, 10);
  }
  many.add(1, "MOV", Kind::move, sum_line, inner_loop, 11);
  const Section section =
      machine_section(many.run(), machine_code(many.run()), MachineDetail::hot_loop);
  const auto& legend = std::get<Definitions>(section.parts.back().content).definitions;
  CHECK(legend.size() == 10);
  CHECK(plain_text(legend.front().name) == "MOV");
}

TEST_CASE("the function that the hot loop's code comes from is shown as well") {
  CodeSample code = tile_code();
  code.run().source.source =
      "__device__ void far(float& sum, float a) {\n  sum += a;\n}\n" + code.run().source.source;
  code.add(1, "FFMA", Kind::ffma, 2, inner_loop, 1000);
  CHECK(contains(code.report(),
                 "   2 │   sum += a;\n"
                 "     │ FFMA "));
}

TEST_CASE("a run without machine code has none to show") {
  const Sample sample = emulated_sample();
  const LessonRun& run = sample.run;
  CHECK_THROWS_AS(machine_code(run), Error);
  CHECK_THROWS_AS(lesson_json(run, true), Error);
  CHECK_THROWS_AS(source_section(run, MachineDetail::all), Error);
}

TEST_CASE("a page has the machine code among its answers") {
  const CodeSample code = tile_code();
  const LessonReport report{.run = code.sample.run, .machine = MachineDetail::hot_loop};
  const std::string html = html_page(lesson_document(report));
  CHECK(contains(html,
                 "<div class=\"after\">\n<div class=\"facts\">\n<p><code>LDS.128 ×2</code>  "
                 "<code>FFMA ×32</code>  <code>LDS ×4</code>"));
  CHECK(contains(html, "<span class=\"beside\">  <span class=\"dim\">38,000</span></span>"));
  CHECK(contains(html, "<div class=\"after\">\n<section>\n<h2>The machine code</h2>"));
}

TEST_CASE("JSON has each line's machine code where it is asked for") {
  const CodeSample code = tile_code();
  CHECK_FALSE(contains(lesson_json(code.sample.run), "machine_code"));
  const Json json = Json::parse(lesson_json(code.sample.run, true))["counters"];
  CHECK(json["machine_code"] == Json::parse(R"([{"text": "BRA", "copies": 1, "executions": 100,
                                                 "in_hot_loop": false}])"));
  CHECK(json["lines"][2]["line"] == sum_line);
  CHECK(json["lines"][2]["machine_code"] ==
        Json::parse(
            R"([{"text": "LDS.128", "copies": 2, "executions": 2000, "in_hot_loop": true},
                {"text": "FFMA", "copies": 32, "executions": 32000, "in_hot_loop": true},
                {"text": "LDS", "copies": 4, "executions": 4000, "in_hot_loop": true},
                {"text": "IMAD", "copies": 3, "executions": 300, "in_hot_loop": false}])"));
}
