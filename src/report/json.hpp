// Common functions for JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "course/lesson.hpp"
#include "gemm/problem.hpp"

namespace gemm_tutor {

using Json = nlohmann::ordered_json;

inline Json problem_json(const Problem& problem) {
  return {{"m", problem.m}, {"n", problem.n}, {"k", problem.k}};
}

// A lesson's number, or a chapter's name.
inline Json key_json(const Lesson& lesson) {
  return lesson.number ? Json(*lesson.number) : Json(lesson.slug);
}

// With the number, which a chapter has not.
inline Json named_json(const Lesson& lesson) {
  Json json;
  if (lesson.number) json["number"] = *lesson.number;
  json["slug"] = lesson.slug;
  return json;
}

// Indented, with a line break at the end. Bytes that are not UTF-8 become U+FFFD.
inline std::string to_text(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace gemm_tutor
