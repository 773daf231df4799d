// Writes the parts of a formula as MathML for pages or as TeX for Markdown.
#pragma once

#include <string>
#include <string_view>

namespace gemm_tutor {

// Signs are UTF-8: "·", "≤", "⌈". The results are concatenated.
class FormulaNotation {
 public:
  virtual ~FormulaNotation() = default;

  virtual std::string number(std::string_view digits) const = 0;      // "1,024", "16.5"
  virtual std::string name(std::string_view word) const = 0;          // "M", "BM"
  virtual std::string sign(std::string_view sign) const = 0;          // between terms and sides
  virtual std::string product_sign(std::string_view sign) const = 0;  // "·", "×", "/"
  virtual std::string whole(const std::string& content) const = 0;    // grouped as one part
  virtual std::string superscript(std::string_view sign) const = 0;   // "²", "³", "ᵀ"
  virtual std::string raised(const std::string& base, const std::string& exponent) const = 0;
  virtual std::string fraction(const std::string& above, const std::string& below) const = 0;
  virtual std::string enclosed(std::string_view open, const std::string& content,
                               std::string_view close) const = 0;
  // Removes the parentheses of enclosed() and groups the content.
  virtual std::string bare(std::string_view enclosed) const = 0;
  virtual std::string call(const std::string& name, const std::string& arguments) const = 0;
};

const FormulaNotation& mathml_notation();
const FormulaNotation& tex_notation();

}  // namespace gemm_tutor
