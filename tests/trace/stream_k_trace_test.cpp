// Traces of a kernel whose blocks share tiles, and which has a second pass.
#include <algorithm>

#include "catch.hpp"
#include "course/stream_k_kernel.hpp"
#include "run/stream_k_schedule.hpp"
#include "simt/compiler.hpp"
#include "trace/picture.hpp"
#include "trace/selection.hpp"
#include "trace/thread_story.hpp"
#include "trace/who_loads.hpp"
#include "traces.hpp"

using namespace gemm_tutor;

namespace {

const Problem problem{16, 48, 64};  // 3 tiles of 16 steps

Trace shared_trace(int blocks, std::uint32_t block, const Problem& size = problem) {
  static const Lesson lesson = stream_k_lesson();
  const Kernel& kernel = lesson.kernels.front();
  return trace_kernel(lesson, kernel, settings_with(kernel, blocks),
                      options_of(size, {block, 0, 0}));
}

bool has_owner(const TileOwners& tile) {
  return std::ranges::any_of(tile.owners, [](const Owner& owner) { return owner.warp >= 0; });
}

bool all_owned(const TileOwners& tile) {
  return std::ranges::all_of(tile.owners, [](const Owner& owner) { return owner.warp >= 0; });
}

}  // namespace

TEST_CASE("a trace is of the first pass, and says that a second launch follows") {
  const Trace trace = shared_trace(7, 2);
  CHECK(trace.findings.empty());
  CHECK(not_recorded(trace) == "the second launch, of add_partial_tiles<16, 16, 4, 2, 7>");
  REQUIRE(trace.matrices.size() == 4);
  CHECK(trace.matrices[3].name == "partial");
  CHECK(trace.matrices[3].rows == 2 * 7 * 16);
  CHECK(trace.matrices[3].columns == 16);
  CHECK(not_recorded(shared_trace(3, 0)).empty());  // a tile for each: nothing is left to add up
}

TEST_CASE("who loads what is told of a block's first tile, and of its part of it") {
  // Of 48 steps block 2 of 7 has those from 13 to 19: tile 0's last three, and tile 1's first four.
  const Trace trace = shared_trace(7, 2);
  const WhoLoads before = who_loads(trace, 0);
  CHECK(before.tile ==
        "The first of the block's 2 tiles: of K it takes 52 to 63, and its sums go to partial.");
  CHECK_FALSE(has_owner(before.a));
  CHECK_FALSE(has_owner(before.b));
  CHECK_FALSE(has_owner(who_loads(trace, 12).a));
  const WhoLoads within = who_loads(trace, 13);
  CHECK(all_owned(within.a));
  CHECK(all_owned(within.b));
  CHECK(all_owned(within.c));  // its sums, in the workspace
  CHECK(within.c.region.column_begin == 0);

  CHECK(first_step(trace) == 13);
  CHECK(first_step(shared_trace(3, 1)) == 0);

  const WhoLoads whole = who_loads(shared_trace(3, 1), 0);
  CHECK(whole.tile.empty());
  CHECK(all_owned(whole.a));
  CHECK(all_owned(whole.c));
  CHECK(whole.c.region.column_begin == 16);
  CHECK(who_loads(shared_trace(2, 0), 0).tile == "The first of the block's 2 tiles.");
}

TEST_CASE("a block without work is passed over for the next that has some") {
  const Trace trace = shared_trace(200, 0, {16, 16, 16});  // 4 steps
  CHECK(trace.block == simt::Dim3{49, 0, 0});
  CHECK_FALSE(trace.result.accesses.empty());
  CHECK(shared_trace(200, 150, {16, 16, 16}).block == simt::Dim3{199, 0, 0});
}

TEST_CASE("a thread's story fills in what the second pass' workspace is") {
  const ThreadStory story = thread_story(shared_trace(7, 2), {5});
  CHECK(story.not_recorded.find("second launch") != std::string::npos);
  const bool stores_part = std::ranges::any_of(story.accesses, [](const LineAccess& access) {
    return access.store && !access.elements.empty() && access.elements[0].array == "partial";
  });
  CHECK(stores_part);
  CHECK(story.tile == tile_of_several(shared_trace(7, 2)));
  CHECK(story.owns.empty());  // of C itself it stores nothing
}

TEST_CASE("few rows of many elements are within what an int counts", "[long]") {
  if (!simt::compiler_status().available) SKIP_BECAUSE(simt::compiler_status().problem);
  const Lesson& lesson = find_lesson("14");
  const Kernel& kernel = find_kernel(lesson, "");
  Settings settings = kernel.settings;
  settings.set("BLOCKS", 2000);  // so that each has few steps of the only tile
  // Row 63 would begin beyond 2^31, row 62 would not: a thread copies from 62 rows before it.
  const Trace trace =
      trace_kernel(lesson, kernel, settings, options_of({2, 1, 34'400'000}, {0, 0, 0}));
  CHECK(trace.findings.empty());
}
