// The schedule of a grid that shares tiles, on the host alone.
#include "run/stream_k_schedule.hpp"

#include <algorithm>

#include "run_checks.hpp"

namespace gemm_tutor {
namespace {

LaunchShape shared(int blocks, int group_rows = 1) {
  LaunchShape shape;
  shape.block = {64};
  shape.tile_rows = shape.tile_columns = 16;
  shape.tile_depth = 4;
  shape.stream_k = StreamK{blocks, group_rows};
  return shape;
}

}  // namespace

TEST_CASE("the pieces of all blocks are every step of every tile, once") {
  for (const Problem& problem : stream_k_sizes) {
    for (const int blocks : {1, 3, 7, 200}) {
      INFO(text(problem) << " on " << blocks);
      const StreamKSchedule schedule(shared(blocks), problem);
      std::vector<std::vector<int>> done(schedule.tiles(), std::vector<int>(schedule.steps()));
      for (std::int64_t block = 0; block < blocks; ++block) {
        int partial = 0;
        for (const TilePiece& piece : schedule.pieces(block)) {
          partial += piece.steps < schedule.steps();
          CHECK(piece.steps > 0);
          for (std::int64_t step = 0; step < piece.steps; ++step) {
            ++done.at(piece.tile).at(piece.first_step + step);
          }
        }
        CHECK(partial <= 2);  // for which the workspace has room
      }
      const std::vector<int> once(schedule.steps(), 1);
      CHECK(std::ranges::count(done, once) == schedule.tiles());
    }
  }
}

TEST_CASE("the tiles' regions cover C, each element once, in whichever groups of rows") {
  for (const Problem& problem : stream_k_sizes) {
    for (const int group_rows : {1, 2, 3, 100}) {
      const StreamKSchedule schedule(shared(3, group_rows), problem);
      std::vector<int> covered(problem.c_elements());
      for (std::int64_t tile = 0; tile < schedule.tiles(); ++tile) {
        const Region region = schedule.region(tile);
        for (int row = region.row_begin; row < region.row_end; ++row) {
          for (int column = region.column_begin; column < region.column_end; ++column) {
            ++covered.at(std::int64_t{row} * problem.n + column);
          }
        }
      }
      CHECK(std::ranges::count(covered, 1) == problem.c_elements());
    }
  }
}

TEST_CASE("groups of rows of tiles are walked column by column") {
  const StreamKSchedule schedule(shared(1, 2), {48, 32, 8});  // 3 rows of 2 tiles
  std::vector<std::pair<int, int>> places;
  for (std::int64_t tile = 0; tile < schedule.tiles(); ++tile) {
    const Region region = schedule.region(tile);
    places.emplace_back(region.row_begin / 16, region.column_begin / 16);
  }
  CHECK(places == std::vector<std::pair<int, int>>{{0, 0}, {1, 0}, {0, 1}, {1, 1}, {2, 0}, {2, 1}});
}

TEST_CASE("a grid that shares tiles is as large for every problem, and its second pass is not") {
  const LaunchShape shape = shared(3);
  CHECK(launch_for(shape, {64, 64, 64}) == simt::Launch{{3}, {64}});
  CHECK(launch_for(shape, {1, 1, 1}) == simt::Launch{{3}, {64}});

  const StreamKSchedule some_left(shape, {64, 64, 64});  // 16 tiles: 5 waves and one tile more
  CHECK(some_left.whole_waves() == 5);
  CHECK(some_left.tiles_shared() == 1);
  CHECK(some_left.second_launch() == simt::Launch{{1, 1}, {256}});
  CHECK(some_left.workspace_floats() == 2 * 3 * 16 * 16);

  const StreamKSchedule none_left(shape, {48, 16, 64});
  CHECK(none_left.tiles_shared() == 0);
  CHECK_FALSE(none_left.second_launch());
  CHECK(none_left.workspace_floats() == 0);
}

TEST_CASE("the pieces that go to the workspace are those that are no whole tile") {
  const auto pieces = [](int blocks, const Problem& problem) {
    return StreamKSchedule(shared(blocks), problem).partial_pieces();
  };
  const Problem three_tiles{16, 48, 64};  // of 16 steps
  CHECK(pieces(1, three_tiles) == 0);
  CHECK(pieces(2, three_tiles) == 2);  // one tile left, half of it each
  CHECK(pieces(4, three_tiles) == 6);  // six steps each: two blocks have steps of two tiles
  CHECK(pieces(6, three_tiles) == 6);  // half a tile each
  CHECK(pieces(7, three_tiles) == 9);  // and of these, two are cut by the end of a tile
  CHECK(pieces(24, three_tiles) == 24);
  CHECK(pieces(2000000000, three_tiles) == 48);  // more blocks than steps
  CHECK(pieces(5, {16, 48, 4}) == 0);            // a step is a whole tile
}

TEST_CASE("blocks complete the tiles of which they compute all steps") {
  const Problem problem{16, 48, 64};  // 3 tiles of 8 steps
  const StreamKSchedule schedule(shared(7), problem);
  const std::vector<simt::Dim3> of_a_tile = schedule.blocks_of_a_tile();
  REQUIRE(of_a_tile.size() > 1);
  const std::vector<Region> completed = schedule.completed_by(of_a_tile);
  REQUIRE(completed.size() == 1);
  CHECK(completed[0].column_begin == 16);
  CHECK(completed[0].elements() == 256);
  for (const simt::Dim3& without : of_a_tile) {
    std::vector<simt::Dim3> others = of_a_tile;
    std::erase(others, without);
    CHECK(schedule.completed_by(others).empty());
  }

  // In a whole wave each block computes a tile alone.
  const StreamKSchedule waves(shared(2), problem);
  CHECK(waves.blocks_of_a_tile().empty());
  CHECK(waves.completed_by({{1}}).size() == 1);
}

TEST_CASE("a block's regions of C are its tiles, in the order in which it comes to them") {
  const std::vector<Region> regions = block_regions(shared(2), {16, 80, 64}, {1});
  std::vector<int> columns;
  for (const Region& region : regions) columns.push_back(region.column_begin);
  CHECK(columns == std::vector<int>{16, 48, 64});  // of two waves, and half of the last tile
  CHECK(block_regions(shared(200), {1, 1, 1}, {0}).empty());  // the one step is block 199's
}

}  // namespace gemm_tutor
