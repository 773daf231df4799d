// Shows the warps' instructions and the cost of shared memory.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>
#include <utility>

#include "course/ladder.hpp"
#include "report/run_sections.hpp"
#include "support/text.hpp"
#include "view/units.hpp"

namespace gemm_tutor {
namespace {

// Others are called as in JSON.
std::string_view text_of(simt::InstructionKind kind) {
  static constexpr std::pair<std::string_view, std::string_view> words[] = {
      {"ffma", "FFMA"},
      {"floating_point", "other floating point"},
      {"move", "moves"},
      {"shared_load", "shared loads"},
      {"shared_store", "shared stores"},
      {"global_load", "global loads"},
      {"global_store", "global stores"},
      {"local_load", "local loads"},
      {"local_store", "local stores"},
      {"copy", "copies"},
      {"atomic", "atomics"},
      {"exchange", "between lanes"},
      {"tensor", "products of matrices"},
      {"unknown", "others"}};
  const std::string_view name = name_of(kind);
  const auto found =
      std::ranges::find(words, name, &std::pair<std::string_view, std::string_view>::first);
  return found == std::end(words) ? name : found->second;
}

// "FFMA 50 % · integer 14 %": FFMA first, because it is the useful work, then the largest share.
std::string mix_text(const std::array<std::uint64_t, simt::instruction_kinds>& instructions) {
  const double total = static_cast<double>(
      std::accumulate(instructions.begin(), instructions.end(), std::uint64_t{0}));
  std::vector<std::pair<double, simt::InstructionKind>> shares;
  for (std::size_t kind = 0; kind < simt::instruction_kinds; ++kind) {
    const double percent = 100 * static_cast<double>(instructions[kind]) / total;
    if (percent >= 0.1) shares.emplace_back(percent, static_cast<simt::InstructionKind>(kind));
  }
  std::ranges::stable_sort(shares, [](const auto& a, const auto& b) {
    constexpr auto ffma = simt::InstructionKind::ffma;
    if ((a.second == ffma) != (b.second == ffma)) return a.second == ffma;
    return a.first > b.first;
  });
  std::vector<std::string> parts;
  for (const auto& [percent, kind] : shares) {
    parts.push_back(unbreakable(fmt::format("{} {}", percent_text(percent), text_of(kind))));
  }
  return join(parts, " · ");
}

std::string conflicts_text(const simt::Counters& c) {
  const std::uint64_t wavefronts = c.shared_load_wavefronts + c.shared_store_wavefronts;
  const std::uint64_t conflicts = c.shared_load_conflicts + c.shared_store_conflicts;
  return fmt::format("{} wavefronts of shared memory, {}", with_thousands(wavefronts),
                     conflicts == 0
                         ? "none by a bank conflict"
                         : fmt::format("{} ({}) by bank conflicts", with_thousands(conflicts),
                                       percent_text(100.0 * static_cast<double>(conflicts) /
                                                    static_cast<double>(wavefronts))));
}

// Registers that were spilled, or arrays that are indexed by variables.
std::string local_text(const KernelRun& run) {
  const simt::Counters& c = run.emulation->total;
  const bool has_spills = run.launch && run.launch->resources.spill_store_bytes > 0;
  return fmt::format("{} and {} of local memory, {}",
                     counted(static_cast<std::int64_t>(c.local_load_requests), "load"),
                     counted(static_cast<std::int64_t>(c.local_store_requests), "store"),
                     has_spills ? "where registers were spilled" : "where arrays are");
}

// Without machine code, only copies during which a warp multiplies are counted.
bool copies_asynchronously(const KernelRun& run) {
  const auto kind = static_cast<std::size_t>(simt::InstructionKind::copy);
  return run.emulation->total.machine[kind] > 0 || run.emulation->copied_bytes_in_flight > 0;
}

}  // namespace

Section work_section(const KernelRun& run) {
  Section section{"Work"};
  if (!run.emulation || run.is_stopped()) return section;
  const simt::Counters& total = run.emulation->total;
  const Span doubt = {run.emulation->exact ? "" : "≈ ", Style::doubtful};
  Facts facts;
  facts.add({doubt,
             {fmt::format("{} warp instructions as written in PTX, of them",
                          with_thousands(total.warp_instructions()))}});
  facts.add({{mix_text(total.instructions)}});
  if (total.machine_instructions() > 0) {
    facts.add({doubt,
               {fmt::format("{} machine instructions that the assembler made, of them",
                            with_thousands(total.machine_instructions()))}});
    facts.add({{mix_text(total.machine)}});
  }
  if (total.local_load_requests + total.local_store_requests > 0) {
    facts.add({doubt, {local_text(run)}});
  }
  if (total.shared_load_requests + total.shared_store_requests > 0) {
    facts.add({doubt, {conflicts_text(total)}});
    facts.add({{unbreakable(fmt::format("{:.2f} FLOP per byte", shared_intensity(run)))},
               {" of shared memory, read or written"}});
    if (copies_asynchronously(run)) {
      facts.add(
          {{"without what asynchronous copies write there; a profiler's counts of shared stores "
            "leave it out, too",
            Style::dim}});
    }
  }
  section.parts.add(std::move(facts));
  return section;
}

}  // namespace gemm_tutor
