// What a learner is asked to predict before a kernel runs. A question holds no answer: what is
// right is what the run counts, and the arithmetic that leads there is worked out for the learner's
// own size.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "course/expression.hpp"
#include "course/lesson_number.hpp"
#include "course/settings.hpp"
#include "gemm/problem.hpp"

namespace gemm_tutor {

struct Kernel;
struct KernelRun;
struct Lesson;

// Right is the one whose `holds`, over counted values, is not 0.
struct Choice {
  std::string text;
  std::string holds;
  std::string reply = {};  // to who chose it although it is wrong; may hold expressions, too
};

struct Question {
  std::string id;  // one word or several with hyphens; no other question of the lesson has it
  // `ask`, `why` and the texts of choices may hold expressions in braces, over the values before
  // the run of problem_of(): "in a step of {BK}", "{2·M·N·K} floats".
  std::string ask;
  std::string unit = {};             // of a number: "floats", "sectors", "bytes", …
  std::string work = {};             // a number's arithmetic, over the values before the run
  std::string count = {};            // a number as the run counted it, over counted values
  std::vector<Choice> choices = {};  // or what there is to choose from; then none of these three
  std::string why = {};              // shown with the count: why it is that, in a sentence or two
  // A piece of code: the counted values are those of the line that has it, alone.
  std::string line = {};
  // Asked of whole tiles: where the size cuts some, counted at the next larger one that cuts none.
  bool whole_tiles = false;
  bool after_run = false;  // it asks why the counts are what they are, which the learner has seen
  std::optional<LessonNumber> recalls = std::nullopt;  // an earlier lesson that it is about
};

// A size, and a kernel's settings at it.
struct Subject {
  Problem problem;
  Settings settings;
};

// What the questions of a lesson's kernel are about: what the reader chose; but the lesson's
// page_size, and the usual settings there, if the reader left size and settings as they are.
Subject subject_of_questions(const Lesson& lesson, const Subject& chosen,
                             const std::function<Settings(const Problem&)>& usual_settings);

// The problem that a question is about: `problem`, or with M, N and K rounded up to whole tiles. (A
// library's kernel and the CPU's have no tiles.)
Problem problem_of(const Question& question, const Kernel& kernel, const Settings& settings,
                   const Problem& problem);

// Before the run: M, N, K, the settings by their names, and of the launch tile_rows, tile_columns,
// tile_depth, threads and warps (of a block), blocks, grid_x, grid_y, warps_total (blocks·warps)
// and steps (⌈K/tile_depth⌉); where blocks share tiles also tiles, whole_waves, tiles_shared,
// partial_pieces (that go to the workspace) and partial_floats (that it has room for). The CPU and
// the library have no launch: M, N and K alone. Where the kernel's formula has a symbol, its name
// is there too.
Values values_before(const Kernel& kernel, const Settings& settings, const Problem& problem);

// After it: those, and what the run counted.
// - load_floats and store_floats;
// - every counter by its name in the JSON, from global_load_requests to barriers, and by kind
//   ffma_instructions, floating_point_instructions, … (of warps; the JSON's
//   warp_instructions_by_kind); register_bank_conflicts where there is machine code;
// - of the (first) launch blocks_total, shared_bytes, registers_per_thread, blocks_per_sm,
//   occupancy (0 to 1), multiprocessors (of the GPU);
// - of the library a_floats, b_floats and c_floats (the elements of matrices of that size), and one
//   element of four products, as column_major.hpp has them: passed_a_first, a_times_b, b_times_a,
//   a_times_b_transposed.
// Where the question names a line, the counters and load_floats and store_floats are those of that
// line alone. Throws std::logic_error when it is not in the excerpt exactly once.
Values values_counted(const Question& question, const KernelRun& run);

// All names that values_counted() may have for that kernel. What only a run counts is 0.
Values values_countable(const Kernel& kernel, const Settings& settings, const Problem& problem);

// Why values_counted() lacks the value: "register_bank_conflicts is counted in machine code, which
// clang 14 does not make". Empty where the reason is another one.
std::string why_not_counted(std::string_view name, std::string_view compiler);

// What helps then.
inline constexpr std::string_view who_makes_machine_code =
    "NVRTC makes it; 'gemm-tutor device' says whether this machine has it.";

// The same as values_counted() with the counters, load_floats and store_floats of one line alone.
Values values_counted_in(int line, const KernelRun& run);

// The text with the values of its expressions. Throws std::logic_error for a brace without its
// other one, and what Expression throws.
std::string filled_in(std::string_view text, const Values& values);

// "2,048 floats", "1 sector".
std::string quantity_text(double number, std::string_view unit);

// A number, in the question's unit, or the place of a choice from 0. Of a number that can be meant
// in several ways ("1M": 1,000,000 or 1,048,576, or 1·M), all.
struct Answer {
  std::vector<double> numbers;
  std::optional<std::size_t> choice;
};

// What was typed: "2048", "2,048", "2 048", "2^11", "8 KiB" (of floats: 2,048), "8k", "4/3", "2*BK"
// (names in capitals or not), "32x32", "16 sectors", "32×" (of times); or the number (from 1) or
// first letters of a choice. After a number k or K is a thousand or 1,024, so are M and G, and K
// and M also mean the value of that name; a small m is only the name. A string says in a
// sentence or two why it is none of these, and what would be one. Never throws.
std::variant<Answer, std::string> parse_answer(const Question& question, std::string_view typed,
                                               const Values& values);

// "BM·BK + BK·BN = 32·32 + 32·32 = 2,048".
std::string arithmetic_text(const std::string& work, const Values& values);

struct Checked {
  bool right = false;
  std::string counted;  // "2,048 floats", the text of the choice that is right, or "nothing"
  // "BM·BK + BK·BN = 32·32 + 32·32 = 2,048"; empty for a choice, and where it does not lead to the
  // count: at an odd size, or with settings that it was not written for.
  std::string arithmetic;
  std::string reply = {};  // to a wrong choice, filled in; empty for none
  std::string why;  // filled in; where the arithmetic does not lead to the count, it says that
};

// `run` is of problem_of(question). A number is right when it equals the count; one with decimals
// also when it is the count as rounded to its decimals; and after a run of some blocks only, whose
// counts are scaled, when it equals the arithmetic's. A choice is right when it holds (at some
// sizes, such as 1, several do). Where the run did nothing of what is counted, so that the count
// divides by zero, nothing is right, and neither where why_not_counted() has a reason. Throws Error
// where the run has not counted what the question needs for another reason.
Checked check(const Question& question, const Answer& answer, const KernelRun& run);

}  // namespace gemm_tutor
