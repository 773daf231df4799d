// Records what a walk shows of the kernel's lines, in the order of the walk.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "trace/thread_walk.hpp"

namespace gemm_tutor {

class WalkRecord {
 public:
  // A point of the record, to remove later additions.
  struct Mark {
    std::size_t lines = 0, worked_in_last = 0;
  };

  // Calls `work` without recording anything.
  template <typename Work>
  void silently(const Work& work) {
    const bool was_silent = std::exchange(silent_, true);
    work();
    silent_ = was_silent;
  }
  bool is_silent() const { return silent_; }

  // A loop iteration begins a new line.
  void add(int line, Worked worked);
  void add(int line, Worked::Kind kind, std::string name, std::string filled,
           std::vector<std::int64_t> values) {
    add(line, {kind, std::move(name), std::move(filled), std::move(values), {}, {}});
  }

  // Adds an element of a matrix. If its step is known, it is shown only in that step.
  void add_of_step(int line, Worked worked, std::optional<std::int64_t> step,
                   std::int64_t shown_step);

  // Removes a statement that is equal to an earlier one.
  void drop_repeated();

  Mark mark() const;
  void take_back(const Mark& mark);
  // Removes the additions if they are at most one value.
  void take_back_single(const Mark& mark);

  // Number of matrix elements: shown, left out because of other steps; and the number of lines.
  std::int64_t elements() const { return elements_; }
  std::int64_t of_other_steps() const { return of_other_steps_; }
  std::size_t element_lines() const { return element_lines_.size(); }
  void forget_other_steps(std::int64_t before) { of_other_steps_ = before; }

  std::vector<WorkedLine> lines() && { return std::move(lines_); }

 private:
  std::vector<WorkedLine> lines_;
  bool silent_ = false;
  std::int64_t elements_ = 0, of_other_steps_ = 0;
  std::set<int> element_lines_;
};

}  // namespace gemm_tutor
