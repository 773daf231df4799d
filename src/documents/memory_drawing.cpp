#include "documents/memory_drawing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "documents/access_words.hpp"
#include "support/text.hpp"
#include "view/units.hpp"

namespace gemm_tutor {
namespace {

using simt::MemorySpace;

constexpr std::size_t bank_count = 32, banks_in_group = 8;
constexpr int most_digit = 9;
constexpr char nothing = '.', many = '*';
constexpr std::string_view drawing_mark = "╰ ";

// The store of an asynchronous copy is not counted. Misaligned requests are not executed.
bool is_shown(const AccessPicture& picture) {
  return picture.access.cost > 0 && picture.misaligned == 0;
}

// --- Global memory

// The sectors of a 128-byte line: "██..".
using LineCells = std::array<const char*, sectors_of_line>;

std::vector<LineCells> cells_of(const GlobalPicture& picture) {
  std::vector<LineCells> lines;
  for (const LineOfSectors& line : by_line(picture)) {
    std::ranges::transform(line.sectors, lines.emplace_back().begin(),
                           [](const SectorPicture* sector) {
                             if (sector == nullptr) return ".";
                             return sector->bytes_used == 32 ? "█" : "▒";
                           });
  }
  return lines;
}

std::string cost_text(const AccessPicture& picture, const GlobalPicture& global, bool names_lines) {
  const auto sectors = static_cast<std::int64_t>(global.sectors.size());
  std::string text = unbreakable(counted(sectors, "sector"));
  if (names_lines) text += " " + unbreakable("in " + counted(global.lines, "line"));
  if (picture.access.asynchronous && picture.access.cost != global.sectors.size()) {
    text += ", " + unbreakable(fmt::format("counted as {}", picture.access.cost));
  }
  return text + " · " +
         unbreakable(fmt::format("{} of {} bytes used", with_thousands(global.bytes_used),
                                 with_thousands(global.bytes_moved)));
}

std::string joined(const std::vector<LineCells>& lines, std::size_t count, bool unicode) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) text += " ";
    for (const char* cell : lines[i]) text += cell;
  }
  if (count < lines.size()) text += " …";
  return unicode ? text : to_ascii(text);
}

struct DrawnCells {
  std::string cells, text;
};

int width_of(const DrawnCells& drawing) {
  return columns(drawing.cells) + 2 + columns(drawing.text);
}

// The number of drawn lines, so that the text fits next to them. The text says how many lines there
// are if some are left out. If the text needs more lines, the drawing gets half of the room.
DrawnCells drawn(const AccessPicture& picture, const GlobalPicture& global, const std::string& more,
                 int room, bool unicode) {
  const std::vector<LineCells> lines = cells_of(global);
  const auto with = [&](std::size_t count) {
    const bool names_lines = count < lines.size();
    return DrawnCells{joined(lines, count, unicode),
                      cost_text(picture, global, names_lines) + more};
  };
  for (std::size_t count = lines.size(); count > 0; --count) {
    const DrawnCells drawing = with(count);
    if (width_of(drawing) <= room) return drawing;
  }
  std::size_t count = lines.size();
  while (count > 1 && columns(with(count).cells) > room / 2) --count;
  return with(count);
}

// --- Shared memory

// Words asked of each bank, by all groups of lanes.
std::array<int, bank_count> words_of_banks(const SharedPicture& picture) {
  std::array<int, bank_count> words = {};
  for (const GroupPicture& group : picture.groups) {
    for (const PassPicture& pass : group.passes) {
      for (const BankWord& word : pass.words) ++words[static_cast<std::size_t>(word.bank)];
    }
  }
  return words;
}

char digit_of(int words) {
  if (words == 0) return nothing;
  return words > most_digit ? many : static_cast<char>('0' + words);
}

// With a blank after each group of banks.
std::string cells_of(const SharedPicture& picture, std::size_t banks_together) {
  const std::array<int, bank_count> words = words_of_banks(picture);
  std::string cells;
  for (std::size_t bank = 0; bank < bank_count; ++bank) {
    if (bank > 0 && bank % banks_together == 0) cells += ' ';
    cells += digit_of(words[bank]);
  }
  return cells;
}

std::string cost_text(const SharedPicture& shared) {
  std::string text = unbreakable(counted(shared.wavefronts, "wavefront"));
  if (shared.conflicts > 0) text += ", " + unbreakable(counted(shared.conflicts, "conflict"));
  if (shared.broadcasts > 0) text += " · broadcast";
  return text;
}

// --- Both

// " · 8 such", or that there are others: " · 4 of 8 such", " · 1 of 8".
std::string more_text(const CostliestRequest& request) {
  if (request.requests == 1) return "";
  const std::string some = fmt::format("{} of {}", request.alike, request.requests);
  if (request.alike == 1) return " · " + unbreakable(some);
  const std::string all = std::to_string(request.requests);
  return " · " + unbreakable((request.alike == request.requests ? all : some) + " such");
}

DrawnCells drawn(const CostliestRequest& request, int room, bool unicode) {
  const AccessPicture& picture = *request.picture;
  const std::string more = more_text(request);
  if (const GlobalPicture* global = picture.global()) {
    return drawn(picture, *global, more, room, unicode);
  }
  const SharedPicture& shared = *picture.shared();
  const DrawnCells drawing = {cells_of(shared, banks_in_group), cost_text(shared) + more};
  const DrawnCells narrow = {cells_of(shared, bank_count), drawing.text};
  return width_of(drawing) > room && width_of(narrow) <= room ? narrow : drawing;
}

Definition drawn_entry(const CostliestRequest& request, int columns_there,
                       const Terminal& terminal) {
  const DrawnCells drawing =
      drawn(request, columns_there - columns(drawing_mark), terminal.unicode);
  const Style style = request.picture->is_costly() ? Style::doubtful : Style::good;
  return {{{std::string(drawing_mark), Style::dim}},
          {{unbreakable(drawing.cells), style}, {"  " + drawing.text, Style::dim}}};
}

Fact in_words(const CostliestRequest& request) {
  const AccessPicture& picture = *request.picture;
  const GlobalPicture* global = picture.global();
  const std::string text = global != nullptr ? "Global: " + cost_text(picture, *global, true)
                                             : "Shared: " + cost_text(*picture.shared());
  return {.text = {{text + more_text(request), Style::dim}}, .hang = 2};
}

std::vector<const AccessPicture*> drawn_of(const std::vector<SelectedLine>& lines,
                                           MemorySpace space) {
  std::vector<const AccessPicture*> pictures;
  for (const SelectedLine& line : lines) {
    const AccessPicture* picture = costliest_request(line, space).picture;
    if (picture != nullptr) pictures.push_back(picture);
  }
  return pictures;
}

bool is_in_groups(const AccessPicture* picture) { return picture->shared()->groups.size() > 1; }

bool has_broadcasts(const AccessPicture* picture) { return picture->shared()->broadcasts > 0; }

bool makes_several(const SelectedLine& line) {
  return std::ranges::any_of(
      std::array{MemorySpace::global, MemorySpace::shared},
      [&](MemorySpace space) { return costliest_request(line, space).requests > 1; });
}

bool has_many(const AccessPicture* picture) {
  return std::ranges::max(words_of_banks(*picture->shared())) > most_digit;
}

}  // namespace

CostliestRequest costliest_request(const SelectedLine& line, MemorySpace space) {
  CostliestRequest result;
  for (const SelectedAccess& selected : line.accesses) {
    const AccessPicture& picture = selected.picture;
    if (picture.access.space != space || !is_shown(picture)) continue;
    result.requests += 1 + selected.alike;
    if (result.picture != nullptr && picture.access.cost <= result.picture->access.cost) continue;
    result.picture = &picture;
    result.alike = 1 + selected.alike;
  }
  return result;
}

Picture memory_drawing(const SelectedLine& line) {
  Picture picture{.kind = "memory"};
  picture.drawing = [line](int columns_there, const Terminal& terminal) -> Parts {
    Definitions drawings{.definitions = {}, .gap = 0};
    Facts words;
    for (const MemorySpace space : {MemorySpace::global, MemorySpace::shared}) {
      const CostliestRequest request = costliest_request(line, space);
      if (request.picture == nullptr) continue;
      terminal.spoken
          ? words.lines.push_back(in_words(request))
          : drawings.definitions.push_back(drawn_entry(request, columns_there, terminal));
    }
    return {words, drawings};
  };
  return picture;
}

DrawingLegend drawing_legend(const std::vector<SelectedLine>& lines, const Terminal& terminal) {
  DrawingLegend legend;
  const std::vector<const AccessPicture*> global = drawn_of(lines, MemorySpace::global);
  const std::vector<const AccessPicture*> shared = drawn_of(lines, MemorySpace::shared);
  if (global.empty() && shared.empty()) return legend;
  legend.requests = "Below a line: what warp 0 asks there the first time";
  legend.requests += std::ranges::any_of(lines, makes_several)
                         ? ", the costliest of its requests; a line may make several, and "
                           "\"4 of 8 such\" are 4 like this one among 8."
                         : ".";
  if (!global.empty() && !terminal.spoken) {
    legend.global = "drawn in 128-byte lines of four: " + unbreakable("█ all bytes used,") + " " +
                    unbreakable("▒ some,") + " " + unbreakable(". none");
  }
  std::vector<std::string> of_shared;
  if (!shared.empty() && !terminal.spoken) {
    of_shared.push_back(
        fmt::format("drawn as the words asked of each of the {} banks", bank_count));
    if (std::ranges::any_of(shared, has_many)) {
      of_shared.back() += " " + unbreakable(fmt::format("({} more than {})", many, most_digit));
    }
    if (std::ranges::any_of(shared, has_broadcasts))
      of_shared.emplace_back("a broadcast brings a word to several lanes");
  }
  if (std::ranges::any_of(shared, is_in_groups)) {
    of_shared.emplace_back(
        "lanes that want 8 or 16 bytes each are served in groups, one wavefront per group, and any "
        "more are conflicts");
  }
  legend.shared = join(of_shared, "; ");
  return legend;
}

}  // namespace gemm_tutor
