// What is promised of padded rows is what the emulator counts when the kernel is written so.
#include "trace/padding.hpp"

#include <fmt/format.h>

#include <map>
#include <regex>

#include "catch.hpp"
#include "run/kernel_source.hpp"
#include "traces.hpp"

namespace gemm_tutor {
namespace {

using simt::Access;
using simt::SharedArray;

const SharedArray* array_named(const Trace& trace, const std::string& name) {
  for (const SharedArray& array : trace.result.shared_arrays) {
    if (array.name == name) return &array;
  }
  return nullptr;
}

// As the emulator counted them.
std::uint64_t conflicts_of(const Trace& trace, int warp, const std::string& name) {
  const SharedArray* array = array_named(trace, name);
  REQUIRE(array != nullptr);
  std::uint64_t sum = 0;
  for (const Access& access : trace.result.accesses) {
    if (access.warp == warp && lies_in(access, *array)) sum += access.conflicts;
  }
  return sum;
}

// "float a_tile[BM][BK]" with more in the last brackets; "" where it is not declared so.
std::string with_padding(const std::string& source, const std::string& name, std::int64_t floats) {
  const std::regex declaration("(__shared__[^;]*\\b" + name +
                               "(?:\\[[^\\]]*\\])*\\[[^\\]]*)\\]([;,])");
  if (!std::regex_search(source, declaration)) return "";
  return std::regex_replace(source, declaration, fmt::format("$1 + {}]$2", floats));
}

// One of an array's paddings, and the request that it was found for.
struct Advice {
  std::string array;
  int warp = 0;
  Padding padding;
};

std::vector<Advice> advice_of(const Trace& trace) {
  Paddings paddings(trace);
  std::map<std::tuple<std::string, int, std::int64_t>, Advice> all;
  for (const Access& access : trace.result.accesses) {
    if (access.conflicts == 0) continue;
    for (const SharedArray& array : trace.result.shared_arrays) {
      if (array.extents.size() < 2 || !lies_in(access, array)) continue;
      if (const auto padding = paddings.best(access, array)) {
        all.try_emplace({array.name, access.warp, padding->elements},
                        Advice{array.name, access.warp, *padding});
      }
    }
  }
  std::vector<Advice> result;
  for (auto& [key, advice] : all) result.push_back(advice);
  return result;
}

}  // namespace

TEST_CASE("a padding that is advised has the conflicts that are promised, for every lesson",
          "[long]") {
  const Problem problem{128, 128, 64};
  std::map<std::string, int> checked;
  for (const auto& [lesson, kernel] : cuda_kernels()) {
    INFO(kernel->name);
    const Trace trace = lesson_trace(*lesson, *kernel, problem, {0, 0, 0});
    const std::uint64_t steps = 64 / static_cast<std::uint64_t>(trace.kernel.shape.tile_depth);
    std::map<std::pair<std::string, std::int64_t>, Trace> padded;
    for (const Advice& advice : advice_of(trace)) {
      REQUIRE(advice.padding.in_all);
      const std::int64_t floats = advice.padding.elements;
      INFO(advice.array << " + " << floats << ", warp " << advice.warp);
      KernelSource source = kernel_source(*lesson, *kernel, kernel->settings, problem);
      source.source = with_padding(source.source, advice.array, floats);
      if (source.source.empty()) continue;
      const auto [place, is_new] = padded.try_emplace({advice.array, floats});
      if (is_new) place->second = trace_kernel(source, options_of(problem, {0, 0, 0}));
      CHECK(place->second.findings.empty());
      const std::uint64_t times = advice.padding.in_all->of_each_step ? steps : 1;
      CHECK(conflicts_of(trace, advice.warp, advice.array) ==
            times * advice.padding.in_all->before);
      CHECK(conflicts_of(place->second, advice.warp, advice.array) ==
            times * advice.padding.in_all->after);
      ++checked[kernel->name];
    }
  }
  CHECK(checked["thread_tile"] > 0);
  CHECK(checked.size() > 2);
}

TEST_CASE("a padding is told by the step along K where all steps are alike") {
  const Trace trace = lesson_trace("5", "thread_tile", {64, 64, 64}, {0, 0, 0});
  for (const Advice& advice : advice_of(trace)) {
    INFO(advice.array);
    REQUIRE(advice.padding.in_all);
    CHECK(advice.padding.in_all->of_each_step);
    CHECK(advice.padding.in_all->before == (advice.array == "a_tile" ? 32 : 2));
  }
}

}  // namespace gemm_tutor
