#include "view/document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace gemm_tutor {
namespace {

using Change = std::function<void(Line&)>;

template <class Content>
void visit(Content& content, const Change& change) {
  if constexpr (requires { change(content.text); }) change(content.text);
  if constexpr (requires { for_each_line(content.parts, change); }) {
    for_each_line(content.parts, change);
  }
}
void visit(Facts& facts, const Change& change) {
  for (Fact& fact : facts.lines) change(fact.text);
}
void visit(List& list, const Change& change) {
  for (Parts& item : list.items) for_each_line(item, change);
}
void visit(Table& table, const Change& change) {
  for (std::vector<Cell>& row : table.rows) {
    for (Cell& cell : row) change(cell.text);
  }
}

}  // namespace

Parts::Parts() = default;
Parts::Parts(std::initializer_list<Part> parts) : vector(parts) {}
Parts::Parts(const Parts& other) = default;
Parts::Parts(Parts&& other) noexcept = default;
Parts& Parts::operator=(const Parts& other) = default;
Parts& Parts::operator=(Parts&& other) noexcept = default;
Parts::~Parts() = default;

void Parts::add(Part part) { push_back(std::move(part)); }

void Parts::append(Parts parts) {
  for (Part& part : parts) push_back(std::move(part));
}

void Parts::fact(Line text, Line right, int hang) {
  auto* last = empty() ? nullptr : std::get_if<Facts>(&back().content);
  if (last == nullptr || back().medium != Medium::any) {
    last = &std::get<Facts>(emplace_back(Facts()).content);
  }
  last->add(std::move(text), std::move(right), hang);
}

Section section(std::string label, Parts parts) { return {std::move(label), "", std::move(parts)}; }

Part for_terminals(Part part) {
  part.medium = Medium::terminal;
  return part;
}

Part for_pages(Part part) {
  part.medium = Medium::page;
  return part;
}

Part as_answer(Part part) {
  part.is_answer = true;
  return part;
}

bool Listing::is_change() const {
  return std::ranges::any_of(lines,
                             [](const ListingLine& line) { return !line.mark.text.empty(); });
}

Facts facts(const std::vector<Line>& lines) {
  Facts result;
  for (const Line& line : lines) result.lines.push_back({line});
  return result;
}

Definitions numbered(const std::vector<Line>& texts) {
  Definitions result{.definitions = {}, .indent = 2};
  for (const Line& text : texts) {
    const std::string number = std::to_string(result.definitions.size() + 1);
    result.definitions.push_back({{{number, Style::code}}, text});
  }
  return result;
}

Definitions commands_in_words(const std::vector<std::pair<std::string, std::string>>& commands,
                              int gap) {
  Definitions result{.definitions = {}, .indent = 2, .gap = gap};
  for (const auto& [command, meaning] : commands) {
    result.definitions.push_back({{{command, Style::code}}, {{meaning}}});
  }
  return result;
}

Line Document::heading() const {
  if (label.empty() && title.empty()) return {};
  return {{label + (label.empty() || title.empty() ? "" : " · ") + title}};
}

Table shown_in(Medium medium, const Table& table) {
  Table result = table;
  const auto is_empty = [&](std::size_t column) {
    if (table.columns[column].is_bar || table.rows.empty()) return false;
    return std::ranges::all_of(
        table.rows, [&](const auto& row) { return plain_text(row[column].text).empty(); });
  };
  std::vector<bool> is_shown;
  for (const Column& column : table.columns) {
    const bool is_of_medium = column.medium == Medium::any || column.medium == medium;
    is_shown.push_back(is_of_medium && !is_empty(is_shown.size()));
  }
  const auto keep_shown = [&](auto& row) {
    std::size_t i = 0;
    std::erase_if(row, [&](const auto&) { return !is_shown[i++]; });
  };
  keep_shown(result.columns);
  for (std::vector<Cell>& row : result.rows) keep_shown(row);
  return result;
}

Cell text_cell(std::string text, Style style) { return {{{std::move(text), style}}}; }

Column number_column(std::string head, int width, int gap) {
  return {{{std::move(head)}}, Align::right, width, gap};
}

std::string plain_text(const Line& line) {
  std::string text;
  for (const Span& span : line) text += span.text;
  return breakable(std::move(text));
}

void for_each_line(Parts& parts, const Change& change) {
  for (Part& part : parts) {
    std::visit([&](auto& content) { visit(content, change); }, part.content);
  }
}

}  // namespace gemm_tutor
