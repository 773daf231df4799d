#include "report/compare_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "report/json.hpp"
#include "report/ladder_svg.hpp"
#include "report/sample_ladder.hpp"
#include "report/svg_elements.hpp"
#include "support/text.hpp"
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

TEST_CASE("the picture of the factors has a mark for each lesson, at its two factors") {
  SampleLadder sample = sample_ladder(true);
  Ladder& ladder = sample.ladder;
  for (LessonRun& run : ladder.runs) {
    run.gpu = ladder.gpu;
    auto& executed = run.emulation->total.machine;
    executed = {};
    const double ffmas = run.problem.flops() / 64;
    executed[static_cast<std::size_t>(simt::InstructionKind::ffma)] =
        static_cast<std::uint64_t>(ffmas);
    executed[static_cast<std::size_t>(simt::InstructionKind::shared_load)] =
        static_cast<std::uint64_t>(run.lesson->number == 2 ? 3 * ffmas : ffmas);
  }
  const Problem& problem = ladder.runs.back().problem;
  const std::string svg = speed_picture(ladder, problem).svg;
  INFO(svg);
  std::vector<std::pair<double, double>> marks;
  std::vector<std::string> labels;
  std::map<std::string, double> across, up;  // of the axes' numbers
  for (const SvgElement& element : elements_of(svg)) {
    const auto number = [&](const char* of) { return std::stod(element.attribute(of)); };
    if (element.name == "circle") marks.emplace_back(number("cx"), number("cy"));
    if (element.name != "text") continue;
    labels.push_back(element.text);
    if (!element.text.ends_with("0 %")) continue;
    const bool is_across = element.attribute("text-anchor") == "middle";
    (is_across ? across : up)[element.text] = number(is_across ? "x" : "y");
  }
  REQUIRE(marks.size() == 2);
  // "20 %" is written 4 below its line.
  const double unit = (across.at("100 %") - across.at("0 %")) / 100;
  const double unit_up = (up.at("0 %") - up.at("100 %")) / 100;
  for (const LessonRun& run : ladder.runs) {
    if (run.problem != problem) continue;
    const SpeedFactors factors = *speed_factors(run, *time_of(run));
    const double x = across.at("0 %") + unit * 100 * factors.ffma_share;
    const double y = up.at("0 %") - 4 - unit_up * 100 * factors.issue_rate;
    INFO(run.lesson->number_text() << " at " << x << ", " << y);
    CHECK(std::ranges::count_if(marks, [&](const auto& mark) {
            return std::abs(mark.first - x) < 0.2 && std::abs(mark.second - y) < 0.2;
          }) == 1);
    const std::string label = run.lesson->number_text() + " " + run.kernel->name;
    CHECK(std::ranges::count(labels, label) == 1);
  }
}

TEST_CASE("the bars have percent of the peak beside percent of cuBLAS") {
  const SampleLadder sample = sample_ladder(false);
  const Problem& problem = sample.ladder.runs.back().problem;
  const std::string svg = bars_picture(sample.ladder, problem).svg;
  for (const LessonRun& run : sample.ladder.runs) {
    if (run.problem != problem) continue;
    const LadderTime time = *time_of(run);
    CHECK(contains(
        svg, fmt::format(">{:.1f} % · {:.1f} %<", *time.percent_of_cublas, *time.percent_of_peak)));
  }
}

TEST_CASE("a kernel without FFMAs and without memory has no ratios of them") {
  SampleLadder sample = sample_ladder(true);
  for (LessonRun& run : sample.ladder.runs) {
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
