#include "view/formula_notation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "view/html.hpp"

namespace gemm_tutor {
namespace {

class Mathml : public FormulaNotation {
 public:
  std::string number(std::string_view digits) const override {
    return fmt::format("<mn>{}</mn>", digits);
  }
  std::string name(std::string_view word) const override {
    return word.size() == 1 ? fmt::format("<mi>{}</mi>", word)
                            : fmt::format("<mi mathvariant=\"normal\">{}</mi>", word);
  }
  std::string sign(std::string_view sign) const override {
    return fmt::format("<mo>{}</mo>", escaped(sign));
  }
  std::string product_sign(std::string_view sign) const override {
    return fmt::format("<mo lspace=\"{0}\" rspace=\"{0}\">{1}</mo>", sign == "/" ? "0" : ".12em",
                       sign);
  }
  std::string whole(const std::string& content) const override {
    return fmt::format("<mrow>{}</mrow>", content);
  }
  std::string superscript(std::string_view sign) const override {
    if (sign == "ᵀ") return "<mi mathvariant=\"normal\">T</mi>";
    return number(sign == "²" ? "2" : "3");
  }
  std::string raised(const std::string& base, const std::string& exponent) const override {
    return fmt::format("<msup>{}{}</msup>", whole(base), exponent);
  }
  std::string fraction(const std::string& above, const std::string& below) const override {
    return fmt::format("<mfrac>{}{}</mfrac>", above, below);
  }
  std::string enclosed(std::string_view open, const std::string& content,
                       std::string_view close) const override {
    return whole(sign(open) + content + sign(close));
  }
  std::string bare(std::string_view enclosed) const override {
    constexpr std::string_view open = "<mrow><mo>(</mo>", close = "<mo>)</mo></mrow>";
    if (!enclosed.starts_with(open) || !enclosed.ends_with(close)) {
      return whole(std::string(enclosed));
    }
    enclosed.remove_prefix(open.size());
    enclosed.remove_suffix(close.size());
    return whole(std::string(enclosed));
  }
  std::string call(const std::string& name, const std::string& arguments) const override {
    return name + "<mo>&#x2061;</mo>" + arguments;  // function application, which is not seen
  }
};

// No command here is a backslash before a punctuation mark, which Markdown would take for its own.
class Tex : public FormulaNotation {
 public:
  std::string number(std::string_view digits) const override {
    std::string text;
    for (const char c : digits) text += c == ',' ? std::string("{,}") : std::string(1, c);
    return text;
  }
  std::string name(std::string_view word) const override {
    if (word.size() == 1) return std::string(word);
    std::string letters(word);
    std::ranges::replace(letters, '_', ' ');  // which TeX does not show
    return fmt::format("\\mathrm{{{}}}", letters);
  }
  std::string sign(std::string_view sign) const override {
    return fmt::format(" {} ", command(sign));
  }
  std::string product_sign(std::string_view sign) const override {
    return sign == "/" ? "/" : fmt::format(" {} ", command(sign));
  }
  std::string whole(const std::string& content) const override { return content; }
  std::string superscript(std::string_view sign) const override {
    if (sign == "ᵀ") return "\\mathsf{T}";
    return sign == "²" ? "2" : "3";
  }
  std::string raised(const std::string& base, const std::string& exponent) const override {
    return fmt::format("{}^{{{}}}", base, exponent);
  }
  std::string fraction(const std::string& above, const std::string& below) const override {
    return fmt::format("\\frac{{{}}}{{{}}}", above, below);
  }
  std::string enclosed(std::string_view open, const std::string& content,
                       std::string_view close) const override {
    return fmt::format("\\left{} {} \\right{}", command(open), content, command(close));
  }
  std::string bare(std::string_view enclosed) const override {
    constexpr std::string_view open = "\\left( ", close = " \\right)";
    if (!enclosed.starts_with(open) || !enclosed.ends_with(close)) return std::string(enclosed);
    enclosed.remove_prefix(open.size());
    enclosed.remove_suffix(close.size());
    return std::string(enclosed);
  }
  std::string call(const std::string& name, const std::string& arguments) const override {
    return name + arguments;
  }

 private:
  static std::string command(std::string_view sign) {
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 10> commands = {
        {{"≤", "\\le"},
         {"≥", "\\ge"},
         {"≈", "\\approx"},
         {"−", "-"},
         {"·", "\\cdot"},
         {"×", "\\times"},
         {"⌈", "\\lceil"},
         {"⌉", "\\rceil"},
         {"⌊", "\\lfloor"},
         {"⌋", "\\rfloor"}}};
    const auto found =
        std::ranges::find_if(commands, [&](const auto& entry) { return entry.first == sign; });
    return std::string(found == commands.end() ? sign : found->second);
  }
};

}  // namespace

const FormulaNotation& mathml_notation() {
  static const Mathml notation;
  return notation;
}

const FormulaNotation& tex_notation() {
  static const Tex notation;
  return notation;
}

}  // namespace gemm_tutor
