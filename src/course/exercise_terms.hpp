// The terms of an exercise: what the learner's kernel must do.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "course/settings.hpp"
#include "gemm/problem.hpp"

namespace gemm_tutor {

enum class ExerciseKind { gaps, bug, faster, write };

// A limit that a kernel with a right result must meet: "floats loaded from global memory: at most
// M·N·K·(1/BM + 1/BN)".
struct Goal {
  enum class Bound { at_most, at_least, exactly };
  std::string name;   // "floats loaded from global memory"
  std::string unit;   // "floats"
  std::string count;  // an expression over counted values, as in course/question.hpp
  std::string limit;  // an expression over the values before the run
  Bound bound = Bound::at_most;
  Problem problem;  // the problem that is counted; not that of a goal with `at_edges`, whose sizes
                    // the seed decides
  // Of a goal in ExerciseTerms::essentials, where its limit comes from: "twice the solution's".
  std::string origin = {};
  bool at_edges = false;    // summed over sizes whose M, N and K tiles do not divide
  bool is_central = false;  // it is the exercise's point: without it, the rest does not count

  bool is_essential() const { return !origin.empty(); }
};

// "at_most", as a declaration and the JSON have it; and in words, "at most".
std::string_view key_of(Goal::Bound bound);
std::string words_of(Goal::Bound bound);

// Another way to solve it: the solution with some pieces of its code replaced.
struct OtherWay {
  struct Change {
    std::string code, becomes;
  };
  std::string text;  // Markdown, a sentence or two
  std::vector<Change> changes;
};

struct ExerciseTerms {
  ExerciseKind kind = ExerciseKind::gaps;
  Settings settings;           // of the kernel
  std::string task;            // Markdown, one or two paragraphs
  std::vector<Problem> sizes;  // the problems at which its result is checked
  std::vector<std::string> hints;
  std::vector<OtherWay> other_ways;
  std::vector<Goal> goals;
  std::vector<Goal> essentials;  // essential_goals()
  bool is_ladder = false;        // each goal is a rung: it counts only if those before it are met
  bool has_library = false;      // essential_goals()
  // The problem at which a solution is compared with the reference and its time is estimated.
  Problem timed_at = {2048, 2048, 2048};
};

// What every exercise asks of a kernel besides its goals, counted at the first one's problem: that
// it computes the product from A and B, and by the means that the exercise is about. A kernel that
// misses one of them meets other goals for the wrong reason: without shared memory there are no
// bank conflicts. The limits are wide, because there is more than one way to solve an exercise.
// Their expressions may have each count of the solution's run, as in "4·solution_load_floats". On a
// ladder the means are the rungs, so only what holds for any product is asked. In an exercise with
// a library, what is outside of the kernel is the library: it must stay as it was handed out, and
// it must multiply. A few are also summed over sizes that tiles do not divide, so that a kernel
// cannot do there what it does not do at the goals' size.
std::vector<Goal> essential_goals(const ExerciseTerms& terms);

// A count that a check adds to those of the run.
inline constexpr std::string_view multiply_adds_outside_library = "multiply_adds_outside_library";

// Before the name of a count of the solution's run.
inline constexpr std::string_view solution_prefix = "solution_",
                                  solution_at_edges_prefix = "solution_at_edges_";
// Before the index of a goal, for the handout's count.
inline constexpr std::string_view handout_prefix = "handout_";

// The products of these sizes with M, N and K rounded up to whole tiles, over those of the sizes
// themselves: more than a fair kernel does on tiles that are cut off.
inline constexpr std::string_view rounding_at_edges = "rounding_at_edges";

}  // namespace gemm_tutor
