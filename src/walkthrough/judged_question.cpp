#include "walkthrough/judged_question.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "support/characters.hpp"

namespace gemm_tutor {
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

}  // namespace gemm_tutor
