#include "course/lesson_number.hpp"

#include <charconv>

#include "support/text.hpp"

namespace gemm_tutor {
namespace {

std::string letter_text(char letter) { return letter ? std::string(1, letter) : ""; }

}  // namespace

std::string LessonNumber::text() const { return std::to_string(number) + letter_text(letter); }

std::string LessonNumber::in_file_name() const {
  return fmt::format("{:02}{}", number, letter_text(letter));
}

std::optional<LessonNumber> take_lesson_number(std::string_view& text) {
  LessonNumber result;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), result.number);
  if (error != std::errc()) return {};
  text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
  const std::string letter = lower_case(text.substr(0, 1));
  if (letter >= "a" && letter <= "z") {
    result.letter = letter.front();
    text.remove_prefix(1);
  }
  return result;
}

std::optional<LessonNumber> lesson_number(std::string_view text) {
  const std::optional<LessonNumber> result = take_lesson_number(text);
  return text.empty() ? result : std::nullopt;
}

}  // namespace gemm_tutor
