// What the warps' instructions were, and what shared memory cost.
#include <fmt/format.h>

#include <algorithm>

#include "course/ladder.hpp"
#include "documents/run_sections.hpp"
#include "support/text.hpp"
#include "view/units.hpp"

namespace gemm_tutor {
namespace {

using emulator::InstructionKind;

std::string_view text_of(InstructionKind kind) {
  switch (kind) {
    case InstructionKind::ffma:
      return "FFMA";
    case InstructionKind::floating_point:
      return "other floating point";
    case InstructionKind::move:
      return "moves";
    case InstructionKind::exchange:
      return "between lanes";
    default:
      return name_of(kind);
  }
}

struct Share {
  InstructionKind kind;
  double percent;
};

// The largest first, but FFMA before all: it is the work.
std::vector<Share> shares(const emulator::Counters& counters) {
  std::vector<Share> result;
  const auto total = static_cast<double>(counters.warp_instructions());
  for (std::size_t kind = 0; kind < emulator::instruction_kinds; ++kind) {
    if (counters.instructions[kind] == 0) continue;
    result.push_back({static_cast<InstructionKind>(kind),
                      100 * static_cast<double>(counters.instructions[kind]) / total});
  }
  std::ranges::sort(result, [](const Share& a, const Share& b) {
    if ((a.kind == InstructionKind::ffma) != (b.kind == InstructionKind::ffma))
      return a.kind == InstructionKind::ffma;
    return a.percent > b.percent;
  });
  return result;
}

std::string mix_text(const emulator::Counters& counters) {
  std::vector<std::string> parts;
  for (const Share& share : shares(counters)) {
    if (share.percent < 0.1) continue;
    parts.push_back(
        unbreakable(fmt::format("{} {}", percent_text(share.percent), text_of(share.kind))));
  }
  return join(parts, " · ");
}

std::string conflicts_text(const emulator::Counters& c) {
  const std::uint64_t wavefronts = c.shared_load_wavefronts + c.shared_store_wavefronts;
  const std::uint64_t conflicts = c.shared_load_conflicts + c.shared_store_conflicts;
  return fmt::format("{} wavefronts of shared memory, {}", with_thousands(wavefronts),
                     conflicts == 0
                         ? "none by a bank conflict"
                         : fmt::format("{} ({}) by bank conflicts", with_thousands(conflicts),
                                       percent_text(100.0 * static_cast<double>(conflicts) /
                                                    static_cast<double>(wavefronts))));
}

// Bulk copies are of that name, too.
bool copies_asynchronously(const KernelRun& run) {
  constexpr std::string_view copy = "cp.async";
  if (run.lesson) return run.lesson->source.find(copy) != std::string::npos;
  return std::ranges::any_of(run.excerpt, [&](const SourceLine& line) {
    return line.text.find(copy) != std::string::npos;
  });
}

}  // namespace

Section work_section(const KernelRun& run) {
  Section section{"Work"};
  if (!run.emulation || run.emulation->stopped) return section;
  const emulator::Counters& total = run.emulation->total;
  const Span doubt = {run.emulation->exact ? "" : "≈ ", Style::doubtful};
  Facts facts;
  facts.add({doubt,
             {fmt::format("{} warp instructions as written in PTX, of them",
                          with_thousands(total.warp_instructions()))}});
  facts.add({{mix_text(total)}});
  if (total.shared_load_requests + total.shared_store_requests > 0) {
    facts.add({doubt, {conflicts_text(total)}});
    facts.add({{unbreakable(fmt::format("{:.2f} FLOP a byte", shared_intensity(run)))},
               {" of shared memory, read or written"}});
    if (copies_asynchronously(run)) {
      facts.add(
          {{"without what asynchronous copies write there: a profiler's counts of shared "
            "stores have none of it either",
            Style::dim}});
    }
  }
  section.parts.add(std::move(facts));
  return section;
}

}  // namespace gemm_tutor
