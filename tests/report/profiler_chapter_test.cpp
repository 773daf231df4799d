#include "report/chapters.hpp"

#include <tuple>

#include "catch.hpp"
#include "view/terminal_text.hpp"
#include "view/text_checks.hpp"

namespace gemm_tutor {
namespace {

Profile sample_profile() {
  Profile profile{"NVIDIA H200", "580", "2026-11-23", "Nsight Compute 2025.3",
                  "NVRTC 13.0",  2048,  {},           {}};
  profile.kernels["naive_uncoalesced"] = {{"global_load_requests", 1000}, {"stall_barrier", 0.372}};
  profile.kernels["naive_coalesced"] = {{"global_load_requests", 500}, {"stall_barrier", 12.34}};
  profile.hot_loop = {"naive_coalesced", 1234, 0.987, {}};
  profile.hot_loop.lines = {{"LDG.E", "0010", "LDG.E R4, [R2.64]", 2},
                            {"FFMA", "0020", "FFMA R0, R1, R2, R0", 7},
                            {"FFMA reuse", "0040", "FFMA R0, R1, R4.reuse, R0", 5}};
  return profile;
}

std::string filled(std::string_view text) { return with_profiler_numbers(text, sample_profile()); }

}  // namespace

TEST_CASE("references in the chapter on the profiler become what was recorded") {
  CHECK(filled("{loop length} of {loop kernel}, {loop share}: {code LDG} {count LDG} times") ==
        "1,234 of naive_coalesced, 99 %: LDG.E R4, [R2.64] 2 times");
  CHECK(filled("{count FFMA} FFMAs, {count FFMA reuse} like {code FFMA reuse}") ==
        "12 FFMAs, 5 like FFMA R0, R1, R4.reuse, R0");
  CHECK(filled("{loop}") ==
        "    0010  LDG.E R4, [R2.64]          ×2\n"
        "    0020  FFMA R0, R1, R2, R0        ×7\n"
        "    0040  FFMA R0, R1, R4.reuse, R0  ×5\n");
  CHECK(filled("{device}, {driver}, {date}, {profiler}, {compiler}, {size}") ==
        "NVIDIA H200, 580, 2026-11-23, Nsight Compute 2025.3, NVRTC 13.0, 2048");
}

TEST_CASE("a profile is a command for the last kernel, and a table of all of them") {
  CHECK(filled("{profile naive_uncoalesced naive_coalesced: global_load_requests stall_barrier}") ==
        "    M=l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum\n"
        "    M=$M,smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio\n"
        "    ncu --clock-control none -k naive_coalesced -c 1 --metrics $M \\\n"
        "        gemm-tutor lesson 2 --size 2048\n"
        "\n"
        "| counted | `naive_uncoalesced` | `naive_coalesced` |\n"
        "| --- | ---: | ---: |\n"
        "| requests to load from global memory | 1,000 | 500 |\n"
        "| wait at barriers | 0.37 | 12.3 |\n");
}

TEST_CASE("the profiler is given the function's name, and the program the kernel's") {
  const auto command = [](const std::string& kernel) {
    Profile profile = sample_profile();
    profile.kernels[kernel] = {{"global_load_requests", 1000}};
    return with_profiler_numbers("{profile " + kernel + ": global_load_requests}", profile);
  };
  for (const auto& [kernel, function, lesson] :
       std::vector<std::tuple<std::string, std::string, std::string>>{
           {"longer_ring", "wide_thread_tile", "lesson 13 --kernel longer_ring --size"},
           {"tiles_inside", "tiles_inside", "lesson edges --size"},
           {"vectorized_b", "vectorized_b", "lesson 7 --kernel vectorized_b --size"},
           {"cublas", "Kernel2", "lesson 10 --size"}}) {
    const std::string text = command(kernel);
    INFO(text);
    CHECK(contains(text, "ncu --clock-control none -k " + function + " -c 1 "));
    CHECK(contains(text, "gemm-tutor " + lesson));
    CHECK(contains(text, "| counted | `" + kernel + "` |"));
  }
}

TEST_CASE("what was not recorded is an error that names it") {
  for (const char* text : {"{profile naive_coalesced}", "{profile naive_coalesced: ffma}",
                           "{code LDS.128}", "{loop width}", "{seconds}", "{}"}) {
    INFO(text);
    CHECK_THROWS_AS(filled(text), Error);
  }
}

TEST_CASE(
    "the chapters are found by name, and fit a terminal but for commands that cannot be broken") {
  REQUIRE(find_chapter("profiler"));
  REQUIRE(find_chapter("machine"));
  CHECK(find_chapter("profile") == nullptr);
  const Document document = find_chapter("profiler")->document(simt::find_gpu("h200"));
  CHECK(document.title == "The lessons in Nsight Compute");
  const std::string text = terminal_text(document, Terminal{});
  INFO(text);
  CHECK(widest(text) <= 81);  // smsp__average_warps_issue_stalled_long_scoreboard_…
  CHECK(contains(text, "ncu --clock-control none -k beyond_cublas"));
  for (const ProfilerMetric& metric : profiler_metrics()) CHECK(contains(text, metric.metric));
}

}  // namespace gemm_tutor
