// Questions that a learner answers before a kernel runs. A question has no stored answer: the run's
// counts are the answer, and the calculation is shown for the learner's size.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "course/expression.hpp"
#include "course/settings.hpp"
#include "gemm/problem.hpp"

namespace gemm_tutor {

struct Kernel;
struct KernelRun;
struct Lesson;
struct LessonRun;

// A choice is right if `holds`, an expression over counted values, is not 0.
struct Choice {
  std::string text;
  std::string holds;
  std::string reply = {};  // shown if it was chosen and is wrong; may have expressions in braces
};

// To a learner whose number was wrong.
struct Reply {
  std::string answer;  // over the values before the run: who has this number. Empty: everybody else
  std::string text;    // may have expressions in braces
};

struct Question {
  std::string id;  // words joined by hyphens, unique in the lesson
  // `ask`, `why` and the texts of choices may have expressions in braces, over the values before
  // the run of problem_of(): "in a step of {BK}", "{2·M·N·K} floats".
  std::string ask;
  std::string unit = {};            // for a number: "floats", "sectors", "bytes", …
  std::string work = {};            // for a number: the calculation, over the values before the run
  std::string count = {};           // for a number: the result, over counted values
  std::vector<Reply> replies = {};  // for a number; the first that fits is shown
  std::vector<Choice> choices = {};  // used instead of these four
  std::string why = {};              // an explanation, shown with the result
  // A piece of code. The counted values are those of the line that has it.
  std::string line = {};
  // Over the values before the run: 0 where there is nothing to ask about. Empty for a question
  // that makes sense everywhere.
  std::string needs = {};
  // The question is about whole tiles. It is counted at the next larger size that has only these.
  bool whole_tiles = false;
  bool after_run = false;  // asked after the run: the learner has seen the counts and explains them
  std::string recalls = {};  // the earlier lesson that it repeats; empty if none
};

// A size and a kernel's settings for it.
struct Subject {
  Problem problem;
  Settings settings;
};

// Returns what the questions of a lesson's kernel are about: the reader's choice. If the reader has
// not changed size and settings, or if a question of the kernel has nothing to ask about there, it
// is the lesson's page_size (by default the usual size) with the usual settings for it.
Subject subject_of_questions(const Lesson& lesson, const Kernel& kernel, const Subject& chosen,
                             const std::function<Settings(const Problem&)>& usual_settings);

// Returns the problem that a question is about: `problem`, or M, N and K rounded up to whole tiles.
// (The kernels of the library and the CPU have no tiles.)
Problem problem_of(const Question& question, const Kernel& kernel, const Settings& settings,
                   const Problem& problem);

// Returns the values that are known before the run, by name: M, N, K, the settings, and from the
// launch tile_rows, tile_columns, tile_depth, threads and warps (per block), blocks, grid_x,
// grid_y, warps_total (blocks·warps) and steps (⌈K/tile_depth⌉). If blocks share tiles, also tiles,
// whole_waves, tiles_shared, partial_pieces (in the workspace) and partial_floats (the workspace's
// size). The CPU and the library have no launch, so only M, N and K. If the kernel's formula has a
// symbol, also its name.
Values values_before(const Kernel& kernel, const Settings& settings, const Problem& problem);

// Returns the values after the run: those of values_before(), and the run's counts.
// - load_floats and store_floats: elements of A and B, and of C, whatever their types;
// - every counter by its name in the JSON, from global_load_requests to barriers, and by kind
//   ffma_instructions, floating_point_instructions, … (per warp; the JSON's
//   warp_instructions_by_kind); register_bank_conflicts if there is machine code;
// - busiest_block_instructions, busiest_warp_multiply_adds, copied_bytes_in_flight,
//   loaded_bytes_in_flight, fragment_bytes_in_flight and idle_barriers (simt::Result);
// - for the (first) launch blocks_total, shared_bytes, registers_per_thread, blocks_per_sm,
//   occupancy (0 to 1), multiprocessors (of the GPU);
// - for the library a_floats, b_floats and c_floats (the elements of matrices of that size), and
//   one element of four products, see CallOrder: passed_a_first, a_times_b, b_times_a,
//   a_times_b_transposed.
// If the question has a line, the counters and load_floats and store_floats are only that line's.
// Throws std::logic_error if the line is not exactly once in the excerpt.
Values values_counted(const Question& question, const LessonRun& run);

// The same for a run of any kernel, without the library's. `before` is values_before() of the
// kernel that it is about.
Values values_counted(const Values& before, const KernelRun& run);

// Returns all names that values_counted() may have for that kernel. Values that only a run counts
// are 0.
Values values_countable(const Kernel& kernel, const Settings& settings, const Problem& problem);

// Returns why values_counted() does not have the value: "register_bank_conflicts is counted in
// machine code, which clang 14 does not make". Empty if there is another reason.
std::string why_not_counted(std::string_view name, std::string_view compiler);

// The help for that case.
inline constexpr std::string_view who_makes_machine_code =
    "NVRTC makes it; 'gemm-tutor device' says whether this machine has it.";

// The same as values_counted(), with the counters, load_floats and store_floats of one line, and
// without shared_bytes, what the busiest block and warp did, bytes in flight and idle barriers,
// which are of no line.
Values values_counted_in(int line, const Values& before, const KernelRun& run);

// Replaces the text's expressions by their values. Throws std::logic_error for an unmatched brace,
// and what Expression throws.
std::string filled_in(std::string_view text, const Values& values);

// "2,048 floats", "1 sector".
std::string quantity_text(double number, std::string_view unit);

// An answer: a number, in the question's unit, or the index of a choice.
struct Answer {
  std::optional<double> number;
  std::optional<std::size_t> choice;
};

// Parses what was typed: "2048", "2,048", "2 048", "2^11", "8 KiB" (2,048 floats; 8 KB is the
// same), "4/3", "2*BK" (names without regard to case), "32x32", "16 sectors", "32×" (a factor), or
// a choice's number (from 1) or first letters. If it is none of these, returns a message that
// explains what is possible. Never throws.
std::variant<Answer, std::string> parse_answer(const Question& question, std::string_view typed,
                                               const Values& values);

// Returns where in such a text of a number what cannot be read begins: a byte's index. It is the
// text's length if something is missing at its end.
std::size_t unreadable_place(std::string_view typed, const Values& values);

// "BM·BK + BK·BN = 32·32 + 32·32 = 2,048".
std::string arithmetic_text(const std::string& work, const Values& values);

struct Checked {
  bool right = false;
  bool is_nothing = false;  // there was nothing to count, so that no answer is right
  std::string counted;      // "2,048 floats", the text of the right choice, or "nothing"
  // "BM·BK + BK·BN = 32·32 + 32·32 = 2,048". Empty for a choice, and if the result is not the
  // count: at an odd size, or with settings that it was not written for.
  std::string arithmetic;
  std::string reply = {};  // to a wrong answer, filled in; may be empty
  std::string why;         // filled in; says so if the calculation does not give the count
};

// `run` must be a run of problem_of(question). A number is right if it equals the count, or the
// count rounded to the answer's decimals. If only some blocks ran, so that counts are scaled, it is
// also right if it equals the calculation's result. A choice is right if it holds; at some sizes,
// such as 1, several do. No answer is right if the count divides by zero, because the run did
// nothing of that kind, or if why_not_counted() has a reason. Throws Error if the run has not
// counted what the question needs for another reason.
Checked check(const Question& question, const Answer& answer, const LessonRun& run);

// What cublasSgemm computes if it gets row-major matrices. By its definition it treats every matrix
// as column-major.

// The element in row 0 and column 1 of four row-major results, for random square A and B. (In
// column 0 some of them would be equal.)
struct CallOrder {
  double passed_a_first = 0;  // the call with A before B
  double a_times_b = 0, b_times_a = 0, a_times_b_transposed = 0;
};

// For matrices of `size` rows and columns, at least 2. The matrices are always the same.
CallOrder call_order(int size);

}  // namespace gemm_tutor
