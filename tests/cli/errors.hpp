// What a bad command line must say.
#pragma once

#include <string>
#include <vector>

#include "catch.hpp"
#include "program.hpp"
#include "support/text.hpp"
#include "view/text_checks.hpp"

namespace gemm_tutor {

// An error: its exit status, nothing on standard output, one line of what and one of what to do.
inline void check_error(const ProgramResult& result, int status,
                        const std::vector<std::string>& parts) {
  CHECK(result.status == status);
  CHECK(result.output == "");
  INFO("standard error:\n" << result.error);
  const std::vector<std::string> lines = split_lines(result.error);
  REQUIRE(lines.size() == 2);
  CHECK(lines[0].starts_with("error: "));
  CHECK(lines[1].starts_with("help: "));
  CHECK(lines[1].size() > std::string("help: ").size());
  for (const std::string& part : parts) {
    INFO("expected: " << part);
    CHECK(contains(result.error, part));
  }
}

struct BadCommand {
  std::string arguments;
  std::vector<std::string> named;  // what the error must name
};

}  // namespace gemm_tutor
