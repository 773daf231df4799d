// Drawings as files of their own, with their headings and their words.
#include "report/picture_svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/concept_diagrams.hpp"
#include "report/launch_text.hpp"
#include "report/requests.hpp"
#include "report/run_sections.hpp"
#include "report/thread_report.hpp"
#include "report/trace_report.hpp"
#include "support/text.hpp"
#include "view/embedded_texts.hpp"
#include "view/html_page.hpp"
#include "view/layout.hpp"
#include "view/markdown.hpp"
#include "view/style.hpp"

namespace gemm_tutor {
namespace {

// --- The sheet

constexpr int line_height = 19, text_columns = 118, title_height = 24;

// In a bold font of fixed width, in which a character is at most 8 pixels wide.
constexpr int code_columns = 104, code_indent = 4;
constexpr std::string_view no_break_space = "\u00a0";  // which SVG keeps, unlike others in a row

using Colours = std::map<std::string, std::string>;  // "--ink": "#fff"

constexpr std::string_view dark = "@media (prefers-color-scheme: dark)";

// Those that are given in `css`; the later of two.
void add_colours(Colours& colours, std::string_view css) {
  for (std::size_t at = css.find("--"); at != css.npos; at = css.find("--", at + 2)) {
    const std::size_t name_end = css.find_first_of(":)", at);
    if (name_end == css.npos || css[name_end] != ':') continue;
    const std::size_t end = css.find(';', name_end);
    colours[std::string(css.substr(at, name_end - at))] =
        trimmed(css.substr(name_end + 1, end - name_end - 1));
  }
}

std::string with_colours(std::string_view rules, const Colours& colours) {
  constexpr std::string_view use = "var(";
  std::string result;
  while (true) {
    const std::size_t at = rules.find(use);
    result += rules.substr(0, at);
    if (at == rules.npos) return result;
    const std::size_t end = rules.find(')', at);
    result += colours.at(std::string(rules.substr(at + use.size(), end - at - use.size())));
    rules.remove_prefix(end + 1);
  }
}

// A stylesheet begins with the light colours and then the dark ones; after them is what uses them.
std::string style() {
  Colours light_colours, dark_colours;
  std::string rules;
  for (const std::string_view css : {house_css(), picture_css()}) {
    const std::size_t dark_begin = css.find(dark), rules_begin = css.find("\n}\n", dark_begin) + 3;
    add_colours(light_colours, css.substr(0, dark_begin));
    add_colours(dark_colours, css.substr(dark_begin, rules_begin - dark_begin));
    rules += css.substr(rules_begin);
  }
  dark_colours.merge(Colours(light_colours));
  return with_colours(rules, light_colours) +
         fmt::format("{} {{\n{}}}\n", dark, with_colours(rules, dark_colours));
}

// An SVG file under way: texts and drawings below one another, from the top on.
class SvgSheet {
 public:
  static constexpr int margin = 24, usual_width = 832;

  explicit SvgSheet(int least_width = usual_width) : right_(margin + least_width) {}

  // Plain text, broken at the sheet's edge; `kind` is a class that picture.css knows. Of a line of
  // source, after its `number`, further lines begin under its own beginning.
  void text(std::string_view kind, const std::string& text, const std::string& number = "") {
    const int before = columns(number), indent = number.empty() ? 0 : code_indent;
    const int room = (number.empty() ? text_columns : code_columns) - before;
    std::string first = number;
    for (const Line& line : wrap({{printable(text)}}, room, room - indent)) {
      body_ += text_svg(kind, first + plain_text(line), margin, (end_ += line_height) - 5);
      first.clear();
      for (int i = 0; i < before + indent; ++i) first += no_break_space;
    }
  }
  void drawing(const Diagram& diagram) { end_ += add(drawing_of(diagram), margin, end_); }
  void space(int height) { end_ += height; }
  int end() const { return end_; }

  // Anywhere, with its title above it; returns where it ends.
  int place(const std::string& title, const Drawing& drawing, int x, int y) {
    body_ += text_svg("kind", title, x, y + 14);
    const int end = y + title_height + add(drawing, x, y + title_height);
    end_ = std::max(end_, end);
    return end;
  }

  // The whole file. Its style has the colours in place of their names, which not every viewer of
  // SVG knows.
  std::string svg(const std::string& title, const std::string& description) const {
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"sheet\" width=\"{0}\" height=\"{1}\" "
        "viewBox=\"0 0 {0} {1}\" role=\"img\">\n<title>{2}</title>\n<desc>{3}</desc>\n"
        "<style>\n{4}</style>\n<rect class=\"paper\" width=\"{0}\" height=\"{1}\"/>\n{5}</svg>\n",
        right_ + margin, end_ + margin, escaped(title), escaped(description), style(), body_);
  }

 private:
  // Returns its height.
  int add(const Drawing& drawing, int x, int y) {
    body_ += fmt::format("<g class=\"{}\" transform=\"translate({} {})\">{}</g>\n", drawing.kind, x,
                         y, drawing.body);
    right_ = std::max(right_, x + drawing.width);
    return drawing.height;
  }
  static std::string text_svg(std::string_view kind, const std::string& text, int x, int y) {
    return fmt::format("<text class=\"{}\" x=\"{}\" y=\"{}\">{}</text>\n", kind, x, y,
                       escaped(text));
  }

  std::string body_;
  int end_ = margin;  // of what is there
  int right_;
};

// --- Requests

// With its heading, and what of the kernel failed or is not drawn.
SvgSheet begun(const std::string& title, const std::string& subtitle, const Failure& failure,
               const std::string& what_is_not_drawn) {
  SvgSheet sheet;
  sheet.text("title", title);
  sheet.text("dim", subtitle);
  for (const simt::Finding& finding : failure.findings) {
    sheet.text("warning", fmt::format("✗ {}{}", name_of(finding.kind()), text_after_kind(finding)));
  }
  if (!failure.reached.empty()) sheet.text("why", failure.reached);
  if (!what_is_not_drawn.empty()) sheet.text("dim", "Not drawn: " + what_is_not_drawn);
  return sheet;
}

void add_access(SvgSheet& sheet, const SelectedAccess& selected) {
  const AccessWords words = words_of(selected);
  sheet.space(14);
  sheet.text(
      selected.picture.is_costly() ? "kind costly" : "kind",
      fmt::format("{}{} {}", selected.picture.is_costly() ? "! " : "", words.kind, words.from));
  sheet.text("cost", words.cost);
  sheet.space(6);
  sheet.drawing(request_diagram(selected.picture));
  sheet.space(2);
  if (!words.outside.empty()) sheet.text("warning", "✗ " + words.outside);
  sheet.text("why", words.why);
  if (!words.remedy.empty()) sheet.text("why", "→ " + words.remedy);
}

void add_legend(SvgSheet& sheet, const std::vector<SelectedLine>& lines) {
  bool global = false, shared = false;
  for (const SelectedLine& line : lines) {
    for (const SelectedAccess& access : line.accesses) {
      (access.picture.global() ? global : shared) = true;
    }
  }
  sheet.space(20);
  if (global) {
    sheet.text(
        "dim",
        "Global memory: a row is a line of 128 bytes, a box of it a sector that is moved, with "
        "the lanes at the floats that they want or write; what is grey is of no lane.");
  }
  if (shared) {
    sheet.text("dim",
               "Shared memory: a row is a pass, a column a bank, with the lanes at the words that "
               "they want or write. Passes after the first are conflicts.");
  }
  sheet.text("dim", "Several lanes in a thick frame are at the same word.");
}

// --- Tiles

constexpr int gap = 20;

struct TitledDrawing {
  std::string title;
  Drawing drawing;
};

// As in the product: A at the left of C, B above it.
void add_product(SvgSheet& sheet, const TitledDrawing& a, const TitledDrawing& b,
                 const TitledDrawing& c) {
  constexpr int title_width = 190;
  const int right = SvgSheet::margin + std::max(a.drawing.width, title_width) + gap;
  const int below = gap + sheet.place(b.title, b.drawing, right, sheet.end() + gap);
  sheet.place(a.title, a.drawing, SvgSheet::margin, below);
  sheet.place(c.title, c.drawing, right, below);
}

// A part of a matrix, or a shared array: with more than two indices, all but the last are rows.
struct ArrayTile {
  simt::MemorySpace space;  // a shared array may be called A, too
  std::string array;
  Region region;
  std::vector<std::int64_t> extents;  // of a shared array
};

ArrayTile matrix_tile(const TileOwners& tile) {
  return {simt::MemorySpace::global, std::string(1, tile.matrix), tile.region, {}};
}

// Where an element lies in a row and a column.
std::pair<std::int64_t, std::int64_t> place_of(const std::vector<std::int64_t>& indices,
                                               const std::vector<std::int64_t>& extents) {
  std::int64_t row = 0;
  for (std::size_t d = 0; d + 1 < indices.size(); ++d) {
    row = row * (extents.empty() ? 1 : extents[d]) + indices[d];
  }
  return {row, indices.back()};
}

// `indices` goes through those of the block, the last fastest.
template <typename Visit>
void for_each_element(const ElementBlock& block, const Visit& visit) {
  std::vector<std::int64_t> indices = block.first;
  for (std::int64_t i = 0; i < block.elements(); ++i) {
    visit(indices);
    for (std::size_t d = indices.size(); d-- > 0;) {
      if (++indices[d] <= block.last[d]) break;
      indices[d] = block.first[d];
    }
  }
}

// What the thread's own story tells of the tile.
Drawing drawn(const ThreadStory& story, const ArrayTile& tile, bool store) {
  const Region& r = tile.region;
  TileOwners owners{tile.array[0], r, std::vector<Owner>(static_cast<std::size_t>(r.elements()))};
  const auto mark = [&](const std::vector<std::int64_t>& indices) {
    const auto [row, column] = place_of(indices, tile.extents);
    if (row < r.row_begin || row >= r.row_end) return;
    if (column < r.column_begin || column >= r.column_end) return;
    const std::int64_t place = (row - r.row_begin) * r.columns() + column - r.column_begin;
    owners.owners[static_cast<std::size_t>(place)] = {story.warp, story.number};
  };
  for (const LineAccess& access : story.accesses) {
    if (access.space != tile.space || access.store != store) continue;
    for (const ElementBlock& block : access.elements) {
      if (block.array == tile.array) for_each_element(block, mark);
    }
  }
  return drawing_of(tile_diagram(owners, {}, false));
}

void add_shared(SvgSheet& sheet, const Trace& trace, const ThreadStory& story) {
  for (const simt::SharedArray& array : trace.result.shared_arrays) {
    if (array.extents.empty()) continue;
    const std::string name = Element{array.name, array.extents}.text();
    std::int64_t rows = 1;
    for (std::size_t d = 0; d + 1 < array.extents.size(); ++d) rows *= array.extents[d];
    const ArrayTile tile{simt::MemorySpace::shared,
                         array.name,
                         {0, static_cast<int>(rows), 0, static_cast<int>(array.extents.back())},
                         array.extents};
    const int top = sheet.end() + gap;
    const Drawing written = drawn(story, tile, true), read = drawn(story, tile, false);
    constexpr int title_width = 280;
    sheet.place(name + ", written in this step", written, SvgSheet::margin, top);
    sheet.place(name + ", read in this step", read,
                SvgSheet::margin + std::max(written.width, title_width) + gap, top);
  }
}

}  // namespace

std::string trace_svg(const Trace& trace, const std::string& title, const Selection& selection,
                      const std::vector<SelectedLine>& lines) {
  const std::string where = fmt::format(
      "block {},{} of {}×{} · warp {} of {} · step {}", trace.block.x, trace.block.y,
      trace.launch.grid.x, trace.launch.grid.y, selection.warp, trace.warps(), selection.step);
  const std::string not_drawn = not_recorded(trace);
  SvgSheet sheet = begun(title, fmt::format("{} · {}", trace.name, where),
                         failure_of(trace, selection.warp), not_drawn);
  if (lines.empty()) {
    sheet.text("why", not_drawn.empty() ? "Nothing was accessed."
                                        : "Nothing that could be drawn was accessed.");
  }
  for (const SelectedLine& line : lines) {
    sheet.space(26);
    sheet.text("code", std::string(trimmed(line.text)), fmt::format("{} │ ", line.line));
    for (const SelectedAccess& access : line.accesses) add_access(sheet, access);
  }
  if (!lines.empty()) add_legend(sheet, lines);
  if (!trace.result.all_accesses) {
    sheet.text("warning", std::string(last_steps_missing));
  }
  return sheet.svg(title, "What a warp asks of memory: " + where);
}

std::string diagram_svg(const Diagram& diagram) {
  SvgSheet sheet(0);
  sheet.drawing(diagram);
  return sheet.svg(diagram.title, diagram.words);
}

std::string who_loads_svg(const WhoLoads& who, std::optional<int> warp) {
  const std::string title = "Who loads what";
  const std::string where = fmt::format("block {},{} · step {} of {} along K", who.block.x,
                                        who.block.y, who.step, with_thousands(who.steps));
  SvgSheet sheet = begun(title, where, who.failure, who.not_recorded);
  if (!who.tile.empty()) sheet.text("dim", who.tile);
  sheet.text("dim", warp
                        ? fmt::format("The numbers are the lanes of warp {}; pale is of another "
                                      "warp, dark grey of several threads, empty of nobody.",
                                      *warp)
                        : "The numbers are warps; dark grey is of several warps, empty of nobody.");
  add_product(sheet, {"A, loaded in this step", drawing_of(tile_diagram(who.a, warp))},
              {"B, loaded in this step", drawing_of(tile_diagram(who.b, warp))},
              {"C, stored", drawing_of(tile_diagram(who.c, warp))});
  if (!who.all_accesses) {
    sheet.text("warning", std::string(later_accesses_missing));
  }
  return sheet.svg(title, where);
}

std::string thread_svg(const Trace& trace, const ThreadStory& story) {
  const std::string title =
      fmt::format("Thread {} of block {}", story.number, place_text(story.block));
  const std::string where = fmt::format("threadIdx {}, lane {} of warp {} · step {} of {} along K",
                                        place_text(story.thread), story.lane, story.warp,
                                        story.step, with_thousands(story.steps));
  SvgSheet sheet =
      begun(title, fmt::format("{} · {}", story.kernel, where), story.failure, story.not_recorded);
  sheet.text("dim", "Of its block's tiles, what the thread reads or writes is coloured.");
  const WhoLoads block = who_loads(trace, story.step);
  add_product(sheet, {"A, read in this step", drawn(story, matrix_tile(block.a), false)},
              {"B, read in this step", drawn(story, matrix_tile(block.b), false)},
              {"C, written", drawn(story, matrix_tile(block.c), true)});
  add_shared(sheet, trace, story);
  if (!story.all_accesses) {
    sheet.text("warning", std::string(later_accesses_missing));
  }
  return sheet.svg(title, where);
}

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
