#include "report/source.hpp"

#include <algorithm>
#include <stdexcept>

#include "catch.hpp"
#include "sample_run.hpp"
#include "view/html_page.hpp"
#include "view/terminal_text.hpp"
#include "view/text_checks.hpp"

using namespace gemm_tutor;

namespace {

const std::vector<SourceLine> loop = {{8, "for (int k = 0; k < K; ++k) {"},
                                      {9, "  sum += A[row * K + k] * B[k * N + column];"},
                                      {10, "}"},
                                      {14, "C[row * N + column] = sum;"}};

std::string annotated(const std::vector<Note>& notes,
                      const Terminal& terminal = {false, true, 60}) {
  const Section section{"Source", "", {annotated_listing(loop, "kernel.cu", notes)}};
  return terminal_text({.parts = {section}}, terminal);
}

}  // namespace

TEST_CASE("notes stand below their lines, wrapped and set off from the code") {
  CHECK(annotated({{"= sum", "At the end."},
                   {"A[row", "Each step reads one value of A and one value of B and uses both."},
                   {"B[k", "Another one."}}) ==
        "Source   kernel.cu\n"
        "   8 │ for (int k = 0; k < K; ++k) {\n"
        "   9 │   sum += A[row * K + k] * B[k * N + column];\n"
        "     │   ╰ Each step reads one value of A and one value of B\n"
        "     │     and uses both.\n"
        "     │   ╰ Another one.\n"
        "  10 │ }\n"
        "     │ …\n"
        "  14 │ C[row * N + column] = sum;\n"
        "     │ ╰ At the end.\n");
}

TEST_CASE("notes have a mark in ASCII and a style in colour") {
  CHECK(contains(annotated({{"}", "The end."}}, {false, false, 60}),
                 "  10 | }\n"
                 "     | ^ The end.\n"));
  CHECK(contains(annotated({{"}", "The end."}}, {true, true, 60}),
                 "\033[1m╰ \033[0m\033[1mThe end.\033[0m"));
}

TEST_CASE("a note's code must stand in one line alone") {
  CHECK_THROWS_AS(annotated({{"float", "In no line."}}), std::logic_error);
  CHECK_THROWS_AS(annotated({{"sum", "In two."}}), std::logic_error);
}

TEST_CASE("counts are in no colour where nothing marks them: a high one is not good") {
  const Sample sample = emulated_sample();
  const Terminal colored{true, true, 80};
  const std::string text = terminal_text({.parts = {source_section(sample.run)}}, colored);
  CHECK(contains(text, "  4.0 sec/req"));
  CHECK_FALSE(contains(text, paint({{"4.0 sec/req", Style::good}}, colored)));
  CHECK(contains(text, paint({{"1.2 wf/req", Style::bad}}, colored)));
}

namespace {

// Line 7 loads A and B, and line 11 both tiles, one of them with conflicts.
Sample sample_of_several_operands() {
  using simt::MemorySpace;
  Sample sample = emulated_sample();
  std::vector<simt::LineCounters>& lines = sample.run.emulation->lines;
  lines[0].operands = {{"A", MemorySpace::global, 10, 320}, {"B", MemorySpace::global, 10, 10}};
  lines[2].operands = {{"a_tile", MemorySpace::shared, 10, 20, 10},
                       {"b", MemorySpace::shared, 10, 10},
                       {"", MemorySpace::shared, 10, 10}};
  return sample;
}

}  // namespace

TEST_CASE("a line of several operands has a row for each, the first beside its code") {
  const Sample sample = sample_of_several_operands();
  const std::string text =
      terminal_text({.parts = {source_section(sample.run)}}, {false, true, 80});
  INFO(text);
  CHECK(contains(text,
                 "   6 │     a_tile[ty][tx] = A[row * K + k0 + tx];  A 32.0 sec/req\n"
                 "     │                                             B  1.0 sec/req\n"
                 "   7 │ "));
  CHECK(
      contains(text,
               "     │                                                       a_tile 2.0 wf/req !\n"
               "     │                                                       b      1.0 wf/req\n"
               "     │                                                       other  1.0 wf/req\n"
               "  12 │ "));
}

TEST_CASE("a page has the operands of a line one below the other, and the mark at its own") {
  const Sample sample = sample_of_several_operands();
  const std::string html = html_page({.title = "", .parts = {source_section(sample.run)}});
  CHECK(contains(html, "<span>A 32.0 sec/req\nB  1.0 sec/req</span><span></span>"));
  CHECK(contains(html,
                 "<span></span><span><b class=\"bad\">a_tile 2.0 wf/req !</b>\n"
                 "b      1.0 wf/req  \nother  1.0 wf/req  </span>"));
}

TEST_CASE("where nothing is counted of global memory the code beside has its room") {
  Sample sample = emulated_sample();
  const auto line = std::ranges::find(sample.run.excerpt, 11, &SourceLine::number);
  REQUIRE(line != sample.run.excerpt.end());
  line->text = std::string(60, 'x');
  const std::string text =
      terminal_text({.parts = {source_section(sample.run)}}, {false, true, 80});
  INFO(text);
  CHECK(contains(text, "xxx 1.2 wf/req !\n"));
}
