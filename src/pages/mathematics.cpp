#include "pages/mathematics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "pages/html.hpp"

namespace gemm_tutor {
namespace {

constexpr int deepest = 64;  // parentheses in one another: more are no formula of the course

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)); }
bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)); }
bool is_word(char c) { return is_digit(c) || is_letter(c) || c == '_'; }
bool is_space(char c) { return c == ' ' || c == '\n'; }

bool is_name_in_text(std::string_view name) {
  return name.size() == 1 || std::ranges::all_of(name, [](char c) {
           return std::isupper(static_cast<unsigned char>(c)) || is_digit(c);
         });
}

struct Operator {
  std::string_view written, set;
  bool between_spaces = false;  // else it would be found in a template's name or in a date
  bool in_code_too = false;     // "if a < b": a formula only where something else tells
};

constexpr std::array relations = {Operator{"=", "="},
                                  Operator{"<", "&lt;", true, true},
                                  Operator{">", "&gt;", true, true},
                                  Operator{"≤", "≤"},
                                  Operator{"≥", "≥"},
                                  Operator{"≈", "≈"}};
constexpr std::array sums = {Operator{"+", "+"}, Operator{"−", "−"}, Operator{"-", "−", true}};
constexpr std::array products = {Operator{"·", "·"}, Operator{"×", "×"}, Operator{"*", "·"},
                                 Operator{"/", "/"}};
constexpr std::array<std::pair<std::string_view, std::string_view>, 3> superscripts = {
    {{"²", "<mn>2</mn>"}, {"³", "<mn>3</mn>"}, {"ᵀ", "<mi mathvariant=\"normal\">T</mi>"}}};

std::string row(std::string_view content) { return fmt::format("<mrow>{}</mrow>", content); }

std::string between(std::string_view open, std::string_view content, std::string_view close) {
  return row(fmt::format("<mo>{}</mo>{}<mo>{}</mo>", open, content, close));
}

// From the beginning of a text as far as a formula goes. Each function takes the longest part of
// its kind, and nothing where there is none.
class Parser {
 public:
  Parser(std::string_view text, FormulaPlace place, bool in_text)
      : text_(text), place_(place), in_text_(in_text) {}

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
  // What is part of the formula so far. What is tried and is none is given back whole.
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
      *result += fmt::format("<mo>{}</mo>{}", between->set, *next);
    }
    return result;
  }

  std::optional<std::string> sum() {
    return sequence(sums, [this] { return product(); });
  }

  // What stands before a slash is divided, all of it.
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
      if (sign->set == "·") ++taken_.telling;
      if (sign->set == "/" && place_ == FormulaPlace::own_line) {
        result = fmt::format("<mfrac>{}{}</mfrac>", in_parentheses ? bare(*result) : row(*result),
                             next_in_parentheses ? bare(*right) : row(*right));
      } else {
        *result += fmt::format("<mo lspace=\"{0}\" rspace=\"{0}\">{1}</mo>{2}",
                               sign->set == "/" ? "0" : ".12em", sign->set, *right);
      }
      in_parentheses = false;
    }
    return result;
  }

  std::optional<std::string> factor() {
    auto result = primary();
    while (result) {
      const auto found = std::ranges::find_if(
          superscripts, [this](const auto& sign) { return rest().starts_with(sign.first); });
      if (found == superscripts.end()) break;
      taken_.end += found->first.size();
      ++taken_.operators;
      result = fmt::format("<msup>{}{}</msup>", row(*result), found->second);
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
    if (is_word(next())) return nothing_after(before);  // as in 3rd
    return fmt::format("<mn>{}</mn>", text_from(before));
  }

  std::optional<std::string> name() {
    const Taken before = taken_;
    while (is_word(next())) ++taken_.end;
    const std::string_view word = text_from(before);
    if (in_text_ && !is_name_in_text(word)) return nothing_after(before);
    if (std::isupper(static_cast<unsigned char>(word.front())) != 0) taken_.names_a_size = true;
    std::string set = word.size() == 1 ? fmt::format("<mi>{}</mi>", word)
                                       : fmt::format("<mi mathvariant=\"normal\">{}</mi>", word);
    if (next() != '(') return set;
    if (in_text_) return nothing_after(before);
    const bool rounds_up = word == "ceil";
    const auto arguments = enclosed("(", rounds_up ? "⌈" : "(", ")", rounds_up ? "⌉" : ")");
    if (!arguments) return nothing_after(before);
    if (rounds_up) return arguments;
    return set + "<mo>&#x2061;</mo>" + *arguments;  // function application, which is not seen
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
    return between(open_set, *content, close_set);
  }

  template <std::size_t size>
  const Operator* operator_of(const std::array<Operator, size>& operators) {
    const bool space_before = is_space(next());
    skip_spaces();
    for (const Operator& sign : operators) {
      if (!rest().starts_with(sign.written)) continue;
      const std::size_t behind = taken_.end + sign.written.size();
      const bool space_behind = behind < text_.size() && is_space(text_[behind]);
      if (sign.between_spaces && (!space_before || !space_behind)) continue;
      taken_.end = behind;
      skip_spaces();
      return &sign;
    }
    return nullptr;
  }

  // Without the parentheses that a fraction's line replaces.
  static std::string bare(std::string_view enclosed) {
    constexpr std::string_view open = "<mrow><mo>(</mo>", close = "<mo>)</mo></mrow>";
    if (!enclosed.starts_with(open) || !enclosed.ends_with(close)) return row(enclosed);
    enclosed.remove_prefix(open.size());
    enclosed.remove_suffix(close.size());
    return row(enclosed);
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
  while (end < text.size() && (is_word(text[end]) || static_cast<unsigned char>(text[end]) >= 0x80))
    ++end;
  return std::max(end, from + 1);
}

struct Found {
  std::string mathml;
  std::size_t length = 0;
};

// Of a text from the beginning of a word on. A word that goes on with a hyphen ("N-th") is none.
std::optional<Found> formula_in_text(std::string_view text) {
  Parser parser(text, FormulaPlace::in_line, true);
  const auto content = parser.equation();
  const std::string_view behind = text.substr(parser.end());
  const bool goes_on =
      !behind.empty() &&
      (is_word(behind[0]) || (behind[0] == '-' && behind.size() > 1 && is_word(behind[1])));
  if (!content || !parser.is_plainly_one() || goes_on) return {};
  return Found{element(*content, FormulaPlace::in_line), parser.end()};
}

// A browser would begin a line with what stands right behind a formula.
std::size_t end_of_marks(std::string_view text, std::size_t from) {
  return std::min(text.find_first_not_of(".,;:)?", from), text.size());
}

std::string kept_together(const std::string& mathml, std::string_view marks) {
  return fmt::format("<span class=\"kept\">{}{}</span>", mathml, escaped(marks));
}

}  // namespace

std::optional<std::string> mathml(std::string_view formula, FormulaPlace place) {
  Parser parser(formula, place, false);
  const auto content = parser.equation();
  if (!content || !parser.has_operator() || parser.end() != formula.size()) return {};
  return element(*content, place);
}

std::optional<LeadingFormula> leading_formula(std::string_view text) {
  Parser parser(text, FormulaPlace::own_line, false);
  const auto content = parser.equation();
  if (!content || !parser.has_operator()) return {};
  const std::string_view behind = text.substr(parser.end());
  if (!behind.empty() && behind != "." && !behind.starts_with("  ")) return {};
  return LeadingFormula{element(*content, FormulaPlace::own_line), parser.end()};
}

std::string html_with_formulas(std::string_view text) {
  std::string html;
  std::size_t done = 0;
  for (std::size_t at = 0; at < text.size();) {
    if (const auto found = formula_in_text(text.substr(at))) {
      const std::size_t end = at + found->length, marks = end_of_marks(text, end);
      html += escaped(text.substr(done, at - done));
      html += marks == end ? found->mathml
                           : kept_together(found->mathml, text.substr(end, marks - end));
      at = done = marks;
    } else {
      at = end_of_word(text, at);
    }
  }
  return html + escaped(text.substr(done));
}

}  // namespace gemm_tutor
