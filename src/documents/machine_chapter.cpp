#include "documents/machine_chapter.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "course/embedded_lessons.hpp"
#include "course/ladder.hpp"
#include "course/recorded.hpp"
#include "documents/chapters.hpp"
#include "simt/gpu_spec.hpp"
#include "support/references.hpp"
#include "support/text.hpp"

namespace gemm_tutor {
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

}  // namespace gemm_tutor
