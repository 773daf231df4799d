#include "walkthrough/run_pages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "course/glossary.hpp"
#include "course/ladder.hpp"
#include "report/estimate_section.hpp"
#include "report/run_sections.hpp"
#include "report/source.hpp"
#include "support/error.hpp"
#include "support/text.hpp"
#include "view/units.hpp"
#include "walkthrough/own_ladder.hpp"

namespace gemm_tutor {
namespace {

constexpr std::string_view separator = " · ";

// A line's facts, with their styles.
std::vector<Line> facts_in(const Line& line) {
  std::vector<Line> facts(1);
  for (const Span& span : line) {
    std::string_view rest = span.text;
    for (std::size_t end = rest.find(separator); end != rest.npos; end = rest.find(separator)) {
      facts.back().push_back({std::string(rest.substr(0, end)), span.style});
      facts.emplace_back();
      rest.remove_prefix(end + separator.size());
    }
    facts.back().push_back({std::string(rest), span.style});
  }
  return facts;
}

// A command is for the command line, and the course has keys in its place.
bool is_known(const Line& line, int place) {
  const std::string text = breakable(plain_text(line));
  return later_term(text, place) == nullptr && text.find("gemm-tutor ") == text.npos;
}

Line known_line(const Line& line, int place) {
  if (is_known(line, place)) return line;
  Line known;
  for (const Line& fact : facts_in(line)) {
    if (plain_text(fact).empty() || !is_known(fact, place)) continue;
    if (!known.empty()) known.push_back({std::string(separator)});
    known = known + fact;
  }
  return known;
}

bool is_known(const std::vector<Cell>& row, int place) {
  return std::ranges::all_of(row, [&](const Cell& cell) { return is_known(cell.text, place); });
}

}  // namespace

Parts known_parts(const Parts& parts, int place) {
  Parts known;
  for (Part part : parts) {
    if (auto* section = std::get_if<Section>(&part.content)) {
      section->parts = known_parts(section->parts, place);
    } else if (auto* group = std::get_if<Group>(&part.content)) {
      group->parts = known_parts(group->parts, place);
    } else if (auto* paragraph = std::get_if<Paragraph>(&part.content)) {
      paragraph->text = known_line(paragraph->text, place);
      if (paragraph->text.empty()) continue;
    } else if (auto* facts = std::get_if<Facts>(&part.content)) {
      for (Fact& fact : facts->lines) fact.text = known_line(fact.text, place);
      std::erase_if(facts->lines, [](const Fact& fact) { return fact.text.empty(); });
      if (facts->lines.empty()) continue;
    } else if (auto* table = std::get_if<Table>(&part.content)) {
      std::erase_if(table->rows, [&](const auto& row) { return !is_known(row, place); });
      if (table->rows.empty()) continue;
    }
    known.add(std::move(part));
  }
  return known;
}

namespace {

// --- The first page

Section result_in_short(const LessonRun& run) {
  if (is_clean(run) || !run.can_run_here()) return result_section(run);
  return section("Result", {facts({{{"✗ ", Style::bad}, {verdict_text(run) + "."}}})});
}

Section time_in_short(const LessonRun& run) {
  Facts facts;
  if (const auto time = time_of(run)) {
    facts.add({{time_text(run, *time)}});
    if (const std::string speed = speed_text(run, *time); !speed.empty()) facts.add({{speed}});
  }
  if (const std::string limit = limiting_text(run); !limit.empty()) facts.add({{limit}});
  if (facts.lines.empty()) return timing_section(run);
  return section("Time", {std::move(facts)});
}

// Of a lesson on the CPU, whose kernels do the same in another order.
Facts order_facts(const ShownRun& shown) {
  const LessonRun& run = shown.run;
  Facts facts;
  for (const LessonRun& other : shown.others) {
    if (!run.timing || !other.timing) continue;
    const double factor = run.timing->median_ms / other.timing->median_ms;
    const bool is_faster = factor >= 1;
    facts.add({{other.kernel->name, Style::code},
               {fmt::format(" ({}) took {} here: {:.1f} times {} than ", other.kernel->title,
                            duration_text(other.timing->median_ms), is_faster ? factor : 1 / factor,
                            is_faster ? "faster" : "slower")},
               {run.kernel->name, Style::code},
               {is_faster ? ", with the same arithmetic." : "."}});
  }
  return facts;
}

Section compared(const ShownRun& shown) {
  Facts facts = order_facts(shown);
  const std::string text = comparison_text(shown.run, shown.progress);
  if (!text.empty()) facts.add({{text}});
  if (facts.lines.empty()) return {};
  return section("Before", {std::move(facts)});
}

// --- The details

Parts found_page(const ShownRun& shown) {
  if (is_clean(shown.run) || !shown.run.can_run_here()) return {};
  return {result_section(shown.run)};
}

Parts lines_page(const ShownRun& shown) {
  if (!shown.run.emulation) return {};
  return {source_section(shown.run, {}, SourceLines::with_counts)};
}

Parts launch_page(const ShownRun& shown) {
  if (!shown.run.launch) return {};
  Parts parts = {launch_section(shown.run)};
  parts.append(grid_parts(shown.run));
  return parts;
}

Parts time_page(const ShownRun& shown) { return {timing_section(shown.run)}; }
Parts limits_page(const ShownRun& shown) { return {limits_section(shown.run)}; }
Parts faster_page(const ShownRun& shown) { return {try_section(shown.run.estimate)}; }
Parts work_page(const ShownRun& shown) { return {work_section(shown.run)}; }
Parts ladder_page(const ShownRun& shown) { return own_ladder(shown.progress); }

struct Detail {
  const char* name;
  const char* term;  // which it is about
  Parts (*parts)(const ShownRun&);
};
constexpr std::array details = {
    Detail{"what was found", "error bound", found_page},
    Detail{"the lines, with their requests", "request", lines_page},
    Detail{"launch and grid", "launch geometry", launch_page},
    Detail{"times", "FLOP", time_page},
    Detail{"limits: how busy each unit is", "limiting unit", limits_page},
    Detail{"what would make it faster", "limiting unit", faster_page},
    Detail{"work: which instructions it executes", "FFMA", work_page},
    Detail{"your ladder so far", "FLOP", ladder_page},
};

bool has_content(const Parts& parts) {
  return std::ranges::any_of(parts, [](const Part& part) {
    const auto* section = std::get_if<Section>(&part.content);
    return section == nullptr || !section->parts.empty();
  });
}

}  // namespace

Parts run_page(const ShownRun& shown) {
  const LessonRun& run = shown.run;
  Parts parts = {result_in_short(run)};
  if (run.traffic.counted_loads || run.emulation) parts.add(traffic_section(run));
  parts.append({time_in_short(run), compared(shown)});
  return known_parts(parts, run.lesson->place);
}

std::vector<DetailPage> detail_pages(const ShownRun& shown) {
  const int place = shown.run.lesson->place;
  std::vector<DetailPage> pages;
  for (const Detail& detail : details) {
    if (place_of(find_term(detail.term)) > place) continue;
    Parts parts = known_parts(detail.parts(shown), place);
    if (has_content(parts)) pages.push_back({detail.name, std::move(parts)});
  }
  return pages;
}

}  // namespace gemm_tutor
