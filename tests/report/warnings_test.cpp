#include <fmt/format.h>

#include "catch.hpp"
#include "report/run_sections.hpp"
#include "view/terminal_text.hpp"
#include "view/text_checks.hpp"

using namespace gemm_tutor;

TEST_CASE("warnings are a section with the lines that they are about, the first few") {
  const auto text_of = [](const std::vector<simt::CompilerWarning>& warnings) {
    return terminal_text({.parts = {warnings_section(warnings)}}, {false, true, 40});
  };
  CHECK(text_of({}).empty());
  std::vector<simt::CompilerWarning> warnings;
  for (int line = 1; line < 7; ++line) {
    warnings.push_back({line, "no", fmt::format("k.cu({}): warning: no\n  int x;\n      ^", line)});
  }
  const std::string text = text_of(warnings);
  INFO(text);
  CHECK(contains(text,
                 "Warnings ! k.cu(1): warning: no\n"
                 "             int x;\n"
                 "                 ^\n"
                 "         ! k.cu(2): warning: no\n"));
  CHECK(contains(text, "           and 2 more\n"));
  CHECK_FALSE(contains(text, "k.cu(5)"));
}
