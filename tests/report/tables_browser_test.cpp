// Pages of tables in a browser: no column is lost, on a screen or on paper.
#include <fmt/format.h>

#include <cstdlib>

#include "catch.hpp"
#include "report/compare_report.hpp"
#include "report/grade_report.hpp"
#include "report/sample_gradebook.hpp"
#include "report/sample_ladder.hpp"
#include "support/file.hpp"
#include "temporary_directory.hpp"
#include "view/html_page.hpp"

using namespace gemm_tutor;

namespace {

// Five kernels with names as long as the longest of the course's at four sizes, all columns filled.
std::string wide_comparison() {
  SampleLadder sample = sample_ladder(true);
  for (const int size : {4096, 8192}) {
    for (const int lesson : {2, 3, 4, 5, 6}) add(sample, lesson, size, 0.002 * size, true);
  }
  Kernel kernel = *sample.ladder.runs.front().kernel;
  kernel.name = "double_buffer_in_shared";
  for (LessonRun& run : sample.ladder.runs) {
    run.kernel = &kernel;
    run.traffic.counted_loads = 137'438'953'472;
  }
  return html_page(compare_document(sample.ladder));
}

std::string wide_gradebook() {
  SampleGradebook sample({"ada", "bartholomew-montgomery-the-third", std::string(60, 'x')}, 12);
  std::string reason;
  for (int i = 0; i < 20; ++i) reason += "right at 0 of 5 sizes; wrong at 256×128×64: ";
  for (Grade& grade : sample.book.grades) grade.mark.reason = reason + std::string(90, 'y');
  return html_page(grade_document(sample.book, true));
}

}  // namespace

TEST_CASE("a browser shows and prints all columns of the comparison and of the grades",
          "[nightly]") {
  if (std::system("command -v chromium >/dev/null") != 0) SKIP_BECAUSE("there is no chromium");
  if (std::system("command -v python3 >/dev/null") != 0) SKIP_BECAUSE("there is no python3");
  const TemporaryDirectory directory;
  const auto ladder = directory.path() / "ladder.html", grades = directory.path() / "grades.html";
  REQUIRE(write_file_atomically(ladder, wide_comparison()));
  REQUIRE(write_file_atomically(grades, wide_gradebook()));
  const std::string command =
      fmt::format("python3 -B '{}/tests/report/tables_browser_test.py' '{}' '{}'",
                  PROJECT_SOURCE_DIR, ladder.string(), grades.string());
  CHECK(std::system(command.c_str()) == 0);
}
