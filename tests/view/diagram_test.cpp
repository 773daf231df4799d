#include "view/document.hpp"

#include "catch.hpp"

using namespace gemm_tutor;

namespace {

using Rows = std::vector<std::string>;

}  // namespace

TEST_CASE("lines that touch are joined, and a label is in the middle of its box") {
  Diagram diagram;
  diagram.boxes = {{0, 0, 4, 2, "1"}, {4, 0, 4, 2, "2"}, {4, 2, 4, 2, "long"}};
  CHECK(diagram_rows(diagram) ==
        Rows{"┌───┬───┐", "│ 1 │ 2 │", "└───┼───┤", "    │   │", "    └───┘"});
}

TEST_CASE("a box without a line fills all squares that it touches") {
  Diagram diagram;
  diagram.cells(0.5, 0, 2, 1.5, 0, "", "x");
  diagram.cells(4, 1, 3, 1, 0, "7");
  diagram.texts = {{6, 0, "ab", Align::right}};
  CHECK(diagram_rows(diagram) == Rows{"xxx ab", "xxx  7"});
  CHECK(diagram.columns() == 7);
}

TEST_CASE("a note is broken, and says where it ends") {
  Diagram diagram;
  CHECK(diagram.note(1, 2, 9, "one two three") == 4);
  CHECK(diagram_rows(diagram) == Rows{"", "", " one two", " three"});
}
