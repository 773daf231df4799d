// gemm-tutor lesson --html, good and bad, by running the program.
#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "errors.hpp"
#include "report/json.hpp"
#include "support/file.hpp"
#include "temporary_directory.hpp"
#include "view/html_checks.hpp"

using namespace gemm_tutor;

namespace {

const std::string quick = " --size 64 --backend emulator";

std::string page_in(const TemporaryDirectory& directory) {
  return (directory.path() / "lesson.html").string();
}

}  // namespace

TEST_CASE("lesson --html: a page beside the report, whose numbers are JSON's") {
  const TemporaryDirectory directory;
  const std::string path = page_in(directory);
  const ProgramResult result = run_program("lesson 3 --format json --html '" + path + "'" + quick);
  INFO(result.error);
  REQUIRE(result.status == 0);
  CHECK(result.error == "");
  const std::string html = read_file(path).value();
  CHECK(contains(html, "<h1>A tile in shared memory</h1>"));
  CHECK(contains(html, "<code>gemm-tutor exercise start 3</code>"));
  CHECK(contains(html, "The next lesson is 4"));
  CHECK_FALSE(contains(html, directory.path().string()));
  const Json traffic = Json::parse(result.output)["traffic"];
  for (const char* kind : {"predicted", "counted"}) {
    for (const char* floats : {"load_floats", "store_floats"}) {
      const auto count = traffic[kind][floats].get<std::int64_t>();
      CHECK(contains(html, "<td>" + with_thousands(count) + "</td>"));
    }
  }
  const ProgramResult text = run_program("lesson 3 --html '" + path + "'" + quick);
  CHECK(contains(text.output, "A tile in shared memory"));
}

TEST_CASE("lesson --html: the kernel that was asked for, with the others named") {
  const TemporaryDirectory directory;
  const std::string path = page_in(directory);
  REQUIRE(run_program("lesson 8 --kernel padded_tiles --set PAD=3 --html '" + path + "'" + quick)
              .status == 0);
  const std::string html = read_file(path).value();
  CHECK(contains(html, "<p><code>padded_tiles</code>: "));
  CHECK(contains(html, "gemm-tutor lesson 8 --kernel conflict_free_reads"));
  CHECK(contains(text_of_html(html), "padded_tiles<32, 32, 16, 2, 2, 3"));  // as it was launched
}

TEST_CASE("lesson --html: the CPU's and the library's lesson have a page, too") {
  const TemporaryDirectory directory;
  const std::string path = page_in(directory);
  for (const char* number : {"0", "10"}) {
    INFO(number);
    REQUIRE(
        run_program(std::string("lesson ") + number + " --size 64 --html '" + path + "'").status ==
        0);
    const std::string html = read_file(path).value();
    CHECK(contains(html, std::string("<p class=\"number\">Lesson ") + number + "</p>"));
    CHECK(contains(html, "Predict before you run"));
    CHECK_FALSE(contains(html, "What a warp asks of memory"));
  }
}

TEST_CASE("lesson: the chapters beside the lessons, as text and as pages") {
  const TemporaryDirectory directory;
  const std::string path = page_in(directory);
  for (const auto& [name, title] : {std::pair{"machine", "The machine and the program"},
                                    std::pair{"profiler", "The lessons in Nsight Compute"}}) {
    const std::string command = fmt::format("lesson {}", name);
    const ProgramResult result = run_program(command + " --html '" + path + "'");
    CHECK(result.status == 0);
    CHECK(result.error == "");
    CHECK(result.output.starts_with(title));
    CHECK(contains(read_file(path).value(), fmt::format("<h1>{}</h1>", title)));
    check_error(run_program(command + " --format json"), 2, {command, "has no JSON", "--format"});
  }
}
