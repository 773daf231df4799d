#include "documents/source.hpp"

#include <stdexcept>

#include "catch.hpp"
#include "sample_run.hpp"
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
