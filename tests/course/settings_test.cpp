#include "course_checks.hpp"

namespace gemm_tutor {
namespace {

Settings tile() { return {{"BM", 32}, {"BN", 32}, {"BK", 32}}; }

}  // namespace

TEST_CASE("a setting is set by name") {
  Settings settings = tile();
  apply_setting(settings, "BN=64");
  CHECK(settings == Settings{{"BM", 32}, {"BN", 64}, {"BK", 32}});
  CHECK(settings["BN"] == 64);
  CHECK(settings.value_or("BN", 1) == 64);
  CHECK(settings.value_or("BX", 1) == 1);
  CHECK_THROWS_AS(settings["BX"], std::out_of_range);
  CHECK_THROWS_AS(settings.set("BX", 1), std::out_of_range);
}

TEST_CASE("a bad setting is an error that lists those there are, and changes nothing") {
  for (const std::string assignment :
       {"BX=1", "bm=1", "=1", "BM", "BM=", "BM=x", "BM=1.5", "BM=1e3", "BM= 1", "BM=+1", "BM=0",
        "BM=-4", "BM=99999999999", ""}) {
    INFO(assignment);
    Settings settings = tile();
    const Error error = error_of([&] { apply_setting(settings, assignment); });
    CHECK(error.status() == ExitStatus::usage);
    CHECK(contains(error.what(), "'" + assignment + "'"));
    CHECK(contains(error.help(), "BM (now 32), BN (now 32), BK (now 32)"));
    CHECK(settings == tile());
  }
  Settings none;
  const Error error = error_of([&] { apply_setting(none, "BM=64"); });
  CHECK(contains(error.help(), "no settings"));
}

TEST_CASE("settings become template arguments") {
  const Kernel& kernel = find_lesson("shared-memory-tile").kernels.front();
  CHECK(kernel.name_expression(kernel.settings, {1, 1, 1}) == "shared_memory_tile<32, 32, 32>");
  CHECK(kernel.name_expression({{"BM", 8}, {"BN", 32}, {"BK", 32}}, {1, 1, 1}) ==
        "shared_memory_tile<8, 32, 32>");
  CHECK(find_lesson("2").kernels.front().name_expression({}, {1, 1, 1}) == "naive_coalesced");
}

TEST_CASE("a kernel with a variant for whole tiles is told whether there are any others") {
  const Kernel& kernel = find_lesson("double-buffer").kernels.front();
  const auto name = [&](const Problem& problem) {
    return kernel.name_expression(kernel.settings, problem);
  };
  CHECK(name({256, 128, 8}) == "double_buffer<128, 128, 8, 8, 8, true>");
  for (const Problem& cut : {Problem{255, 128, 8}, {256, 132, 8}, {256, 128, 9}}) {
    CHECK(name(cut) == "double_buffer<128, 128, 8, 8, 8, false>");
  }
}

}  // namespace gemm_tutor
