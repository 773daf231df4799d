#include "report/reference_section.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "course/ladder.hpp"
#include "report/check_report.hpp"
#include "report/code_view.hpp"
#include "report/launch_text.hpp"
#include "report/lesson_json.hpp"
#include "support/text.hpp"
#include "view/markdown.hpp"
#include "view/units.hpp"

namespace gemm_tutor {
namespace {

constexpr std::size_t most_lines = 24;  // of a difference that a report shows
constexpr ChangeFolds folds{.unchanged = 3, .context = 1};

// How many brackets a line leaves open.
std::ptrdiff_t opened(std::string_view code) {
  return std::ranges::count(code, '(') - std::ranges::count(code, ')');
}

// "float f(float x) { return x; }" in three lines.
void split_function(std::vector<SourceLine>& lines) {
  const auto [number, text] = lines.back();
  const std::size_t body = text.find(") { ");
  if (body == text.npos || !text.ends_with("; }")) return;
  const std::string indent(text.find_first_not_of(' '), ' ');
  lines.back().text = text.substr(0, body + 3);
  lines.push_back({number, indent + "  " + text.substr(body + 4, text.size() - body - 6)});
  lines.push_back({number, indent + "}"});
}

// A statement is a line, without comments, because these and the line breaks may differ.
std::vector<SourceLine> lines_of_code(const std::string& source) {
  std::vector<SourceLine> lines;
  int number = 0;
  bool goes_on = false;  // the last one, in the next line of the file
  std::ptrdiff_t brackets = 0;
  for (const std::string& line : split_lines(source)) {
    ++number;
    const std::string text = line.substr(0, line.find("//"));
    const std::string code(trimmed(text));
    if (code.empty()) continue;
    if (goes_on) {
      const char last = lines.back().text.back();
      lines.back().text += (last == '(' || last == '[' ? "" : " ") + code;
    } else {
      lines.push_back({number, text.substr(0, text.find_last_not_of(" \t") + 1)});
      brackets = 0;
    }
    brackets += opened(code);
    const bool is_whole = brackets == 0 && std::string_view(";{}").find(code.back()) != code.npos;
    goes_on = !is_whole && !lines.back().text.starts_with('#');
    if (!goes_on) split_function(lines);
  }
  return lines;
}

Table counts_and_times(const CheckReport& report) {
  Table table = counts_table(
      {{text_cell("yours"), &*report.timed}, {text_cell("reference"), &*report.reference}}, 9);
  table.columns.front().head = {};
  table.columns.push_back(number_column("FFMA", 5, 1));
  table.rows[0].push_back(text_cell(percent_text(100 * ffma_share(*report.timed))));
  table.rows[1].push_back(text_cell(percent_text(100 * ffma_share(*report.reference))));
  if (!estimated_time(*report.timed) || !estimated_time(*report.reference)) return table;
  table.columns.push_back(number_column("estimated", 9, 1));
  table.rows[0].push_back(text_cell(duration_text(report.timed->estimate->median_ms)));
  table.rows[1].push_back(text_cell(duration_text(report.reference->estimate->median_ms)));
  return table;
}

void add_code(Parts& parts, const CheckReport& report) {
  const Listing listing = change_listing(lines_of_code(report.source),
                                         lines_of_code(report.exercise->solution), {}, folds);
  const auto is_same = [](const ListingLine& line) { return trimmed(line.mark.text).empty(); };
  if (std::ranges::all_of(listing.lines, is_same)) {
    parts.fact({{"Your code is that of the reference.", Style::dim}});
  } else if (listing.lines.size() <= most_lines) {
    parts.fact({{"Your lines have a -, those of the reference a +:", Style::dim}});
    parts.add(listing);
  } else {
    parts.fact({{"Their code differs in many lines: "},
                {unbreakable("gemm-tutor solution " + short_name(*report.exercise)), Style::code},
                {" shows the reference."}});
  }
}

}  // namespace

Section reference_section(const CheckReport& report) {
  Section section{"Beside"};
  if (!report.timed || !report.reference) return section;
  const KernelRun& run = *report.timed;
  section.parts.fact({{fmt::format("the reference at {}{}:", size_text(run.problem),
                                   run.gpu ? ", estimated for an " + run.gpu->full_name : "")}});
  section.parts.add(counts_and_times(report));
  add_code(section.parts, report);
  return section;
}

Section other_ways_section(const CheckReport& report) {
  const Exercise& exercise = *report.exercise;
  Section section{"Others"};
  if (!report.solved() || exercise.terms.other_ways.empty()) return section;
  section.parts.fact({{"solve it differently. Lines of the reference have a -, theirs a +."}});
  for (const OtherWay& way : exercise.terms.other_ways) {
    section.parts.add(Paragraph{first_paragraph(way.text)});
    section.parts.add(change_listing(lines_of_code(exercise.solution),
                                     lines_of_code(solution_in(way, exercise)), {}, folds));
  }
  return section;
}

Json compared_json(const CheckReport& report) {
  return {{"yours", lesson_object(*report.timed)}, {"reference", lesson_object(*report.reference)}};
}

Table counts_table(const std::vector<NamedRun>& runs, int kernel_columns) {
  Table table;
  table.columns = {{{{"   kernel"}}, Align::left, kernel_columns},
                   number_column("loads", 5, 1),
                   number_column("wf/FFMA", 7, 1),
                   number_column("FLOP/B", 6, 1),
                   number_column("shared", 6, 1),
                   number_column("regs", 4, 1),
                   number_column("occupancy", 9, 1)};
  const auto ratio = [](double value) { return value > 0 ? fmt::format("{:.2f}", value) : ""; };
  for (const auto& [name, run] : runs) {
    const auto wavefronts = wavefronts_per_ffma(*run);
    const auto loads = static_cast<double>(run->traffic.counted_loads.value_or(0));
    table.rows.push_back({name, text_cell(short_count(loads)),
                          text_cell(wavefronts ? fmt::format("{:.2f}", *wavefronts) : ""),
                          text_cell(ratio(global_intensity(*run))),
                          text_cell(ratio(shared_intensity(*run))), text_cell(registers_text(*run)),
                          text_cell(occupancy_text(*run))});
  }
  return table;
}

}  // namespace gemm_tutor
