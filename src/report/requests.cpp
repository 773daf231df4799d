#include "report/requests.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <iterator>

#include "report/picture_svg.hpp"
#include "support/text.hpp"
#include "view/layout.hpp"
#include "view/units.hpp"

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

namespace {

using simt::Access;

std::string kind_of(const Access& access) {
  const char* space = access.space == simt::MemorySpace::shared ? "shared" : "global";
  return fmt::format("{} {}{}", space, access.store ? "store" : "load",
                     access.asynchronous ? " by cp.async" : "");
}

std::string lanes_at_work(const Access& access) {
  const int lanes = std::popcount(access.active);
  std::string text = fmt::format("{} per lane", counted(access.bytes, "byte"));
  if (lanes < 32) text += fmt::format(" of {}", counted(lanes, "lane"));
  if (access.joined > 1) {
    text += fmt::format(", {} {}s joined", access.joined, access.store ? "store" : "load");
  }
  return text;
}

std::string cost_text(const Access& access, const GlobalPicture& picture) {
  std::string text = fmt::format(
      "{} in {} of 128 bytes · {} of {} bytes used",
      counted(static_cast<std::int64_t>(picture.sectors.size()), "sector"),
      counted(picture.lines, "line"), picture.bytes_used, with_thousands(picture.bytes_moved));
  if (access.asynchronous && access.cost != picture.sectors.size()) {
    text += fmt::format(" · counted as {}, by where they go", access.cost);
  }
  return text;
}

std::string cost_text(const Access& access, const SharedPicture& picture) {
  std::string text = counted(picture.wavefronts, "wavefront");
  if (picture.conflicts > 0) text += fmt::format(", {} by bank conflicts", picture.conflicts);
  if (picture.broadcasts > 0)
    text += fmt::format(" · {}", counted(picture.broadcasts, "broadcast"));
  if (access.asynchronous) text += " · not counted as a request";
  return text;
}

// A sentence, whose first letter may be small.
std::string sentence(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 32);
  return text + ".";
}

std::string lanes_in_words(std::uint32_t mask) {
  if (mask == 0xffffffff) return "all 32 lanes";
  const bool one = std::popcount(mask) == 1;
  return fmt::format("{} {}", one ? "lane" : "lanes", lanes_text(mask));
}

// The emulator counts such a request by the first bytes of its lanes.
void add_misaligned(AccessWords& words, const AccessPicture& picture) {
  const Access& access = picture.access;
  const bool shared = access.space == simt::MemorySpace::shared;
  words.cost = counted(access.cost, shared ? "wavefront" : "sector") + " counted · not drawn";
  if (!words.outside.empty()) words.outside += "; ";
  words.outside += fmt::format("misaligned: {}", lanes_in_words(picture.misaligned));
  words.why = fmt::format(
      "The {} bytes of a lane must begin at a multiple of {}: a GPU stops at this request.",
      access.bytes, access.bytes);
}

}  // namespace

std::vector<LineOfSectors> by_line(const GlobalPicture& picture) {
  std::vector<LineOfSectors> lines;
  for (const SectorPicture& sector : picture.sectors) {
    const std::uint64_t number = sector.number / sectors_of_line;
    if (lines.empty() || lines.back().number != number) lines.push_back({number, {}});
    lines.back().sectors[sector.number % sectors_of_line] = &sector;
  }
  return lines;
}

AccessWords words_of(const SelectedAccess& selected) {
  const AccessPicture& picture = selected.picture;
  const GlobalPicture* global = picture.global();
  const SharedPicture* shared = picture.shared();
  AccessWords words;
  words.kind = kind_of(picture.access);
  words.from = fmt::format("from {} on · {}", (global ? global->first : shared->first).text(),
                           lanes_at_work(picture.access));
  if (selected.alike > 0) words.from += fmt::format(" · {} such requests", selected.alike + 1);
  if (picture.outside != 0) {
    words.outside = fmt::format("out of bounds: {}", lanes_in_words(picture.outside));
  }
  if (picture.misaligned != 0) {
    add_misaligned(words, picture);
    return words;
  }
  words.cost = global ? cost_text(picture.access, *global) : cost_text(picture.access, *shared);
  words.why = sentence(global ? global->why : shared->why);
  const std::string& remedy = global ? global->remedy : shared->remedy;
  if (!remedy.empty()) words.remedy = sentence(remedy);
  return words;
}

std::string lanes_text(std::uint32_t mask) {
  if (mask == 0xffffffff) return "all 32";
  const std::vector<int> lanes = lanes_of(mask);
  const int step = lanes.size() > 1 ? lanes[1] - lanes[0] : 1;
  bool is_even = true;
  for (std::size_t i = 1; i < lanes.size(); ++i)
    is_even = is_even && lanes[i] - lanes[i - 1] == step;
  if (is_even && step > 1 && lanes.size() > 2) {
    return fmt::format("{},{}..{}", lanes[0], lanes[1], lanes.back());
  }
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < lanes.size();) {
    std::size_t end = i + 1;
    while (end < lanes.size() && lanes[end] == lanes[end - 1] + 1) ++end;
    parts.push_back(end - i == 1 ? std::to_string(lanes[i])
                                 : fmt::format("{}-{}", lanes[i], lanes[end - 1]));
    i = end;
  }
  return join(parts, ",");
}

namespace {

std::string average_cost(const simt::OperandCounters& operand) {
  return fmt::format("{:.1f}",
                     static_cast<double>(operand.cost) / static_cast<double>(operand.requests));
}

std::string shown_name(const simt::OperandCounters& operand) {
  return operand.name.empty() ? "other" : operand.name;
}

}  // namespace

std::vector<RequestCost> request_costs(const std::vector<simt::OperandCounters>& operands,
                                       simt::MemorySpace space) {
  const std::string unit = space == simt::MemorySpace::shared ? "wf/req" : "sec/req";
  std::vector<simt::OperandCounters> shown;
  std::ranges::copy_if(operands, std::back_inserter(shown),
                       [&](const auto& operand) { return operand.space == space; });
  int name_columns = 0, cost_columns = 0;
  for (const simt::OperandCounters& operand : shown) {
    name_columns = std::max(name_columns, columns(shown_name(operand)));
    cost_columns = std::max(cost_columns, columns(average_cost(operand)));
  }
  std::vector<RequestCost> costs;
  for (const simt::OperandCounters& operand : shown) {
    const std::string cost = flush_right(average_cost(operand), cost_columns);
    const std::string name = flush_left(shown_name(operand), name_columns);
    costs.push_back({shown.size() == 1 ? cost : name + " " + cost, unit, operand.conflicts > 0});
  }
  return costs;
}

}  // namespace gemm_tutor
