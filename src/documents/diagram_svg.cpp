#include <fmt/format.h>

#include "documents/concept_diagrams.hpp"
#include "documents/drawing.hpp"
#include "view/html.hpp"
#include "view/markdown_reader.hpp"

namespace gemm_tutor {
namespace {

constexpr double square_width = 8, square_height = 17;

std::string_view anchor_of(Align align) {
  return align == Align::left ? "start" : align == Align::right ? "of" : "middle";
}

std::string box_svg(const DiagramBox& box) {
  const double shift = box.framed ? 0.5 : 0;
  const double x = (box.x + shift) * square_width, y = (box.y + shift) * square_height;
  const double width = box.width * square_width, height = box.height * square_height;
  std::string svg = fmt::format(
      "<rect class=\"{}\" x=\"{:.5g}\" y=\"{:.5g}\" width=\"{:.5g}\" height=\"{:.5g}\"/>",
      box.colour < 0 ? "empty" : fmt::format("c{}", box.colour), x, y, width, height);
  if (!box.label.empty() && height > 8) {
    svg += fitting_text(box.label, "", x + width / 2, y + height / 2 + 4.5, width);
  }
  return svg;
}

}  // namespace

Drawing drawing_of(const Diagram& diagram) {
  std::string body;
  for (const DiagramBox& box : diagram.boxes) body += box_svg(box);
  for (const DiagramText& text : diagram.texts) {
    body +=
        fmt::format("<text class=\"{}\" x=\"{:.5g}\" y=\"{:.5g}\">{}</text>", anchor_of(text.align),
                    text.x * square_width, text.y * square_height + 13, escaped(text.text));
  }
  return {"diagram", diagram.title + ". " + diagram.words,
          static_cast<int>(diagram.columns() * square_width) + 1,
          static_cast<int>(diagram.rows() * square_height) + 1, body};
}

Picture concept_picture(const DrawnConcept& drawn, const std::string& file) {
  const Drawing drawing = drawing_of(drawn.diagram);
  Picture picture{.kind = "concept",
                  .caption = {first_paragraph(drawn.text)},
                  .svg = svg_element(drawing),
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
