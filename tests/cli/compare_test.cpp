// gemm-tutor compare, good and bad, by running the program.
#include <cstdlib>
#include <filesystem>

#include "errors.hpp"
#include "report/json.hpp"
#include "support/file.hpp"
#include "support/text.hpp"
#include "temporary_directory.hpp"

using namespace gemm_tutor;

namespace {

const std::string quick = " --size 40,64 --backend emulator";

}  // namespace

TEST_CASE("compare: a table, JSON, CSV and HTML of the same runs") {
  const TemporaryDirectory directory;
  const std::string csv = (directory.path() / "ladder.csv").string();
  const std::string html = (directory.path() / "ladder.html").string();
  const ProgramResult text = run_program("compare 2 shared-memory-tile" + quick);
  INFO(text.error);
  CHECK(text.status == 0);
  CHECK(text.error == "");  // no progress where there is no terminal
  CHECK(widest(text.output) <= 80);

  const ProgramResult result =
      run_program("compare 2 3 --format json --csv '" + csv + "' --html '" + html + "'" + quick);
  REQUIRE(result.status == 0);
  const Json json = Json::parse(result.output);
  REQUIRE(json["runs"].size() == 4);
  const std::vector<std::string> lines = split_lines(read_file(csv).value());
  CHECK(lines.size() == 5);
  for (std::size_t i = 0; i < 4; ++i) {
    const Json& run = json["runs"][i];
    CHECK(lines[i + 1].starts_with(std::to_string(run["lesson"]["number"].get<int>()) + "," +
                                   run["lesson"]["kernel"].get<std::string>() + "," +
                                   std::to_string(run["problem"]["m"].get<int>()) + ","));
    const std::string loads =
        with_thousands(run["traffic"]["counted"]["load_floats"].get<std::int64_t>());
    CHECK(contains(read_file(html).value(), "<td class=\"right\">" + loads + "</td>"));
  }
}

TEST_CASE("compare: a browser shows the page without a word on its console") {
  if (std::system("command -v chromium >/dev/null") != 0) SKIP_BECAUSE("there is no chromium");
  const TemporaryDirectory directory;
  const std::string html = (directory.path() / "ladder.html").string();
  const ProgramResult result =
      run_program("compare 2 3 --format json --html '" + html + "'" + quick);
  REQUIRE(result.status == 0);
  const std::string shown = (directory.path() / "shown").string();
  const std::string log = (directory.path() / "log").string();
  const std::string command =
      "timeout 60 chromium --headless --no-sandbox --disable-gpu --enable-logging=stderr "
      "--user-data-dir='" +
      directory.path().string() + "' --dump-dom 'file://" + html + "' >'" + shown + "' 2>'" + log +
      "'";
  REQUIRE(std::system(command.c_str()) == 0);
  CHECK_FALSE(contains(read_file(log).value(), "CONSOLE"));
  const std::string page = read_file(shown).value();
  const Json json = Json::parse(result.output);
  for (const Json& run : json["runs"]) {
    const std::string loads =
        with_thousands(run["traffic"]["counted"]["load_floats"].get<std::int64_t>());
    CHECK(contains(page, "<td class=\"right\">" + loads + "</td>"));
  }
}
