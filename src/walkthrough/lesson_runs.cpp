#include "walkthrough/lesson_runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <sstream>
#include <utility>

#include "course/expression.hpp"
#include "gemm/problem.hpp"
#include "report/concept_diagrams.hpp"
#include "support/error.hpp"
#include "support/text.hpp"

namespace gemm_tutor {
namespace {

std::tuple<int, int, int> key(const Problem& p) { return {p.m, p.n, p.k}; }

}  // namespace

void LessonRuns::set(const Lesson& lesson, const Kernel& kernel, const Subject& chosen,
                     const Subject& asked) {
  forget_execution();
  lesson_ = &lesson;
  kernel_ = &kernel;
  settings_ = chosen.settings;
  options_.problem = chosen.problem;
  asked_ = asked;
  prepared_.reset();
  trace_.reset();
  tile_trace_.reset();
  owners_.reset();
  elsewhere_.clear();
}

void LessonRuns::forget_execution() {
  behind_.reset();
  executed_.reset();
  others_.clear();
}

std::function<void(Activity&)> LessonRuns::watched(const RunOptions& options, const Job& job) {
  return [options, job](Activity& activity) {
    RunOptions watched = options;
    watched.activity = &activity;
    job(watched);
  };
}

bool LessonRuns::work(const RunOptions& options, const Job& job) {
  return screen_.work(watched(options, job));
}

const std::optional<PreparedKernel>& LessonRuns::prepared(const RunOptions& options) {
  if (!prepared_) prepared_ = prepare_kernel(chosen(), options);
  return prepared_;
}

void LessonRuns::begin() {
  if (executed_ || behind_) return;
  RunOptions options = options_;
  options.trace = TraceRequest{.warp = 0};
  runs_behind_.clear();
  behind_ = std::make_unique<BackgroundJob>(watched(options, [this](const RunOptions& run) {
    runs_behind_.push_back(run_kernel(chosen(), prepared(run), run));
    for (const Kernel& other : lesson_->kernels) {
      if (!kernel_->cpu || &other == kernel_) continue;
      runs_behind_.push_back(run_kernel(*lesson_, other, other.settings, run));
    }
  }));
}

bool LessonRuns::execute() {
  if (executed_) return true;
  begin();
  const std::unique_ptr<BackgroundJob> job = std::exchange(behind_, nullptr);
  if (!screen_.wait(*job)) return false;
  executed_ = std::move(runs_behind_.front());
  others_.assign(std::make_move_iterator(runs_behind_.begin() + 1),
                 std::make_move_iterator(runs_behind_.end()));
  trace_ = executed_->trace;
  return true;
}

bool LessonRuns::trace() {
  if (trace_) return true;
  RunOptions options = options_;
  options.trace = TraceRequest{.warp = 0};
  return work(options, [&](const RunOptions& run) { trace_ = trace_cuda(*prepared(run), run); });
}

bool LessonRuns::trace_drawings() {
  if (std::ranges::any_of(kernel_->drawings, is_of_owners) && !owners_) {
    const auto job = [&](const RunOptions& run) { owners_ = trace_of_owners(chosen(), run); };
    if (!work(options_, job)) return false;
  }
  if (std::ranges::all_of(kernel_->drawings, &KernelDrawing::is_concept)) return true;
  const auto of_tile =
      std::ranges::count(kernel_->drawings, KernelDrawing::Of::tile, &KernelDrawing::of);
  if (of_tile == 0 || tile_trace_) return trace();
  RunOptions options = options_;
  options.trace = TraceRequest{};
  const auto job = [&](const RunOptions& run) { tile_trace_ = trace_cuda(*prepared(run), run); };
  return work(options, job) && trace();
}

bool LessonRuns::count(const Question& question) {
  const Problem problem = problem_of(question);
  const bool is_of_run = problem == options_.problem;
  if ((is_of_run && executed_) || elsewhere_.contains(key(problem))) return true;
  RunOptions options = options_;
  options.problem = problem;
  options.backend = Backend::emulator;
  options.one_of_many = true;
  if (is_of_run) {
    options.blocks = {};
  } else if (asked_.problem == options_.problem) {
    // Every block of whole tiles counts the same, so one of each class is enough.
    options.blocks = 1;
  } else {
    options.blocks = AllBlocks{};
  }
  const bool is_counted = work(options, [&](const RunOptions& run) {
    elsewhere_.emplace(key(problem), count_kernel({*lesson_, *kernel_, asked_.settings}, run));
  });
  if (is_counted) begin();
  return is_counted;
}

const LessonRun& LessonRuns::counted(const Question& question) const {
  const Problem problem = problem_of(question);
  return problem == options_.problem && executed_ ? *executed_ : elsewhere_.at(key(problem));
}

Problem LessonRuns::problem_of(const Question& question) const {
  return gemm_tutor::problem_of(question, *kernel_, asked_.settings, asked_.problem);
}

Values LessonRuns::values_of(const Question& question) const {
  return values_before(*kernel_, asked_.settings, problem_of(question));
}

namespace {

Answer answer_of(const Question& question, const std::string& typed, const Values& values) {
  const auto parsed = parse_answer(question, typed, values);
  const Answer* understood = std::get_if<Answer>(&parsed);
  return understood ? *understood : Answer{};
}

bool is_formula(const std::string& typed) {
  return typed.find_first_of("+-*/^(x") != typed.npos || is_letter(typed.front()) ||
         typed.find("·") != typed.npos || typed.find("×") != typed.npos;
}

// "2^11 = 2,048".
std::string answer_text(const Question& question, const std::string& typed, const Answer& answer,
                        const Values& values) {
  if (answer.choice) return filled_in(question.choices[*answer.choice].text, values);
  if (!answer.number || !is_formula(typed)) return typed;
  return fmt::format("{} = {}", typed, number_text(*answer.number));
}

}  // namespace

JudgedQuestion judge(const Question& question, const std::string& typed, const LessonRuns& runs) {
  JudgedQuestion result{.question = &question,
                        .values = runs.values_of(question),
                        .answer = "",
                        .checked = {},
                        .counted_at = runs.problem_of(question)};
  const Answer answer = answer_of(question, typed, result.values);
  result.answer = answer_text(question, typed, answer, result.values);
  result.checked = check(question, answer, runs.counted(question));
  return result;
}

namespace {

constexpr int largest_size = 65536;

int extent_from(const std::string& word) {
  const double number = evaluated(word, {});
  if (number >= 1 && number <= largest_size && number == std::floor(number)) {
    return static_cast<int>(number);
  }
  throw Error(ExitStatus::usage,
              fmt::format("'{}' is not a whole number from 1 to {}", word, largest_size), "");
}

// "32+1" for "32 + 1": a blank separates numbers only where no operator is beside it.
std::string without_blanks_in_arithmetic(const std::string& text) {
  constexpr std::string_view before = "+-*/^%=)", after = "+-*/^%=(";
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::size_t next = text.find_first_not_of(' ', i);
    const bool joins =
        text[i] == ' ' && next != text.npos && !result.empty() &&
        (before.find(text[next]) != before.npos || after.find(result.back()) != after.npos);
    if (!joins) result += text[i];
  }
  return result;
}

}  // namespace

NewSize size_from(const std::string& text, NewSize size) {
  std::istringstream words(without_blanks_in_arithmetic(text));
  std::string numbers;
  for (std::string word; words >> word;) {
    if (word.find('=') != word.npos) {
      apply_setting(size.settings, word);
    } else if (word != "x") {
      numbers += (numbers.empty() ? "" : " ") + word;
    }
  }
  if (numbers.empty() && text.find('=') != text.npos) return size;
  const auto extents = extents_in(numbers);
  if (!extents || numbers.empty()) {
    throw Error(
        ExitStatus::usage,
        fmt::format("'{}' is not a size; sizes are like 2048, or 300x200x100 for M, N and K", text),
        "");
  }
  const auto& [m, n, k] = *extents;
  size.problem = {extent_from(m), extent_from(n), extent_from(k)};
  return size;
}

}  // namespace gemm_tutor
