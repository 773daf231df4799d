#include "trace/selection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <new>
#include <set>

#include "support/error.hpp"
#include "support/text.hpp"
#include "trace/who_loads.hpp"

namespace gemm_tutor {
namespace {

using simt::Access;

// The lines in which the warp accesses memory.
std::set<int> lines_of(const Trace& trace, int warp) {
  std::set<int> lines;
  for (const Access& access : trace.result.accesses) {
    if (access.warp == warp && access.line > 0) lines.insert(access.line);
  }
  return lines;
}

std::string list(const std::set<int>& lines) {
  std::vector<std::string> numbers;
  for (const int line : lines) numbers.push_back(std::to_string(line));
  return join(numbers);
}

// Explains why an expected access may be missing; "" if the kernel did not fail.
std::string failure(const Trace& trace) {
  if (trace.findings.empty()) return "";
  const simt::Finding& first = trace.findings.front();
  return fmt::format(" The kernel failed in line {}: {}", first.line, message(first));
}

void check_recorded(const Trace& trace, int line) {
  const std::string what = not_recorded(trace, line);
  if (what.empty()) return;
  throw Error(ExitStatus::usage, fmt::format("line {} has {}, and that is not drawn", line, what),
              "Only loads, stores and copies are." + failure(trace));
}

void check_line(const Trace& trace, int warp, int line) {
  const std::set<int> lines = lines_of(trace, warp);
  if (lines.contains(line)) return;
  std::set<int> others;
  for (const Access& access : trace.result.accesses) {
    if (access.line == line) others.insert(access.warp);
  }
  if (others.empty()) check_recorded(trace, line);
  const std::string none = not_recorded(trace).empty() ? "It accesses no memory at all."
                                                       : "It makes no request that is drawn.";
  const std::string help = !others.empty() ? fmt::format("Other warps do: {}.", list(others))
                           : lines.empty() ? none
                                           : fmt::format("It does in the lines {}.", list(lines));
  throw Error(ExitStatus::usage,
              fmt::format("warp {} makes no access to memory in line {}", warp, line),
              help + failure(trace));
}

// How often the warp executes the chosen lines, at most.
void check_step(const Trace& trace, const Selection& selection) {
  std::uint64_t steps = 0;
  for (const Access& access : trace.result.accesses) {
    const bool is_chosen = access.warp == selection.warp && access.line > 0 &&
                           (!selection.line || access.line == *selection.line);
    if (is_chosen) steps = std::max(steps, access.step + 1);
  }
  if (steps == 0 || selection.step < steps) return;
  const std::string times = counted(static_cast<std::int64_t>(steps), "time");
  const std::string what =
      selection.line ? fmt::format("there is no step {} of line {}: warp {} executes it {}",
                                   selection.step, *selection.line, selection.warp, times)
                     : fmt::format("there is no step {}: warp {} executes no line more than {}",
                                   selection.step, selection.warp, times);
  const std::string help =
      steps == 1 ? "The only step is 0." : fmt::format("Give one from 0 to {}.", steps - 1);
  const std::string kept = trace.result.all_accesses ? "" : " (There are more than are kept.)";
  throw Error(ExitStatus::usage, what, help + kept + failure(trace));
}

bool are_alike(const AccessPicture& one, const AccessPicture& other) {
  const Access &a = one.access, &b = other.access;
  if (a.space != b.space || a.store != b.store || a.bytes != b.bytes || a.joined != b.joined ||
      a.active != b.active || a.cost != b.cost || a.conflicts != b.conflicts ||
      a.buffer != b.buffer || a.asynchronous != b.asynchronous)
    return false;
  if (one.shared() != nullptr && one.shared()->first.array != other.shared()->first.array)
    return false;
  return std::ranges::all_of(lanes_of(a.active), [&](int lane) {
    const auto at = static_cast<std::size_t>(lane);
    return a.offsets[at] - first_offset(a) == b.offsets[at] - first_offset(b);
  });
}

void add(SelectedLine& line, AccessPicture picture) {
  const auto known = std::ranges::find_if(line.accesses, [&](const SelectedAccess& access) {
    return are_alike(access.picture, picture);
  });
  if (known == line.accesses.end()) {
    line.accesses.push_back({std::move(picture)});
  } else {
    ++known->alike;
  }
}

}  // namespace

bool SelectedLine::is_costly() const {
  return std::ranges::any_of(
      accesses, [](const SelectedAccess& access) { return access.picture.is_costly(); });
}

void check_warp(const Trace& trace, int warp) {
  if (warp >= 0 && warp < trace.warps()) return;
  throw Error(ExitStatus::usage,
              fmt::format("there is no warp {} in a block of {} threads", warp,
                          with_thousands(static_cast<std::int64_t>(trace.launch.block.count()))),
              trace.warps() == 1 ? "Its only warp is 0."
                                 : fmt::format("Give one from 0 to {}.", trace.warps() - 1));
}

std::vector<SelectedLine> select(const Trace& trace, const Selection& selection) {
  check_warp(trace, selection.warp);
  if (selection.line) check_line(trace, selection.warp, *selection.line);
  check_step(trace, selection);
  const std::vector<std::string> source = split_lines(trace.kernel.source);
  std::map<int, SelectedLine> lines;
  Paddings paddings(trace);
  for (const Access& access : trace.result.accesses) {
    if (access.warp != selection.warp || access.step != selection.step || access.line <= 0)
      continue;
    if (selection.line && access.line != *selection.line) continue;
    SelectedLine& line = lines[access.line];
    line.line = access.line;
    const auto at = static_cast<std::size_t>(access.line - 1);
    if (at < source.size()) line.text = source[at];
    add(line, draw(trace, access, paddings));
  }
  std::vector<SelectedLine> result;
  for (auto& [number, line] : lines) {
    // Not of std::ranges: Clang 14 cannot read what the standard library of GCC 12 has there.
    std::stable_partition(
        line.accesses.begin(), line.accesses.end(),
        [](const SelectedAccess& selected) { return selected.picture.is_costly(); });
    result.push_back(std::move(line));
  }
  std::stable_partition(result.begin(), result.end(), std::mem_fn(&SelectedLine::is_costly));
  return result;
}

std::vector<SelectedLine> first_requests(const KernelRun& run) {
  if (!run.trace || run.emulation->stopped) return {};
  try {
    return select(*run.trace, {});
  } catch (const Error&) {
    return {};
  } catch (const std::bad_alloc&) {
    return {};
  }
}

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
