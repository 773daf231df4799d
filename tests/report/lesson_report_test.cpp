#include "report/lesson_document.hpp"
#include "report/lesson_json.hpp"

#include <bit>

#include "catch.hpp"
#include "gemm/matrices.hpp"
#include "sample_findings.hpp"
#include "sample_run.hpp"
#include "view/terminal_text.hpp"
#include "view/text_checks.hpp"

using namespace gemm_tutor;

namespace {

std::string text_of(const Sample& sample, const Terminal& terminal = plain) {
  return terminal_text(lesson_document({sample.run}), terminal);
}

// Without the gutter, the counts and the line breaks: the code, if none of it was lost.
Sample wrong_sample() {
  Sample sample = emulated_sample();
  Verification& v = sample.run.verification;
  v.passed = false;
  v.wrong_elements = 5;
  v.first_wrong = WrongElement{3, 7, 0.5f, 0.25, 1e-6};
  return sample;
}

Sample sampled_sample() {
  Sample sample = emulated_sample();
  sample.run.emulation->exact = false;
  sample.run.emulation->blocks_emulated = 148;
  sample.run.traffic.count_is_exact = false;
  sample.run.comparison->exact = false;
  sample.run.verification.elements_checked = 151552;
  return sample;
}

}  // namespace

TEST_CASE(
    "a report begins with what was found, and its sections stand in the order of all reports") {
  for (const Sample& sample : {emulated_sample(), cpu_sample()}) {
    const std::string text = text_of(sample);
    std::size_t before = 0;
    for (const char* name : {"Lesson ", "\nFound ", "\nIdea ", "\nSource ", "\nLaunch ",
                             "\nTraffic ", "\nTiming ", "\nNext "}) {
      const std::size_t at = text.find(name);
      REQUIRE(at != std::string::npos);
      CHECK(at >= before);
      before = at;
    }
  }
}

TEST_CASE("what was found has four lines: the verdict, the loads, the time, and the comparison") {
  const std::string text = text_of(emulated_sample());
  const std::size_t begin = text.find("\nFound ") + 1;
  const std::string found = text.substr(begin, text.find("\n\n", begin) - begin);
  INFO(found);
  CHECK(std::ranges::count(found, '\n') <= 3);
  CHECK(contains(found, "✓ all "));
  CHECK(contains(found, "counted "));
  CHECK(contains(found, "less than lesson "));
  // A wrong result is said there, and what is known of it comes before the source.
  const std::string wrong = text_of(wrong_sample());
  CHECK(wrong.find("\nFound    ✗ wrong: 5 of ") < wrong.find("\nResult "));
  CHECK(wrong.find("\nResult ") < wrong.find("\nSource "));
}

TEST_CASE("no line is wider than the terminal, whatever it shows") {
  for (const int width : {60, 80, 100}) {
    for (const bool unicode : {true, false}) {
      for (const Sample& sample :
           {emulated_sample(), cpu_sample(), wrong_sample(), sampled_sample()}) {
        CHECK(widest(text_of(sample, {false, unicode, width})) <= width);
      }
      const Document own = kernel_document({own_sample().run});
      CHECK(widest(terminal_text(own, {false, unicode, width})) <= width);
    }
  }
}

TEST_CASE("without colour there is no escape code, with colour the text is the same") {
  const Sample sample = emulated_sample();
  const std::string bare = text_of(sample);
  std::string colored = text_of(sample, {true, true, 80});
  CHECK_FALSE(contains(bare, "\033"));
  CHECK(contains(colored, "\033["));
  for (std::size_t at = 0; (at = colored.find("\033[")) != std::string::npos;) {
    colored.erase(at, colored.find('m', at) - at + 1);
  }
  CHECK(colored == bare);
}

TEST_CASE("a locale without UTF-8 gets ASCII alone") {
  const std::string text = text_of(emulated_sample(), {false, false, 80});
  CHECK(is_ascii(text));
}

TEST_CASE("JSON says where counts of shared memory are not the machine code's") {
  Sample sample = emulated_sample();
  sample.run.emulation->shared_as_in_machine_code = false;
  CHECK(contains(lesson_json(sample.run), "\"shared_memory_counts\": \"as the assembler would\""));
}

TEST_CASE("code that does not fit is never cut") {
  for (const int width : {60, 80}) {
    const std::string text = without_spaces(text_of(emulated_sample(), {false, false, width}));
    CHECK(contains(text, "some_function_with_a_long_name(row,"));
    CHECK(contains(text, "b_tile[ty][tx],k0);"));
    CHECK(contains(text, "k0+ty<K&&column<N?"));
    CHECK(contains(text, ":0.0f;"));
  }
}

TEST_CASE("findings make a right product no clean run") {
  CHECK_FALSE(is_clean(wrong_sample().run));
  Sample sample = emulated_sample();
  CHECK(is_clean(sample.run));
  sample.run.emulation->findings = {sample_race(9, 1200)};
  CHECK_FALSE(is_clean(sample.run));
}

TEST_CASE("next: the very run is traced, and a lesson of a course with its course") {
  Sample sample = emulated_sample();
  const auto first_command = [&] { return next_commands({sample.run}).front(); };
  sample.run.problem = {1024, 1024, 1024};
  CHECK(first_command() == "gemm-tutor trace 3");
  sample.run.problem = {1024, 1024, 64};
  sample.run.settings.set("BK", 16);
  CHECK(first_command() == "gemm-tutor trace 3 --m 1024 --n 1024 --k 64 --set BK=16");
  Kernel other;
  other.name = "other";
  CHECK(other_kernel_command(sample.run, other) ==
        "gemm-tutor lesson 3 --kernel other --m 1024 --n 1024 --k 64");
  sample.lesson->of_course = true;
  for (const std::string& command : next_commands({sample.run})) {
    CHECK(command.starts_with("gemm-tutor --course DIR "));
  }
  // What follows a course's lesson, or comes before one, need not be of the course.
  Lesson next;
  next.number = 61;
  CHECK(next_commands({sample.run, &next})[2] == "gemm-tutor lesson 61");
}
