// Drawings as files of their own, with their headings and their words.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "pages/drawing.hpp"
#include "pages/embedded_texts.hpp"
#include "pages/html.hpp"
#include "pages/picture_svg.hpp"
#include "report/access_words.hpp"
#include "report/finding_text.hpp"
#include "report/layout.hpp"
#include "support/text.hpp"
#include "support/utf8.hpp"

namespace gemm_tutor {
namespace {

constexpr int margin = 24, line_height = 19, text_columns = 118;

// --- The style: with the colours in place of their names, which not all that shows SVG knows
// ----------------------------------------------------------------------------

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

// A stylesheet is the light colours, the dark ones, and what uses them.
struct Stylesheet {
  explicit Stylesheet(std::string_view css) {
    const std::size_t dark_begin = css.find(dark), rules_begin = css.find("\n}\n", dark_begin) + 3;
    light_colours = css.substr(0, dark_begin);
    dark_colours = css.substr(dark_begin, rules_begin - dark_begin);
    rules = css.substr(rules_begin);
  }
  std::string_view light_colours, dark_colours, rules;
};

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

std::string style() {
  const Stylesheet house(house_css()), picture(picture_css());
  const std::string rules = std::string(house.rules) + std::string(picture.rules);
  Colours colours;
  add_colours(colours, house.light_colours);
  add_colours(colours, picture.light_colours);
  std::string css = with_colours(rules, colours);
  add_colours(colours, house.dark_colours);
  add_colours(colours, picture.dark_colours);
  return css + fmt::format("{} {{\n{}}}\n", dark, with_colours(rules, colours));
}

// --- The sheet
// ----------------------------------------------------------------------------

// What is below one another, from the top on.
class Sheet {
 public:
  void text(std::string_view kind, const std::string& text) {
    for (const Line& line : wrap({{printable(text)}}, text_columns, text_columns)) {
      std::string shown;
      for (const Span& span : line) shown += span.text;
      end_ += line_height;
      place_text(kind, shown, margin, end_ - 5);
    }
  }

  void space(int height) { end_ += height; }

  void drawing(const Drawing& drawing) {
    place(drawing, margin, end_);
    end_ += drawing.height;
  }

  void place(const Drawing& drawing, int x, int y) {
    body_ += fmt::format("<g class=\"{}\" transform=\"translate({} {})\">{}</g>\n", drawing.kind, x,
                         y, drawing.body);
    right_ = std::max(right_, x + drawing.width);
  }

  void place_text(std::string_view kind, const std::string& text, int x, int y) {
    body_ +=
        fmt::format("<text class=\"{}\" x=\"{}\" y=\"{}\">{}</text>\n", kind, x, y, escaped(text));
  }

  int end() const { return end_; }

  std::string svg(const std::string& title, const std::string& description) const {
    const int width = right_ + margin, height = end_ + margin;
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"sheet\" width=\"{0}\" height=\"{1}\" "
        "viewBox=\"0 0 {0} {1}\" role=\"img\">\n<title>{2}</title>\n<desc>{3}</desc>\n"
        "<style>\n{4}</style>\n<rect class=\"paper\" width=\"{0}\" "
        "height=\"{1}\"/>\n{5}</svg>\n",
        width, height, escaped(title), escaped(description), style(), body_);
  }

 private:
  std::string body_;
  int end_ = margin;
  int right_ = margin + 832;
};

// No learner's folder is told of.
std::string title_of(const Trace& trace) {
  if (trace.lesson) {
    return fmt::format("Trace of lesson {} · {}", trace.lesson->number, trace.lesson->title);
  }
  return fmt::format("Trace of {}", std::filesystem::path(trace.source_file).filename().string());
}

void add_findings(Sheet& sheet, const emulator::Result& result) {
  for (const emulator::Finding& finding : result.findings) {
    const std::string line = finding.line > 0 ? fmt::format(", line {}", finding.line) : "";
    sheet.text("warning", fmt::format("✗ {}{}: {}", finding.kind, line, finding_text(finding)));
  }
}

void add_access(Sheet& sheet, const SelectedAccess& selected) {
  const AccessWords words = words_of(selected);
  sheet.space(14);
  sheet.text(
      selected.picture.is_costly() ? "kind costly" : "kind",
      fmt::format("{}{} {}", selected.picture.is_costly() ? "! " : "", words.kind, words.from));
  sheet.text("cost", words.cost);
  sheet.space(6);
  sheet.drawing(access_drawing(selected.picture, true));
  sheet.space(2);
  if (!words.outside.empty()) sheet.text("warning", "✗ " + words.outside);
  sheet.text("why", words.why);
  if (!words.remedy.empty()) sheet.text("why", "→ " + words.remedy);
}

void add_legend(Sheet& sheet, const std::vector<SelectedLine>& lines) {
  bool global = false, shared = false;
  for (const SelectedLine& line : lines) {
    for (const SelectedAccess& access : line.accesses) {
      (access.picture.global() ? global : shared) = true;
    }
  }
  sheet.space(line_height);
  if (global) {
    sheet.text(
        "dim",
        "Global memory: a row is a line of 128 bytes, a box of it a sector that is moved, with "
        "the lanes at the floats that they want; what is striped is moved in vain.");
  }
  if (shared) {
    sheet.text("dim",
               "Shared memory: a row is a pass, a column a bank, with the lanes at the words that "
               "they want. Passes after the first are conflicts.");
  }
  sheet.text("dim", "Several lanes in a thick frame want the same word.");
}

}  // namespace

std::string trace_svg(const Trace& trace, const Selection& selection,
                      const std::vector<SelectedLine>& lines) {
  Sheet sheet;
  const std::string where = fmt::format(
      "block {},{} of {}×{} · warp {} of {} · step {}", trace.block.x, trace.block.y,
      trace.launch.grid.x, trace.launch.grid.y, selection.warp, trace.warps(), selection.step);
  sheet.text("title", title_of(trace));
  sheet.text("dim", fmt::format("{} · {}", trace.name, where));
  add_findings(sheet, trace.result);
  if (lines.empty()) sheet.text("why", "Nothing was accessed.");
  for (const SelectedLine& line : lines) {
    sheet.space(26);
    sheet.text("code", fmt::format("{} │ {}", line.line, trimmed(line.text)));
    for (const SelectedAccess& access : line.accesses) add_access(sheet, access);
  }
  if (!lines.empty()) add_legend(sheet, lines);
  if (!trace.result.all_accesses) {
    sheet.text("warning",
               "There were more accesses than are kept: of some instructions the last steps are "
               "missing.");
  }
  return sheet.svg(title_of(trace), fmt::format("What a warp does to memory: {}", where));
}

std::string who_loads_svg(const WhoLoads& who, std::optional<int> warp) {
  Sheet sheet;
  const std::string where = fmt::format("block {},{} · step {} of {} along K", who.block.x,
                                        who.block.y, who.step, with_thousands(who.steps));
  sheet.text("title", "Who loads what");
  sheet.text("dim", where);
  sheet.text("dim", warp ? fmt::format("The numbers are the lanes of warp {}; grey is of another "
                                       "warp, striped of several threads, empty of nobody.",
                                       *warp)
                         : "The numbers are warps; striped is of several warps, empty of nobody.");
  // As in the product: A at the left of C, B above it.
  const Drawing a = tile_drawing(who.a, warp), b = tile_drawing(who.b, warp),
                c = tile_drawing(who.c, warp);
  constexpr int title = 24, gap = 20, title_width = 190;
  const int top = sheet.end() + gap, right = margin + std::max(a.width, title_width) + gap;
  const int below = top + title + b.height + gap;
  sheet.place_text("kind", "B, loaded in this step", right, top + 14);
  sheet.place(b, right, top + title);
  sheet.place_text("kind", "A, loaded in this step", margin, below + 14);
  sheet.place(a, margin, below + title);
  sheet.place_text("kind", "C, stored", right, below + 14);
  sheet.place(c, right, below + title);
  sheet.space(below + title + std::max(a.height, c.height) - sheet.end());
  if (!who.all_accesses) {
    sheet.text("warning", "Not all accesses were recorded: some later ones are missing.");
  }
  return sheet.svg("Who loads what", where);
}

}  // namespace gemm_tutor
