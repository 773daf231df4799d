// What a submission is worth, and why not more.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "exercise/check.hpp"

namespace gemm_tutor {

struct Points {
  int result = 0, safety = 0, traffic = 0;

  int total() const { return result + safety + traffic; }
  bool operator==(const Points&) const = default;
};

inline constexpr Points most_points = {50, 25, 25};

// points_of() in the words of a report.
inline constexpr const char* points_rule =
    "An exercise has 100 points. Result 50: right at all sizes; else 25 times the share of sizes "
    "that are right. Safety 25: the result is right, and nothing was found. Traffic 25 times the "
    "share of goals met, once safety is full. A file that is no better than the one handed out "
    "gets no points.";

// Result: 50 where all sizes are right, else 25 times the share of those that are. Safety: 25 where
// the result is right at all sizes and nothing was found. Traffic: 25 times the share of the goals
// that are met, once safety has its 25; all 25 where there is no goal. A goal that could not be
// judged is left out. Shares are rounded down.
Points points_of(const CheckReport& report);

inline constexpr std::size_t most_warnings = 4;

// Of one student's one exercise.
struct Mark {
  Points points;
  // "compile", "result", "safety", "traffic"; "missing" where nothing was handed in, "submission"
  // where it did not come that far, "limits" where it was ended; empty where it is solved.
  std::string failed;
  std::string reason;  // one line, at most longest_reason characters; empty where it is solved
  std::uint64_t warp_instructions = 0;  // executed in all
  double seconds = 0;                   // that it took, which is not the same twice
  std::vector<CompilerWarning> warnings =
      {};  // at most most_warnings, one line each, without texts

  bool solved() const { return failed.empty(); }
  bool missing() const { return failed == "missing"; }
};

// Without its seconds.
Mark mark_of(const CheckReport& report);

inline Mark no_mark(std::string failed, std::string reason) {
  return {{}, std::move(failed), std::move(reason), 0, 0};
}

// Without its points, which the file as handed out would have had as well.
Mark no_better_than_handed_out(Mark mark);

// One line of JSON, and back; nothing for a text that is no such line.
std::string mark_json(const Mark& mark);
std::optional<Mark> mark_of_json(const std::string& text);

}  // namespace gemm_tutor
