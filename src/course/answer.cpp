// Parses a learner's answer to a question. A number may have separators between thousands and a
// unit. This file removes them step by step, until Expression can parse the rest.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "course/question.hpp"
#include "support/error.hpp"
#include "support/text.hpp"

namespace gemm_tutor {
namespace {

constexpr std::size_t longest_answer = 200;

// The character at an index, or a blank beyond the ends.
char at(std::string_view text, std::size_t place) {
  return place < text.size() ? text[place] : ' ';
}

std::string shown(std::string_view text) { return shortened(text, 30); }

// ---- units ----

struct Unit {
  std::string_view word;       // lower case
  std::string_view canonical;  // the unit's name in questions
  double bytes = 0;            // its size, if it has one
};

constexpr double kibi = 1024, mebi = kibi * kibi, gibi = mebi * kibi;
constexpr double bytes_of_float = 4, bytes_of_sector = 32;

constexpr std::array<std::string_view, 10> operators = {"+", "-", "−", "*", "·",
                                                        "×", "/", "÷", "^", "("};

// Longer ones must be before their suffixes.
constexpr std::array units = {
    Unit{"kib", "bytes", kibi},
    Unit{"mib", "bytes", mebi},
    Unit{"gib", "bytes", gibi},
    Unit{"kb", "bytes", kibi},
    Unit{"mb", "bytes", mebi},
    Unit{"gb", "bytes", gibi},
    Unit{"bytes", "bytes", 1},
    Unit{"byte", "bytes", 1},
    Unit{"b", "bytes", 1},
    Unit{"floats", "floats", bytes_of_float},
    Unit{"float", "floats", bytes_of_float},
    Unit{"sectors", "sectors"},
    Unit{"sector", "sectors"},
    Unit{"loads", "loads"},
    Unit{"load", "loads"},
    Unit{"reads", "reads"},
    Unit{"read", "reads"},
    Unit{"load requests", "requests"},
    Unit{"store requests", "requests"},
    Unit{"requests", "requests"},
    Unit{"request", "requests"},
    Unit{"wavefronts", "wavefronts"},
    Unit{"wavefront", "wavefronts"},
    Unit{"conflicts", "conflicts"},
    Unit{"conflict", "conflicts"},
    Unit{"barriers", "barriers"},
    Unit{"barrier", "barriers"},
    Unit{"blocks", "blocks"},
    Unit{"block", "blocks"},
    Unit{"warps", "warps"},
    Unit{"warp", "warps"},
    Unit{"threads", "threads"},
    Unit{"thread", "threads"},
    Unit{"instructions", "instructions"},
    Unit{"instruction", "instructions"},
    Unit{"multiply-adds", "multiply-adds"},
    Unit{"multiply-add", "multiply-adds"},
    Unit{"ffmas", "multiply-adds"},
    Unit{"ffma", "multiply-adds"},
    Unit{"steps", "steps"},
    Unit{"step", "steps"},
    Unit{"stages", "stages"},
    Unit{"stage", "stages"},
    Unit{"tiles", "tiles"},
    Unit{"tile", "tiles"},
    Unit{"times", "times"},
    Unit{"time", "times"},
    Unit{"×", "times"},
    Unit{"x", "times"},
    Unit{"percent", "percent"},
    Unit{"%", "percent"},
};

// A unit follows a number; after an operator or nothing, "warps" is the name of a value.
bool ends_with_unit(std::string_view text, std::string_view word) {
  if (!lower_case(text).ends_with(word)) return false;
  const std::string_view number = text.substr(0, text.size() - word.size());
  const char before = at(number, number.size() - 1);
  if (is_letter(word.front()) && (is_letter(before) || before == '_' || before == '-'))
    return false;
  const std::string_view end = trimmed(number);
  return !end.empty() && std::ranges::none_of(
                             operators, [&](std::string_view sign) { return end.ends_with(sign); });
}

const Unit* unit_at_end(std::string_view text) {
  const auto found = std::ranges::find_if(
      units, [&](const Unit& unit) { return ends_with_unit(text, unit.word); });
  return found == units.end() ? nullptr : found;
}

// Returns the factor from unit `given` to unit `asked`; nothing if they cannot be converted.
// Sectors are never converted, because the number of floats in a sector depends on the addresses.
std::optional<double> factor(const Unit& given, std::string_view asked) {
  if (given.canonical == asked && given.bytes == 0) return 1;
  if (given.bytes == 0) return {};
  if (asked == "bytes") return given.bytes;
  if (asked == "floats") return given.bytes / bytes_of_float;
  if (asked == "sectors" && given.canonical == "bytes") return given.bytes / bytes_of_sector;
  return {};
}

// ---- numbers ----

// Removes the separators of "67 108 864", "67_108_864", "67'108'864".
std::string without_group_marks(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool mark = text[i] == ' ' || text[i] == '_' || text[i] == '\'';
    const bool between = i > 0 && is_digit(text[i - 1]) && is_digit(at(text, i + 1)) &&
                         is_digit(at(text, i + 2)) && is_digit(at(text, i + 3)) &&
                         !is_digit(at(text, i + 4));
    if (!mark || !between) result += text[i];
  }
  return result;
}

// A single x means multiplication: "32x32", "BM x BK". (No value has this name; "0x10" is not
// changed.)
std::string with_times_signs(std::string_view text) {
  std::string result(text);
  for (std::size_t i = 1; i + 1 < text.size(); ++i) {
    const char before = text[i - 1], after = text[i + 1];
    const bool alone = !is_letter(before) && before != '_' && !is_letter(after) && after != '_';
    const bool hexadecimal = before == '0' && (i < 2 || !is_digit(text[i - 2]));
    if ((text[i] == 'x' || text[i] == 'X') && alone && !hexadecimal) result[i] = '*';
  }
  return result;
}

// Corrects the case of names: "bm*bk" is BM*BK.
std::string with_known_names(std::string_view text, const Values& values) {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && is_word_character(text[end])) ++end;
    const std::string_view word = text.substr(i, std::max<std::size_t>(end - i, 1));
    const auto is_word = [&](const auto& value) {
      return lower_case(value.first) == lower_case(word);
    };
    const auto found = std::ranges::find_if(values, is_word);
    const bool known = values.contains(word) || found == values.end();
    result += known ? std::string(word) : found->first;
    i += word.size();
  }
  return result;
}

// ---- what cannot be read ----

constexpr std::string_view examples = "for example 96, 1,500, 2^9 or 3*128";

// "There is no value called 'foo'. Here are BK, BM, …": lists only short names, which the lesson
// uses.
std::string names_of(const Values& values) {
  std::vector<std::string> names;
  for (const auto& [name, value] : values) {
    if (name.size() <= 3) names.push_back(name);
  }
  return join(names);
}

std::string not_understood(std::string_view typed, const Question& question, const Values& values) {
  return fmt::format(
      "I cannot read '{}' as a number of {}. Type a number or arithmetic, {}; you can also use "
      "{}.",
      shown(typed), question.unit, examples, names_of(values));
}

std::string other_unit(const Unit& given, std::string_view asked) {
  return fmt::format("That is {}; the question asks for {}.", given.canonical, asked);
}

using Parsed = std::variant<Answer, std::string>;

Parsed parse_number(const Question& question, std::string_view typed, const Values& values) {
  std::string_view body = typed;
  for (const std::string_view sign : {"=", "~", "≈"}) {
    if (body.starts_with(sign)) body = trimmed(body.substr(sign.size()));
  }
  const Unit* unit = unit_at_end(body);
  if (unit) body = trimmed(body.substr(0, body.size() - unit->word.size()));
  try {
    const std::string plain = with_times_signs(without_group_marks(body));
    double number = evaluated(with_known_names(plain, values), values);
    if (unit) {
      const auto factor_of_unit = factor(*unit, question.unit);
      if (!factor_of_unit) return other_unit(*unit, question.unit);
      number *= *factor_of_unit;
    }
    if (!std::isfinite(number)) return "No count is so large.";
    if (number < 0) return "A count is never below 0.";
    return Answer{.number = number, .choice = {}};
  } catch (const Error&) {
    return not_understood(typed, question, values);
  }
}

Parsed parse_choice(const Question& question, std::string_view typed, const Values& values) {
  const std::size_t count = question.choices.size();
  std::string_view number = typed;
  if (number.ends_with('.') || number.ends_with(')')) number.remove_suffix(1);
  if (number.size() == 1 && number[0] >= '1' && number[0] < '1' + static_cast<int>(count)) {
    return Answer{.number = {}, .choice = static_cast<std::size_t>(number[0] - '1')};
  }
  std::vector<std::size_t> meant;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string text = lower_case(filled_in(question.choices[i].text, values));
    if (text.starts_with(lower_case(typed))) meant.push_back(i);
  }
  if (meant.size() == 1) return Answer{.number = {}, .choice = meant.front()};
  return fmt::format("{} Type the number of one, 1 to {}, or the first letters of its text.",
                     meant.empty() ? fmt::format("'{}' is none of the choices.", shown(typed))
                                   : fmt::format("Several choices begin with '{}'.", shown(typed)),
                     count);
}

constexpr std::array<std::string_view, 4> function_names = {"ceil", "floor", "max", "min"};

bool is_known(std::string_view word, const Values& values) {
  const auto is_word = [&](std::string_view name) { return lower_case(name) == lower_case(word); };
  return std::ranges::any_of(function_names, is_word) ||
         std::ranges::any_of(units, is_word, &Unit::word) ||
         std::ranges::any_of(values, [&](const auto& value) { return is_word(value.first); });
}

}  // namespace

std::size_t unreadable_place(std::string_view typed, const Values& values) {
  constexpr std::string_view in_arithmetic = "+-*/^%()., =~'_", signs = "+*/^%";
  int open = 0;
  bool needs_operand = true;
  for (std::size_t i = 0; i < typed.size(); ++i) {
    const char c = typed[i];
    if (is_letter(c)) {
      std::size_t end = i;
      while (end < typed.size() && is_word_character(typed[end])) ++end;
      const std::string_view word = typed.substr(i, end - i);
      if (!is_known(word, values)) return i;
      i = end - 1;
      needs_operand = false;
    } else if (is_digit(c)) {
      needs_operand = false;
    } else if (static_cast<unsigned char>(c) < 0x80 && in_arithmetic.find(c) == typed.npos) {
      return i;
    } else if (signs.find(c) != signs.npos) {
      const bool is_power = c == '*' && i > 0 && typed[i - 1] == '*';
      if (needs_operand && !is_power) return i;
      needs_operand = true;
    } else if (c == '(') {
      ++open;
      needs_operand = true;
    } else if (c == ')' && (--open < 0 || needs_operand)) {
      return i;
    }
  }
  return typed.size();
}

Parsed parse_answer(const Question& question, std::string_view typed, const Values& values) {
  const std::string_view answer = trimmed(typed);
  const bool is_choice = !question.choices.empty();
  if (answer.empty()) {
    return is_choice ? fmt::format("Type the number of a choice, 1 to {}.", question.choices.size())
                     : fmt::format("Type a number of {}, {}.", question.unit, examples);
  }
  if (answer.size() > longest_answer)
    return fmt::format("That is too long; a number is enough, {}.", examples);
  if (is_choice) return parse_choice(question, answer, values);
  return parse_number(question, answer, values);
}

}  // namespace gemm_tutor
