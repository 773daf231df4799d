#include "documents/compare_report.hpp"

#include <fmt/format.h>

#include "documents/compare_report.hpp"
#include "documents/json.hpp"
#include "documents/sample_ladder.hpp"
#include "view/html.hpp"
#include "view/html_checks.hpp"
#include "view/html_page.hpp"
#include "view/terminal_text.hpp"
#include "view/text_checks.hpp"
#include "view/units.hpp"

using namespace gemm_tutor;

TEST_CASE("a ladder as HTML needs nothing else, is balanced, and has JSON's numbers") {
  const SampleLadder sample = sample_ladder(true);
  const std::string html = html_page(compare_document(sample.ladder));
  check_stands_alone(html);
  const Json json = Json::parse(compare_json(sample.ladder));
  for (const Json& run : json["runs"]) {
    const double ms = run["timing"]["median_ms"];
    CHECK(contains(html, ">" + escaped(duration_text(ms)) + "</td>"));
  }
  CHECK(occurrences(html, "<circle") == 2);  // of the last size
  CHECK(contains(html, "prefers-color-scheme: dark"));
}

TEST_CASE("a kernel without FFMAs and without memory has no ratios of them") {
  SampleLadder sample = sample_ladder(true);
  for (KernelRun& run : sample.ladder.runs) {
    run.emulation->total = {};
    run.emulation->total.instructions[0] = 1;
  }
  const std::string html = html_page(compare_document(sample.ladder));
  check_stands_alone(html);
  const std::string text = terminal_text(compare_document(sample.ladder), {false, true, 80});
  for (const std::string none : {"nan", "inf"}) {
    CHECK_FALSE(contains(html, none + "<"));
    CHECK_FALSE(contains(text, none));
  }
  CHECK_FALSE(contains(html, "<circle"));  // on the roofline
}
