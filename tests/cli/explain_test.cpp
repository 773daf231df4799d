// gemm-tutor explain, by running the program.
#include <algorithm>

#include "catch.hpp"
#include "errors.hpp"
#include "program.hpp"
#include "report/json.hpp"
#include "view/text_checks.hpp"

using namespace gemm_tutor;

TEST_CASE("explain without a word has them all") {
  const ProgramResult text = run_program("explain");
  REQUIRE(text.status == 0);
  CHECK(text.error == "");
  CHECK(widest(text.output) <= 80);
  const Json terms = Json::parse(run_program("explain --format json").output)["terms"];
  CHECK(terms.size() >= 32);
  for (const Json& term : terms) {
    const auto name = term["name"].get<std::string>();
    INFO(name);
    CHECK(contains("\n" + text.output, "\n" + name + " "));
  }
}

TEST_CASE("explain finds a word in any form, and of several words") {
  const std::string warp = run_program("explain warp").output;
  for (const char* arguments : {"explain warps", "explain WARP", "explain -- warp"}) {
    INFO(arguments);
    CHECK(run_program(arguments).output == warp);
  }
  const std::string conflict = run_program("explain bank conflict").output;
  CHECK(run_program("explain 'Bank conflicts'").output == conflict);
  CHECK(run_program("explain bank --color never conflict").output == conflict);
  const Json term = Json::parse(run_program("explain SM --format json").output)["term"];
  CHECK(term["name"] == "streaming multiprocessor");
}

TEST_CASE("explain in ASCII, and in colour") {
  for (const char* command : {"explain", "explain transpose", "explain FLOP"}) {
    CHECK(is_ascii(run_program(command, "LANG=C").output));
    CHECK_FALSE(contains(run_program(command).output, "\033"));
    CHECK(contains(run_program(std::string(command) + " --color always").output, "\033[1m"));
  }
}
