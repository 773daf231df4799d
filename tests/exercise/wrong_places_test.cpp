// Sets of wrong elements made by a rule, and what is said of them.
#include "exercise/wrong_places.hpp"

#include <functional>

#include "catch.hpp"
#include "gemm/matrices.hpp"

namespace gemm_tutor {
namespace {

LaunchShape tiles_of(int rows, int columns, int thread_rows = 1, int thread_columns = 1) {
  LaunchShape shape;
  shape.tile_rows = rows;
  shape.tile_columns = columns;
  shape.tile_depth = 8;
  shape.block = {static_cast<std::uint32_t>(columns / thread_columns),
                 static_cast<std::uint32_t>(rows / thread_rows)};
  return shape;
}

using WrongAt = std::function<bool(int row, int column)>;

WrongPlaces places_where(int m, int n, const LaunchShape& shape, const WrongAt& wrong,
                         ElementState state = ElementState::wrong) {
  WrongPlaces places{{m, n, 8}, shape, {}};
  for (int row = 0; row < m; ++row) {
    for (int column = 0; column < n; ++column) {
      places.states.push_back(wrong(row, column) ? state : ElementState::right);
    }
  }
  return places;
}

struct Case {
  std::string words;
  WrongAt wrong;
};

// C of 67×66 in tiles of 32×16, where a thread computes 4×2.
const std::vector<Case> cases = {
    {"all of C", [](int, int) { return true; }},
    {"C[3][4] alone", [](int r, int c) { return r == 3 && c == 4; }},
    {"row 5", [](int r, int) { return r == 5; }},
    {"row 66, the last", [](int r, int) { return r == 66; }},
    {"rows 64 to 66, which are beyond the last whole tile", [](int r, int) { return r >= 64; }},
    {"columns 64 and 65, which are beyond the last whole tile", [](int, int c) { return c >= 64; }},
    {"rows 64 to 66 of columns 64 and 65, the corner beyond the last whole tiles",
     [](int r, int c) { return r >= 64 && c >= 64; }},
    {"rows 64 to 66 and columns 64 and 65, which are beyond the last whole tiles",
     [](int r, int c) { return r >= 64 || c >= 64; }},
    {"rows 0 to 63, all whole tiles'", [](int r, int) { return r < 64; }},
    {"rows 32 to 66, all but the first tile's", [](int r, int) { return r >= 32; }},
    {"rows 0 to 31, the first tile's", [](int r, int) { return r < 32; }},
    {"rows 3 to 9", [](int r, int) { return r >= 3 && r < 10; }},
    {"rows 3 to 9 of columns 20 to 29",
     [](int r, int c) { return r >= 3 && r < 10 && c >= 20 && c < 30; }},
    {"rows 1, 17 and 40", [](int r, int) { return r == 1 || r == 17 || r == 40; }},
    {"every second column, from column 1", [](int, int c) { return c % 2 == 1; }},
    {"every third row, from row 0", [](int r, int) { return r % 3 == 0; }},
    {"every 32nd row, from row 0", [](int r, int) { return r % 32 == 0; }},
    {"every second row from row 0, in every second column from column 1",
     [](int r, int c) { return r % 2 == 0 && c % 2 == 1; }},
    {"rows 2 and 3 of every 4, as many as a thread has", [](int r, int) { return r % 4 >= 2; }},
    {"columns 1 to 3 of every 6", [](int, int c) { return c % 6 >= 1 && c % 6 < 4; }},
    {"rows 16 to 31 of every tile of 32", [](int r, int) { return r % 32 >= 16; }},
    {"the lower right quarter of every tile of 32×16",
     [](int r, int c) { return r % 32 >= 16 && c % 16 >= 8; }},
    {"rows 0 to 15 of columns 3 to 5 of every tile of 32×16",
     [](int r, int c) { return r % 32 < 16 && c % 16 >= 3 && c % 16 < 6; }},
    {"all rows but row 0", [](int r, int) { return r != 0; }},
    {"all rows but row 0, in all columns but column 0",
     [](int r, int c) { return r != 0 && c != 0; }},
    {"row 0 and column 0", [](int r, int c) { return r == 0 || c == 0; }},
    {"all but C[0][0]", [](int r, int c) { return r != 0 || c != 0; }},
    {"all but the first tile", [](int r, int c) { return r >= 32 || c >= 16; }},
    {"the first tile", [](int r, int c) { return r < 32 && c < 16; }},
    {"the tile of rows 32 to 63 and columns 16 to 31",
     [](int r, int c) { return r / 32 == 1 && c / 16 == 1; }},
    {"the diagonal", [](int r, int c) { return r == c; }},
    {"all but the diagonal", [](int r, int c) { return r != c; }},
    {"all above the diagonal", [](int r, int c) { return r < c; }},
    {"the diagonal and all below it", [](int r, int c) { return r >= c; }},
    {"every second element, as on a chessboard, from C[0][1]",
     [](int r, int c) { return (r + c) % 2 == 1; }},
    {"every second tile, as on a chessboard, from the first",
     [](int r, int c) { return (r / 32 + c / 16) % 2 == 0; }},
    {"all tiles but those on the diagonal", [](int r, int c) { return r / 32 != c / 16; }},
    {"the tiles below the diagonal", [](int r, int c) { return r / 32 > c / 16; }},
    {"all but the diagonal of every tile of 32×16", [](int r, int c) { return r % 32 != c % 16; }},
    {"all that blocks (1, 0) and (0, 2) compute",
     [](int r, int c) { return (r / 32 == 0 && c / 16 == 1) || (r / 32 == 2 && c / 16 == 0); }},
    {"4 of the 15 tiles, wholly",
     [](int r, int c) {
       const int tile = r / 32 * 5 + c / 16;
       return tile == 1 || tile == 4 || tile == 7 || tile == 10;
     }},
    {"the same 3 elements of every tile of 32×16",
     [](int r, int c) {
       const int at = r % 32 * 16 + c % 16;
       return at == 0 || at == 17 || at == 5;
     }},
    {"all elements from C[40][7] to the last, row by row",
     [](int r, int c) { return r > 40 || (r == 40 && c >= 7); }},
    {"all elements from the first to C[20][60], row by row",
     [](int r, int c) { return r < 20 || (r == 20 && c <= 60); }},
};

}  // namespace

TEST_CASE("what is said of the wrong elements") {
  for (const Case& example : cases) {
    CHECK(describe_places(places_where(67, 66, tiles_of(32, 16, 4, 2), example.wrong)) ==
          example.words);
  }
}

TEST_CASE("the same where M and N are whole tiles") {
  const auto words = [](const WrongAt& wrong) {
    return describe_places(places_where(64, 64, tiles_of(32, 32), wrong));
  };
  CHECK(words([](int, int) { return true; }) == "all of C");
  CHECK(words([](int r, int) { return r >= 32; }) == "rows 32 to 63, the last tile's");
  CHECK(words([](int r, int) { return r < 32; }) == "rows 0 to 31, the first tile's");
  CHECK(words([](int r, int) { return r % 32 < 16; }) == "rows 0 to 15 of every tile of 32");
  CHECK(words([](int, int c) { return c == 63; }) == "column 63, the last");
  CHECK(words([](int r, int c) { return r / 32 == c / 32; }) == "the tiles on the diagonal");
}

TEST_CASE("edges of one row or column, and a matrix of one") {
  const auto words = [](int m, int n, const WrongAt& wrong) {
    return describe_places(places_where(m, n, tiles_of(32, 32), wrong));
  };
  CHECK(words(33, 33, [](int r, int) { return r == 32; }) ==
        "row 32, which is beyond the last whole tile");
  CHECK(words(33, 33, [](int r, int) { return r < 32; }) == "rows 0 to 31, the only whole tile's");
  CHECK(words(33, 33, [](int r, int) { return r > 0; }) == "all rows but row 0");
  CHECK(words(1, 1, [](int, int) { return true; }) == "all of C");
  CHECK(words(1, 9, [](int, int c) { return c == 4; }) == "C[0][4] alone");
  CHECK(words(7, 1, [](int, int) { return true; }) == "all of C");
}

TEST_CASE("blocks are named as the kernel has them, with x along the rows where that is so") {
  LaunchShape shape = tiles_of(32, 16);
  shape.grid_x_along_rows = true;
  const WrongPlaces places = places_where(67, 66, shape, [](int r, int c) {
    return (r / 32 == 0 && c / 16 == 1) || (r / 32 == 2 && c / 16 == 0);
  });
  CHECK(describe_places(places) == "all that blocks (0, 1) and (2, 0) compute");
}

TEST_CASE("what a thread has is not said of threads in a line") {
  LaunchShape shape = tiles_of(64, 64);
  const auto words = [&] {
    return describe_places(places_where(128, 128, shape, [](int r, int) { return r % 4 == 0; }));
  };
  const auto in_pairs = [&] {
    return describe_places(places_where(128, 128, shape, [](int r, int) { return r % 4 < 2; }));
  };
  shape.block = {16, 16};
  CHECK(words() == "every 4th row, from row 0");
  CHECK(in_pairs() == "rows 0 and 1 of every 4, as many as a thread has");
  shape.block = {256, 1};
  CHECK(in_pairs() == "rows 0 and 1 of every 4");
}

TEST_CASE("a few that are right by chance are counted, not passed over") {
  const auto words = [](const WrongAt& wrong) {
    return describe_places(places_where(64, 64, tiles_of(32, 32), wrong));
  };
  const auto chance = [](int r, int c) { return (r == 7 && c == 9) || (r == 40 && c == 33); };
  CHECK(words([&](int r, int c) { return !chance(r, c); }) == "all of C, but for 2 elements");
  CHECK(words([&](int r, int c) { return r < 32 && !chance(r, c); }) ==
        "rows 0 to 31, the first tile's, but for one element");
  CHECK(words([&](int r, int c) { return r != c && !chance(r, c); }) ==
        "all but the diagonal, but for 2 elements");
}

TEST_CASE("what follows no rule is counted, with where it lies") {
  const RandomSequence random(1, 1);
  const auto chance = [&](int r, int c) {
    return random[static_cast<std::uint64_t>(r * 67 + c)] % 2 == 0;
  };
  const auto words = [&](const WrongAt& wrong) {
    return describe_places(places_where(67, 67, tiles_of(32, 32), wrong));
  };
  const auto count = [&](int rows, int columns) {
    int wrong = 0;
    for (int r = 67 - rows; r < 67; ++r) {
      for (int c = 67 - columns; c < 67; ++c) wrong += chance(r, c);
    }
    return std::to_string(wrong);
  };
  CHECK(words([&](int r, int c) { return r >= 64 && chance(r, c); }) ==
        count(3, 67) +
            " of 4,489 elements, scattered over rows 64 to 66, which are beyond the last whole "
            "tile");
  const std::string all = words(chance);
  CHECK(all.ends_with(" of 4,489 elements, scattered"));
}

TEST_CASE("the map has a character for what is right, wrong, both, and never written") {
  const LaunchShape shape = tiles_of(16, 16);
  CHECK(draw_wrong(places_where(2, 3, shape, [](int r, int c) { return r == c; })).lines ==
        std::vector<std::string>{"x..", ".x."});
  CHECK(draw_wrong(places_where(
                       2, 3, shape, [](int, int c) { return c == 2; }, ElementState::unwritten))
            .lines == std::vector<std::string>{"..?", "..?"});

  const DownsampledGrid large =
      draw_wrong(places_where(67, 66, shape, [](int r, int) { return r >= 62; }));
  CHECK(large.rows == 5);
  CHECK(large.columns == 3);
  REQUIRE(large.lines.size() == 14);
  CHECK(large.lines[11] == std::string(22, '.'));
  CHECK(large.lines[12] == std::string(22, '+'));
  CHECK(large.lines[13] == std::string(22, 'x'));
}

}  // namespace gemm_tutor
