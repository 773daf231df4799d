#include <fmt/format.h>

#include <regex>
#include <set>
#include <string>
#include <vector>

#include "course/ladder.hpp"
#include "course/recorded.hpp"
#include "course_checks.hpp"
#include "support/text.hpp"

namespace gemm_tutor {
namespace {

std::set<std::string> dates_in(const std::string& text) {
  std::set<std::string> dates;
  const std::regex date("20[0-9]{2}-[0-9]{2}-[0-9]{2}");
  for (std::sregex_iterator found(text.begin(), text.end(), date), end; found != end; ++found) {
    dates.insert(found->str());
  }
  return dates;
}

}  // namespace

TEST_CASE("a text's references become the recorded numbers") {
  CHECK(with_recorded_numbers("{percent double_buffer 4096} in {ms double_buffer 4096}", "x.md") ==
        "97 % in 2.77 ms");
  CHECK(with_recorded_numbers("cuBLAS: {ms cublas 4096}, {tflops cublas 4096}.", "x.md") ==
        "cuBLAS: 2.68 ms, 51.3 TFLOP/s.");
  CHECK(with_recorded_numbers("{peak double_buffer 4096} of peak", "x.md") == "74 % of peak");
  CHECK(with_recorded_numbers("{room cublas 4096}", "x.md") == "1.31");
  CHECK(with_recorded_numbers("{ms naive_uncoalesced 4096}", "x.md") == "276 ms");
  CHECK(with_recorded_numbers("{ms naive_uncoalesced 2048x2048x2047 h100}", "x.md") == "10.5 ms");
  CHECK(with_recorded_numbers("{gain read_ahead async_copy 4096 h100}", "x.md") ==
        "1.2 ± 0.04 points");
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
        "{tflops cublas}", "{ms cublas large}", "{ms cublas 4096x4096}", "{ms cublas 4096x4096xK}",
        "{gain cublas 4096}", "{gain double_buffer triple_buffer 4096}", "{ncu}",
        "{ncu double_buffer}", "{ncu triple_buffer ffma}", "{ncu double_buffer ffmas}"}) {
    INFO(text);
    CHECK_THROWS_WITH(with_recorded_numbers(text, "x.md"), Catch::Contains("x.md: '"));
  }
}

// "| 3 | `shared_memory_tile` | 46.0 % (0.035 ms) | …": a time for each size of the table's head.
TEST_CASE("the table of recorded times has the times of the file, and its date") {
  const std::vector<int> sizes = {512, 1024, 2048, 4096, 8192};
  const std::string page = project_file("docs/results/README.md");
  CHECK(contains(page, "| | kernel | 512 | 1024 | 2048 | 4096 | 8192 |"));
  int rows = 0;
  for (const std::string& line : split_lines(page)) {
    const std::vector<std::string> cells = split(line, '|');
    if (cells.size() < 8 || !contains(cells[3], " ms)") || contains(line, "cuBLAS")) continue;
    const std::string kernel = split(cells[2], '`').at(1);
    ++rows;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const Problem problem{sizes[i], sizes[i], sizes[i]};
      const auto recorded = recorded_timing(kernel, problem, "NVIDIA H200");
      INFO(kernel << " at " << sizes[i]);
      REQUIRE(recorded);
      CHECK(contains(page, "Driver " + recorded->driver + ", " + recorded->date));
      const int decimals = recorded->median_ms < 10 ? 3 : 1;
      CHECK(cells[3 + i] ==
            fmt::format(" {:.1f} % · {:.1f} % ({:.{}f} ms) ", *recorded->percent_of_cublas,
                        *time_of(*recorded).percent_of_peak, recorded->median_ms, decimals));
    }
  }
  CHECK(rows > 20);
}

TEST_CASE("the table of recorded times has cuBLAS's share of the peak at each size") {
  const std::string page = project_file("docs/results/README.md");
  std::string row = "\n| 10 | cuBLAS, of the peak |";
  for (const int size : {512, 1024, 2048, 4096, 8192}) {
    const RecordedTiming recorded = *recorded_cublas_timing({size, size, size}, "NVIDIA H200");
    row += fmt::format(" {:.1f} % ({:.{}f} ms) |", *time_of(recorded).percent_of_peak,
                       recorded.median_ms, recorded.median_ms < 10 ? 3 : 1);
  }
  INFO(row);
  CHECK(contains(page, row + "\n"));
}

TEST_CASE("the page of results has the dates of what the profiler counted") {
  const std::string page = project_file("docs/results/README.md");
  const std::string from = page.substr(page.find("Nsight Compute counted the kernels"));
  const std::string counts = project_file("tests/course/h200_counters.csv");
  CHECK(dates_in(from.substr(0, from.find("\n\n"))) ==
        dates_in(counts.substr(0, counts.find("\nkernel,"))));
}

TEST_CASE("the table of sources repeats no digits of the profile, which the texts refer to") {
  const std::string sources = project_file("docs/results/sources.md");
  for (const std::string& line : split_lines(sources)) {
    const std::vector<std::string> cells = split(line, '|');
    if (cells.size() < 4 || !contains(cells[3], "profiled at 2048")) continue;
    INFO(line);
    CHECK_FALSE(std::regex_search(cells[1], std::regex("[0-9][.][0-9]")));
  }
}

}  // namespace gemm_tutor
