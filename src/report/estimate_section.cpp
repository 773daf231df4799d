#include "report/estimate_section.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "course/ladder.hpp"
#include "report/launch_text.hpp"
#include "report/run_sections.hpp"
#include "support/text.hpp"
#include "view/units.hpp"

namespace gemm_tutor {
namespace {

constexpr std::array busy_units = {simt::Limit::issue,  simt::Limit::fp32, simt::Limit::tensor,
                                   simt::Limit::shared, simt::Limit::l1,   simt::Limit::l2,
                                   simt::Limit::dram};
constexpr std::array additions = {simt::Limit::registers, simt::Limit::latency,
                                  simt::Limit::launch};

bool has_digits(const std::optional<simt::Estimate>& estimate) {
  return estimate && estimate->is_reliable();
}

// --- Limits

double longest_row(const simt::Estimate& estimate) { return estimate.of(estimate.limited_by()); }

// `sign` is "+" for what is added to the busiest unit.
std::vector<Cell> limit_row(const simt::Estimate& estimate, simt::Limit limit,
                            std::string_view sign) {
  const double cycles = estimate.of(limit);
  const bool limits = limit == estimate.limited_by();
  return {text_cell(std::string(words_for(limit)), limits ? Style::heading : Style::plain),
          text_cell(fmt::format("{}{}", sign, short_count(cycles))),
          {{}, cycles / longest_row(estimate)},
          text_cell(fmt::format("{}{}", sign, duration_text(estimate.milliseconds(cycles)))),
          text_cell(limits ? unbreakable("← limits") : "", Style::doubtful)};
}

Table limits_table(const simt::Estimate& estimate) {
  Table table;
  table.columns = {
      {}, number_column("cycles", 7), {.width = 20, .is_bar = true}, number_column("alone", 8), {}};
  const auto add = [&](simt::Limit limit, std::string_view sign) {
    if (estimate.of(limit) >= 0.5) table.rows.push_back(limit_row(estimate, limit, sign));
  };
  for (const simt::Limit limit : busy_units) add(limit, "");
  for (const simt::Limit limit : additions) add(limit, "+");
  return table;
}

// Why a kernel whose FP32 units always work may be far from the peak: power limits the clock.
std::string clock_text(const KernelRun& run) {
  constexpr double clearly_lower = 0.97;
  const double clock = run.estimate->clock_ghz;
  if (!run.gpu || clock > clearly_lower * run.gpu->clock_ghz) return "";
  return fmt::format(", at {:.2f} GHz; the peak is that of {:.2f} GHz", clock, run.gpu->clock_ghz);
}

std::string limit_fact(const KernelRun& run) {
  const simt::Estimate& estimate = *run.estimate;
  const simt::Limit limit = estimate.limited_by();
  const double share = estimate.milliseconds(estimate.of(limit)) / estimate.median_ms;
  return fmt::format("{}: {} of the time, the largest part{}", words_for(limit),
                     percent_text(100 * share), clock_text(run));
}

std::string registers_fact(const simt::Estimate& estimate) {
  if (estimate.of(simt::Limit::registers) < 0.5) return "";
  return fmt::format("{}: {} of the FFMAs read two operands from one bank",
                     words_for(simt::Limit::registers),
                     percent_text(100 * estimate.conflicting_ffma_share));
}

std::string latency_fact(const simt::Estimate& estimate) {
  if (estimate.of(simt::Limit::latency) < 0.5) return "";
  const double warps = std::round(10 * estimate.warps_per_scheduler) / 10;
  const auto between = std::llround(estimate.instructions_per_barrier);
  return fmt::format("{}: {:g} {} per scheduler, {}", words_for(simt::Limit::latency), warps,
                     warps == 1 ? "warp" : "warps",
                     between == 0
                         ? "no barrier"
                         : fmt::format("a barrier every {}", counted(between, "instruction")));
}

std::string unknown_fact(const simt::Estimate& estimate) {
  if (estimate.unknown_share == 0) return "";
  return fmt::format(
      "{} of the instructions are not known, and taken for fast ones: the upper time allows for "
      "slow ones",
      percent_text(100 * estimate.unknown_share));
}

// --- Try

// What is done to get there. Each is the beginning of a line that ends with the time.
std::string_view advice_for(simt::Change::Kind kind) {
  switch (kind) {
    case simt::Change::Kind::no_bank_conflicts:
      return "no bank conflicts in shared memory";
    case simt::Change::Kind::coalesced:
      return "coalesced access to global memory: neighbours for neighbouring lanes";
    case simt::Change::Kind::twice_the_results:
      return "twice as many results per thread, so that half of its loads do";
    case simt::Change::Kind::more_blocks:
      return "one more block per SM, with fewer registers or less shared memory each";
    case simt::Change::Kind::no_register_conflicts:
      return "no conflicts of register banks: another order of the sums";
  }
  return "";
}

std::string change_text(const simt::Change& change, const simt::Estimate& estimate) {
  const std::string line = change.line > 0 ? fmt::format(" (line {})", change.line) : "";
  return fmt::format("{}{}: about {} instead of {}", advice_for(change.kind), line,
                     duration_text(change.median_ms), duration_text(estimate.median_ms));
}

// --- Several GPUs

// A file of the user's own is shown by what it calls the GPU.
std::string gpu_head(const simt::GpuSpec& gpu) {
  const bool is_file = gpu.name.find_first_of("/.") != gpu.name.npos;
  return is_file ? gpu.full_name : gpu.name;
}

// "1.12 to 1.41 ms", or with two units "980 µs to 1.02 ms".
std::string times_between(double low_ms, double high_ms) {
  std::string low = breakable(duration_text(low_ms));
  const std::string high = breakable(duration_text(high_ms));
  const std::size_t unit = low.find(' ');
  if (high.ends_with(low.substr(unit))) low.resize(unit);
  return unbreakable(fmt::format("{} to {}", low, high));
}

}  // namespace

std::string_view words_for(simt::Limit limit) {
  constexpr std::array<std::string_view, simt::limit_count> words = {
      "issue slots", "FP32 units", "tensor cores", "register banks", "shared memory",
      "L1 cache",    "L2 cache",   "DRAM",         "waiting",        "launch overhead"};
  return words[static_cast<std::size_t>(limit)];
}

std::string limiting_text(const KernelRun& run) {
  if (!has_digits(run.estimate)) return "";
  constexpr std::array<std::string_view, simt::limit_count> parts = {
      "goes into starting the instructions, one after another",
      "goes into the sums themselves",
      "goes into the products of matrices themselves",
      "is lost where an instruction reads its numbers",
      "goes into reading and writing shared memory",
      "goes into the sectors that the nearest cache delivers",
      "goes into the sectors that the cache of the whole GPU delivers",
      "goes into the sectors that the GPU's memory delivers",
      "is spent waiting for what was loaded",
      "goes into the launch, because there is so little to do"};
  const simt::Estimate& estimate = *run.estimate;
  const simt::Limit limit = estimate.limited_by();
  const double share = estimate.milliseconds(estimate.of(limit)) / estimate.median_ms;
  return fmt::format("{} of the time{} {}.", percent_text(100 * share),
                     run.timing || run.recorded ? ", as estimated," : "",
                     parts[static_cast<std::size_t>(limit)]);
}

Section limits_section(const KernelRun& run) {
  Section section{"Limits", "What limits it, estimated"};
  if (!has_digits(run.estimate)) return section;
  const simt::Estimate& estimate = *run.estimate;
  section.parts.fact(
      {{fmt::format("{}, estimated. Cycles in which each unit of the busiest SM works, and the "
                    "time that they take alone:",
                    estimate.gpu)}});
  section.parts.add(limits_table(estimate));
  Facts facts;
  for (const std::string& text : {limit_fact(run), registers_fact(estimate), latency_fact(estimate),
                                  unknown_fact(estimate), unfilled_text(run)}) {
    if (!text.empty()) facts.add({{text}});
  }
  facts.add({{unbreakable("gemm-tutor explain limits"), Style::code},
             {" says what each row is", Style::dim}});
  section.parts.add(std::move(facts));
  return section;
}

std::string estimated_text(const KernelRun& run) {
  if (!run.estimate) return "";
  const simt::Estimate& estimate = *run.estimate;
  if (!estimate.is_reliable()) {
    return fmt::format("not estimated for the {}, as an estimate would not be reliable: {}",
                       estimate.gpu, join(estimate.doubts));
  }
  const LadderTime time = *estimated_time(run);
  std::string text = fmt::format("estimated {} ({}) · {}{}", duration_text(time.median_ms),
                                 times_between(estimate.low_ms, estimate.high_ms),
                                 flop_rate_text(time.tflops * 1e12), shares_text(time));
  if (const auto& recorded = run.recorded; recorded && recorded->device == estimate.gpu) {
    const double ms = recorded->median_ms;
    if (ms < estimate.low_ms || ms > estimate.high_ms) {
      text += ". The recorded time is outside of that range, as one of ten is.";
    }
  }
  return text;
}

Section try_section(const std::optional<simt::Estimate>& estimate) {
  constexpr std::size_t most = 3;
  Section section{"Try", "What would make it faster"};
  if (!has_digits(estimate) || estimate->changes.empty()) return section;
  Facts facts;
  for (std::size_t i = 0; i < std::min(most, estimate->changes.size()); ++i) {
    facts.add({{change_text(estimate->changes[i], *estimate)}}, {}, 2);
  }
  section.parts.add(std::move(facts));
  return section;
}

Section gpus_section(const KernelRun& run) {
  Section section{"GPUs", "On several GPUs"};
  if (run.estimates.size() < 2) return section;
  Table table{.columns = {{}}, .rows = {}, .splits = true};
  std::vector<Cell> times = {text_cell("estimated")}, limits = {text_cell("limited by")},
                    rates = {text_cell("TFLOP/s")}, shares = {text_cell("of peak")};
  for (const GpuEstimate& on : run.estimates) {
    table.columns.push_back(number_column(gpu_head(on.gpu)));
    if (!has_digits(on.estimate)) {
      times.push_back(text_cell("no estimate", Style::dim));
      for (auto* cells : {&limits, &rates, &shares}) cells->push_back({});
      continue;
    }
    const double flops = run.problem.flops() / (on.estimate->median_ms / 1000);
    times.push_back(text_cell(duration_text(on.estimate->median_ms)));
    limits.push_back(text_cell(std::string(words_for(on.estimate->limited_by()))));
    rates.push_back(text_cell(fmt::format("{:.1f}", flops / 1e12)));
    const auto share = percent_of_peak(flops / 1e12, on.gpu, run.update.types.precision);
    shares.push_back(text_cell(share ? percent_text(*share) : ""));
  }
  table.rows = {std::move(times), std::move(limits), std::move(rates), std::move(shares)};
  section.parts.add(std::move(table));
  return section;
}

std::string unfilled_text(const KernelRun& run) {
  const std::int64_t room = blocks_at_once(run);
  const auto blocks = run.launch ? static_cast<std::int64_t>(run.launch->grid.count()) : 0;
  if (blocks >= room) return "";
  return fmt::format("{} {} not fill the GPU: its {} have room for {} at a time",
                     counted(blocks, "block"), blocks == 1 ? "does" : "do",
                     counted(run.gpu->multiprocessors, "SM"), with_thousands(room));
}

Json estimate_json(const simt::Estimate& estimate) {
  Json json = {{"gpu", estimate.gpu}};
  if (!estimate.is_reliable()) {
    json["unreliable"] = estimate.doubts;
    return json;
  }
  json["median_ms"] = estimate.median_ms;
  json["low_ms"] = estimate.low_ms;
  json["high_ms"] = estimate.high_ms;
  json["limited_by"] = name_of(estimate.limited_by());
  for (const simt::Limit limit :
       {simt::Limit::issue, simt::Limit::fp32, simt::Limit::registers, simt::Limit::shared,
        simt::Limit::l1, simt::Limit::l2, simt::Limit::dram, simt::Limit::latency}) {
    json["cycles"][std::string(name_of(limit))] = std::llround(estimate.of(limit));
  }
  if (estimate.of(simt::Limit::tensor) > 0) {
    json["cycles"][std::string(name_of(simt::Limit::tensor))] =
        std::llround(estimate.of(simt::Limit::tensor));
  }
  return json;
}

}  // namespace gemm_tutor
