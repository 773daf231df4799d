#include "course/lesson_number.hpp"

#include <algorithm>
#include <vector>

#include "catch.hpp"

using namespace gemm_tutor;

TEST_CASE("a lesson's number may have a letter, small or capital, and a zero before it") {
  const LessonNumber seven_b(7, 'b');
  for (const char* text : {"7b", "7B", "07b", "07B"}) {
    INFO(text);
    CHECK((lesson_number(text) == seven_b));
  }
  CHECK((lesson_number("13") == LessonNumber(13)));
  for (const char* text :
       {"", "b", "b7", "7bb", "7-", "7 b", " 7", "7.", "7\xc3\xa4", "99999999999b"}) {
    INFO(text);
    CHECK_FALSE(lesson_number(text));
  }
}

TEST_CASE("a number with a letter comes after the one without, and before the next") {
  std::vector<LessonNumber> numbers = {10, {7, 'c'}, 8, {10, 'a'}, {7, 'b'}, 7, 0};
  std::ranges::sort(numbers);
  std::string text;
  for (const LessonNumber& number : numbers) text += fmt::format("{} ", number);
  CHECK(text == "0 7 7b 7c 8 10 10a ");
}

TEST_CASE("a number is written in its columns, and with two digits in a file's name") {
  CHECK(fmt::format("{:>4}|{:>4}", LessonNumber(7), LessonNumber(7, 'b')) == "   7|  7b");
  CHECK(LessonNumber(7, 'b').in_file_name() == "07b");
  CHECK(LessonNumber(13).in_file_name() == "13");
}

TEST_CASE("a number is taken from the beginning of a text") {
  std::string_view text = "7b's kernel";
  CHECK((take_lesson_number(text) == LessonNumber(7, 'b')));
  CHECK(text == "'s kernel");
  CHECK_FALSE(take_lesson_number(text));
  CHECK(text == "'s kernel");
}
