#include "trace/walk_record.hpp"

#include <algorithm>

namespace gemm_tutor {
namespace {

constexpr std::size_t most_lines = 4000;    // of loops in loops
constexpr std::size_t most_in_line = 1000;  // values

}  // namespace

void WalkRecord::add(int line, Worked worked) {
  if (silent_ || lines_.size() >= most_lines) return;
  const bool begins = worked.kind == Worked::Kind::loop;
  if (begins || lines_.empty() || lines_.back().line != line) lines_.push_back({line, {}});
  auto& all = lines_.back().worked;
  if (all.size() < most_in_line && !std::ranges::count(all, worked)) {
    all.push_back(std::move(worked));
  }
}

void WalkRecord::add_of_step(int line, Worked worked, std::optional<std::int64_t> step,
                             std::int64_t shown_step) {
  if (silent_) return;
  if (step && *step != shown_step) {
    ++of_other_steps_;
    return;
  }
  ++elements_;
  element_lines_.insert(line);
  add(line, std::move(worked));
}

void WalkRecord::drop_repeated() {
  if (lines_.empty()) return;
  const auto last = std::prev(lines_.end());
  if (std::find(lines_.begin(), last, *last) != last) lines_.erase(last);
}

WalkRecord::Mark WalkRecord::mark() const {
  return {lines_.size(), lines_.empty() ? 0 : lines_.back().worked.size()};
}

void WalkRecord::take_back(const Mark& mark) {
  if (lines_.size() < mark.lines) return;
  lines_.resize(mark.lines);
  if (mark.lines > 0) lines_.back().worked.resize(mark.worked_in_last);
}

void WalkRecord::take_back_single(const Mark& mark) {
  const bool has_more = lines_.size() > mark.lines + 1 ||
                        (lines_.size() > mark.lines && lines_.back().worked.size() > 1);
  if (!has_more) lines_.resize(std::min(mark.lines, lines_.size()));
}

}  // namespace gemm_tutor
