#include "report/memory_drawing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <utility>

#include "report/launch_text.hpp"
#include "report/picture_svg.hpp"
#include "report/requests.hpp"
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

// Draws memory requests, the owners of a tile's elements, and what of C a block computes.
namespace {

using simt::Access;

// --- Requests. A row has 32 words of 4 bytes: of a line of global memory, or of the 32 banks.

constexpr int words_of_row = 32, words_of_sector = 8, word_bytes = 4;
constexpr std::uint64_t line_bytes = 128, sector_bytes = 32;
constexpr std::size_t name_characters = 18;  // as in trace_page.js
constexpr double end_of_name = -0.4;         // in words

std::string in_short(std::uint32_t lanes) {
  return lanes == 0xffffffff ? "0-31" : lanes_text(lanes);
}

// With as many rows below that of the heads, each in columns of `words`.
Diagram request_sheet(std::string title, int rows, int words) {
  Diagram diagram{.title = std::move(title),
                  .kind = "access",
                  .square_width = 22,
                  .square_height = 18,
                  .left = 124};
  for (int word = 0; word < words_of_row && rows > 0; word += words) {
    diagram.area(word, 1, words, rows, "grid");
  }
  return diagram;
}

// Neighbours in a row that the same lanes access.
struct LaneCell {
  std::uint32_t lanes = 0;
  std::uint64_t at = 0;  // in bytes, after the request's base
  int word = 0, words = 1;
};

void add_cell(Diagram& diagram, int row, const LaneCell& cell, const std::string& kind) {
  const int count = std::popcount(cell.lanes);
  std::vector<std::string> lanes;
  for (const int lane : lanes_of(cell.lanes)) lanes.push_back(std::to_string(lane));
  DiagramBox& box = diagram.area(cell.word, row, cell.words, 1, count > 1 ? kind + " many" : kind);
  box.label = in_short(cell.lanes);
  box.short_label = fmt::format("{}×", count);
  box.data = fmt::format("data-lanes=\"{}\" data-at=\"{}\"", join(lanes, " "), cell.at);
}

int word_of(std::uint64_t at) { return static_cast<int>(at / word_bytes % words_of_row); }

// Lanes by the place of their first word; they may access different bytes of it.
std::map<std::uint64_t, std::uint32_t> lanes_by_word(const Access& access, std::uint64_t base) {
  std::map<std::uint64_t, std::uint32_t> lanes;
  for (const int lane : lanes_of(access.active)) {
    const std::uint64_t at = access.offsets[static_cast<std::size_t>(lane)] - base;
    lanes[at / word_bytes * word_bytes] |= 1u << lane;
  }
  return lanes;
}

// A row for each line of 128 bytes, in the order of their places. That is not the order of their
// numbers where one is out of bounds, before the matrix.
Diagram global_diagram(const AccessPicture& picture, bool names) {
  const GlobalPicture& global = *picture.global();
  const std::uint64_t base = base_of(picture.access);
  const auto place_of = [&](const SectorPicture& s) { return s.number * sector_bytes - base; };
  std::vector<SectorPicture> sectors = global.sectors;
  if (picture.misaligned != 0) sectors.clear();
  std::ranges::sort(sectors, {}, place_of);
  Diagram diagram = request_sheet(
      fmt::format("Lanes {} in {} sectors of {} lines of 128 bytes",
                  in_short(picture.access.active), global.sectors.size(), global.lines),
      sectors.empty() ? 0 : global.lines, words_of_sector);
  for (int sector = 0; sector < 4; ++sector) {
    diagram.texts.push_back({(sector + 0.5) * words_of_sector, 0, fmt::format("sector {}", sector),
                             Align::center, "dim"});
  }
  const auto lanes = lanes_by_word(picture.access, base);
  const int words = std::max(1, picture.access.bytes / word_bytes);
  int row = 0;
  std::optional<std::uint64_t> line;
  for (const SectorPicture& sector : sectors) {
    const std::uint64_t begin = place_of(sector);
    if (line != begin / line_bytes) {
      line = begin / line_bytes;
      diagram.texts.push_back({end_of_name, 1.0 * ++row,
                               names ? shortened(sector.first_of_line.text(), name_characters) : "",
                               Align::right, "name",
                               fmt::format("data-at=\"{}\"", *line * line_bytes)});
    }
    diagram.area(word_of(begin), row, words_of_sector, 1, "moved");
    for (auto at = lanes.lower_bound(begin); at != lanes.end() && at->first < begin + sector_bytes;
         ++at) {
      const int word = word_of(at->first);
      add_cell(diagram, row, {at->second, at->first, word, std::min(words, words_of_row - word)},
               (at->second & picture.outside) != 0 ? "bad"
               : sector.bytes_used == sector_bytes ? "good"
                                                   : "doubtful");
    }
  }
  return diagram;
}

// Words of neighbouring banks for the same lanes are one cell.
std::vector<LaneCell> cells_of(const PassPicture& pass, std::uint64_t base) {
  std::vector<LaneCell> cells;
  for (const BankWord& word : pass.words) {
    // Shared memory has addresses of 32 bits.
    const std::uint64_t at = static_cast<std::uint32_t>(word.word * word_bytes - base);
    if (!cells.empty()) {
      LaneCell& last = cells.back();
      const bool is_next = last.word + last.words == word.bank &&
                           last.at + static_cast<std::uint64_t>(last.words * word_bytes) == at;
      if (is_next && last.lanes == word.lanes) {
        ++last.words;
        continue;
      }
    }
    cells.push_back({word.lanes, at, word.bank, 1});
  }
  return cells;
}

std::string pass_label(const GroupPicture& group, std::size_t pass) {
  if (group.last_lane - group.first_lane == 31) {
    return fmt::format("pass {}{}", pass + 1, pass == 0 ? "" : " · conflict");
  }
  return fmt::format("lanes {}-{} · pass {}", group.first_lane, group.last_lane, pass + 1);
}

// A row for each pass.
Diagram shared_diagram(const AccessPicture& picture) {
  const SharedPicture& shared = *picture.shared();
  const bool is_drawn = picture.misaligned == 0;
  Diagram diagram =
      request_sheet(fmt::format("Lanes {} in {} pass{} over the banks, {} of them by conflicts",
                                in_short(picture.access.active), shared.wavefronts,
                                shared.wavefronts == 1 ? "" : "es", shared.conflicts),
                    is_drawn ? shared.wavefronts : 0, 1);
  diagram.texts.push_back({end_of_name, 0, "bank", Align::right, "dim"});
  for (int bank = 0; bank < words_of_row; ++bank) {
    diagram.texts.push_back({bank + 0.5, 0, std::to_string(bank), Align::center, "dim"});
  }
  int row = 0;
  for (const GroupPicture& group : shared.groups) {
    for (std::size_t pass = 0; is_drawn && pass < group.passes.size(); ++pass) {
      diagram.texts.push_back({end_of_name, 1.0 * ++row, pass_label(group, pass), Align::right,
                               pass == 0 ? "name" : "name later"});
      for (const LaneCell& cell : cells_of(group.passes[pass], base_of(picture.access))) {
        add_cell(diagram, row, cell, pass == 0 ? "good" : "bad");
      }
    }
  }
  return diagram;
}

// --- Tiles

constexpr double tile_side = 384, largest_cell = 16, text_height = 10;  // in pixels
constexpr int colour_count = 8, warp_lanes = 32;                        // of picture.css

// In place of an owner's number.
enum Owners { nobody = -1, several = -2, other = -3 };

int number_of(const Owner& owner, std::optional<int> warp) {
  if (owner.warp < 0) return nobody;
  if (!warp) return owner.several_warps ? several : owner.warp;
  if (owner.several_threads) return several;
  return owner.warp == *warp ? owner.thread : other;
}

// Runs of a row, each joined to one just as wide in the row above.
std::vector<OwnedBlock> blocks_of(const TileOwners& tile, std::optional<int> warp) {
  const int columns = tile.region.columns();
  const auto number_at = [&](int row, int column) {
    return number_of(tile.at(tile.region.row_begin + row, tile.region.column_begin + column), warp);
  };
  std::vector<OwnedBlock> blocks;
  std::map<int, std::size_t> above;  // those that reach the row, by column
  for (int row = 0; row < tile.region.rows(); ++row) {
    std::map<int, std::size_t> here;
    for (int column = 0; column < columns;) {
      OwnedBlock run{number_at(row, column), row, column, 1, 0};
      while (column < columns && number_at(row, column) == run.number) ++column;
      run.columns = column - run.column;
      const auto found = above.find(run.column);
      const bool grows = found != above.end() && blocks[found->second].columns == run.columns &&
                         blocks[found->second].number == run.number;
      here[run.column] = grows ? found->second : blocks.size();
      if (grows) {
        ++blocks[found->second].rows;
      } else {
        blocks.push_back(run);
      }
    }
    above = std::move(here);
  }
  return blocks;
}

DiagramBox& add(Diagram& diagram, const OwnedBlock& block, const std::string& kind) {
  return diagram.area(block.column, block.row, block.columns, block.rows, kind);
}

void add_owner(Diagram& diagram, const OwnedBlock& block, std::optional<int> warp) {
  const std::string kind = block.number == several ? "several"
                           : block.number == other
                               ? "other"
                               : fmt::format("c{}", block.number % colour_count);
  DiagramBox& box = add(diagram, block, kind);
  if (block.number < 0) return;
  box.data = fmt::format("data-{}=\"{}\"", warp ? "thread" : "warp", block.number);
}

// Numbers below 32. Blocks below one another that are too low for theirs have them together.
void add_numbers(Diagram& diagram, std::vector<OwnedBlock> blocks) {
  const auto is_low = [&](const OwnedBlock& block) {
    return block.rows * diagram.square_height < text_height;
  };
  std::ranges::stable_sort(blocks, {}, &OwnedBlock::column);
  for (std::size_t i = 0; i < blocks.size();) {
    OwnedBlock stack = blocks[i];
    std::uint32_t numbers = 1u << stack.number;
    const bool grows = is_low(stack);
    while (++i < blocks.size() && grows && is_low(blocks[i])) {
      const OwnedBlock& next = blocks[i];
      const bool goes_on = next.column == stack.column && next.columns == stack.columns &&
                           next.row == stack.row + stack.rows && numbers >> next.number == 0;
      if (!goes_on) break;
      stack.rows += next.rows;
      numbers |= 1u << next.number;
    }
    if (!is_low(stack)) add(diagram, stack, "label").label = lanes_text(numbers);
  }
}

// The first and the last row and column, each where it is.
void add_axes(Diagram& diagram, const Region& region) {
  const double head = -0.5 - 10 / diagram.square_height, side = -5 / diagram.square_width;
  const double inside = 7 / diagram.square_height, last = region.rows() - inside - 0.5;
  const auto add = [&](double x, double y, int number, Align align) {
    diagram.texts.push_back({x, y, std::to_string(number), align, "dim"});
  };
  add(0, head, region.column_begin, Align::left);
  if (region.columns() > 1) add(region.columns(), head, region.column_end - 1, Align::right);
  add(side, inside - 0.5, region.row_begin, Align::right);
  if (region.rows() > 1) add(side, last, region.row_end - 1, Align::right);
}

// --- What a block computes

constexpr double side = 240, least_side = 12;  // of the drawing's longer and shorter side
constexpr double least_distance = 3;           // between lines that can be distinguished

Diagram geometry(std::string title, int rows, int columns) {
  const double square = side / std::max(rows, columns);
  Diagram diagram{.title = std::move(title),
                  .kind = "geometry",
                  .square_width = std::max(square, least_side / columns),
                  .square_height = std::max(square, least_side / rows),
                  .left = 1,
                  .top = 1};
  diagram.area(0, 0, columns, rows, "frame");
  return diagram;
}

// Lines after every `rows` rows and `columns` columns; no lines if they would be too close.
void add_lines(Diagram& diagram, int rows, int columns) {
  const double width = diagram.boxes[0].width, height = diagram.boxes[0].height;
  for (int y = rows; y < height && rows * diagram.square_height >= least_distance; y += rows) {
    diagram.area(0, y, width, 0, "lines");
  }
  for (int x = columns; x < width && columns * diagram.square_width >= least_distance;
       x += columns) {
    diagram.area(x, 0, 0, height, "lines");
  }
}

// Not so small that it could not be seen.
void add_part(Diagram& diagram, const OwnedBlock& block, const std::string& kind) {
  diagram.area(block.column, block.row, std::max(1.0 * block.columns, 2 / diagram.square_width),
               std::max(1.0 * block.rows, 2 / diagram.square_height), kind);
}

}  // namespace

std::uint64_t base_of(const Access& access) {
  std::optional<std::int64_t> lowest;
  for (const int lane : lanes_of(access.active)) {
    const auto offset = static_cast<std::int64_t>(access.offsets[static_cast<std::size_t>(lane)]);
    lowest = std::min(lowest.value_or(offset), offset);
  }
  const auto offset = static_cast<std::uint64_t>(lowest.value_or(0));
  return offset - offset % line_bytes;  // 2^64 is a multiple of it
}

Diagram request_diagram(const AccessPicture& picture, bool names) {
  return picture.global() ? global_diagram(picture, names) : shared_diagram(picture);
}

std::vector<OwnedBlock> owned_blocks(const TileOwners& tile, std::optional<int> warp) {
  std::vector<OwnedBlock> blocks = blocks_of(tile, warp);
  std::erase_if(blocks, [](const OwnedBlock& block) { return block.number < 0; });
  return blocks;
}

Diagram tile_diagram(const TileOwners& tile, std::optional<int> warp, bool numbers) {
  const Region& region = tile.region;
  Diagram diagram{.title = fmt::format("{}: {}", tile.matrix, region_text(region)),
                  .kind = "tile",
                  .square_width = std::min(largest_cell, tile_side / region.columns()),
                  .square_height = std::min(largest_cell, tile_side / region.rows()),
                  .left = 36,
                  .top = 20};
  diagram.area(0, 0, region.columns(), region.rows(), "tile-frame");
  std::vector<OwnedBlock> numbered;
  for (OwnedBlock block : blocks_of(tile, warp)) {
    if (block.number == nobody) continue;
    add_owner(diagram, block, warp);
    block.number = warp ? block.number % warp_lanes : block.number;
    if (block.number >= 0 && numbers) numbered.push_back(block);
  }
  add_numbers(diagram, std::move(numbered));
  add_axes(diagram, region);
  return diagram;
}

Diagram grid_diagram(const Problem& problem, const LaunchShape& shape,
                     const std::vector<Region>& regions) {
  Diagram diagram =
      geometry(fmt::format("C in {} of {} by {} elements, {} marked",
                           shape.stream_k ? "tiles" : "blocks", shape.tile_rows, shape.tile_columns,
                           shape.stream_k ? "those of one block" : "one of them"),
               problem.m, problem.n);
  add_lines(diagram, shape.tile_rows, shape.tile_columns);
  for (const Region& region : regions) {
    add_part(diagram, {0, region.row_begin, region.column_begin, region.rows(), region.columns()},
             "block");
  }
  return diagram;
}

Diagram tile_part_diagram(const TileOwners& tile, int warp, int thread) {
  const int rows = tile.region.rows(), columns = tile.region.columns();
  Diagram diagram =
      geometry(fmt::format("The tile of C of one block, {} by {} elements, with those of warp {} "
                           "and of thread {} marked",
                           rows, columns, warp, thread),
               rows, columns);
  for (const OwnedBlock& block : owned_blocks(tile, {})) {
    if (block.number == warp) add_part(diagram, block, "warp");
  }
  add_lines(diagram, 1, 1);
  for (const OwnedBlock& block : owned_blocks(tile, warp)) {
    if (block.number == thread) add_part(diagram, block, "thread");
  }
  return diagram;
}

}  // namespace gemm_tutor
