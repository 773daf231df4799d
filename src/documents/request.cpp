#include "documents/request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <functional>

#include "documents/access_words.hpp"
#include "documents/picture_svg.hpp"

namespace gemm_tutor {
namespace {

using simt::Access;

constexpr std::string_view costly_mark = "! ";  // also visible without colour

// --- Global memory: a row for each 128-byte line, a cell for each sector

constexpr int cell_columns = 13, place_columns = 14;

// Of as many columns, each with a line after it.
int place_for(int sectors) { return place_columns + 1 + sectors * (cell_columns + 1); }
constexpr std::size_t most_rows = 6;

std::string fitting(std::uint32_t lanes) {
  const std::string text = lanes_text(lanes);
  return columns(text) < cell_columns ? text : fmt::format("{} lanes", std::popcount(lanes));
}

// As many as there is room for: 1, 2 or 4.
int sectors_beside(int room) {
  int beside = static_cast<int>(sectors_of_line);
  while (beside > 1 && place_for(beside) > room) beside /= 2;
  return beside;
}

Line drawn(const LineOfSectors& line, int begin, int end) {
  const auto touched = std::ranges::find_if(line.sectors, [](auto* sector) { return sector; });
  const std::string place = (*touched)->first_of_line.text();
  Line row = {{fmt::format("{:<{}}", place, place_columns)}, {"│", Style::dim}};
  for (int i = begin; i < end; ++i) {
    const SectorPicture* sector = line.sectors[static_cast<std::size_t>(i)];
    const std::string lanes = sector ? fitting(sector->lanes) : "";
    const bool full = sector && sector->bytes_used == 32;
    row.push_back(
        {fmt::format("{:<{}}", lanes, cell_columns), full ? Style::good : Style::doubtful});
    row.push_back({"│", Style::dim});
  }
  return row;
}

// All of them, or the first and the last with a row between that says how many more there are.
void add_rows(Facts& rows, std::size_t count, const std::function<Line(std::size_t)>& row,
              std::string_view what) {
  for (std::size_t i = 0; i < count; ++i) {
    const bool is_left_out = count > most_rows && i >= most_rows - 2 && i + 1 < count;
    if (!is_left_out) {
      rows.add(row(i));
    } else if (i == most_rows - 2) {
      rows.add({{fmt::format("… {} {} more", count - most_rows + 1, what), Style::dim}});
    }
  }
}

Facts drawn(const GlobalPicture& picture, int room) {
  const std::vector<LineOfSectors> lines = by_line(picture);
  Facts rows;
  if (lines.empty()) return rows;
  const int beside = sectors_beside(room);
  for (int begin = 0; begin < static_cast<int>(sectors_of_line); begin += beside) {
    Line head = {{fmt::format("{:<{}}", "lanes in", place_columns), Style::dim}, {"│", Style::dim}};
    for (int sector = begin; sector < begin + beside; ++sector) {
      const std::string name = fmt::format("sector {}", sector);
      head.push_back({fmt::format("{:<{}}", name, cell_columns), Style::dim});
      head.push_back({"│", Style::dim});
    }
    rows.add(head);
    add_rows(
        rows, lines.size(), [&](std::size_t i) { return drawn(lines[i], begin, begin + beside); },
        "lines");
  }
  return rows;
}

// --- Shared memory: a row for each pass, a cell for each bank; 16 banks side by side, or fewer

constexpr int banks = 32, most_banks_beside = 16, bank_columns = 4, label_columns = 9;

// As many as there is room for: 4, 8 or 16.
int banks_beside(int room) {
  int beside = most_banks_beside;
  while (beside > 4 && label_columns + bank_columns * beside > room) beside /= 2;
  return beside;
}

struct PassRow {
  const GroupPicture* group = nullptr;
  std::size_t pass = 0;
};

std::vector<PassRow> passes_of(const SharedPicture& picture) {
  std::vector<PassRow> rows;
  for (const GroupPicture& group : picture.groups) {
    for (std::size_t pass = 0; pass < group.passes.size(); ++pass) rows.push_back({&group, pass});
  }
  return rows;
}

// Colours of passes. The first pass is not a conflict. The label has the pass's number, too.
Style style_of(std::size_t pass) {
  constexpr Style later[] = {Style::bad, Style::doubtful, Style::keyword, Style::code};
  return pass == 0 ? Style::good : later[(pass - 1) % std::size(later)];
}

std::string label_of(const PassRow& row) {
  const GroupPicture& group = *row.group;
  if (group.last_lane - group.first_lane == 31) return fmt::format("pass {}", row.pass + 1);
  return fmt::format("{}-{} p{}", group.first_lane, group.last_lane, row.pass + 1);
}

// The first lane of each word, and a + where others share it.
Line drawn(const PassRow& row, int first_bank, int end_bank) {
  std::string cells;
  int bank = first_bank;
  for (const BankWord& word : row.group->passes[row.pass].words) {
    if (word.bank < first_bank || word.bank >= end_bank) continue;
    cells += std::string(static_cast<std::size_t>(bank_columns * (word.bank - bank)), ' ');
    cells += fmt::format("{:>3}{}", std::countr_zero(word.lanes),
                         std::popcount(word.lanes) > 1 ? '+' : ' ');
    bank = word.bank + 1;
  }
  return {{fmt::format("{:<{}}", label_of(row), label_columns)}, {cells, style_of(row.pass)}};
}

bool uses_banks(const SharedPicture& picture, int first_bank, int end_bank) {
  for (const PassRow& row : passes_of(picture)) {
    for (const BankWord& word : row.group->passes[row.pass].words) {
      if (word.bank >= first_bank && word.bank < end_bank) return true;
    }
  }
  return false;
}

// A word of several lanes.
std::string sharing_text(const Access& access) {
  if (!access.store) return "other lanes want the same word: a broadcast brings it to all";
  return is_overwritten(access)
             ? "other lanes write to the same word: which of their values stays is not defined"
             : "other lanes write to other bytes of the same word";
}

bool shares_words(const SharedPicture& picture) {
  for (const PassRow& row : passes_of(picture)) {
    for (const BankWord& word : row.group->passes[row.pass].words) {
      if (std::popcount(word.lanes) > 1) return true;
    }
  }
  return false;
}

Facts drawn(const Access& access, const SharedPicture& picture, int room) {
  const std::vector<PassRow> passes = passes_of(picture);
  const int beside = banks_beside(room);
  Facts rows;
  for (int first = 0; first < banks; first += beside) {
    int end = first + beside;
    if (!uses_banks(picture, first, end)) {
      while (end < banks && !uses_banks(picture, end, end + beside)) end += beside;
      rows.add({{fmt::format("banks {} to {} {} nothing", first, end - 1,
                             access.store ? "take" : "deliver"),
                 Style::dim}});
      first = end - beside;
      continue;
    }
    std::string head = fmt::format("{:<{}}", "bank", label_columns);
    for (int bank = first; bank < end; ++bank) head += fmt::format("{:>3} ", bank);
    rows.add({{head, Style::dim}});
    add_rows(
        rows, passes.size(), [&](std::size_t i) { return drawn(passes[i], first, end); }, "passes");
  }
  if (picture.groups.size() > 1) {
    const GroupPicture& group = picture.groups.front();
    rows.add({{fmt::format("{}: the first pass for the lanes {} to {}", label_of(passes.front()),
                           group.first_lane, group.last_lane),
               Style::dim}});
  }
  if (shares_words(picture)) {
    rows.add({{"+ " + sharing_text(access), Style::dim}}, {}, 2);
  }
  return rows;
}

Facts drawn(const AccessPicture& picture, int room) {
  if (picture.misaligned != 0) return {};
  const GlobalPicture* global = picture.global();
  return global != nullptr ? drawn(*global, room) : drawn(picture.access, *picture.shared(), room);
}

}  // namespace

Parts request_parts(const SelectedAccess& selected) {
  const AccessWords words = words_of(selected);
  Picture picture{.kind = "request"};
  picture.caption = {{{selected.picture.is_costly() ? std::string(costly_mark) : "", Style::bad},
                      {words.kind, Style::heading},
                      {" " + words.from}},
                     {{words.cost}}};
  picture.svg = svg_element(request_diagram(selected.picture));
  picture.drawing = [request = selected.picture](int room, const Terminal&) -> Parts {
    return {drawn(request, room)};
  };
  Facts facts;
  if (!words.outside.empty()) facts.add({{"✗ ", Style::bad}, {words.outside}});
  facts.add({{words.why}});
  if (!words.remedy.empty()) {
    facts.add({{"→ ", Style::heading}, {words.remedy}}, {}, 2);
  }
  return {std::move(picture), std::move(facts)};
}

}  // namespace gemm_tutor
