#include "pages/compare_page.hpp"

#include <fmt/format.h>

#include "catch.hpp"
#include "report/compare_report.hpp"
#include "report/json.hpp"
#include "report/sample_ladder.hpp"
#include "report/text_checks.hpp"

using namespace gemm_tutor;

TEST_CASE("a ladder as HTML needs nothing else, is balanced, and has JSON's numbers") {
  const SampleLadder sample = sample_ladder(true);
  const std::string html = compare_html(sample.ladder);
  CHECK(html.starts_with("<!DOCTYPE html>"));
  for (const char* outside : {"http", "src=", "<script", "@import", "url("}) {
    INFO(outside);
    CHECK_FALSE(contains(html, outside));
  }
  for (const std::string tag :
       {"html", "body", "figure", "svg", "table", "tr", "td", "text", "h2"}) {
    INFO(tag);
    const auto opened = occurrences(html, "<" + tag + ">") + occurrences(html, "<" + tag + " ");
    CHECK(opened == occurrences(html, "</" + tag + ">"));
    CHECK(opened > 0);
  }
  const Json json = Json::parse(compare_json(sample.ladder));
  for (const Json& run : json["runs"]) {
    const double ms = run["timing"]["median_ms"];
    CHECK(contains(html, fmt::format("<td>{:.3f}</td>", ms)));
  }
  CHECK(occurrences(html, "<circle") == 2);  // of the last size
  CHECK(contains(html, "prefers-color-scheme: dark"));
}
