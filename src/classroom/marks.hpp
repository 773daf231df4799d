// A submission's points, and the reason for missing ones.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
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
inline constexpr int most_without_point = 9;  // for traffic, so that it is no pass

// points_of() in the words of a report.
inline constexpr const char* points_rule =
    "An exercise has 100 points. Result 50: right at all sizes; else 25 times the share of sizes "
    "that are right. Safety 25: the result is right, and nothing was found. Traffic 25 times the "
    "share of goals met, once safety is full; a goal that is missed counts in part once the kernel "
    "is at least half of the way from the handout to it; where the goals are rungs of a ladder, "
    "safety counts by them, too. A kernel that does not do what the exercise is about, by its "
    "central goal or the solution's counts, has less than 60 points, and 60 are a pass. A file "
    "that is no better than the one handed out gets no points.";

// Result: 50 if all sizes are right, otherwise 25 times the share of right sizes. Safety: 25 if the
// result is right at all sizes and there are no findings. Traffic: if safety has its 25 points, 25
// times the share of goals that are met, or 25 if there are no goals. A missed goal counts by its
// GoalCheck::way. A goal that could not be judged does not count. On a ladder safety is shared by
// the goals, too, because its first rung is the naive kernel. If an essential goal is missed,
// neither safety nor traffic has points; if a central one is, safety has none, and traffic the
// share of most_without_point. Shares are rounded down.
Points points_of(const CheckReport& report);

inline constexpr std::size_t most_warnings = 4;

// A part of a mark, as an autograder shows it to the student.
struct MarkPart {
  enum class State { passed, failed, not_reached };
  std::string name;  // "compile", "published", "hidden", "safety" or "traffic"
  State state = State::not_reached;
  // Lines, each safe as one_line() makes it. They have no correction, and name no hidden size.
  std::string text = {};

  bool operator==(const MarkPart&) const = default;
};

inline constexpr const char* part_names[] = {"compile", "published", "hidden", "safety", "traffic"};

// The mark for one exercise of one student.
struct Mark {
  Points points;
  // "compile", "result", "safety" or "traffic"; "missing" if nothing was handed in; "submission" if
  // the file was not accepted; "limits" if it used too much time or memory; empty if it is solved.
  std::string failed;
  // For the teacher: one line of at most longest_reason characters, which may have the correction
  // and hidden sizes; empty if it is solved.
  std::string reason;
  std::uint64_t warp_instructions = 0;  // all executed ones
  double seconds = 0;                   // differs from run to run
  std::vector<simt::CompilerWarning> warnings =
      {};  // at most most_warnings, one line each, without CompilerWarning::text
  std::vector<MarkPart> parts = {};  // in the order of part_names; empty if it was not checked

  bool solved() const { return failed.empty(); }
  bool missing() const { return failed == "missing"; }
};

// Does not set the seconds.
Mark mark_of(const CheckReport& report);

// All parts of any mark: of one that was not checked, the first has the reason.
std::vector<MarkPart> parts_of(const Mark& mark);
// For the student: what the first failed part says, or that it is not solved if the student does
// not see that part.
std::string reason_for_student(const Mark& mark, const std::set<std::string>& hidden = {});
// Returns a part's share of `points`, or of most_points. The parts' sum is the total. Half of the
// result is for the published sizes, the rest for being right at all. To compile has no points.
int points_of_part(const std::string& name, const Points& points);

inline Mark no_mark(std::string failed, std::string reason) {
  return {{}, std::move(failed), std::move(reason), 0, 0};
}

// The reason of a missing file's mark, unless there are several files and none counts.
inline constexpr const char* not_handed_in = "not handed in";

// Returns the mark with 0 points, because the file as handed out would get the same. No part that
// has points is passed then.
Mark no_better_than_handed_out(Mark mark);

// Convert to one line of JSON and back. The second returns nothing for other texts.
std::string mark_json(const Mark& mark);
std::optional<Mark> mark_of_json(const std::string& text);

}  // namespace gemm_tutor
