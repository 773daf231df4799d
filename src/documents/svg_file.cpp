// Drawings as files of their own, with their headings and their words.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "documents/access_words.hpp"
#include "documents/finding_text.hpp"
#include "documents/picture_svg.hpp"
#include "documents/place_text.hpp"
#include "documents/svg_sheet.hpp"
#include "documents/thread_report.hpp"
#include "documents/trace_report.hpp"
#include "support/text.hpp"

namespace gemm_tutor {
namespace {

void add_failure(SvgSheet& sheet, const Failure& failure) {
  for (const emulator::Finding& finding : failure.findings) {
    sheet.text("warning",
               fmt::format("✗ {}{}", name_of(finding.kind()), text_behind_kind(finding)));
  }
  if (!failure.reached.empty()) sheet.text("why", failure.reached);
}

void add_not_recorded(SvgSheet& sheet, const std::string& what) {
  if (!what.empty()) sheet.text("dim", "Not drawn: " + what);
}

void add_access(SvgSheet& sheet, const SelectedAccess& selected) {
  const AccessWords words = words_of(selected);
  sheet.space(14);
  sheet.text(
      selected.picture.is_costly() ? "kind costly" : "kind",
      fmt::format("{}{} {}", selected.picture.is_costly() ? "! " : "", words.kind, words.from));
  sheet.text("cost", words.cost);
  sheet.space(6);
  sheet.drawing(access_drawing(selected.picture, true));
  sheet.space(2);
  if (!words.outside.empty()) sheet.text("warning", "✗ " + words.outside);
  sheet.text("why", words.why);
  if (!words.remedy.empty()) sheet.text("why", "→ " + words.remedy);
}

void add_legend(SvgSheet& sheet, const std::vector<SelectedLine>& lines) {
  bool global = false, shared = false;
  for (const SelectedLine& line : lines) {
    for (const SelectedAccess& access : line.accesses) {
      (access.picture.global() ? global : shared) = true;
    }
  }
  sheet.space(20);
  if (global) {
    sheet.text(
        "dim",
        "Global memory: a row is a line of 128 bytes, a box of it a sector that is moved, with "
        "the lanes at the floats that they want or write; what is striped is of no lane.");
  }
  if (shared) {
    sheet.text("dim",
               "Shared memory: a row is a pass, a column a bank, with the lanes at the words that "
               "they want or write. Passes after the first are conflicts.");
  }
  sheet.text("dim", "Several lanes in a thick frame are at the same word.");
}

// --- Tiles
// ----------------------------------------------------------------------------

constexpr int gap = 20;

struct TitledDrawing {
  std::string title;
  Drawing drawing;
};

// As in the product: A at the left of C, B above it.
void add_product(SvgSheet& sheet, const TitledDrawing& a, const TitledDrawing& b,
                 const TitledDrawing& c) {
  constexpr int title_width = 190;
  const int right = SvgSheet::margin + std::max(a.drawing.width, title_width) + gap;
  const int below = gap + sheet.place(b.title, b.drawing, right, sheet.end() + gap);
  sheet.place(a.title, a.drawing, SvgSheet::margin, below);
  sheet.place(c.title, c.drawing, right, below);
}

// A part of a matrix, or a shared array: with more than two indices, all but the last are rows.
struct ArrayTile {
  emulator::TracedSpace space;  // a shared array may be called A, too
  std::string array;
  Region region;
  std::vector<std::int64_t> extents;  // of a shared array
};

ArrayTile matrix_tile(const TileOwners& tile) {
  return {emulator::TracedSpace::global, std::string(1, tile.matrix), tile.region, {}};
}

// Where an element lies in a row and a column.
std::pair<std::int64_t, std::int64_t> place_of(const std::vector<std::int64_t>& indices,
                                               const std::vector<std::int64_t>& extents) {
  std::int64_t row = 0;
  for (std::size_t d = 0; d + 1 < indices.size(); ++d) {
    row = row * (extents.empty() ? 1 : extents[d]) + indices[d];
  }
  return {row, indices.back()};
}

// `indices` goes through those of the block, the last fastest.
template <typename Visit>
void for_each_element(const ElementBlock& block, const Visit& visit) {
  std::vector<std::int64_t> indices = block.first;
  for (std::int64_t i = 0; i < block.elements(); ++i) {
    visit(indices);
    for (std::size_t d = indices.size(); d-- > 0;) {
      if (++indices[d] <= block.last[d]) break;
      indices[d] = block.first[d];
    }
  }
}

// What the thread's own story tells of the tile.
Drawing drawn(const ThreadStory& story, const ArrayTile& tile, bool store) {
  const Region& r = tile.region;
  TileOwners owners{tile.array[0], r, std::vector<Owner>(static_cast<std::size_t>(r.elements()))};
  const auto mark = [&](const std::vector<std::int64_t>& indices) {
    const auto [row, column] = place_of(indices, tile.extents);
    if (row < r.row_begin || row >= r.row_end) return;
    if (column < r.column_begin || column >= r.column_end) return;
    const std::int64_t place = (row - r.row_begin) * r.columns() + column - r.column_begin;
    owners.owners[static_cast<std::size_t>(place)] = {story.warp, story.number};
  };
  for (const LineAccess& access : story.accesses) {
    if (access.space != tile.space || access.store != store) continue;
    for (const ElementBlock& block : access.elements) {
      if (block.array == tile.array) for_each_element(block, mark);
    }
  }
  return tile_drawing(owners, {}, false);
}

void add_shared(SvgSheet& sheet, const Trace& trace, const ThreadStory& story) {
  for (const emulator::SharedArray& array : trace.result.shared_arrays) {
    if (array.extents.empty()) continue;
    const std::string name = Element{array.name, array.extents}.text();
    std::int64_t rows = 1;
    for (std::size_t d = 0; d + 1 < array.extents.size(); ++d) rows *= array.extents[d];
    const ArrayTile tile{emulator::TracedSpace::shared,
                         array.name,
                         {0, static_cast<int>(rows), 0, static_cast<int>(array.extents.back())},
                         array.extents};
    const int top = sheet.end() + gap;
    const Drawing written = drawn(story, tile, true), read = drawn(story, tile, false);
    constexpr int title_width = 280;
    sheet.place(name + ", written in this step", written, SvgSheet::margin, top);
    sheet.place(name + ", read in this step", read,
                SvgSheet::margin + std::max(written.width, title_width) + gap, top);
  }
}

}  // namespace

std::string trace_svg(const Trace& trace, const Selection& selection,
                      const std::vector<SelectedLine>& lines) {
  SvgSheet sheet;
  const std::string where = fmt::format(
      "block {},{} of {}×{} · warp {} of {} · step {}", trace.block.x, trace.block.y,
      trace.launch.grid.x, trace.launch.grid.y, selection.warp, trace.warps(), selection.step);
  sheet.text("title", plain_text(titled(trace, true).heading()));
  sheet.text("dim", fmt::format("{} · {}", trace.name, where));
  add_failure(sheet, failure_of(trace, selection.warp));
  add_not_recorded(sheet, not_recorded(trace));
  if (lines.empty()) {
    sheet.text("why", not_recorded(trace).empty() ? "Nothing was accessed."
                                                  : "Nothing that could be drawn was accessed.");
  }
  for (const SelectedLine& line : lines) {
    sheet.space(26);
    sheet.code(fmt::format("{} │ ", line.line), std::string(trimmed(line.text)));
    for (const SelectedAccess& access : line.accesses) add_access(sheet, access);
  }
  if (!lines.empty()) add_legend(sheet, lines);
  if (!trace.result.all_accesses) {
    sheet.text("warning", std::string(last_steps_missing));
  }
  return sheet.svg(plain_text(titled(trace, true).heading()),
                   fmt::format("What a warp does to memory: {}", where));
}

std::string who_loads_svg(const WhoLoads& who, std::optional<int> warp) {
  SvgSheet sheet;
  const std::string where = fmt::format("block {},{} · step {} of {} along K", who.block.x,
                                        who.block.y, who.step, with_thousands(who.steps));
  sheet.text("title", "Who loads what");
  sheet.text("dim", where);
  if (!who.tile.empty()) sheet.text("dim", who.tile);
  add_failure(sheet, who.failure);
  add_not_recorded(sheet, who.not_recorded);
  sheet.text("dim", warp ? fmt::format("The numbers are the lanes of warp {}; grey is of another "
                                       "warp, striped of several threads, empty of nobody.",
                                       *warp)
                         : "The numbers are warps; striped is of several warps, empty of nobody.");
  add_product(sheet, {"A, loaded in this step", tile_drawing(who.a, warp)},
              {"B, loaded in this step", tile_drawing(who.b, warp)},
              {"C, stored", tile_drawing(who.c, warp)});
  if (!who.all_accesses) {
    sheet.text("warning", std::string(later_accesses_missing));
  }
  return sheet.svg("Who loads what", where);
}

std::string thread_svg(const Trace& trace, const ThreadStory& story) {
  SvgSheet sheet;
  const std::string title =
      fmt::format("Thread {} of block {}", story.number, place_text(story.block));
  const std::string where = fmt::format("threadIdx {}, lane {} of warp {} · step {} of {} along K",
                                        place_text(story.thread), story.lane, story.warp,
                                        story.step, with_thousands(story.steps));
  sheet.text("title", title);
  sheet.text("dim", fmt::format("{} · {}", story.kernel, where));
  add_failure(sheet, story.failure);
  add_not_recorded(sheet, story.not_recorded);
  sheet.text("dim", "Of its block's tiles, what the thread reads or writes is coloured.");
  const WhoLoads block = who_loads(trace, story.step);
  add_product(sheet, {"A, read in this step", drawn(story, matrix_tile(block.a), false)},
              {"B, read in this step", drawn(story, matrix_tile(block.b), false)},
              {"C, written", drawn(story, matrix_tile(block.c), true)});
  add_shared(sheet, trace, story);
  if (!story.all_accesses) {
    sheet.text("warning", std::string(later_accesses_missing));
  }
  return sheet.svg(title, where);
}

}  // namespace gemm_tutor
