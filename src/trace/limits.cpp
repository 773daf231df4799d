#include "trace/limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "support/text.hpp"

namespace gemm_tutor {
namespace {

using simt::Access;

std::string reached_by(const Trace& trace, std::optional<int> warp) {
  const simt::Recording& result = trace.result;
  const auto is_wanted = [&](const Access& access) { return !warp || access.warp == *warp; };
  const auto last = std::find_if(result.accesses.rbegin(), result.accesses.rend(), is_wanted);
  const std::string who = warp ? fmt::format("warp {}", *warp) : "the block";
  const std::string what = fmt::format(
      "{}, {} made", result.stopped ? "The emulator stopped there; before" : "All the same", who);
  if (!result.all_accesses) return what + " more requests of memory than are kept.";
  if (last == result.accesses.rend()) return what + " no request of memory.";
  return fmt::format("{} {} of memory, the last in line {}.", what,
                     counted(std::ranges::count_if(result.accesses, is_wanted), "request"),
                     last->line);
}

}  // namespace

Failure failure_of(const Trace& trace, std::optional<int> warp) {
  if (trace.findings.empty()) return {};
  return {trace.findings, trace.result.stopped, reached_by(trace, warp)};
}

std::string not_recorded(const Trace& trace) {
  std::map<std::string, std::set<int>> lines;
  for (const auto& [line, what] : trace.result.unrecorded) lines[what].insert(line);
  std::vector<std::string> parts;
  for (const auto& [what, numbers] : lines) {
    std::vector<std::string> texts;
    for (const int line : numbers) texts.push_back(std::to_string(line));
    parts.push_back(fmt::format("{} (line{} {})", what, texts.size() == 1 ? "" : "s", join(texts)));
  }
  if (!trace.second_pass.empty()) parts.push_back("the second launch, of " + trace.second_pass);
  return join(parts);
}

std::string not_recorded(const Trace& trace, int line) {
  std::set<std::string> kinds;
  for (const auto& [at, what] : trace.result.unrecorded) {
    if (at == line) kinds.insert(what);
  }
  return join({kinds.begin(), kinds.end()});
}

}  // namespace gemm_tutor
