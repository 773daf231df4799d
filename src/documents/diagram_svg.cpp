#include <fmt/format.h>

#include <cmath>
#include <map>
#include <utility>

#include "documents/concept_diagrams.hpp"
#include "documents/picture_svg.hpp"
#include "support/text.hpp"
#include "view/html.hpp"
#include "view/markdown_reader.hpp"
#include "view/style.hpp"

namespace gemm_tutor {
namespace {

// Widest digits of the usual sans-serif letters at the sizes of picture.css.
constexpr double digit = 6.8, small_digit = 5.7, squeezed_digit = 4;
constexpr double least_height = 8;  // of a box with a label, in pixels
constexpr double baseline = 4.5;    // of a text, below its middle

std::string_view anchor_of(Align align) {
  return align == Align::left ? "start" : align == Align::right ? "of" : "middle";
}

std::string with_space(const std::string& text) { return text.empty() ? "" : " " + text; }

// A <text> centred at `middle`. If there is no room, it uses small letters, then condensed ones,
// then `shorter`. Empty if that has no room, either.
std::string fitting_text(const std::string& text, const std::string& shorter, double middle,
                         double y, double room) {
  const auto place = [&](const std::string& attributes) {
    return fmt::format("<text{} x=\"{:.5g}\" y=\"{:.5g}\">{}</text>", attributes, middle, y,
                       escaped(text));
  };
  if (columns(text) * digit <= room) return place("");
  if (columns(text) * small_digit <= room) return place(" class=\"small\"");
  if (columns(text) * squeezed_digit <= room) {
    return place(fmt::format(
        " class=\"small\" textLength=\"{:.4g}\" lengthAdjust=\"spacingAndGlyphs\"", room));
  }
  return shorter.empty() ? "" : fitting_text(shorter, "", middle, y, room);
}

// A <path> for all boxes that look alike, in squares. The kinds lie on each other in the order of
// their first boxes.
std::string boxes_svg(const Diagram& diagram) {
  std::vector<std::pair<std::string, std::string>> paths;  // attributes, and the way
  std::map<std::string, std::size_t> known;
  for (const DiagramBox& box : diagram.boxes) {
    const std::string kind = !box.kind.empty() ? box.kind
                             : box.colour < 0  ? "empty"
                                               : fmt::format("c{}", box.colour);
    const std::string attributes = fmt::format("class=\"{}\"{}", kind, with_space(box.data));
    const auto [place, is_new] = known.emplace(attributes, paths.size());
    if (is_new) paths.emplace_back(attributes, "");
    const double shift = box.framed ? 0.5 : 0;
    paths[place->second].second +=
        fmt::format("M{:.5g} {:.5g}h{:.5g}v{:.5g}h{:.5g}z", box.x + shift, box.y + shift, box.width,
                    box.height, -box.width);
  }
  std::string svg =
      fmt::format("<g class=\"boxes\" transform=\"translate({:.5g} {:.5g})scale({:.6g} {:.6g})\">",
                  diagram.left, diagram.top, diagram.square_width, diagram.square_height);
  for (const auto& [attributes, way] : paths) {
    svg += fmt::format("<path {} d=\"{}\"/>", attributes, way);
  }
  return svg + "</g>";
}

std::string element_of(const Drawing& drawing) {
  return fmt::format(
      "<svg class=\"{0}\" width=\"{1}\" height=\"{2}\" viewBox=\"0 0 {1} {2}\" role=\"img\" "
      "aria-label=\"{3}\">{4}</svg>",
      drawing.kind, drawing.width, drawing.height, escaped(drawing.what), drawing.body);
}

std::string labels_svg(const Diagram& diagram) {
  std::string svg;
  for (const DiagramBox& box : diagram.boxes) {
    const double width = box.width * diagram.square_width;
    if (box.label.empty() || box.height * diagram.square_height <= least_height) continue;
    const double shift = box.framed ? 0.5 : 0;
    const double x = diagram.left + (box.x + shift) * diagram.square_width;
    const double y = diagram.top + (box.y + shift + box.height / 2) * diagram.square_height;
    svg += fitting_text(box.label, box.short_label, x + width / 2, y + baseline, width);
  }
  return svg;
}

std::string texts_svg(const Diagram& diagram) {
  std::string svg;
  for (const DiagramText& text : diagram.texts) {
    svg += fmt::format(
        "<text class=\"{}{}\"{} x=\"{:.5g}\" y=\"{:.5g}\">{}</text>", anchor_of(text.align),
        with_space(text.kind), with_space(text.data), diagram.left + text.x * diagram.square_width,
        diagram.top + (text.y + 0.5) * diagram.square_height + baseline, escaped(text.text));
  }
  return svg;
}

}  // namespace

Drawing drawing_of(const Diagram& diagram) {
  const auto end = [](double pixels) { return static_cast<int>(std::ceil(pixels)) + 2; };
  return {diagram.kind, join({diagram.title, diagram.words}, diagram.words.empty() ? "" : ". "),
          end(diagram.left + diagram.columns() * diagram.square_width),
          end(diagram.top + diagram.rows() * diagram.square_height),
          boxes_svg(diagram) + labels_svg(diagram) + texts_svg(diagram)};
}

std::string svg_element(const Diagram& diagram) { return element_of(drawing_of(diagram)); }

Picture concept_picture(const DrawnConcept& drawn, const std::string& file) {
  const Drawing drawing = drawing_of(drawn.diagram);
  Picture picture{.kind = "concept",
                  .caption = {first_paragraph(drawn.text)},
                  .svg = element_of(drawing),
                  .file = file,
                  .description = drawing.what};
  picture.drawing = [diagram = drawn.diagram](int columns_there,
                                              const Terminal& terminal) -> Parts {
    if (terminal.spoken || diagram.columns() > columns_there) return {Paragraph{{{diagram.words}}}};
    return {Code{diagram_rows(diagram)}};
  };
  return picture;
}

Section concepts_section(const std::vector<DrawnConcept>& concepts) {
  Section section{"", "In pictures"};
  for (const DrawnConcept& drawn : concepts) {
    if (!section.parts.empty()) section.parts.add(for_terminals(Facts{{Fact{}}}));
    section.parts.add(concept_picture(drawn));
  }
  return section;
}

}  // namespace gemm_tutor
