// What a lesson's drawings say is so, at any size, and follows the settings.
#include "report/concept_diagrams.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "catch.hpp"
#include "support/text.hpp"
#include "svg_elements.hpp"
#include "trace/traces.hpp"
#include "view/style.hpp"
#include "view/text_checks.hpp"

using namespace gemm_tutor;

namespace {

const Kernel& own_kernel(const char* lesson) { return find_lesson(lesson).kernels.front(); }

Settings settings_with(const Kernel& kernel, const std::vector<std::string>& assignments) {
  Settings settings = kernel.settings;
  for (const std::string& assignment : assignments) apply_setting(settings, assignment);
  return settings;
}

Diagram diagram_of_owners(const char* lesson, KernelDrawing::Of of, const Settings& settings) {
  const Kernel& kernel = own_kernel(lesson);
  const RunOptions options = emulated({300, 300, 300});
  const auto trace = trace_of_owners({find_lesson(lesson), kernel, settings}, options);
  REQUIRE(trace);
  return owners_diagram({.of = of}, *trace);
}

}  // namespace

TEST_CASE("every lesson has a drawing, none wider than 80 columns, and all are well-formed",
          "[long]") {
  const Problem problem =
      GENERATE(Problem{1, 1, 1}, Problem{70, 45, 33}, Problem{4096, 8192, 8192});
  for (const Lesson& lesson : lessons()) {
    INFO(lesson.title);
    const Kernel& kernel = lesson.kernels.front();
    const RunOptions options = emulated(problem);
    const std::vector<DrawnConcept> drawn =
        drawn_concepts({kernel, kernel.settings, problem},
                       trace_of_owners({lesson, kernel, kernel.settings}, options));
    CHECK_FALSE(drawn.empty());
    for (const DrawnConcept& one : drawn) {
      CHECK(one.diagram.columns() <= most_diagram_columns);
      for (const std::string& row : diagram_rows(one.diagram)) CHECK(columns(row) <= 76);
      CHECK_NOTHROW(elements_of(concept_picture(one).svg));
      CHECK_FALSE(one.diagram.words.empty());
      CHECK(contains(diagram_svg(one.diagram), "<desc>"));
    }
  }
}

TEST_CASE("the tiles drawn are those of the settings") {
  const Kernel& kernel = own_kernel("6");
  const auto drawn = [&](const std::vector<std::string>& assignments) {
    const Settings settings = settings_with(kernel, assignments);
    return tiles_diagram({}, {kernel, settings, {1024, 1024, 1024}});
  };
  const Diagram large = drawn({"BM=128", "BN=128", "BK=8"}),
                small = drawn({"BM=64", "BN=128", "BK=16"});
  CHECK(contains(large.words, "C is cut in 8×8 tiles"));
  CHECK(contains(large.words, "128×128, in 128 steps along K"));
  CHECK(contains(small.words, "C is cut in 16×8 tiles"));
  CHECK(
      contains(small.words, "64×128, in 64 steps along K. Each needs 64×16 of A and 16×128 of B."));
  CHECK(large.rows() > small.rows());  // a lower tile is drawn lower
}

TEST_CASE("a terminal without Unicode shows the same columns") {
  const Kernel& kernel = own_kernel("5");
  const Diagram diagram = tiles_diagram({}, {kernel, kernel.settings, {4096, 4096, 4096}});
  for (const std::string& row : diagram_rows(diagram)) {
    CHECK(columns(to_ascii_in_columns(row)) == columns(row));
  }
}

TEST_CASE("tiles that a size cuts are drawn narrower, and said") {
  const Kernel& kernel = own_kernel("5");
  const Diagram cut = tiles_diagram({}, {kernel, kernel.settings, {300, 42, 300}});
  CHECK(contains(cut.words, "The last tiles of C have 12 rows and 10 columns."));
  CHECK(contains(cut.words, "The last step is 12 deep."));
  CHECK(contains(cut.words, "C is cut in 10×2 tiles"));
  const Diagram whole = tiles_diagram({}, {kernel, kernel.settings, {320, 64, 320}});
  CHECK_FALSE(contains(whole.words, "last"));
  CHECK(cut.columns() < whole.columns());
}

TEST_CASE("the sums of the chapter about their order are numbered as its loops visit them") {
  const Kernel& kernel = own_kernel("order-of-sums");
  const Settings settings = settings_with(kernel, {"BM=64", "BK=16", "TM=4"});
  const DrawnKernel drawn{kernel, settings, {256, 256, 256}};
  std::vector<std::string> expected, labels;
  for (int i = 0, number = 0; i < 4; ++i) {
    std::vector<std::string> row(8);
    for (int n = 0; n < 8; ++n) row[i % 2 == 0 ? n : 7 - n] = std::to_string(number++);
    expected.insert(expected.end(), row.begin(), row.end());
  }
  const auto is_product = [](const DiagramBox& box) { return box.x > 0 && box.y > 0; };
  for (const DiagramBox& box : outer_product_diagram(kernel.drawings.front(), drawn).boxes) {
    if (is_product(box)) labels.push_back(box.label);
  }
  CHECK(labels == expected);
}

TEST_CASE("in a timeline a buffer holds one step at a time, which is computed after its load") {
  const Kernel& kernel = own_kernel("12");
  const int stages = GENERATE(1, 2, 4);
  const KernelDrawing drawing{.stages = std::to_string(stages), .depth = "4"};
  const Diagram diagram = timeline_diagram(drawing, {kernel, kernel.settings, {512, 512, 512}});
  for (int stage = 0; stage < stages; ++stage) {
    double end = 0;
    std::vector<std::string> labels;
    for (const DiagramBox& box : diagram.boxes) {
      if (!box.framed || box.y != 1 + 2 * stage) continue;
      CHECK(box.x >= end);
      end = box.x + box.width;
      labels.push_back(box.label);
    }
    REQUIRE(labels.size() >= 2);
    CHECK(labels[0] == fmt::format("load {}", stage));
    CHECK(labels[1] == fmt::format("compute {}", stage));
    if (labels.size() > 2) CHECK(labels[2] == fmt::format("load {}", stage + stages));
  }
  CHECK(contains(diagram.words, "128 steps along K, 4 deep"));
}

TEST_CASE("the shares of a tile cover all of its steps") {
  const Kernel& kernel = own_kernel("14");
  const Diagram diagram = shares_diagram({kernel, kernel.settings, {4096, 4096, 4096}});
  double end = 0, row = -1;
  int tiles = 0;
  for (const DiagramBox& box : diagram.boxes) {
    if (box.y != row) {
      if (row >= 0) CHECK(end == 71);
      row = box.y;
      end = 11;
      ++tiles;
    }
    CHECK(box.x == end);
    end = box.x + box.width;
  }
  CHECK(end == 71);
  CHECK(tiles == 6);
  CHECK(contains(diagram.words, "512 tiles and 132 blocks. In the first 3 waves"));
  CHECK(contains(diagram.words, "116 tiles × 342 steps are left"));
}

TEST_CASE("the four pieces of a thread are where the kernel stores them") {
  const Settings& usual = own_kernel("8").settings;
  const Diagram diagram = diagram_of_owners("8", KernelDrawing::Of::owners, usual);
  CHECK(contains(diagram.words, "Thread 0 (0, 0): rows 0–3 and 64–67, columns 0–3 and 64–67."));
  CHECK(contains(diagram.words,
                 "Thread 255 (15, 15): rows 60–63 and 124–127, columns 60–63 and 124–127."));
  const Diagram small =
      diagram_of_owners("8", KernelDrawing::Of::owners, settings_with(own_kernel("8"), {"BM=64"}));
  CHECK(contains(small.words, "Thread 127 (15, 7): rows 28–31 and 60–63,"));
}

TEST_CASE("a warp's lanes are along a column in lesson 1, and along a row in lesson 2") {
  const auto words = [](const char* lesson) {
    return diagram_of_owners(lesson, KernelDrawing::Of::elements, {}).words;
  };
  CHECK(contains(words("1"), "its lanes have rows 0–31, column 0."));
  CHECK(contains(words("2"), "its lanes have row 0, columns 0–31."));
}

TEST_CASE("who copies a tile is drawn of the matrix that is named") {
  const auto trace = [] {
    const RunOptions options = emulated({256, 256, 64});
    return trace_of_owners({find_lesson("7"), own_kernel("7"), own_kernel("7").settings}, options);
  }();
  const auto words = [&](char matrix) {
    return owners_diagram({.of = KernelDrawing::Of::lanes, .matrix = matrix}, *trace).words;
  };
  CHECK(contains(words('A'), "rows 0–15, columns 0–7"));
  CHECK(contains(words('A'), "lane 1 has row 0, columns 4–7"));
  CHECK(contains(words('B'), "row 0, columns 0–127"));
}
