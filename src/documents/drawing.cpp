#include "documents/drawing.hpp"

#include <fmt/format.h>

#include "view/html.hpp"
#include "view/style.hpp"

namespace gemm_tutor {
namespace {

// Widest digits of the usual sans-serif letters at the sizes of picture.css.
constexpr double digit = 6.8, small_digit = 5.7, squeezed_digit = 4;

}  // namespace

std::string svg_element(const Drawing& drawing) {
  return fmt::format(
      "<svg class=\"{0}\" width=\"{1}\" height=\"{2}\" viewBox=\"0 0 {1} {2}\" role=\"img\" "
      "aria-label=\"{3}\">{4}</svg>",
      drawing.kind, drawing.width, drawing.height, escaped(drawing.what), drawing.body);
}

std::string svg_path(std::string_view kind, const std::string& way) {
  return way.empty() ? "" : fmt::format("<path class=\"{}\" d=\"{}\"/>", kind, way);
}

std::string fitting_text(const std::string& text, const std::string& shorter, double middle,
                         double baseline, double room) {
  const auto place = [&](const std::string& attributes) {
    return fmt::format("<text{} x=\"{:.4g}\" y=\"{:.4g}\">{}</text>", attributes, middle, baseline,
                       escaped(text));
  };
  if (columns(text) * digit <= room) return place("");
  if (columns(text) * small_digit <= room) return place(" class=\"small\"");
  if (columns(text) * squeezed_digit <= room) {
    return place(fmt::format(
        " class=\"small\" textLength=\"{:.4g}\" lengthAdjust=\"spacingAndGlyphs\"", room));
  }
  return shorter.empty() ? "" : fitting_text(shorter, "", middle, baseline, room);
}

}  // namespace gemm_tutor
