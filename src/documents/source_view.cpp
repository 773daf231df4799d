#include "documents/source_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <stdexcept>

#include "documents/memory_drawing.hpp"
#include "support/text.hpp"
#include "view/highlight.hpp"
#include "view/markdown.hpp"

namespace gemm_tutor {
namespace {

constexpr int global_columns = 12, shared_columns = 11;  // "16.5 sec/req", "32.0 wf/req"
constexpr int continuation_indent = 4;
constexpr std::string_view conflict_mark = " !";  // tells without colour too

std::string per_request(std::uint64_t count, std::uint64_t requests, std::string_view unit) {
  if (requests == 0) return "";
  return fmt::format("{:.1f} {}/req", static_cast<double>(count) / static_cast<double>(requests),
                     unit);
}

LineCounts counts_of(const emulator::Counters& c) {
  return {per_request(c.global_load_sectors + c.global_store_sectors,
                      c.global_load_requests + c.global_store_requests, "sec"),
          per_request(c.shared_load_wavefronts + c.shared_store_wavefronts,
                      c.shared_load_requests + c.shared_store_requests, "wf"),
          c.shared_load_conflicts + c.shared_store_conflicts > 0};
}

// Two columns, or one where no line of the excerpt has anything for the other.
class CountColumns {
 public:
  explicit CountColumns(const std::vector<LineCounts>& counts)
      : global_(std::ranges::any_of(counts, [](const LineCounts& c) { return !c.global.empty(); })),
        shared_(std::ranges::any_of(counts, [](const LineCounts& c) { return !c.shared.empty(); })),
        conflicts_(std::ranges::any_of(counts, &LineCounts::has_conflicts)) {}

  bool has_global() const { return global_; }
  bool has_shared() const { return shared_; }
  bool has_conflicts() const { return conflicts_; }

  Line line(const LineCounts& counts, Style style) const {
    if (counts.global.empty() && counts.shared.empty()) return {};
    Line result;
    if (global_) result.push_back({fmt::format("{:>{}}", counts.global, global_columns), style});
    if (shared_) {
      const int width = shared_columns + (global_ ? 2 : 0);
      result.push_back(
          {fmt::format("{:>{}}", counts.shared, width), counts.has_conflicts ? Style::bad : style});
    }
    if (conflicts_) {
      const std::string mark = counts.has_conflicts ? std::string(conflict_mark) : "  ";
      result.push_back({mark, Style::bad});
    }
    return result;
  }

  Line heads() const {
    return line({global_ ? "global" : "", shared_ ? "shared" : ""}, Style::dim);
  }

 private:
  bool global_, shared_, conflicts_;
};

const Line bare_gutter = {{"     │ ", Style::dim}};

// The file's name, with `heads` at its right, and the lines in colour; `beside` is what stands at
// the right of the line with that place in `lines`, and `add_below` adds rows below it.
void add_listing(Page& page, const std::vector<SourceLine>& lines, std::string_view source_file,
                 const Line& heads, const std::function<Line(std::size_t)>& beside,
                 const std::function<void(std::size_t, int indentation)>& add_below) {
  const std::vector<Line> code = highlight_source(lines);
  page.section("Source");
  page.text({{std::string(source_file)}}, heads);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i > 0 && lines[i].number != lines[i - 1].number + 1) {
      page.row(bare_gutter, {}, {{"…", Style::dim}});
    }
    add_code(page, fmt::format("{:>4}", lines[i].number), {}, code[i], beside(i));
    add_below(i, indentation(code[i]));
  }
}

std::vector<SelectedLine> lines_of_excerpt(const std::vector<SelectedLine>& requests,
                                           const std::vector<SourceLine>& excerpt) {
  std::vector<SelectedLine> result;
  for (const SelectedLine& line : requests) {
    if (std::ranges::count(excerpt, line.line, &SourceLine::number) > 0) result.push_back(line);
  }
  return result;
}

// What the counts and the drawings of `lines` say.
void add_legend(Page& page, const CountColumns& counts, const std::vector<SelectedLine>& lines) {
  const DrawingLegend drawn = drawing_legend(lines, page.terminal());
  const auto add = [&](std::string text, const std::string& drawing) {
    if (!drawing.empty()) text += "; " + drawing;
    page.text({{text + ".", Style::dim}});
  };
  if (counts.has_global()) {
    add("sec/req: sectors of 32 bytes for each request of global memory", drawn.global);
  }
  if (counts.has_shared()) {
    add("wf/req: wavefronts, passes of shared memory, for each request", drawn.shared);
  }
  if (!drawn.requests.empty()) page.text({{drawn.requests, Style::dim}});
}

}  // namespace

std::vector<LineCounts> counts_beside(const KernelRun& run) {
  std::vector<LineCounts> result(run.excerpt.size());
  if (!run.emulation) return result;
  for (const emulator::LineCounters& counted : run.emulation->lines) {
    const auto line = std::ranges::find(run.excerpt, counted.line, &SourceLine::number);
    if (line != run.excerpt.end()) result[line - run.excerpt.begin()] = counts_of(counted.counters);
  }
  return result;
}

std::size_t noted_line(const std::vector<SourceLine>& lines, const Note& note) {
  const auto holds = [&](const SourceLine& line) {
    return line.text.find(note.code) != line.text.npos;
  };
  const auto line = std::ranges::find_if(lines, holds);
  if (std::ranges::count_if(lines, holds) != 1) {
    throw std::logic_error(
        fmt::format("a note's code '{}' is not in one line of the excerpt alone", note.code));
  }
  return line - lines.begin();
}

void add_source(Page& page, const KernelRun& run, const std::vector<SelectedLine>& requests) {
  const std::vector<LineCounts> counts = counts_beside(run);
  const CountColumns count_columns(counts);
  const std::vector<SelectedLine> drawn = lines_of_excerpt(requests, run.excerpt);
  const auto add_drawing = [&](std::size_t i, int) {
    const auto line = std::ranges::find(drawn, run.excerpt[i].number, &SelectedLine::line);
    if (line != drawn.end()) add_memory_drawing(page, bare_gutter, *line);
  };
  add_listing(
      page, run.excerpt, run.source_file, count_columns.heads(),
      [&](std::size_t i) { return count_columns.line(counts[i], Style::plain); }, add_drawing);
  add_legend(page, count_columns, drawn);
  if (count_columns.has_conflicts()) {
    page.text({{"!", Style::bad}, {" " + std::string(conflicts_legend), Style::dim}});
  }
  if (run.emulation && run.emulation->total.shared_load_requests > 0) {
    page.text({{fmt::format("({})", ptx_legend), Style::dim}});
  }
}

namespace {

// In bold but for its code.
Line emphasised(Line line) {
  for (Span& span : line) {
    if (span.style == Style::plain) span.style = Style::heading;
  }
  return line;
}

}  // namespace

void add_annotated_source(Page& page, const std::vector<SourceLine>& excerpt,
                          std::string_view source_file, const std::vector<Note>& notes) {
  std::multimap<std::size_t, std::string> texts;
  for (const Note& note : notes) texts.emplace(noted_line(excerpt, note), note.text);
  const std::string mark = page.terminal().spoken ? "Note: " : "╰ ";
  const auto add_notes = [&](std::size_t line, int columns) {
    const std::string indent(columns, ' ');
    const auto [begin, end] = texts.equal_range(line);
    for (auto note = begin; note != end; ++note) {
      page.row(bare_gutter + Line{{indent + mark, Style::heading}},
               bare_gutter + Line{{indent + "  "}}, emphasised(first_paragraph(note->second)));
    }
  };
  add_listing(
      page, excerpt, source_file, {}, [](std::size_t) { return Line(); }, add_notes);
}

void add_code(Page& page, const std::string& number, const Span& mark, const Line& code,
              const Line& right) {
  const int indented = columns(mark.text) + indentation(code) + continuation_indent;
  page.row({{number + " │ ", Style::dim}, mark},
           {{std::string(columns(number), ' ') + " │ ", Style::dim}, {std::string(indented, ' ')}},
           code, right);
}

}  // namespace gemm_tutor
