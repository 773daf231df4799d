#include "report/chapters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "course/embedded_lessons.hpp"
#include "course/ladder.hpp"
#include "course/lesson.hpp"
#include "course/recorded.hpp"
#include "simt/gpu_spec.hpp"
#include "support/error.hpp"
#include "support/text.hpp"
#include "view/markdown.hpp"

namespace gemm_tutor {

const std::vector<Chapter>& chapters() {
  static const std::vector<Chapter> all = {
      {"machine", embedded_machine_text, machine_chapter},
      {"profiler", embedded_profiler_text, [](const simt::GpuSpec&) { return profiler_chapter(); }},
  };
  return all;
}

const Chapter* find_chapter(std::string_view name) {
  const auto found = std::ranges::find(chapters(), name, &Chapter::name);
  return found == chapters().end() ? nullptr : &*found;
}

std::string title_of(const Chapter& chapter) {
  const std::string_view text = chapter.text();
  return chapter_document(text.substr(0, text.find('\n'))).title;
}

Document chapter_document(std::string_view markdown) {
  Parts parts = read_markdown(markdown);
  Document document{.title = plain_text(std::get<Heading>(parts.front().content).text)};
  parts.erase(parts.begin());
  document.parts = {Prose{std::move(parts)}};
  return document;
}

namespace {

using Numbers = std::map<std::string, std::string>;  // by their names in the text

std::string short_number(double value) { return fmt::format("{:.3g}", value); }

Numbers numbers_of(const simt::GpuSpec& gpu) {
  const auto number = [&](std::string_view key) { return number_of(gpu, key); };
  constexpr double tera = 1e12;
  return {
      {"gpu", gpu.full_name},
      {"file", gpu.name},
      {"multiprocessors", std::to_string(gpu.multiprocessors)},
      {"warps", std::to_string(gpu.max_threads_per_multiprocessor / gpu.warp_size)},
      {"threads", with_thousands(gpu.max_threads_per_multiprocessor)},
      {"schedulers", short_number(number("schedulers"))},
      {"fp32", std::to_string(gpu.fp32_lanes_per_multiprocessor)},
      {"ffma_warps", std::to_string(gpu.fp32_lanes_per_multiprocessor / gpu.warp_size)},
      {"clock", short_number(gpu.clock_ghz)},
      {"peak_tflops", short_number(gpu.peak_flops() / tera)},
      {"bandwidth", short_number(gpu.memory_bandwidth / tera)},
      {"ridge", short_number(ridge_intensity(gpu))},
      {"registers", with_thousands(gpu.registers_per_multiprocessor)},
      {"shared", human_bytes(gpu.shared_bytes_per_multiprocessor)},
      {"shared_bytes", short_number(number("shared_bytes_per_cycle"))},
      {"shared_latency", short_number(number("shared_latency"))},
      {"l1", human_bytes(static_cast<std::int64_t>(number("l1_bytes")))},
      {"l1_bytes", short_number(number("l1_bytes_per_cycle"))},
      {"l1_latency", short_number(number("l1_latency"))},
      {"l2", human_bytes(static_cast<std::int64_t>(number("l2_bytes")))},
      {"l2_bandwidth", short_number(number("l2_bandwidth") / tera)},
      {"l2_latency", short_number(number("l2_latency"))},
      {"dram_latency", short_number(number("dram_latency"))},
      {"dram_warps", fmt::format("{:.0f}", std::ceil(number("dram_latency") / 64))},
  };
}

}  // namespace

Document machine_chapter(const simt::GpuSpec& gpu) {
  const Numbers numbers = numbers_of(gpu);
  const std::string text = with_recorded_numbers(embedded_machine_text(), "machine.md");
  Document document = chapter_document(
      with_references(text, [&](std::string_view name) { return numbers.at(std::string(name)); }));
  document.parts.append(
      {Code{split_lines(embedded_machine_program()), "cuda"},
       section("Next", {Commands{{{"gemm-tutor lesson 0"}, {"gemm-tutor device"}}}})});
  return document;
}

namespace {

using Words = std::vector<std::string>;

[[noreturn]] void fail(std::string_view reference) {
  throw Error(
      ExitStatus::usage,
      fmt::format("lessons/profiler/profiler.md: '{{{}}}' is nothing that was recorded", reference),
      "src/report/chapters.hpp lists what there is.");
}

// How to profile a kernel.
struct Profiling {
  std::string function;  // the name that ncu filters by
  std::string command;   // "lesson 7 --kernel vectorized_b"; a lesson's own kernel needs no name
};

Profiling profiling_of(const std::string& kernel) {
  for (const Lesson& lesson : lessons()) {
    const auto found = std::ranges::find(lesson.kernels, kernel, &Kernel::name);
    if (found == lesson.kernels.end()) continue;
    const std::string command = fmt::format("lesson {}", lesson.key());
    return {found->from_library ? "Kernel2" : found->function,
            found == lesson.kernels.begin() ? command : command + " --kernel " + kernel};
  }
  fail(kernel);
}

// Breaks the list of metrics into lines, because each metric may fill a line.
std::string command_for(const std::string& kernel, const Words& metrics, int size) {
  std::string command;
  for (const std::string& name : metrics) {
    command +=
        fmt::format("    M={}{}\n", command.empty() ? "" : "$M,", profiler_metric(name).metric);
  }
  const Profiling profiling = profiling_of(kernel);
  return command + fmt::format(
                       "    ncu --clock-control none -k {} -c 1 --metrics $M \\\n"
                       "        gemm-tutor {} --size {}\n",
                       profiling.function, profiling.command, size);
}

std::string table_of(const Words& kernels, const Words& metrics, const Profile& profile) {
  std::string table = "| counted |", rule = "| --- |";
  for (const std::string& kernel : kernels) {
    table += fmt::format(" `{}` |", kernel);
    rule += " ---: |";
  }
  table += "\n" + rule + "\n";
  for (const std::string& name : metrics) {
    table += fmt::format("| {} |", profiler_metric(name).words);
    for (const std::string& kernel : kernels) {
      table += fmt::format(" {} |", metric_text(profiled(profile, kernel, name)));
    }
    table += "\n";
  }
  return table;
}

// Of "KERNEL KERNEL: METRIC METRIC".
std::string profile_block(const std::string& words, const Profile& profile) {
  const Words sides = split(words, ':');
  if (sides.size() != 2) fail("profile " + words);
  const Words kernels = split(trimmed(sides[0]), ' '), metrics = split(trimmed(sides[1]), ' ');
  return command_for(kernels.back(), metrics, profile.size) + "\n" +
         table_of(kernels, metrics, profile);
}

std::string table_of_metrics() {
  std::string table =
      "| in the course | metric | in Nsight Compute's report |\n| --- | --- | --- |\n";
  for (const ProfilerMetric& metric : profiler_metrics()) {
    table += fmt::format("| {} | `{}` | {} |\n", metric.words, metric.metric, metric.where);
  }
  return table;
}

std::string loop_listing(const HotLoop& loop) {
  std::size_t width = 0;
  for (const LoopInstruction& line : loop.lines) width = std::max(width, line.text.size());
  std::string listing;
  for (const LoopInstruction& line : loop.lines) {
    listing += fmt::format("    {}  {:{}}  ×{}\n", line.address, line.text, width, line.in_loop);
  }
  return listing;
}

// "LDG.E.128" is of the kinds "LDG.E" and "LDG", and "FFMA reuse" of the kind "FFMA".
std::vector<LoopInstruction> of_kind(const HotLoop& loop, const std::string& kind) {
  std::vector<LoopInstruction> found;
  for (const LoopInstruction& line : loop.lines) {
    const bool begins = line.kind.starts_with(kind + ".") || line.kind.starts_with(kind + " ");
    if (begins || line.kind == kind) found.push_back(line);
  }
  if (found.empty()) fail("code " + kind);
  return found;
}

std::string code_of(const HotLoop& loop, const std::string& kind) {
  const std::vector<LoopInstruction> found = of_kind(loop, kind);
  const auto exact = std::ranges::find(found, kind, &LoopInstruction::kind);
  return (exact == found.end() ? found.front() : *exact).text;
}

int count_of(const HotLoop& loop, const std::string& kind) {
  int count = 0;
  for (const LoopInstruction& line : of_kind(loop, kind)) count += line.in_loop;
  return count;
}

std::string of_loop(const HotLoop& loop, const std::string& what) {
  if (what.empty()) return loop_listing(loop);
  if (what == "length") return with_thousands(loop.instructions);
  if (what == "share") return fmt::format("{:.0f} %", 100 * loop.share_of_executed);
  if (what == "kernel") return loop.kernel;
  fail("loop " + what);
}

}  // namespace

std::string with_profiler_numbers(std::string_view text, const Profile& profile) {
  const HotLoop& loop = profile.hot_loop;
  using Rest = const std::string&;
  const std::map<std::string, std::function<std::string(Rest)>> kinds = {
      {"profile", [&](Rest words) { return profile_block(words, profile); }},
      {"metrics", [&](Rest) { return table_of_metrics(); }},
      {"loop", [&](Rest what) { return of_loop(loop, what); }},
      {"code", [&](Rest kind) { return code_of(loop, kind); }},
      {"count", [&](Rest kind) { return with_thousands(count_of(loop, kind)); }},
      {"device", [&](Rest) { return profile.device; }},
      {"driver", [&](Rest) { return profile.driver; }},
      {"date", [&](Rest) { return profile.date; }},
      {"profiler", [&](Rest) { return profile.profiler; }},
      {"compiler", [&](Rest) { return profile.compiler; }},
      {"size", [&](Rest) { return std::to_string(profile.size); }},
  };
  return with_references(text, [&](std::string_view reference) -> std::optional<std::string> {
    const std::size_t end = std::min(reference.find(' '), reference.size());
    const auto found = kinds.find(std::string(reference.substr(0, end)));
    if (found == kinds.end()) fail(reference);
    return found->second(std::string(trimmed(reference.substr(end))));
  });
}

Document profiler_chapter() {
  const std::string text =
      with_recorded_numbers(embedded_profiler_text(), "lessons/profiler/profiler.md");
  Document document = chapter_document(with_profiler_numbers(text, recorded_profile()));
  document.parts.add(section("Next", {Commands{{{"gemm-tutor explain"}, {"gemm-tutor compare"}}}}));
  return document;
}

}  // namespace gemm_tutor
