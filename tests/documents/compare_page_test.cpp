#include "documents/compare_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "documents/compare_report.hpp"
#include "documents/json.hpp"
#include "documents/sample_ladder.hpp"
#include "documents/svg_elements.hpp"
#include "support/text.hpp"
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

TEST_CASE("the roofline is high enough for the labels of many slow kernels") {
  SampleLadder sample = sample_ladder(true);
  // All near the lower edge: 0.1 TFLOP/s of 2·1024³ FLOP.
  for (int lesson = 4; lesson < 14; ++lesson) add(sample, lesson, 1024, 21, true);
  sample.ladder.runs.erase(sample.ladder.runs.begin(), sample.ladder.runs.end() - 10);
  const std::string html = html_page(compare_document(sample.ladder));
  const std::size_t begin = html.find("<svg", html.find("The roofline at"));
  const std::string svg = html.substr(begin, html.find("</svg>", begin) + 6 - begin);
  const std::vector<SvgElement> elements = SvgReader(svg).elements();
  const std::vector<std::string> box = split(elements.front().attribute("viewBox"), ' ');
  double lowest = 0;
  for (const SvgElement& element : elements) {
    if (element.name == "text") lowest = std::max(lowest, std::stod(element.attribute("y")));
  }
  CHECK(lowest > 500);  // the drawing without labels
  CHECK(lowest < std::stod(box.at(3)));
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
