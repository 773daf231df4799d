#include "report/thread_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "report/json.hpp"
#include "report/launch_text.hpp"
#include "report/lesson_json.hpp"
#include "report/run_sections.hpp"
#include "report/source.hpp"
#include "report/trace_report.hpp"
#include "run/downsampled_grid.hpp"
#include "support/text.hpp"
#include "view/highlight.hpp"
#include "view/units.hpp"

namespace gemm_tutor {
namespace {

// --- A thread's story in words; each may hold unbreakable() spaces

constexpr std::size_t most_blocks = 8;  // of elements, that are named one by one

// "A + 9·512 = &A[9][0]", of a pointer; before the matrix' beginning there is no element.
std::string pointer_text(const Worked& worked) {
  const std::string to = worked.results.empty()
                             ? fmt::format("{} + ({})", worked.matrix, worked.values[0])
                             : "&" + worked.results[0];
  return worked.filled == to ? to : fmt::format("{} = {}", worked.filled, to);
}

// "row = 2·128 + 9 = 265".
std::string worked_text(const Worked& worked) {
  switch (worked.kind) {
    case Worked::Kind::condition:
      return fmt::format("{}: {}", worked.filled, worked.values[0] != 0 ? "true" : "false");
    case Worked::Kind::call:
      return worked.filled;
    case Worked::Kind::element:
      return worked.results[0] == worked.filled
                 ? worked.filled
                 : fmt::format("{} = {}", worked.filled, worked.results[0]);
    case Worked::Kind::pointer:
      return fmt::format("{} = {}", worked.name, pointer_text(worked));
    default:
      break;
  }
  const std::string value = std::to_string(worked.values[0]);
  return worked.filled.empty() || worked.filled == value
             ? fmt::format("{} = {}", worked.name, value)
             : fmt::format("{} = {} = {}", worked.name, worked.filled, value);
}

std::string blocks_text(const std::vector<ElementBlock>& blocks) {
  std::vector<std::string> texts;
  std::int64_t left_out = 0;
  for (const ElementBlock& block : blocks) {
    if (texts.size() < most_blocks) {
      texts.push_back(unbreakable(block.text()));
    } else {
      left_out += block.elements();
    }
  }
  if (left_out > 0) texts.push_back(fmt::format("and {} more", with_thousands(left_out)));
  return join(texts);
}

std::int64_t count_of(const std::vector<ElementBlock>& blocks) {
  std::int64_t count = 0;
  for (const ElementBlock& block : blocks) count += block.elements();
  return count;
}

// "2·128 + 9 = 265" beside a line that names its only variable; else with names.
std::string in_words(const WorkedLine& line) {
  const Worked& first = line.worked.front();
  if (line.worked.size() == 1 && first.kind == Worked::Kind::variable) {
    return first.filled.empty() ? fmt::format("{}", first.values[0])
                                : fmt::format("{} = {}", first.filled, first.values[0]);
  }
  if (line.worked.size() == 1 && first.kind == Worked::Kind::pointer) return pointer_text(first);
  std::vector<std::string> texts;
  for (const Worked& worked : line.worked) texts.push_back(unbreakable(worked_text(worked)));
  return join(texts, ";  ");
}

// "reads A[4][4…7], A[68][4…7]  (2 requests)".
std::string in_words(const LineAccess& access) {
  const std::string times =
      access.requests == 1 ? "" : fmt::format("  ({} requests)", with_thousands(access.requests));
  return fmt::format("{} {}{}", access.store ? "writes" : "reads", blocks_text(access.elements),
                     times);
}

// What a thread owns: "4 elements of C: C[4…7][4]".
std::string in_words(const std::vector<ElementBlock>& owned) {
  return fmt::format("{} of C: {}", counted(count_of(owned), "element"), blocks_text(owned));
}

Facts later_accesses() { return facts({{{std::string(later_accesses_missing), Style::doubtful}}}); }

// --- The thread's lines

// The highlighted source line by line, without comments at the ends of lines, to save room.
std::vector<Line> code_of(const std::string& source) {
  std::vector<Line> lines = highlight_source(source);
  for (Line& line : lines) {
    while (line.size() > 1 && line.back().style == Style::comment) line.pop_back();
    if (line.empty()) continue;
    std::string& last = line.back().text;
    last.resize(last.find_last_not_of(' ') + 1);
  }
  return lines;
}

Section indices_section(const ThreadStory& story, const std::vector<Line>& code) {
  const std::string step =
      fmt::format("step {} of {} along K", story.step, with_thousands(story.steps));
  Section section{"Indices"};
  // A page must not show the file's folder.
  section.parts = {
      for_terminals(facts({{{fmt::format("by {}, {}", story.source_file, step), Style::dim}}})),
      for_pages(facts({{{"worked out from the text, " + step, Style::dim}}}))};
  if (!story.tile.empty()) section.parts.fact({{story.tile, Style::dim}});
  Listing listing;
  for (const WorkedLine& line : story.lines) {
    listing.lines.push_back(listing_line(code, line.line));
    listing.lines.back().values.push_back({{in_words(line)}});
  }
  section.parts.add(std::move(listing));
  Facts end;
  if (story.lines.empty()) end.add({{"nothing in the kernel's text could be worked out"}});
  if (story.returned && story.owns.empty()) end.add({{"Here the thread returns."}});
  section.parts.add(std::move(end));
  return section;
}

// --- What it accesses

Section accesses_section(const ThreadStory& story, const std::vector<Line>& code) {
  Section section{
      "Memory",
      "",
      {facts(
          {{{fmt::format("as the emulator recorded it, step {} of {} along K{}", story.step,
                         with_thousands(story.steps),
                         story.tile.empty() ? "" : ", of each tile that the block has a part of"),
             Style::dim}}})}};
  Listing listing;
  int line = 0;
  for (const LineAccess& access : story.accesses) {
    if (access.line != line) listing.lines.push_back(listing_line(code, access.line));
    listing.lines.back().values.push_back({{in_words(access)}});
    line = access.line;
  }
  section.parts.add(std::move(listing));
  Facts end;
  if (story.accesses.empty()) end.add({{"The thread accesses no memory in this step."}});
  section.parts.add(std::move(end));
  section.parts.add(not_recorded_facts(story.not_recorded));
  if (!story.all_accesses) section.parts.add(later_accesses());
  return section;
}

Line owned(const ThreadStory& story) {
  if (!story.owns.empty()) return {{in_words(story.owns)}};
  if (!story.all_accesses) {
    return {{"not known: it stores C after what was recorded", Style::doubtful}};
  }
  if (story.not_recorded.empty()) return {{"no element of C"}};
  return {{"no element of C by a store; what is not drawn is not known"}};
}

// --- Who loads what

constexpr std::string_view letters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
constexpr std::string_view lane_letters = "0123456789abcdefghijklmnopqrstuv";

// One row of the map per row of the tile, so that warps do not share a character. Larger tiles
// would fill the screen.
constexpr int most_rows_drawn = 32, most_rows_of_large = 16;

constexpr char no_warp = '.', several_warps = '+', other_warp = ' ';

char letter_of(const Owner& owner, std::optional<int> warp) {
  if (owner.warp < 0) return no_warp;
  if (!warp) {
    const bool has_letter = !owner.several_warps && owner.warp < std::ssize(letters);
    return has_letter ? letters[static_cast<std::size_t>(owner.warp)] : several_warps;
  }
  if (owner.several_threads) return several_warps;
  return owner.warp == *warp ? lane_letters[static_cast<std::size_t>(owner.thread % 32)]
                             : other_warp;
}

char letter_of(const TileOwners& tile, const Region& cell, std::optional<int> warp) {
  const char first = letter_of(tile.at(cell.row_begin, cell.column_begin), warp);
  for (int row = cell.row_begin; row < cell.row_end; ++row) {
    for (int column = cell.column_begin; column < cell.column_end; ++column) {
      if (letter_of(tile.at(row, column), warp) != first) return several_warps;
    }
  }
  return first;
}

Section tile_section(const TileOwners& tile, std::string_view what, std::optional<int> warp) {
  const Region& r = tile.region;
  const DownsampledGrid map = downsample(
      r, [&](const Region& cell) { return letter_of(tile, cell, warp); },
      r.rows() <= most_rows_drawn ? most_rows_drawn : most_rows_of_large);
  Section section{std::string(1, tile.matrix),
                  "",
                  {facts({{{fmt::format("{}: {}", what, region_text(r))}}}), Code{map.lines}}};
  if (map.rows * map.columns > 1) {
    section.parts.fact(
        {{fmt::format("  {} a character", cell_text(map.rows, map.columns)), Style::dim}});
  }
  return section;
}

std::string legend(const WhoLoads& who, std::optional<int> warp) {
  if (warp) {
    return fmt::format(
        "0 to 9 and a to v: the lanes of warp {}; blank: another warp; + several threads; . nobody",
        *warp);
  }
  if (who.warps == 1) return "A: warp 0, the only one; . nobody";
  const int last = std::min<int>(who.warps, static_cast<int>(letters.size())) - 1;
  return fmt::format("A to {}: warps 0 to {}; + several warps; . nobody",
                     letters[static_cast<std::size_t>(last)], last);
}

Document introduced(const Trace& trace, const Document& heading, const WhoLoads& who,
                    const std::string& steps, std::optional<int> warp) {
  const int warps = trace.warps();
  Document document = heading;
  document.right = {{sizes_text(trace.problem), Style::dim}};
  document.subtitles = {
      place_of(trace, warp ? fmt::format("warp {} of {}", *warp, warps) : counted(warps, "warp"))};
  Facts facts;
  facts.add({{fmt::format("of block {}, {} of {} along K", place_text(who.block), steps,
                          with_thousands(who.steps))}});
  if (!who.tile.empty()) facts.add({{who.tile}});
  facts.add({{legend(who, warp), Style::dim}});
  document.parts = {warnings_section(who.warnings), failure_section(who.failure),
                    section("Who", {std::move(facts), not_recorded_facts(who.not_recorded)})};
  return document;
}

Section stored_section(const WhoLoads& who, std::optional<int> warp) {
  Section section = tile_section(who.c, "stored", warp);
  if (!who.all_accesses) section.parts.add(later_accesses());
  return section;
}

// That there are more steps than frames; nothing where there are none.
Facts left_out(const WhoLoads& last) {
  const std::int64_t next = last.step + 1;
  if (next >= last.steps) return {};
  Facts facts{{Fact{}}};
  facts.add({{fmt::format("{} steps at once at most: --step {}..{} shows the next.", most_frames,
                          next, std::min(next + most_frames, last.steps) - 1),
              Style::dim}});
  return facts;
}

// --- JSON

Json json_of(const std::vector<ElementBlock>& blocks) {
  Json json = Json::array();
  for (const ElementBlock& block : blocks) {
    json.push_back({{"array", block.array}, {"first", block.first}, {"last", block.last}});
  }
  return json;
}

Json json_of(const Worked& worked) {
  static const std::map<Worked::Kind, std::string> kinds = {
      {Worked::Kind::variable, "variable"},   {Worked::Kind::loop, "loop"},
      {Worked::Kind::condition, "condition"}, {Worked::Kind::element, "element"},
      {Worked::Kind::call, "call"},           {Worked::Kind::pointer, "pointer"}};
  Json json = {{"kind", kinds.at(worked.kind)}};
  if (!worked.name.empty()) json["name"] = worked.name;
  if (!worked.filled.empty()) json["filled"] = worked.filled;
  switch (worked.kind) {
    case Worked::Kind::condition:
      json["value"] = worked.values[0] != 0;
      break;
    case Worked::Kind::element:
      json["indices"] = worked.values;
      break;
    case Worked::Kind::call:
      json["arguments"] = worked.results;
      break;
    case Worked::Kind::pointer:
      json["points_to"] = worked.results.empty() ? worked.matrix : worked.results[0];
      break;
    default:
      json["value"] = worked.values[0];
  }
  return json;
}

Json json_of(const LineAccess& access) {
  Json json = {{"line", access.line},
               {"space", access.space == simt::MemorySpace::global ? "global" : "shared"},
               {"access", access.store ? "store" : "load"},
               {"requests", access.requests},
               {"elements", json_of(access.elements)}};
  if (access.step) json["step"] = *access.step;
  return json;
}

Json json_of(const TileOwners& tile) {
  const Region& r = tile.region;
  Json warps = Json::array(), threads = Json::array();
  for (int row = r.row_begin; row < r.row_end; ++row) {
    Json of_row = Json::array(), threads_of_row = Json::array();
    for (int column = r.column_begin; column < r.column_end; ++column) {
      const Owner& owner = tile.at(row, column);
      of_row.push_back(owner.warp);
      threads_of_row.push_back(owner.thread);
    }
    warps.push_back(std::move(of_row));
    threads.push_back(std::move(threads_of_row));
  }
  return {{"rows", {r.row_begin, r.row_end}},
          {"columns", {r.column_begin, r.column_end}},
          {"warps", std::move(warps)},
          {"threads", std::move(threads)}};
}

void add_limits(Json& json, const Failure& failure, const std::string& not_recorded) {
  json["findings"] = findings_json(failure.findings);
  if (failure.stopped) json["stopped"] = true;
  if (!not_recorded.empty()) json["not_drawn"] = not_recorded;
}

}  // namespace

Parts thread_parts(const ThreadStory& story) {
  const std::vector<Line> code = code_of(story.source);
  return {indices_section(story, code), accesses_section(story, code),
          section("Owns", {facts({owned(story)})})};
}

Document thread_document(const ThreadStory& story) {
  Document document;
  document.subtitles = {
      {{{fmt::format("Thread {} of block {}", story.number, place_text(story.block)),
         Style::heading},
        {fmt::format(": threadIdx {}, lane {} of warp {}", place_text(story.thread), story.lane,
                     story.warp)}}},
      {{{story.kernel, Style::dim}}}};
  document.parts = {warnings_section(story.warnings), failure_section(story.failure)};
  document.parts.append(thread_parts(story));
  return document;
}

std::string thread_json(const ThreadStory& story) {
  Json lines = Json::array(), accesses = Json::array();
  for (const WorkedLine& line : story.lines) {
    Json worked = Json::array();
    for (const Worked& one : line.worked) worked.push_back(json_of(one));
    lines.push_back({{"line", line.line}, {"worked", std::move(worked)}});
  }
  for (const LineAccess& access : story.accesses) accesses.push_back(json_of(access));
  Json json = {{"kernel", story.kernel},
               {"block", dimensions_json(story.block)},
               {"thread", dimensions_json(story.thread)},
               {"number", story.number},
               {"warp", story.warp},
               {"lane", story.lane},
               {"step", story.step},
               {"steps", story.steps},
               {"step_depth", story.step_depth},
               {"returned", story.returned},
               {"lines", std::move(lines)},
               {"accesses", std::move(accesses)},
               {"owns", json_of(story.owns)},
               {"all_accesses", story.all_accesses}};
  if (!story.tile.empty()) json["tile"] = story.tile;
  add_limits(json, story.failure, story.not_recorded);
  add_warnings(json, story.warnings);
  return to_text(json);
}

Document who_loads_document(const Trace& trace, const Document& heading, const WhoLoads& who,
                            std::optional<int> warp) {
  Document document = introduced(trace, heading, who, fmt::format("step {}", who.step), warp);
  document.parts.add(tile_section(who.a, "loaded in this step", warp));
  document.parts.add(tile_section(who.b, "loaded in this step", warp));
  document.parts.add(stored_section(who, warp));
  return document;
}

std::string who_loads_json(const WhoLoads& who) {
  Json json = {{"block", dimensions_json(who.block)},
               {"step", who.step},
               {"steps", who.steps},
               {"A", json_of(who.a)},
               {"B", json_of(who.b)},
               {"C", json_of(who.c)},
               {"all_accesses", who.all_accesses}};
  if (!who.tile.empty()) json["tile"] = who.tile;
  add_limits(json, who.failure, who.not_recorded);
  add_warnings(json, who.warnings);
  return to_text(json);
}

Document frames_document(const Trace& trace, const Document& heading,
                         const std::vector<WhoLoads>& frames, std::optional<int> warp) {
  const WhoLoads &first = frames.front(), &last = frames.back();
  Document document =
      introduced(trace, heading, first,
                 frames.size() == 1 ? fmt::format("step {}", first.step)
                                    : fmt::format("steps {} to {}", first.step, last.step),
                 warp);
  for (const WhoLoads& frame : frames) {
    const std::string what = fmt::format("loaded in step {}", frame.step);
    document.parts.add(tile_section(frame.a, what, warp));
    document.parts.add(tile_section(frame.b, what, warp));
  }
  Section stored = stored_section(last, warp);
  if (std::ssize(frames) == most_frames) stored.parts.add(left_out(last));
  document.parts.add(std::move(stored));
  return document;
}

std::string frames_json(const std::vector<WhoLoads>& frames) {
  const WhoLoads& last = frames.back();
  Json json_frames = Json::array();
  for (const WhoLoads& frame : frames) {
    json_frames.push_back({{"step", frame.step}, {"A", json_of(frame.a)}, {"B", json_of(frame.b)}});
  }
  Json json = {{"block", dimensions_json(last.block)},
               {"steps", last.steps},
               {"frames", std::move(json_frames)},
               {"C", json_of(last.c)},
               {"all_accesses", last.all_accesses}};
  if (!last.tile.empty()) json["tile"] = last.tile;
  add_limits(json, last.failure, last.not_recorded);
  add_warnings(json, last.warnings);
  return to_text(json);
}

}  // namespace gemm_tutor
