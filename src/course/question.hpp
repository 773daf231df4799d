// What a learner is asked to predict before a kernel runs. A question holds no answer: what is
// right is what the run counts, and the arithmetic that leads there is worked out for the learner's
// own size.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "course/expression.hpp"
#include "gemm/problem.hpp"

namespace gemm_tutor {

struct Kernel;
struct KernelRun;
struct Lesson;
class Settings;

// Right is the one whose `holds`, over counted values, is not 0.
struct Choice {
  std::string text;
  std::string holds;
};

struct Question {
  std::string id;  // one word or several with hyphens; no other question of the lesson has it
  // Texts may hold expressions in braces, over the values before the run: "in a step of {BK}".
  std::string ask;
  std::string unit;             // of a number: "floats", "sectors", "bytes", …
  std::string work;             // a number's arithmetic, over the values before the run
  std::vector<Choice> choices;  // or what there is to choose from; then no unit and no work
  std::string count;            // a number as the run counted it, over counted values
  std::string why;              // shown with the count: why it is that, in a sentence or two
  // A piece of code: the counted values are those of the line that it stands in, alone.
  std::string line = {};
  // Asked of whole tiles: where the size cuts some, counted at the next larger one that cuts none.
  bool whole_tiles = false;
};

// The problem that a question is about: `problem`, or with M, N and K rounded up to whole tiles.
Problem problem_of(const Question& question, const Kernel& kernel, const Settings& settings,
                   const Problem& problem);

// Before the run: M, N, K, the settings by their names, and of the launch tile_rows, tile_columns,
// tile_depth, threads and warps (of a block), blocks, grid_x, grid_y.
Values values_before(const Kernel& kernel, const Settings& settings, const Problem& problem);

// After it: those, and every counter by its name in the JSON, load_floats and store_floats; of one
// line where the question names one. Throws std::logic_error when that line is not in the excerpt.
Values values_counted(const Question& question, const KernelRun& run);

// The text with the values of its expressions.
std::string filled_in(std::string_view text, const Values& values);

// A number, in the question's unit, or the place of a choice from 0. Of a number that can be meant
// in two ways ("1M": 1,000,000 or 1,048,576), both.
struct Answer {
  std::vector<double> numbers;
  std::optional<std::size_t> choice;
};

// What was typed: "2048", "2,048", "2^11", "8 KiB" (of floats: 2,048), "4/3", "2*BK", "16 sectors",
// or the number (from 1) or first letters of a choice. A string says why it is none of these, and
// what would be.
std::variant<Answer, std::string> parse_answer(const Question& question, std::string_view typed,
                                               const Values& values);

struct Checked {
  bool right = false;
  std::string counted;     // "2,048 floats", or the text of the choice that is right
  std::string arithmetic;  // "BM·BK + BK·BN = 32·32 + 32·32 = 2,048"; empty for a choice
  std::string why;         // filled in
};

// `run` is of problem_of(question). A number is right when it equals the count; one with decimals
// also when it is the count as rounded to its decimals.
Checked check(const Question& question, const Answer& answer, const KernelRun& run);

}  // namespace gemm_tutor
