// A lesson's number: 7, or with a letter, 7b. Lesson 7b is between 7 and 8.
#pragma once

#include <fmt/format.h>

#include <compare>
#include <optional>
#include <string>
#include <string_view>

namespace gemm_tutor {

struct LessonNumber {
  constexpr LessonNumber(int the_number = 0, char the_letter = 0)
      : number(the_number), letter(the_letter) {}
  auto operator<=>(const LessonNumber&) const = default;

  std::string text() const;          // "7b"
  std::string in_file_name() const;  // "07b"

  int number;
  char letter;  // lower case; 0 if there is none
};

// Parses "7", "07", "7b" or "7B". Returns nothing for other texts.
std::optional<LessonNumber> lesson_number(std::string_view text);

// Removes the number at the start of the text and returns it: 7 of "7.5", 7b of "7bb".
std::optional<LessonNumber> take_lesson_number(std::string_view& text);

}  // namespace gemm_tutor

template <>
struct fmt::formatter<gemm_tutor::LessonNumber> : fmt::formatter<std::string_view> {
  template <class Context>
  auto format(const gemm_tutor::LessonNumber& number, Context& context) const {
    return fmt::formatter<std::string_view>::format(number.text(), context);
  }
};
