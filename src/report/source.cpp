#include "report/source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "course/glossary.hpp"
#include "report/code_view.hpp"
#include "report/memory_drawing.hpp"
#include "support/text.hpp"
#include "view/highlight.hpp"
#include "view/markdown.hpp"

namespace gemm_tutor {
namespace {

constexpr int global_columns = 12, shared_columns = 11;  // "16.5 sec/req", "32.0 wf/req"

// The excerpt's columns. A column without any entry is left out.
struct CountColumns {
  explicit CountColumns(const std::vector<LineCounts>& counts)
      : global(std::ranges::any_of(counts, [](const LineCounts& c) { return !c.global.empty(); })),
        shared(std::ranges::any_of(counts, [](const LineCounts& c) { return !c.shared.empty(); })),
        conflicts(std::ranges::any_of(counts, &LineCounts::has_conflicts)) {}

  std::vector<Column> columns() const {
    std::vector<Column> result;
    if (global) result.push_back({{{"global"}}, Align::right, global_columns});
    if (shared) {
      result.push_back(
          {with_mark({{"shared"}}, false), Align::right, shared_columns + (conflicts ? 2 : 0)});
    }
    return result;
  }

  // The rows of each.
  std::vector<std::vector<Line>> cells(const LineCounts& counts) const {
    if (counts.global.empty() && counts.shared.empty()) return {};
    std::vector<std::vector<Line>> result;
    if (global) result.push_back(rows(counts.global, false));
    if (shared) result.push_back(rows(counts.shared, true));
    return result;
  }

  std::vector<Line> rows(const std::vector<RequestCost>& costs, bool are_marked) const {
    std::vector<Line> result;
    for (const RequestCost& cost : costs) {
      Line row = {{cost.text(), cost.has_conflicts ? Style::bad : Style::plain}};
      result.push_back(are_marked ? with_mark(std::move(row), cost.has_conflicts) : row);
    }
    return result;
  }

  // The mark is also visible without colour.
  Line with_mark(Line cell, bool has_conflicts) const {
    if (conflicts) cell.push_back({has_conflicts ? " !" : "  ", Style::bad});
    return cell;
  }

  bool global, shared, conflicts;
};

std::vector<SelectedLine> lines_of_excerpt(const std::vector<SelectedLine>& requests,
                                           const std::vector<SourceLine>& excerpt) {
  std::vector<SelectedLine> result;
  for (const SelectedLine& line : requests) {
    if (std::ranges::count(excerpt, line.line, &SourceLine::number) > 0) result.push_back(line);
  }
  return result;
}

int noted_line(const std::vector<SourceLine>& lines, const Note& note) {
  const auto holds = [&](const SourceLine& line) {
    return line.text.find(note.code) != line.text.npos;
  };
  const auto line = std::ranges::find_if(lines, holds);
  if (std::ranges::count_if(lines, holds) != 1) {
    throw std::logic_error(
        fmt::format("a note's code '{}' is not in one line of the excerpt alone", note.code));
  }
  return line->number;
}

// `lines` are those of `shown`, which has those of the kernel.
void add_notes(std::vector<ListingLine>& lines, const std::vector<SourceLine>& shown,
               const std::vector<SourceLine>& kernel, const std::vector<Note>& notes,
               Medium medium) {
  for (const Note& note : notes) {
    Part remark = Remark{note.code, first_paragraph(note.text)};
    remark.medium = medium;
    const auto at = std::ranges::find(shown, noted_line(kernel, note), &SourceLine::number);
    lines[static_cast<std::size_t>(at - shown.begin())].below.add(std::move(remark));
  }
}

void add_machine_code(std::vector<ListingLine>& lines, const std::vector<SourceLine>& excerpt,
                      const MachineCode& code, MachineDetail detail) {
  for (std::size_t i = 0; i < lines.size(); ++i) {
    Facts facts = machine_facts(code, excerpt[i].number, detail);
    if (!facts.lines.empty()) lines[i].below.add(as_answer(std::move(facts)));
  }
}

void keep_lines_with_counts(std::vector<ListingLine>& lines) {
  const auto has_none = [](const ListingLine& line) { return line.beside.empty(); };
  if (std::ranges::all_of(lines, has_none)) return;
  std::vector<ListingLine> kept;
  bool is_gap = false;
  for (ListingLine& line : lines) {
    if (has_none(line)) {
      is_gap = true;
      continue;
    }
    if (std::exchange(is_gap, false)) line.gap = "…";
    kept.push_back(std::move(line));
  }
  lines = std::move(kept);
}

// What is printed beside a line, what it says, and the term with which the course introduces it.
struct Sign {
  std::string_view sign, term;
  std::string text;
};

// Whether no lesson before the place introduces the term.
bool is_new(std::string_view term, int place) { return place <= place_of(find_term(term)); }

// A lesson explains the signs that are new in it, and names the lessons of the others.
std::vector<std::string> explained(const std::vector<Sign>& signs, int place) {
  std::vector<std::string> result, known;
  for (const auto& [sign, term, text] : signs) {
    is_new(term, place) ? result.push_back(fmt::format("{}: {}", sign, text))
                        : known.push_back(fmt::format("{} in {}", sign,
                                                      find_lesson(find_term(term).lesson).name()));
  }
  if (!known.empty()) result.push_back("Explained before: " + join(known, ", "));
  return result;
}

std::vector<Sign> signs_of(const CountColumns& counts, const DrawingLegend& drawn) {
  std::vector<Sign> result;
  const auto add = [&](std::string_view sign, std::string_view term, std::string text,
                       const std::string& drawing) {
    if (!drawing.empty()) text += "; " + drawing;
    result.push_back({sign, term, std::move(text)});
  };
  if (counts.global) {
    add("sec/req", "sector", "sectors of 32 bytes per request of a warp to global memory",
        drawn.global);
  }
  if (counts.shared) {
    add("wf/req", "shared memory", "wavefronts, passes of shared memory, per request to it",
        drawn.shared);
  }
  if (counts.conflicts)
    add("!", "bank conflict", "more wavefronts than the data needs, by bank conflicts", "");
  return result;
}

void add_legends(Parts& parts, const KernelRun& run, const std::vector<LineCounts>& lines,
                 std::vector<SelectedLine> drawn, int place) {
  const CountColumns counts(lines);
  const std::string note = shared_memory_note(run);
  Picture legend{.kind = "legend"};
  legend.drawing = [counts, drawn = std::move(drawn), place, note](
                       int, const Terminal& terminal) -> Parts {
    const DrawingLegend drawings = drawing_legend(drawn, terminal);
    Facts facts;
    const auto add = [&](const std::string& text) {
      if (!text.empty()) facts.add({{text, Style::dim}});
    };
    for (const std::string& text : explained(signs_of(counts, drawings), place)) add(text + ".");
    if (is_new("request", place)) add(drawings.requests);
    if (!note.empty()) add(fmt::format("({})", note));
    return {facts};
  };
  parts.add(for_terminals(std::move(legend)));
  if (Line line = counts_legend(lines, place, note); !line.empty())
    parts.add(as_answer(for_pages(facts({std::move(line)}))));
}

}  // namespace

bool LineCounts::has_conflicts() const {
  return std::ranges::any_of(shared, &RequestCost::has_conflicts);
}

std::vector<LineCounts> counts_beside(const std::vector<SourceLine>& excerpt,
                                      const KernelRun& run) {
  std::vector<LineCounts> result(excerpt.size());
  if (!run.emulation) return result;
  for (const simt::LineCounters& counted : run.emulation->lines) {
    const auto line = std::ranges::find(excerpt, counted.line, &SourceLine::number);
    if (line == excerpt.end()) continue;
    result[static_cast<std::size_t>(line - excerpt.begin())] = {
        request_costs(counted.operands, simt::MemorySpace::global),
        request_costs(counted.operands, simt::MemorySpace::shared)};
  }
  return result;
}

Line counts_legend(const std::vector<LineCounts>& lines, int place, const std::string& note) {
  std::vector<std::string> sentences;
  for (const std::string& text : explained(signs_of(CountColumns(lines), {}), place))
    sentences.push_back(text + ".");
  if (!note.empty()) sentences.push_back(fmt::format("({})", note));
  return sentences.empty() ? Line() : Line{{join(sentences, " "), Style::dim}};
}

std::string shared_memory_note(const KernelRun& run) {
  if (!run.emulation) return "";
  const simt::Counters& total = run.emulation->total;
  const std::uint64_t requests = total.shared_load_requests + total.shared_store_requests;
  if (requests == 0) return "";
  if (!run.emulation->shared_as_in_machine_code) {
    return fmt::format(
        "accesses to shared memory are joined as the assembler would: there is no machine code "
        "with {}",
        run.compiler);
  }
  if (total.unmatched_requests == 0) return "";
  return fmt::format(
      "{} of {} requests of shared memory are counted as written in PTX: the machine code does not "
      "say what became of them",
      with_thousands(total.unmatched_requests), with_thousands(requests));
}

std::vector<ListingLine> listing_lines(const std::vector<SourceLine>& lines) {
  std::vector<std::string> texts;
  for (const SourceLine& line : lines) texts.push_back(printable(line.text));
  const std::vector<Line> code = highlight(texts);
  std::vector<ListingLine> result;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    ListingLine line{fmt::format("{:>4}", lines[i].number), code[i]};
    if (i > 0 && lines[i].number != lines[i - 1].number + 1) line.gap = "…";
    result.push_back(std::move(line));
  }
  return result;
}

ListingLine listing_line(const std::vector<Line>& file, int number, int digits) {
  const bool is_there = number >= 1 && number <= std::ssize(file);
  return {fmt::format("{:>{}}", number, digits),
          is_there ? file[static_cast<std::size_t>(number) - 1] : Line()};
}

Listing annotated_listing(const std::vector<SourceLine>& excerpt, const std::string& source_file,
                          const std::vector<Note>& notes) {
  Listing listing{.file = source_file, .lines = listing_lines(excerpt)};
  add_notes(listing.lines, excerpt, excerpt, notes, Medium::any);
  return listing;
}

Section source_section(const AnyRun auto& run, std::optional<MachineDetail> machine,
                       SourceLines shown) {
  std::vector<SourceLine> lines = run.excerpt;
  std::optional<MachineCode> code;
  if (machine) {
    code = machine_code(run);
    lines = excerpt_with_hot_loop(run, *code);
  }
  const std::vector<LineCounts> counts = counts_beside(lines, run);
  const CountColumns columns(counts);
  std::vector<SelectedLine> drawn;
  if (!machine) drawn = lines_of_excerpt(first_requests(run), lines);
  Listing listing{
      .file = run.source.file_name, .columns = columns.columns(), .lines = listing_lines(lines)};
  listing.columns_are_answers = true;
  for (std::size_t i = 0; i < counts.size(); ++i)
    listing.lines[i].beside = columns.cells(counts[i]);
  int place = 0;  // in the course; for a kernel of no lesson all is new
  if constexpr (requires { run.lesson; }) {
    place = run.lesson->place;
    add_notes(listing.lines, lines, excerpt(*run.lesson, *run.kernel), run.kernel->notes,
              Medium::page);
  }
  for (const SelectedLine& line : drawn) {
    const auto at = std::ranges::find(lines, line.line, &SourceLine::number);
    Parts& below = listing.lines[static_cast<std::size_t>(at - lines.begin())].below;
    below.add(for_terminals(memory_drawing(line)));
  }
  if (code) add_machine_code(listing.lines, lines, *code, *machine);
  if (shown == SourceLines::with_counts) keep_lines_with_counts(listing.lines);
  Section section{"Source", run.launch ? "The kernel" : "The code", {}};
  add_legends(section.parts, run, counts, drawn, place);
  section.parts.add(std::move(listing));
  if constexpr (requires { run.lesson; })
    section.parts.append(earlier_functions(shown_code(*run.lesson, *run.kernel)));
  return section;
}

template Section source_section(const KernelRun&, std::optional<MachineDetail>, SourceLines);
template Section source_section(const LessonRun&, std::optional<MachineDetail>, SourceLines);

}  // namespace gemm_tutor
