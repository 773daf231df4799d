#include "support/parallel.hpp"

#ifdef __linux__
#include <sched.h>
#endif

#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "catch.hpp"
#include "checks.hpp"

using namespace gemm_tutor;

TEST_CASE("there is at least one core") { CHECK(core_count() >= 1); }

#ifdef __linux__
TEST_CASE("only the cores that the process may use are counted") {
  cpu_set_t before, one;
  REQUIRE(sched_getaffinity(0, sizeof before, &before) == 0);
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  REQUIRE(sched_setaffinity(0, sizeof one, &one) == 0);
  CHECK(core_count() == 1);
  REQUIRE(sched_setaffinity(0, sizeof before, &before) == 0);
  EnvironmentVariable most("GEMM_TUTOR_CORES");
  most.set({});
  CHECK(core_count() == CPU_COUNT(&before));
  most.set("1");
  CHECK(core_count() == 1);
  for (const char* ignored : {"", "many", "1000000"}) {
    most.set(ignored);
    CHECK(core_count() == CPU_COUNT(&before));
  }
}
#endif

TEST_CASE("every index is worked on once, by a worker in range") {
  for (const int threads : {1, 2, 7}) {
    for (const int count : {0, 1, 2, 5, 1000}) {
      std::vector<std::atomic<int>> times(count);
      std::atomic<bool> in_range = true;
      parallel_for(count, threads, [&](std::int64_t index, int worker) {
        ++times[index];
        if (worker < 0 || worker >= threads) in_range = false;
      });
      CHECK(in_range);
      for (const auto& n : times) CHECK(n == 1);
    }
  }
}

TEST_CASE("no two threads have the same worker number") {
  constexpr int threads = 4;
  std::vector<std::thread::id> owner(threads);
  std::atomic<bool> shared = false;
  parallel_for(2000, threads, [&](std::int64_t, int worker) {
    if (owner[worker] == std::thread::id()) owner[worker] = std::this_thread::get_id();
    if (owner[worker] != std::this_thread::get_id()) shared = true;
  });
  CHECK_FALSE(shared);
}

TEST_CASE("one thread works in the calling thread, in order") {
  const std::thread::id caller = std::this_thread::get_id();
  std::vector<std::int64_t> order;
  parallel_for(4, 1, [&](std::int64_t index, int worker) {
    CHECK(worker == 0);
    CHECK(std::this_thread::get_id() == caller);
    order.push_back(index);
  });
  CHECK(order == std::vector<std::int64_t>{0, 1, 2, 3});
}

TEST_CASE("several threads work at the same time") {
  std::atomic<int> arrived = 0;
  parallel_for(2, 2, [&](std::int64_t, int) {
    ++arrived;
    while (arrived < 2) std::this_thread::yield();  // ends only when both are at work
  });
  CHECK(arrived == 2);
}

TEST_CASE("an exception stops the work and arrives at the caller") {
  for (const int threads : {1, 4}) {
    std::atomic<std::int64_t> done = 0;
    constexpr std::int64_t count = std::int64_t{1} << 40;  // too many to finish if nothing stops it
    const auto work = [&](std::int64_t index, int) {
      if (index == 10) throw std::runtime_error("at 10");
      ++done;
    };
    CHECK_THROWS_WITH(parallel_for(count, threads, work), "at 10");
    CHECK(done < count);
  }
}

TEST_CASE("when every call throws, one of the exceptions arrives") {
  CHECK_THROWS_AS(
      parallel_for(100, 4, [](std::int64_t, int) { throw std::invalid_argument("each"); }),
      std::invalid_argument);
}
