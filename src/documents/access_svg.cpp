#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "documents/access_words.hpp"
#include "documents/drawing.hpp"
#include "documents/picture_svg.hpp"
#include "support/text.hpp"
#include "support/utf8.hpp"
#include "view/html.hpp"

namespace gemm_tutor {
namespace {

using emulator::Access;

// A row has 32 words of 4 bytes: of a line of global memory, or of the 32 banks.
constexpr int words_of_row = 32, word_bytes = 4, line_bytes = 128, sector_bytes = 32;
constexpr int words_of_sector = sector_bytes / word_bytes;

constexpr int margin_left = 124, word_width = 22, margin_right = 4;
constexpr int sheet_width = margin_left + words_of_row * word_width + margin_right;
constexpr int head_height = 20, group_gap = 6;
constexpr std::size_t many_rows = 12;         // which are drawn closer
constexpr std::size_t label_characters = 18;  // as in trace_page.js

struct RowSize {
  int box, pitch;
};
RowSize row_size(std::size_t rows) { return rows > many_rows ? RowSize{14, 16} : RowSize{18, 22}; }

int x_of(std::uint64_t word) { return margin_left + static_cast<int>(word) * word_width; }

// Neighbours in a row with the same bytes.
struct LaneCell {
  std::uint32_t lanes = 0;
  std::uint64_t at = 0;               // in bytes, after the request's base
  std::uint64_t word = 0, words = 1;  // of the row
};

std::string numbers_of(std::uint32_t lanes) {
  std::vector<std::string> numbers;
  for (const int lane : lanes_of(lanes)) numbers.push_back(std::to_string(lane));
  return join(numbers, " ");
}

std::string in_short(std::uint32_t lanes) {
  return lanes == 0xffffffff ? "0-31" : lanes_text(lanes);
}

std::string drawn(const LaneCell& cell, int y, const RowSize& size) {
  const int cell_width = static_cast<int>(cell.words) * word_width;
  const int lanes = std::popcount(cell.lanes);
  const int middle = x_of(cell.word) + cell_width / 2;
  const int text_y = y + size.box / 2 + 4;
  return fmt::format("<g{} data-lanes=\"{}\" data-at=\"{}\"><path d=\"M{} {}h{}v{}h-{}z\"/>{}</g>",
                     lanes > 1 ? " class=\"many\"" : "", numbers_of(cell.lanes), cell.at,
                     x_of(cell.word) + 1, y + 1, cell_width - 2, size.box - 2, cell_width - 2,
                     fitting_text(in_short(cell.lanes), fmt::format("{}×", lanes), middle, text_y,
                                  cell_width - 2));
}

std::string group(std::string_view kind, const std::string& elements) {
  return elements.empty() ? "" : fmt::format("<g class=\"{}\">{}</g>", kind, elements);
}

// As wide as a box is high: stripes are dashes of it.
std::string wide_path(std::string_view kind, const std::string& way, int box) {
  if (way.empty()) return "";
  return fmt::format("<path class=\"{}\" stroke-width=\"{}\" d=\"{}\"/>", kind, box, way);
}

// --- Global memory: a row for each line of 128 bytes

// What of the lines is moved: sectors, by the row that they are in.
struct LineRow {
  std::uint64_t at = 0;  // in bytes, after the request's base
  std::vector<const SectorPicture*> sectors;
};

std::uint64_t place_of(const SectorPicture& sector, std::uint64_t base) {
  return sector.number * sector_bytes - base;
}

// In the order of their places, which is not that of their numbers where one is out of bounds,
// before the matrix.
std::vector<LineRow> rows_of(const GlobalPicture& picture, std::uint64_t base) {
  std::map<std::uint64_t, LineRow> rows;
  for (const SectorPicture& sector : picture.sectors) {
    LineRow& row = rows[place_of(sector, base) / line_bytes];
    row.at = place_of(sector, base) / line_bytes * line_bytes;
    row.sectors.push_back(&sector);
  }
  std::vector<LineRow> result;
  for (auto& [number, row] : rows) result.push_back(std::move(row));
  return result;
}

// Lanes with the same first word; they may access different bytes of it.
std::vector<LaneCell> cells_of(const Access& access, std::uint64_t base) {
  std::map<std::uint64_t, std::uint32_t> lanes;
  for (const int lane : lanes_of(access.active)) {
    const std::uint64_t at = access.offsets[static_cast<std::size_t>(lane)] - base;
    lanes[at / word_bytes * word_bytes] |= 1u << lane;
  }
  std::vector<LaneCell> cells;
  const auto words = static_cast<std::uint64_t>(std::max(1, access.bytes / word_bytes));
  for (const auto& [at, mask] : lanes) {
    const std::uint64_t word = at / word_bytes % words_of_row;
    cells.push_back({mask, at, word, std::min(words, words_of_row - word)});
  }
  return cells;
}

class GlobalDrawing {
 public:
  GlobalDrawing(const AccessPicture& picture, bool names)
      : picture_(picture),
        names_(names),
        base_(base_of(picture.access)),
        rows_(picture.misaligned == 0 ? rows_of(*picture.global(), base_) : std::vector<LineRow>()),
        cells_(cells_of(picture.access, base_)),
        size_(row_size(rows_.size())) {
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      add_row(rows_[i], head_height + static_cast<int>(i) * size_.pitch);
    }
  }

  Drawing drawing() const {
    std::string head;
    for (int sector = 0; sector < 4; ++sector) {
      head += fmt::format("<text x=\"{}\" y=\"12\">sector {}</text>",
                          x_of(0) + (2 * sector + 1) * words_of_sector * word_width / 2, sector);
    }
    const GlobalPicture& global = *picture_.global();
    return {"access",
            fmt::format("Lanes {} in {} sectors of {} lines of 128 bytes",
                        in_short(picture_.access.active), global.sectors.size(), global.lines),
            sheet_width, head_height + static_cast<int>(rows_.size()) * size_.pitch,
            group("head", head) + svg_path("line", lines_) +
                wide_path("grid sectors", sectors_, size_.box) + svg_path("moved", moved_) +
                wide_path("waste", waste_, size_.box - 4) + group("names", row_names_) +
                group("good", full_) + group("doubtful", part_) + group("bad", outside_)};
  }

 private:
  void add_row(const LineRow& row, int y) {
    lines_ += fmt::format("M{} {}h{}v{}h-{}z", margin_left, y, words_of_row * word_width, size_.box,
                          words_of_row * word_width);
    sectors_ += fmt::format("M{} {}h{}", margin_left, y + size_.box / 2, words_of_row * word_width);
    add_name(row, y);
    for (const SectorPicture* sector : row.sectors) add_sector(row, *sector, y);
  }

  void add_name(const LineRow& row, int y) {
    std::string name = names_ ? row.sectors.front()->first_of_line.text() : "";
    name = shortened(name, label_characters);
    row_names_ += fmt::format("<text x=\"{}\" y=\"{}\" data-at=\"{}\">{}</text>", margin_left - 8,
                              y + size_.box / 2 + 4, row.at, escaped(name));
  }

  void add_sector(const LineRow& row, const SectorPicture& sector, int y) {
    const std::uint64_t at = place_of(sector, base_);
    const std::uint64_t first_word = (at - row.at) / word_bytes;
    const int sector_width = words_of_sector * word_width;
    moved_ += fmt::format("M{} {}h{}v{}h-{}z", x_of(first_word), y, sector_width, size_.box,
                          sector_width);
    std::uint64_t end = first_word;  // of what is drawn
    for (const LaneCell& cell : cells_) {
      if (cell.at < at || cell.at >= at + sector_bytes) continue;
      add_waste(end, cell.word, y);
      end = cell.word + cell.words;
      const bool is_outside = (cell.lanes & picture_.outside) != 0;
      (is_outside                          ? outside_
       : sector.bytes_used == sector_bytes ? full_
                                           : part_) += drawn(cell, y, size_);
    }
    add_waste(end, first_word + words_of_sector, y);
  }

  // Words that no lane accesses.
  void add_waste(std::uint64_t begin, std::uint64_t end, int y) {
    if (begin >= end) return;
    waste_ += fmt::format("M{} {}h{}", x_of(begin) + 2, y + size_.box / 2,
                          static_cast<int>(end - begin) * word_width - 4);
  }

  const AccessPicture& picture_;
  const bool names_;
  const std::uint64_t base_;
  const std::vector<LineRow> rows_;
  const std::vector<LaneCell> cells_;
  const RowSize size_;
  std::string lines_, sectors_, moved_, waste_, row_names_;
  std::string full_, part_, outside_;  // lanes
};

// --- Shared memory: a row for each pass

// Words of neighbouring banks for the same lanes are one cell.
std::vector<LaneCell> cells_of(const PassPicture& pass, std::uint64_t base) {
  std::vector<LaneCell> cells;
  for (const BankWord& word : pass.words) {
    const auto bank = static_cast<std::uint64_t>(word.bank);
    // Shared memory has addresses of 32 bits.
    const std::uint64_t at = static_cast<std::uint32_t>(word.word * word_bytes - base);
    if (!cells.empty()) {
      LaneCell& last = cells.back();
      const bool is_next =
          last.word + last.words == bank && last.at + last.words * word_bytes == at;
      if (is_next && last.lanes == word.lanes) {
        ++last.words;
        continue;
      }
    }
    cells.push_back({word.lanes, at, bank, 1});
  }
  return cells;
}

class SharedDrawing {
 public:
  explicit SharedDrawing(const AccessPicture& picture)
      : picture_(picture),
        shared_(*picture.shared()),
        base_(base_of(picture.access)),
        size_(row_size(static_cast<std::size_t>(shared_.wavefronts))) {
    if (picture.misaligned != 0) return;
    for (const GroupPicture& group : shared_.groups) {
      if (end_ > head_height) end_ += group_gap;
      for (std::size_t pass = 0; pass < group.passes.size(); ++pass) add_pass(group, pass);
    }
  }

  Drawing drawing() const {
    std::string head =
        fmt::format("<text class=\"of\" x=\"{}\" y=\"12\">bank</text>", margin_left - 8);
    for (std::uint64_t bank = 0; bank < words_of_row; ++bank) {
      head += fmt::format("<text x=\"{}\" y=\"12\">{}</text>", x_of(bank) + word_width / 2, bank);
    }
    return {"access",
            fmt::format("Lanes {} in {} pass{} over the banks, {} of them by conflicts",
                        in_short(picture_.access.active), shared_.wavefronts,
                        shared_.wavefronts == 1 ? "" : "es", shared_.conflicts),
            sheet_width, end_ + size_.pitch - size_.box,
            group("head", head) + svg_path("line", lines_) + wide_path("grid", banks_, size_.box) +
                group("names", labels_) + group("good", first_) + group("bad", later_)};
  }

 private:
  void add_pass(const GroupPicture& group, std::size_t pass) {
    const int y = end_;
    lines_ += fmt::format("M{} {}h{}v{}h-{}z", margin_left, y, words_of_row * word_width, size_.box,
                          words_of_row * word_width);
    banks_ += fmt::format("M{} {}h{}", margin_left, y + size_.box / 2, words_of_row * word_width);
    labels_ +=
        fmt::format("<text{} x=\"{}\" y=\"{}\">{}</text>", pass == 0 ? "" : " class=\"later\"",
                    margin_left - 8, y + size_.box / 2 + 4, label(group, pass));
    for (const LaneCell& cell : cells_of(group.passes[pass], base_)) {
      (pass == 0 ? first_ : later_) += drawn(cell, y, size_);
    }
    end_ += size_.pitch;
  }

  std::string label(const GroupPicture& group, std::size_t pass) const {
    if (group.last_lane - group.first_lane == 31) {
      return fmt::format("pass {}{}", pass + 1, pass == 0 ? "" : " · conflict");
    }
    return fmt::format("lanes {}-{} · pass {}", group.first_lane, group.last_lane, pass + 1);
  }

  const AccessPicture& picture_;
  const SharedPicture& shared_;
  const std::uint64_t base_;
  const RowSize size_;
  int end_ = head_height;
  std::string lines_, banks_, labels_;
  std::string first_, later_;  // lanes of first passes, and of conflicts
};

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

Drawing access_drawing(const AccessPicture& picture, bool names) {
  return picture.global() ? GlobalDrawing(picture, names).drawing()
                          : SharedDrawing(picture).drawing();
}

std::string access_svg(const AccessPicture& picture, bool names) {
  return svg_element(access_drawing(picture, names));
}

}  // namespace gemm_tutor
