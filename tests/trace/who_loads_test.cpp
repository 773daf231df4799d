#include "trace/who_loads.hpp"

#include <algorithm>

#include "catch.hpp"
#include "sample.hpp"
#include "support/error.hpp"
#include "trace/selection.hpp"
#include "trace/thread_story.hpp"
#include "traces.hpp"

using namespace gemm_tutor;

TEST_CASE("lesson 7's warps load 16 rows of A each, and a row of B, and own 16 rows of C") {
  const Trace trace = lesson_trace("7", "vectorized_loads", {512, 512, 128}, {1, 2, 0});
  const WhoLoads who = who_loads(trace, 3);
  CHECK(who.steps == 16);
  CHECK(who.warps == 8);
  CHECK(who.a.region.row_begin == 256);
  CHECK(who.a.region.column_begin == 24);
  CHECK(who.b.region.row_begin == 24);
  CHECK(who.b.region.column_begin == 128);
  for (int row = 0; row < 128; ++row) {
    for (int column = 0; column < 8; ++column) {
      const Owner& owner = who.a.at(256 + row, 24 + column);
      REQUIRE(owner.warp == row / 16);
      REQUIRE(owner.thread == 2 * row + column / 4);
      REQUIRE_FALSE(owner.several_threads);
    }
  }
  for (int row = 0; row < 8; ++row) {
    for (int column = 0; column < 128; ++column) {
      REQUIRE(who.b.at(24 + row, 128 + column).thread == 32 * row + column / 4);
    }
  }
  for (int row = 0; row < 128; ++row) REQUIRE(who.c.at(256 + row, 128).warp == row / 16);
}

TEST_CASE("where nothing is shared, several warps load the same element") {
  const Trace trace = lesson_trace("2", "", {64, 64, 4}, {1, 0, 0});
  const WhoLoads who = who_loads(trace, 2);
  CHECK(who.steps == 4);
  // A warp is a row of C: it alone loads that row's value of A, and all of them B's row.
  CHECK(std::ranges::none_of(who.a.owners, &Owner::several_warps));
  CHECK(std::ranges::all_of(who.a.owners, &Owner::several_threads));
  CHECK(std::ranges::all_of(who.b.owners, &Owner::several_warps));
  CHECK(who.a.at(7, 2).warp == 7);
  CHECK(who.c.at(7, 40).thread == 7 * 32 + 8);
}

TEST_CASE("in every lesson's kernel all of the tiles is loaded in each step, and C is owned once",
          "[long]") {
  const Problem problem = GENERATE(Problem{512, 512, 64}, Problem{300, 310, 50});
  for (const auto& [lesson, kernel] : sample_of(cuda_kernels(), 14)) {
    const Trace trace = trace_of_tile(*lesson, *kernel, problem);
    // Or from the workspace, to which earlier launches brought them.
    const bool in_bulk =
        not_recorded(trace).find("bulk copies") != std::string::npos || !kernel->before.empty();
    const std::int64_t steps = who_loads(trace, 0).steps;
    for (const std::int64_t step :
         {std::int64_t{0}, std::min<std::int64_t>(1, steps - 1), steps - 1}) {
      INFO(trace.name << " at " << problem.k << ", step " << step);
      const WhoLoads who = who_loads(trace, step);
      const auto is_owned = [](const Owner& owner) { return owner.warp >= 0; };
      CHECK(std::ranges::all_of(who.a.owners, is_owned) == !in_bulk);
      CHECK(std::ranges::all_of(who.b.owners, is_owned) == !in_bulk);
      CHECK(std::ranges::all_of(who.c.owners, is_owned));
      CHECK(std::ranges::none_of(who.c.owners, &Owner::several_threads));
    }
  }
}

TEST_CASE("who owns an element of C is who says so in its story") {
  for (const auto& [lesson, kernel] : cuda_kernels()) {
    const Trace trace = trace_of_tile(*lesson, *kernel, {512, 512, 32});
    const WhoLoads who = who_loads(trace, 0);
    const auto threads = static_cast<int>(trace.launch.block.count());
    for (const int number : {0, 18, threads - 1}) {
      INFO(trace.name << ", thread " << number);
      const ThreadStory story = thread_story(trace, {number});
      std::int64_t elements = 0;
      for (const ElementBlock& block : story.owns) elements += block.elements();
      CHECK(std::ranges::count(who.c.owners, number, &Owner::thread) == elements);
    }
  }
}

TEST_CASE("there is no picture of a step that K does not have") {
  const Trace trace = lesson_trace("3", "", {64, 64, 64}, {0, 0, 0});
  CHECK_THROWS_AS(who_loads(trace, 2), Error);
  CHECK_THROWS_AS(who_loads(trace, -1), Error);
}

TEST_CASE("frames are the steps one after the other, as far as there are some, and not too many") {
  const Trace trace = lesson_trace("1", "", {8, 8, 40}, {0, 0, 0});
  const std::vector<WhoLoads> some = who_loads(trace, 3, 5);
  REQUIRE(some.size() == 3);
  for (std::size_t i = 0; i < some.size(); ++i) {
    const auto step = static_cast<std::int64_t>(3 + i);
    CHECK(some[i].step == step);
    CHECK(some[i].a.region.column_begin == who_loads(trace, step).a.region.column_begin);
  }
  CHECK(who_loads(trace, 0, 1000).size() == most_frames);
  CHECK(who_loads(trace, 38, 1000).size() == 2);
  CHECK_THROWS_AS(who_loads(trace, 40, 41), Error);
}
