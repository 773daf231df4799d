#include "course/recorded_text.hpp"

#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "course/excerpt.hpp"
#include "course_checks.hpp"

namespace gemm_tutor {

TEST_CASE("a text's references become the recorded numbers") {
  CHECK(with_recorded_numbers("{percent double_buffer 4096} in {ms double_buffer 4096}", "x.md") ==
        "97 % in 2.77 ms");
  CHECK(with_recorded_numbers("cuBLAS: {ms cublas 4096}, {tflops cublas 4096}.", "x.md") ==
        "cuBLAS: 2.68 ms, 51.2 TFLOP/s.");
  CHECK(with_recorded_numbers("{ms naive_uncoalesced 4096}", "x.md") == "276 ms");
}

TEST_CASE("a text's references to the profiler become formulas of what it counted") {
  CHECK(with_recorded_numbers("{ncu double_buffer registers}", "x.md") == "126");
  CHECK(with_recorded_numbers("{ncu naive_coalesced l1_hits} %", "x.md") == "95.0 %");
  CHECK(with_recorded_numbers(
            "{ncu naive_coalesced global_load_sectors/global_load_requests} sectors", "x.md") ==
        "2.50 sectors");
}

TEST_CASE("other braces in a text stay as they are") {
  for (const char* text : {"", "{", "}", "{}", "for (;;) { a = {b}; }", "{percents a 4096}"}) {
    CHECK(with_recorded_numbers(text, "x.md") == text);
  }
}

TEST_CASE("a number that was not recorded is an error that names the file") {
  for (const char* text :
       {"{percent double_buffer 4097}", "{ms triple_buffer 4096}", "{percent cublas 4096}",
        "{tflops cublas}", "{ms cublas large}", "{ncu}", "{ncu double_buffer}",
        "{ncu triple_buffer ffma}", "{ncu double_buffer ffmas}"}) {
    INFO(text);
    CHECK_THROWS_WITH(with_recorded_numbers(text, "x.md"), Catch::Contains("x.md: '"));
  }
}

// Of kernels that the course does not have.
TEST_CASE("the numbers of drafts in the texts are those of the notebook") {
  std::ifstream file(PROJECT_SOURCE_DIR "/docs/results/worklog.md");
  const std::string notebook(std::istreambuf_iterator<char>(file), {});
  const std::map<std::string, std::vector<std::string>> drafts = {
      {"order-of-sums", {"50.0", "61.5"}},
      {"warp-tile",
       {"96.8", "98.4", "99.6", "97.5", "98.7", "99.9", "0.29", "0.44", "85.4 %", "85.1 %", "221",
        "94.8"}},
      {"async-copy", {"420 kernels", "104.6", "108.5", "38 pairs", "99.4", "99.6", "99.3"}},
      {"larger-tile", {"100.6", "103.5", "94.8"}},
      {"longer-ring",
       {"96.3", "97.5", "98.5", "102.9", "103.5", "104.1", "103.9", "104.9", "106.0", "105.3",
        "105.9", "92.8", "-0.1", "60 pairs"}},
      {"tiles-inside",
       {"102.3", "102.8", "103.5", "104.2", "104.9", "105.8", "103.8", "104.1", "104.7", "105.1",
        "105.6", "103.9", "106.0", "104.0", "94.6"}},
      {"beyond-cublas", {"103.4", "103.6", "104.1", "104.2", "89.1 %", "93.1 %", "628 W", "700 W"}},
  };
  for (const auto& [lesson, of_lesson] : drafts) {
    for (const std::string& number : of_lesson) {
      INFO(lesson << ": " << number);
      CHECK(contains(find_lesson(lesson).text, number));
      CHECK(contains(notebook, number));
    }
  }
}

TEST_CASE("lesson 10 names the number of lines of lesson 9's kernel") {
  const Lesson& lesson = find_lesson("double-buffer");
  const std::size_t lines = excerpt(lesson, lesson.kernels.front()).size();
  CHECK(contains(find_lesson("cublas").text, "with " + std::to_string(lines) + " lines"));
}

}  // namespace gemm_tutor
