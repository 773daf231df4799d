#include "documents/thread_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "documents/json.hpp"
#include "documents/lesson_json.hpp"
#include "documents/place_text.hpp"
#include "documents/source_view.hpp"
#include "documents/thread_words.hpp"
#include "documents/trace_report.hpp"
#include "run/downsampled_grid.hpp"
#include "support/text.hpp"
#include "support/utf8.hpp"
#include "view/compiler_message.hpp"
#include "view/highlight.hpp"
#include "view/units.hpp"

namespace gemm_tutor {
namespace {

// --- The thread's lines

// The source in colour, a line at a time; comments at the ends left out, which the lines are too
// short for.
class Listing {
 public:
  explicit Listing(const std::string& source) {
    for (const std::string& line : split_lines(source)) texts_.push_back(printable(line));
    lines_ = highlight(texts_);
  }

  // `value` stands at the right of the line, or below it where there is no room.
  void add(Page& page, int number, const std::string& value) const {
    const Line code = at(number);
    const Line right = {{unbreakable(value), Style::good}};
    const int room = page.terminal().width - gutter_columns - least_gap - columns(code);
    if (columns(right) <= room) return add_code(page, number_text(number), {}, code, right);
    add_code(page, number_text(number), {}, code);
    add_below(page, number, value);
  }

  // A further value of the line.
  void add_below(Page& page, int number, const std::string& value) const {
    const std::string text = number < 1 || number > std::ssize(texts_)
                                 ? ""
                                 : texts_[static_cast<std::size_t>(number) - 1];
    const std::size_t indent = std::min(text.find_first_not_of(' '), text.size());
    const Line bar = {{"     │ ", Style::dim}, {std::string(indent, ' ')}};
    page.row(bar + Line{{"  "}}, bar + Line{{"      "}}, {{value, Style::good}});
  }

 private:
  static constexpr int gutter_columns = 7, least_gap = 3;

  static std::string number_text(int number) { return fmt::format("{:>4}", number); }

  Line at(int number) const {
    if (number < 1 || number > std::ssize(lines_)) return {};
    Line code = lines_[static_cast<std::size_t>(number) - 1];
    while (code.size() > 1 && code.back().style == Style::comment) code.pop_back();
    std::string& last = code.back().text;
    last.resize(last.find_last_not_of(' ') + 1);
    return code;
  }

  std::vector<std::string> texts_;
  std::vector<Line> lines_;
};

void add_lines(Page& page, const ThreadStory& story, const Listing& listing) {
  page.section("Indices");
  page.text({{fmt::format("by {}, step {} of {} along K", story.source_file, story.step,
                          with_thousands(story.steps)),
              Style::dim}});
  if (!story.tile.empty()) page.text({{story.tile, Style::dim}});
  for (const WorkedLine& line : story.lines) {
    listing.add(page, line.line, in_words(line));
  }
  if (story.lines.empty()) page.text({{"nothing in the kernel's text could be worked out"}});
  if (story.returned && story.owns.empty()) page.text({{"Here the thread returns."}});
}

// --- What it accesses

void add_accesses(Page& page, const ThreadStory& story, const Listing& listing) {
  page.section("Memory");
  page.text({{fmt::format("as the emulator recorded it, step {} of {} along K{}", story.step,
                          with_thousands(story.steps),
                          story.tile.empty() ? "" : ", of each tile that the block has a part of"),
              Style::dim}});
  int line = 0;
  for (const LineAccess& access : story.accesses) {
    if (access.line != line) {
      listing.add(page, access.line, in_words(access));
    } else {
      listing.add_below(page, access.line, in_words(access));
    }
    line = access.line;
  }
  if (story.accesses.empty()) page.text({{"The thread accesses no memory in this step."}});
  add_not_recorded(page, story.not_recorded);
  if (!story.all_accesses) {
    page.text({{std::string(later_accesses_missing), Style::doubtful}});
  }
}

void add_owned(Page& page, const ThreadStory& story) {
  page.section("Owns");
  if (story.owns.empty() && !story.all_accesses) {
    return page.text({{"not known: it stores C after what was recorded", Style::doubtful}});
  }
  if (story.owns.empty() && !story.not_recorded.empty()) {
    return page.text({{"no element of C by a store; what is not drawn is not known"}});
  }
  if (story.owns.empty()) return page.text({{"no element of C"}});
  page.text({{in_words(story.owns)}});
}

// --- Who loads what

constexpr std::string_view letters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
constexpr std::string_view lane_letters = "0123456789abcdefghijklmnopqrstuv";

// A row of the tile for each of the map, so that no warps share a character; larger tiles would
// fill the screen.
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

void add_tile(Page& page, const TileOwners& tile, std::string_view what, std::optional<int> warp) {
  const Region& r = tile.region;
  page.section(std::string(1, tile.matrix));
  page.text({{fmt::format("{}: {}", what, region_text(r))}});
  const DownsampledGrid map = downsample(
      r, [&](const Region& cell) { return letter_of(tile, cell, warp); },
      r.rows() <= most_rows_drawn ? most_rows_drawn : most_rows_of_large);
  for (const std::string& line : map.lines) page.text({{"  " + unbreakable(line), Style::code}});
  if (map.rows * map.columns > 1) {
    page.text({{fmt::format("  {} a character", cell_text(map.rows, map.columns)), Style::dim}});
  }
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

void add_who(Page& page, const Trace& trace, const WhoLoads& who, const std::string& steps,
             std::optional<int> warp) {
  const int warps = trace.warps();
  add_head(page, trace, warp ? fmt::format("warp {} of {}", *warp, warps) : counted(warps, "warp"));
  add_warnings_section(page, who.warnings);
  add_failure(page, who.failure);
  page.section("Who");
  page.text({{fmt::format("of block {}, {} of {} along K", place_text(who.block), steps,
                          with_thousands(who.steps))}});
  if (!who.tile.empty()) page.text({{who.tile}});
  page.text({{legend(who, warp), Style::dim}});
  add_not_recorded(page, who.not_recorded);
}

void add_stored(Page& page, const WhoLoads& who, std::optional<int> warp) {
  add_tile(page, who.c, "stored", warp);
  if (!who.all_accesses) {
    page.text({{std::string(later_accesses_missing), Style::doubtful}});
  }
}

// That there are more steps than frames.
void add_left_out(Page& page, const WhoLoads& last) {
  const std::int64_t next = last.step + 1;
  if (next >= last.steps) return;
  page.blank();
  page.text({{fmt::format("{} steps at once at most: --step {}..{} shows the next.", most_frames,
                          next, std::min(next + most_frames, last.steps) - 1),
              Style::dim}});
}

// --- JSON

Json dimensions(const Dim3& at) { return Json::array({at.x, at.y, at.z}); }

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
               {"space", access.space == emulator::TracedSpace::global ? "global" : "shared"},
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

std::string thread_text(const ThreadStory& story, const Terminal& terminal) {
  Page page(terminal);
  page.row({}, {},
           {{fmt::format("Thread {} of block {}", story.number, place_text(story.block)),
             Style::heading},
            {fmt::format(": threadIdx {}, lane {} of warp {}", place_text(story.thread), story.lane,
                         story.warp)}});
  page.row({}, {}, {{story.kernel, Style::dim}});
  add_warnings_section(page, story.warnings);
  add_failure(page, story.failure);
  const Listing listing(story.source);
  add_lines(page, story, listing);
  add_accesses(page, story, listing);
  add_owned(page, story);
  return page.str();
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
               {"block", dimensions(story.block)},
               {"thread", dimensions(story.thread)},
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

std::string who_loads_text(const Trace& trace, const WhoLoads& who, const Terminal& terminal,
                           std::optional<int> warp) {
  Page page(terminal);
  add_who(page, trace, who, fmt::format("step {}", who.step), warp);
  add_tile(page, who.a, "loaded in this step", warp);
  add_tile(page, who.b, "loaded in this step", warp);
  add_stored(page, who, warp);
  return page.str();
}

std::string who_loads_json(const WhoLoads& who) {
  Json json = {{"block", dimensions(who.block)},
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

std::string frames_text(const Trace& trace, const std::vector<WhoLoads>& frames,
                        const Terminal& terminal, std::optional<int> warp) {
  const WhoLoads &first = frames.front(), &last = frames.back();
  Page page(terminal);
  add_who(page, trace, first,
          frames.size() == 1 ? fmt::format("step {}", first.step)
                             : fmt::format("steps {} to {}", first.step, last.step),
          warp);
  for (const WhoLoads& frame : frames) {
    const std::string what = fmt::format("loaded in step {}", frame.step);
    add_tile(page, frame.a, what, warp);
    add_tile(page, frame.b, what, warp);
  }
  add_stored(page, last, warp);
  if (std::ssize(frames) == most_frames) add_left_out(page, last);
  return page.str();
}

std::string frames_json(const std::vector<WhoLoads>& frames) {
  const WhoLoads& last = frames.back();
  Json json_frames = Json::array();
  for (const WhoLoads& frame : frames) {
    json_frames.push_back({{"step", frame.step}, {"A", json_of(frame.a)}, {"B", json_of(frame.b)}});
  }
  Json json = {{"block", dimensions(last.block)},
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
