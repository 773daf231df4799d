#include "view/mathematics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "support/characters.hpp"
#include "support/text.hpp"
#include "view/formula_notation.hpp"
#include "view/html.hpp"

namespace gemm_tutor {
namespace {

constexpr int deepest = 64;  // nested parentheses; no formula of the course has more

bool is_space(char c) { return c == ' ' || c == '\n'; }

bool is_name_in_text(std::string_view name) {
  return name.size() == 1 || std::ranges::all_of(name, [](char c) {
           return std::isupper(static_cast<unsigned char>(c)) || is_digit(c);
         });
}

struct Operator {
  std::string_view written, sign;
  bool between_spaces = false;  // else it would be found in a template's name or in a date
  bool in_code_too = false;     // "if a < b": a formula only where something else tells
};

constexpr std::array relations = {Operator{"=", "="},
                                  Operator{"<", "<", true, true},
                                  Operator{">", ">", true, true},
                                  Operator{"≤", "≤"},
                                  Operator{"≥", "≥"},
                                  Operator{"≈", "≈"}};
constexpr std::array sums = {Operator{"+", "+"}, Operator{"−", "−"}, Operator{"-", "−", true}};
constexpr std::array products = {Operator{"·", "·"}, Operator{"×", "×"}, Operator{"*", "·"},
                                 Operator{"/", "/"}};
constexpr std::array<std::string_view, 3> superscripts = {"²", "³", "ᵀ"};

// A long text is looked through for a formula from each of its words on.
constexpr std::size_t longest_formula = 400;

// Parses the longest formula at the start of a text. Each function parses the longest part of its
// kind; nothing if there is none.
class Parser {
 public:
  Parser(std::string_view text, const FormulaNotation& notation, FormulaPlace place, bool in_text)
      : text_(text), notation_(notation), place_(place), in_text_(in_text) {}

  std::optional<std::string> equation() {
    return sequence(relations, [this] { return sum(); });
  }

  std::size_t end() const { return taken_.end; }
  bool has_operator() const { return taken_.operators > 0; }
  // More than a slash or a ×, which text has between other words too, or a comparison of variables
  // that are none of the course's.
  bool is_plainly_one() const {
    return taken_.telling > 0 || (taken_.compares && taken_.names_a_size);
  }

 private:
  // The formula's parts so far. After a failed attempt, the parser returns to the earlier state.
  struct Taken {
    std::size_t end = 0;
    int operators = 0, telling = 0;
    bool compares = false, names_a_size = false;  // "k < K" does both
  };

  template <std::size_t size, typename Part>
  std::optional<std::string> sequence(const std::array<Operator, size>& operators,
                                      const Part& part) {
    auto result = part();
    while (result) {
      const Taken before = taken_;
      const Operator* between = operator_of(operators);
      const auto next = between ? part() : std::nullopt;
      if (!next) {
        taken_ = before;
        break;
      }
      ++taken_.operators;
      if (between->in_code_too) {
        taken_.compares = true;
      } else {
        ++taken_.telling;
      }
      *result += notation_.sign(between->sign) + *next;
    }
    return result;
  }

  std::optional<std::string> sum() {
    return sequence(sums, [this] { return product(); });
  }

  // Everything before a slash is divided.
  std::optional<std::string> product() {
    bool in_parentheses = next() == '(';
    auto result = factor();
    while (result) {
      const Taken before = taken_;
      const Operator* sign = operator_of(products);
      const bool next_in_parentheses = sign && next() == '(';
      const auto right = sign ? factor() : std::nullopt;
      if (!right) {
        taken_ = before;
        break;
      }
      ++taken_.operators;
      if (sign->sign == "·") ++taken_.telling;
      if (sign->sign == "/" && place_ == FormulaPlace::own_line) {
        // The fraction's line replaces parentheses.
        const auto part = [&](const std::string& content, bool is_enclosed) {
          return is_enclosed ? notation_.bare(content) : notation_.whole(content);
        };
        result =
            notation_.fraction(part(*result, in_parentheses), part(*right, next_in_parentheses));
      } else {
        *result += notation_.product_sign(sign->sign) + *right;
      }
      in_parentheses = false;
    }
    return result;
  }

  std::optional<std::string> factor() {
    auto result = primary();
    while (result) {
      const auto found = std::ranges::find_if(
          superscripts, [this](std::string_view sign) { return rest().starts_with(sign); });
      if (found == superscripts.end()) break;
      taken_.end += found->size();
      ++taken_.operators;
      result = notation_.raised(*result, notation_.superscript(*found));
    }
    return result;
  }

  std::optional<std::string> primary() {
    if (is_digit(next())) return number();
    if (is_letter(next())) return name();
    for (const auto& [open, close] : {std::pair{"(", ")"}, {"⌈", "⌉"}, {"⌊", "⌋"}}) {
      if (rest().starts_with(open)) return enclosed(open, open, close, close);
    }
    return {};
  }

  std::optional<std::string> number() {
    const Taken before = taken_;
    skip_digits();
    while (next() == ',' && digits_from(taken_.end + 1) == 3) taken_.end += 4;
    if (next() == '.' && digits_from(taken_.end + 1) > 0) {
      ++taken_.end;
      skip_digits();
    }
    if (is_word_character(next())) return nothing_after(before);  // as in 3rd
    return notation_.number(text_from(before));
  }

  std::optional<std::string> name() {
    const Taken before = taken_;
    while (is_word_character(next())) ++taken_.end;
    const std::string_view word = text_from(before);
    if (in_text_ && !is_name_in_text(word)) return nothing_after(before);
    if (std::isupper(static_cast<unsigned char>(word.front())) != 0) taken_.names_a_size = true;
    if (next() != '(') return notation_.name(word);
    if (in_text_) return nothing_after(before);
    const bool rounds_up = word == "ceil";
    const auto arguments = enclosed("(", rounds_up ? "⌈" : "(", ")", rounds_up ? "⌉" : ")");
    if (!arguments) return nothing_after(before);
    if (rounds_up) return arguments;
    return notation_.call(notation_.name(word), *arguments);
  }

  std::optional<std::string> enclosed(std::string_view open, std::string_view open_set,
                                      std::string_view close, std::string_view close_set) {
    const Taken before = taken_;
    if (depth_ == deepest) return {};
    ++depth_;
    taken_.end += open.size();
    skip_spaces();
    const auto content = equation();
    skip_spaces();
    --depth_;
    if (!content || !rest().starts_with(close)) return nothing_after(before);
    taken_.end += close.size();
    if (open_set != "(") {
      ++taken_.operators;
      ++taken_.telling;
    }
    return notation_.enclosed(open_set, *content, close_set);
  }

  template <std::size_t size>
  const Operator* operator_of(const std::array<Operator, size>& operators) {
    const bool space_before = is_space(next());
    skip_spaces();
    for (const Operator& sign : operators) {
      if (!rest().starts_with(sign.written)) continue;
      const std::size_t after = taken_.end + sign.written.size();
      const bool space_after = after < text_.size() && is_space(text_[after]);
      if (sign.between_spaces && (!space_before || !space_after)) continue;
      // " · " separates facts.
      if (in_text_ && sign.written == "·" && space_before && space_after) continue;
      taken_.end = after;
      skip_spaces();
      return &sign;
    }
    return nullptr;
  }

  std::nullopt_t nothing_after(const Taken& before) {
    taken_ = before;
    return std::nullopt;
  }

  std::string_view text_from(const Taken& before) const {
    return text_.substr(before.end, taken_.end - before.end);
  }

  std::string_view rest() const { return text_.substr(taken_.end); }
  char next() const { return taken_.end < text_.size() ? text_[taken_.end] : '\0'; }
  std::size_t digits_from(std::size_t from) const {
    std::size_t end = from;
    while (end < text_.size() && is_digit(text_[end])) ++end;
    return end - from;
  }
  void skip_digits() { taken_.end += digits_from(taken_.end); }
  void skip_spaces() {
    while (is_space(next())) ++taken_.end;
  }

  std::string_view text_;
  const FormulaNotation& notation_;
  FormulaPlace place_;
  bool in_text_;
  Taken taken_;
  int depth_ = 0;  // in parentheses
};

std::string element(const std::string& content, FormulaPlace place) {
  const char* attribute = place == FormulaPlace::own_line ? " display=\"block\"" : "";
  return fmt::format("<math{}>{}</math>", attribute, content);
}

// Where the word, or the single character, at `from` ends.
std::size_t end_of_word(std::string_view text, std::size_t from) {
  std::size_t end = from;
  while (end < text.size() &&
         (is_word_character(text[end]) || static_cast<unsigned char>(text[end]) >= 0x80))
    ++end;
  return std::max(end, from + 1);
}

struct Found {
  std::string content;  // in the notation; empty for one that is too long
  std::size_t length = 0;
};

// Parses a formula that starts with a word. A word followed by a hyphen ("N-th") is not a formula.
std::optional<Found> formula_in_text(std::string_view text, const FormulaNotation& notation) {
  Parser parser(text.substr(0, 2 * longest_formula), notation, FormulaPlace::in_line, true);
  const auto content = parser.equation();
  if (parser.end() > longest_formula) return Found{"", parser.end()};
  const std::string_view after = text.substr(parser.end());
  const bool goes_on =
      !after.empty() && (is_word_character(after[0]) ||
                         (after[0] == '-' && after.size() > 1 && is_word_character(after[1])));
  if (!content || !parser.is_plainly_one() || goes_on) return {};
  return Found{*content, parser.end()};
}

// `set` returns a formula as it is shown, and may take what is right after it: it moves the
// formula's end.
template <typename Set>
std::string with_formulas(std::string_view text, const FormulaNotation& notation,
                          std::string (*plain)(std::string_view), const Set& set) {
  std::string result;
  std::size_t done = 0;
  for (std::size_t at = 0; at < text.size();) {
    const auto found = formula_in_text(text.substr(at), notation);
    if (!found || found->content.empty()) {
      at = end_of_word(text, found ? at + found->length : at);
      continue;
    }
    result += plain(text.substr(done, at - done));
    done = at + found->length;
    result += set(found->content, done);
    at = done;
  }
  return result + plain(text.substr(done));
}

// Keeps punctuation with the formula, because a browser could break the line between them.
std::size_t end_of_marks(std::string_view text, std::size_t from) {
  return std::min(text.find_first_not_of(".,;:)?", from), text.size());
}

std::string kept_together(const std::string& mathml, std::string_view marks) {
  return fmt::format("<span class=\"kept\">{}{}</span>", mathml, escaped(marks));
}

std::string as_it_is(std::string_view text) { return std::string(text); }

std::optional<std::string> formula(std::string_view text, const FormulaNotation& notation,
                                   FormulaPlace place) {
  if (text.size() > longest_formula) return {};
  Parser parser(text, notation, place, false);
  const auto content = parser.equation();
  if (!content || !parser.has_operator() || parser.end() != text.size()) return {};
  return content;
}

}  // namespace

std::optional<std::string> mathml(std::string_view text, FormulaPlace place) {
  const auto content = formula(text, mathml_notation(), place);
  return content ? std::optional(element(*content, place)) : std::nullopt;
}

std::optional<std::string> tex(std::string_view text, FormulaPlace place) {
  return formula(text, tex_notation(), place);
}

std::optional<LeadingFormula> leading_formula(std::string_view text) {
  Parser parser(text.substr(0, 2 * longest_formula), mathml_notation(), FormulaPlace::own_line,
                false);
  const auto content = parser.equation();
  if (!content || !parser.has_operator() || parser.end() > longest_formula) return {};
  const std::string_view after = text.substr(parser.end());
  if (!after.empty() && after != "." && !after.starts_with("  ")) return {};
  const std::string_view taken = trimmed(text.substr(0, parser.end()));
  return LeadingFormula{element(*content, FormulaPlace::own_line),
                        tex(taken, FormulaPlace::own_line).value(), parser.end()};
}

std::string html_with_formulas(std::string_view text) {
  return with_formulas(
      text, mathml_notation(), escaped, [&](const std::string& content, std::size_t& end) {
        const std::string set = element(content, FormulaPlace::in_line);
        const std::size_t begin = std::exchange(end, end_of_marks(text, end));
        return begin == end ? set : kept_together(set, text.substr(begin, end - begin));
      });
}

std::string tex_in_text(std::string_view text, std::string_view before, std::string_view after,
                        std::string (*plain)(std::string_view)) {
  return with_formulas(text, tex_notation(), plain ? plain : as_it_is,
                       [&](const std::string& content, std::size_t&) {
                         return fmt::format("{}{}{}", before, content, after);
                       });
}

}  // namespace gemm_tutor
