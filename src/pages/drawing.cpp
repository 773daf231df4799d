#include "pages/drawing.hpp"

#include <fmt/format.h>

#include "pages/html.hpp"
#include "report/style.hpp"

namespace gemm_tutor {
namespace {

// Widest digits of the usual sans-serif letters at the sizes of picture.css.
constexpr double digit = 6.4, small_digit = 5.2;

}  // namespace

std::string svg_element(const Drawing& drawing) {
  return fmt::format(
      "<svg class=\"{0}\" width=\"{1}\" height=\"{2}\" viewBox=\"0 0 {1} {2}\" role=\"img\" "
      "aria-label=\"{3}\">{4}</svg>",
      drawing.kind, drawing.width, drawing.height, escaped(drawing.what), drawing.body);
}

std::string fitting_text(const std::string& text, const std::string& shorter, double middle,
                         double baseline, double room) {
  const auto place = [&](const std::string& shown, const char* kind) {
    return fmt::format("<text{} x=\"{:.4g}\" y=\"{:.4g}\">{}</text>", kind, middle, baseline,
                       escaped(shown));
  };
  if (columns(text) * digit <= room) return place(text, "");
  if (columns(text) * small_digit <= room + 6) return place(text, " class=\"small\"");
  if (!shorter.empty() && shorter != text) return fitting_text(shorter, "", middle, baseline, room);
  return "";
}

}  // namespace gemm_tutor
