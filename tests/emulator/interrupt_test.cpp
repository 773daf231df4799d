// A run that says how far it is, and is stopped by another thread.
#include <chrono>
#include <future>
#include <thread>

#include "catch.hpp"
#include "emulator/ptx_kernel.hpp"

namespace gemm_tutor::simt {
namespace {

// Of a warp, before it counts as endless, which takes many times as long as any of these tests.
constexpr std::int64_t most_instructions = 3'000'000'000;

// One block of `threads` threads.
std::future<Result> run_endless(const std::string& body, unsigned threads, Activity& activity) {
  return std::async(std::launch::async, [body, threads, &activity] {
    Options options;
    options.max_instructions = most_instructions;
    options.activity = &activity;
    return run_ptx(ptx_module(body, 0, ".shared .align 8 .b8 s[8];"), {{1, 1, 1}, {threads, 1, 1}},
                   {}, options);
  });
}

bool begins(const Activity& activity, const std::future<Result>& run) {
  while (activity.state().what != "emulating") {
    if (run.wait_for(std::chrono::milliseconds(1)) == std::future_status::ready) return false;
  }
  return true;
}

const std::string warp_alone = "again:\n  bra again;";
const std::string with_barriers = "again:\n  bar.sync 0;\n  bra again;";
const std::string some_lanes = R"(
  mov.u32 %r1, %tid.x;
  setp.lt.u32 %p1, %r1, 7;
again:
  @%p1 bra again;
)";
// Waits for a phase that no thread completes.
const std::string waits_for_mbarrier = R"(
  mov.u32 %r1, s;
  mbarrier.init.shared.b64 [%r1], 2;
again:
  mbarrier.test_wait.parity.shared.b64 %p1, [%r1], 0;
  @!%p1 bra again;
)";

}  // namespace

TEST_CASE("a run is stopped in the middle of an endless block") {
  for (const std::string& body : {warp_alone, with_barriers, some_lanes, waits_for_mbarrier}) {
    for (const unsigned threads : {32u, 96u}) {
      INFO(body << " with " << threads << " threads");
      Activity activity;
      std::future<Result> run = run_endless(body, threads, activity);
      REQUIRE(begins(activity, run));
      CHECK(run.wait_for(std::chrono::milliseconds(20)) == std::future_status::timeout);
      activity.stop();
      CHECK_THROWS_AS(run.get(), Interrupted);  // which waits for it
      CHECK(activity.state().done == 0);
      CHECK(activity.state().all == 1);
    }
  }
}

TEST_CASE("all threads of a run stop") {
  Activity activity;
  Options options;
  options.threads = 4;
  options.max_instructions = most_instructions;
  options.activity = &activity;
  std::future<Result> run = std::async(std::launch::async, [&] {
    return run_ptx(ptx_module(warp_alone, 0), {{100, 1, 1}, {32, 1, 1}}, {}, options);
  });
  REQUIRE(begins(activity, run));
  activity.stop();
  CHECK_THROWS_AS(run.get(), Interrupted);
  CHECK(activity.state().done == 0);
  CHECK(activity.state().all == 100);
}

TEST_CASE("a run that is stopped before it begins touches nothing") {
  std::vector<float> c(32, 5.0f);
  const std::string body = "  mov.u32 %r1, 0;\n  st.global.u32 [%buffer0], %r1;";
  Activity activity;
  activity.stop();
  Options options;
  options.activity = &activity;
  CHECK_THROWS_AS(run_ptx(ptx_module(body, 1), one_warp, {buffer_of(c)}, options), Interrupted);
  CHECK(c[0] == 5.0f);
  options.activity = nullptr;
  run_ptx(ptx_module(body, 1), one_warp, {buffer_of(c)}, options);
  CHECK(c[0] == 0.0f);
}

TEST_CASE("a run counts its blocks, sampled or not, to the last") {
  std::vector<Options> all(4);
  all[1].blocks = 7;
  all[2].warp_instructions = 50;         // fewer than the first blocks have
  all[3].warp_instructions = 1'000'000;  // more than all
  for (Options& options : all) {
    INFO(options.blocks << " blocks, " << options.warp_instructions << " instructions");
    Activity activity;
    options.activity = &activity;
    const std::string body = "  mov.u32 %r1, %tid.x;\n  add.u32 %r1, %r1, 1;";
    const Result result = run_ptx(ptx_module(body, 0), {{9, 8, 1}, {32, 1, 1}}, {}, options);
    CHECK(activity.state().what == "emulating");
    CHECK(activity.state().all == static_cast<std::int64_t>(result.blocks_emulated));
    CHECK(activity.state().done == activity.state().all);
  }
}

TEST_CASE("looking whether to go on changes nothing of what counts as endless") {
  // Far more instructions than a warp executes between two looks.
  const std::string loop = R"(
  mov.u32 %r1, 0;
again:
  add.u32 %r1, %r1, 1;
  setp.lt.u32 %p1, %r1, 1000000;
  @%p1 bra again;
)";
  // 999,999 backward jumps over three instructions. The last million instructions are only watched.
  constexpr std::int64_t enough = 1'999'997;
  Options options;
  options.max_instructions = enough;
  CHECK(kinds(run_ptx(ptx_module(loop, 0), one_warp, {}, options)) == "");
  options.max_instructions = enough - 1;
  const Result result = run_ptx(ptx_module(loop, 0), one_warp, {}, options);
  CHECK(result.stopped);
  REQUIRE(result.findings.size() == 1);
  CHECK(result.findings[0].kind() == FindingKind::endless);
}

}  // namespace gemm_tutor::simt
