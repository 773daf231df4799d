// Common functions for JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "course/lesson_number.hpp"
#include "gemm/problem.hpp"

namespace gemm_tutor {

using Json = nlohmann::ordered_json;

inline Json problem_json(const Problem& problem) {
  return {{"m", problem.m}, {"n", problem.n}, {"k", problem.k}};
}

// A number, or a text if it has a letter: "7b".
inline void to_json(Json& json, const LessonNumber& number) {
  json = number.letter ? Json(number.text()) : Json(number.number);
}

// Indented, with a line break at the end. Bytes that are not UTF-8 become U+FFFD.
inline std::string to_text(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace gemm_tutor
