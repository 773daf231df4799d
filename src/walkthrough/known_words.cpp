#include "walkthrough/known_words.hpp"

#include <algorithm>

#include "course/glossary.hpp"
#include "support/text.hpp"

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

}  // namespace gemm_tutor
