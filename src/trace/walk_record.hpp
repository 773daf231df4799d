// What a walk shows of the kernel's lines, in the order in which it reaches them.
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
  // How much is shown at some point, to take back what is added later.
  struct Mark {
    std::size_t lines = 0, worked_in_last = 0;
  };

  // Does all of `work` without showing any of it.
  template <typename Work>
  void silently(const Work& work) {
    const bool was_silent = std::exchange(silent_, true);
    work();
    silent_ = was_silent;
  }
  bool is_silent() const { return silent_; }

  // An iteration begins a line of its own.
  void add(int line, Worked worked);
  void add(int line, Worked::Kind kind, std::string name, std::string filled,
           std::vector<std::int64_t> values) {
    add(line, {kind, std::move(name), std::move(filled), std::move(values), {}, {}});
  }

  // An element of a matrix, of step `step` where that is known: shown in that step alone.
  void add_of_step(int line, Worked worked, std::optional<std::int64_t> step,
                   std::int64_t shown_step);

  // A statement that says the same as one before it adds nothing.
  void drop_repeated();

  Mark mark() const;
  void take_back(const Mark& mark);
  // As if nothing had been added, where no more than one value was.
  void take_back_single(const Mark& mark);

  // Elements of matrices so far: shown, left out as those of other steps, and the lines shown.
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
