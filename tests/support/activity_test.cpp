#include "support/activity.hpp"

#include <atomic>
#include <set>
#include <thread>

#include "catch.hpp"
#include "support/parallel.hpp"

using namespace gemm_tutor;

TEST_CASE("an activity says what is done, and how far that is") {
  Activity activity;
  CHECK(activity.state().what == "");
  activity.begin("emulating", 5);
  activity.advance();
  activity.advance(3);
  CHECK(activity.state().what == "emulating");
  CHECK(activity.state().done == 4);
  CHECK(activity.state().all == 5);

  activity.begin("compiling");
  CHECK(activity.state().what == "compiling");
  CHECK(activity.state().done == 0);
  CHECK(activity.state().all == 0);
}

TEST_CASE("work that is to stop goes no further, and begins nothing") {
  Activity activity;
  activity.begin("emulating", 5);
  CHECK_FALSE(activity.stopping());
  CHECK_NOTHROW(activity.check());
  activity.stop();
  CHECK(activity.stopping());
  CHECK_THROWS_AS(activity.check(), Interrupted);
  CHECK_THROWS_AS(activity.begin("checking", 7), Interrupted);
  CHECK(activity.state().what == "emulating");
}

TEST_CASE("an activity counts what many threads do, while another looks") {
  constexpr int rounds = 50, pieces = 1000;
  Activity activity;
  std::atomic<bool> over = false;
  std::set<std::string> seen;
  bool in_range = true;
  std::thread looks([&] {
    while (!over) {
      const Activity::State state = activity.state();
      seen.insert(state.what);
      in_range = in_range && state.done >= 0 && state.done <= pieces;
    }
  });
  for (int round = 0; round < rounds; ++round) {
    activity.begin(round % 2 ? "odd" : "even", pieces);
    parallel_for(pieces, 4, [&](std::int64_t, int) { activity.advance(); });
    if (activity.state().done != pieces) in_range = false;
  }
  over = true;
  looks.join();
  CHECK(in_range);
  for (const std::string& what : seen) CHECK((what == "" || what == "odd" || what == "even"));
}

TEST_CASE("another thread stops the work") {
  Activity activity;
  activity.begin("waiting");
  std::thread other([&] { activity.stop(); });
  const auto work = [&] {
    for (;;) activity.check();  // ends only because it is stopped
  };
  CHECK_THROWS_AS(work(), Interrupted);
  other.join();
}

TEST_CASE("work that nobody waits for is never stopped") {
  Activity mine;
  CHECK(&or_unwatched(&mine) == &mine);
  Activity& unwatched = or_unwatched(nullptr);
  unwatched.begin("emulating", 1);
  unwatched.advance();
  CHECK_FALSE(unwatched.stopping());
}
