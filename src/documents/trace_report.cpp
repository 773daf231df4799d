#include "documents/trace_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <functional>

#include "documents/access_words.hpp"
#include "documents/lesson_json.hpp"
#include "documents/lesson_report.hpp"
#include "documents/sector_lines.hpp"
#include "documents/source_view.hpp"
#include "support/text.hpp"
#include "trace/limits.hpp"
#include "view/compiler_message.hpp"
#include "view/highlight.hpp"
#include "view/units.hpp"

namespace gemm_tutor {
namespace {

using emulator::Access;

const Line gutter = {{"     │ ", Style::dim}};
constexpr std::string_view costly_mark = "! ";  // tells without colour too

// --- Global memory: a row for each 128-byte line, a cell for each sector
// ----------------------------------------------------------------------------

constexpr int cell_columns = 13, place_columns = 14;

// Of as many columns, each with a line behind it.
int place_for(int sectors) { return place_columns + 1 + sectors * (cell_columns + 1); }
constexpr std::size_t most_rows = 6;

std::string fitting(std::uint32_t lanes) {
  const std::string text = lanes_text(lanes);
  return columns(text) < cell_columns ? text : fmt::format("{} lanes", std::popcount(lanes));
}

// As many as there is room for: 1, 2 or 4.
int sectors_beside(const Page& page) {
  int beside = static_cast<int>(sectors_of_line);
  while (beside > 1 && columns(gutter) + place_for(beside) > page.terminal().width) beside /= 2;
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
void add_rows(Page& page, std::size_t count, const std::function<Line(std::size_t)>& row,
              std::string_view what) {
  for (std::size_t i = 0; i < count; ++i) {
    const bool is_left_out = count > most_rows && i >= most_rows - 2 && i + 1 < count;
    if (!is_left_out) {
      page.row(gutter, gutter, row(i));
    } else if (i == most_rows - 2) {
      page.row(gutter, gutter,
               {{fmt::format("… {} {} more", count - most_rows + 1, what), Style::dim}});
    }
  }
}

void add_drawing(Page& page, const GlobalPicture& picture) {
  const std::vector<LineOfSectors> lines = by_line(picture);
  if (lines.empty()) return;
  const int beside = sectors_beside(page);
  for (int begin = 0; begin < static_cast<int>(sectors_of_line); begin += beside) {
    Line head = {{fmt::format("{:<{}}", "lanes in", place_columns), Style::dim}, {"│", Style::dim}};
    for (int sector = begin; sector < begin + beside; ++sector) {
      const std::string name = fmt::format("sector {}", sector);
      head.push_back({fmt::format("{:<{}}", name, cell_columns), Style::dim});
      head.push_back({"│", Style::dim});
    }
    page.row(gutter, gutter, head);
    add_rows(
        page, lines.size(), [&](std::size_t i) { return drawn(lines[i], begin, begin + beside); },
        "lines");
  }
}

// --- Shared memory: a row for each pass, a cell for each bank; 16 banks side by side, or fewer
// ----------------------------------------------------------------------------

constexpr int banks = 32, most_banks_beside = 16, bank_columns = 4, label_columns = 9;

// As many as there is room for: 4, 8 or 16.
int banks_beside(const Page& page) {
  int beside = most_banks_beside;
  const int room = page.terminal().width - columns(gutter) - label_columns;
  while (beside > 4 && bank_columns * beside > room) beside /= 2;
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

// Colours for passes: the first is no conflict. The label's number says the same without.
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

// Where a lane's word is another's too.
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

void add_drawing(Page& page, const Access& access, const SharedPicture& picture) {
  const std::vector<PassRow> rows = passes_of(picture);
  const int beside = banks_beside(page);
  for (int first = 0; first < banks; first += beside) {
    int end = first + beside;
    if (!uses_banks(picture, first, end)) {
      while (end < banks && !uses_banks(picture, end, end + beside)) end += beside;
      page.row(gutter, gutter,
               {{fmt::format("banks {} to {} {} nothing", first, end - 1,
                             access.store ? "take" : "deliver"),
                 Style::dim}});
      first = end - beside;
      continue;
    }
    std::string head = fmt::format("{:<{}}", "bank", label_columns);
    for (int bank = first; bank < end; ++bank) head += fmt::format("{:>3} ", bank);
    page.row(gutter, gutter, {{head, Style::dim}});
    add_rows(
        page, rows.size(), [&](std::size_t i) { return drawn(rows[i], first, end); }, "passes");
  }
  if (picture.groups.size() > 1) {
    const GroupPicture& group = picture.groups.front();
    page.row(gutter, gutter,
             {{fmt::format("{}: the first pass for the lanes {} to {}", label_of(rows.front()),
                           group.first_lane, group.last_lane),
               Style::dim}});
  }
  if (shares_words(picture)) {
    page.row(gutter, gutter + Line{{"  "}}, {{"+ " + sharing_text(access), Style::dim}});
  }
}

void add_drawing(Page& page, const AccessPicture& picture) {
  if (picture.misaligned != 0) return;
  if (const GlobalPicture* global = picture.global()) {
    add_drawing(page, *global);
  } else {
    add_drawing(page, picture.access, *picture.shared());
  }
}

// --- A request
// ----------------------------------------------------------------------------

void add_access(Page& page, const SelectedAccess& selected) {
  const AccessWords words = words_of(selected);
  page.row(gutter, gutter,
           {{selected.picture.is_costly() ? std::string(costly_mark) : "", Style::bad},
            {words.kind, Style::heading},
            {" " + words.from}});
  page.row(gutter, gutter, {{words.cost}});
  add_drawing(page, selected.picture);
  if (!words.outside.empty()) page.row(gutter, gutter, {{"✗ ", Style::bad}, {words.outside}});
  page.row(gutter, gutter, {{words.why}});
  if (!words.remedy.empty()) {
    page.row(gutter + Line{{"→ ", Style::heading}}, gutter + Line{{"  "}}, {{words.remedy}});
  }
}

// --- The page
// ----------------------------------------------------------------------------

void add_heading(Page& page, const Trace& trace) {
  page.row({}, {}, {{heading_of(trace), Style::heading}},
           {{sizes_text(trace.problem), Style::dim}});
}

// `what` of the block is shown.
void add_place(Page& page, const Trace& trace, const std::string& what) {
  page.row({}, {}, {{trace.name, Style::code}},
           {{fmt::format("block {},{} of {}×{} · {}", trace.block.x, trace.block.y,
                         trace.launch.grid.x, trace.launch.grid.y, what),
             Style::dim}});
}

void add_lines(Page& page, const TraceReport& report) {
  const std::vector<Line> code = highlight_source(report.trace.source);
  page.section("Memory");
  const auto costly = std::ranges::count_if(report.lines, &SelectedLine::is_costly);
  if (report.lines.empty()) {
    const bool is_known = not_recorded(report.trace).empty();
    return page.text({{is_known ? "nothing was accessed" : "nothing that could be drawn"}});
  }
  page.text({{fmt::format("{} of {}", counted(std::ssize(report.lines), "line"),
                          report.trace.source_file)}});
  if (costly > 0) {
    page.text({{"!", Style::bad}, {" " + std::string(costly_means), Style::dim}});
  }
  for (const SelectedLine& line : report.lines) {
    page.blank();
    const auto at = static_cast<std::size_t>(line.line - 1);
    add_code(page, fmt::format("{:>4}", line.line), {}, at < code.size() ? code[at] : Line());
    for (std::size_t i = 0; i < line.accesses.size(); ++i) {
      if (i > 0) page.row(gutter, gutter, {});
      add_access(page, line.accesses[i]);
    }
  }
}

bool has_step(const TraceReport& report, int line, std::uint64_t step) {
  return std::ranges::any_of(report.trace.result.accesses, [&](const Access& access) {
    return access.line == line && access.warp == report.selection.warp && access.step == step;
  });
}

std::string options_of(const Trace& trace) {
  return options_of(*trace.lesson, *trace.kernel, trace.problem, trace.settings, trace.gpu);
}

// The next step of the line that is first, and the next warp.
void add_next(Page& page, const TraceReport& report) {
  if (report.trace.lesson == nullptr || report.lines.empty()) return;
  const Lesson& lesson = *report.trace.lesson;
  const std::string trace = trace_command(report.trace);
  const int line = report.lines.front().line;
  const std::uint64_t step = report.selection.step + 1;
  const int warp = report.selection.warp + 1;
  std::vector<std::string> commands;
  if (has_step(report, line, step)) {
    commands.push_back(fmt::format("{} --line {} --step {}", trace, line, step));
  }
  if (warp < report.trace.warps()) {
    commands.push_back(fmt::format("{} --line {} --warp {}", trace, line, warp));
  }
  commands.push_back(command_of(lesson, "lesson") + options_of(report.trace));
  add_next_commands(page, std::move(commands));
}

void add_limit(Page& page, const Trace& trace) {
  if (trace.result.all_accesses) return;
  page.blank();
  page.text({{std::string(last_steps_missing), Style::doubtful}});
}

// --- JSON
// ----------------------------------------------------------------------------

Json lanes_json(std::uint32_t mask) { return lanes_of(mask); }

Json element_json(const Element& element) {
  Json json = Json::object();
  if (!element.array.empty()) json["array"] = element.array;
  json["indices"] = element.indices;
  return json;
}

void add_picture(Json& json, const GlobalPicture& picture) {
  json["first"] = element_json(picture.first);
  json["lines_of_128_bytes"] = picture.lines;
  json["bytes_used"] = picture.bytes_used;
  json["bytes_moved"] = picture.bytes_moved;
  json["least_sectors"] = picture.least_sectors;
  if (picture.stride) json["stride_bytes"] = *picture.stride;
  json["sectors"] = Json::array();
  for (const SectorPicture& sector : picture.sectors) {
    json["sectors"].push_back({{"first", element_json(sector.first)},
                               {"lanes", lanes_json(sector.lanes)},
                               {"bytes_used", sector.bytes_used}});
  }
  json["why"] = picture.why;
  if (!picture.remedy.empty()) json["remedy"] = picture.remedy;
}

Json pass_json(const PassPicture& pass) {
  Json words = Json::array();
  for (const BankWord& word : pass.words) {
    words.push_back({{"bank", word.bank}, {"word", word.word}, {"lanes", lanes_json(word.lanes)}});
  }
  return words;
}

void add_picture(Json& json, const SharedPicture& picture) {
  json["first"] = element_json(picture.first);
  json["wavefronts"] = picture.wavefronts;
  json["conflicts"] = picture.conflicts;
  json["broadcasts"] = picture.broadcasts;
  if (picture.stride) json["stride_bytes"] = *picture.stride;
  json["groups"] = Json::array();
  for (const GroupPicture& group : picture.groups) {
    Json passes = Json::array();
    for (const PassPicture& pass : group.passes) passes.push_back(pass_json(pass));
    json["groups"].push_back({{"lanes", lanes_json(group.lanes)}, {"passes", passes}});
  }
  json["why"] = picture.why;
  if (!picture.remedy.empty()) json["remedy"] = picture.remedy;
}

Json access_json(const SelectedAccess& selected) {
  const Access& access = selected.picture.access;
  Json json = {{"instruction", access.instruction},
               {"space", access.space == emulator::TracedSpace::shared ? "shared" : "global"},
               {"kind", access.store ? "store" : "load"},
               {"bytes_a_lane", access.bytes},
               {"lanes", lanes_json(access.active)},
               {"cost", access.cost}};
  if (access.asynchronous) json["asynchronous"] = true;
  if (selected.picture.outside != 0) json["out_of_bounds"] = lanes_json(selected.picture.outside);
  if (selected.picture.misaligned != 0)
    json["misaligned"] = lanes_json(selected.picture.misaligned);
  if (selected.alike > 0) json["alike"] = selected.alike;
  json["costly"] = selected.picture.is_costly();
  if (const GlobalPicture* global = selected.picture.global()) add_picture(json, *global);
  if (const SharedPicture* shared = selected.picture.shared()) add_picture(json, *shared);
  return json;
}

}  // namespace

std::string heading_of(const Trace& trace) {
  return trace.lesson
             ? fmt::format("Trace of lesson {} · {}", trace.lesson->number, trace.lesson->title)
             : fmt::format("Trace of {}", trace.source_file);
}

std::string trace_command(const Trace& trace) {
  const Dim3& block = trace.block;
  return command_of(*trace.lesson, "trace") + options_of(trace) +
         (block == Dim3{0, 0, 0} ? "" : fmt::format(" --block {},{}", block.x, block.y));
}

void add_head(Page& page, const Trace& trace, const std::string& what) {
  add_heading(page, trace);
  add_place(page, trace, what);
}

void add_failure(Page& page, const Failure& failure) {
  if (failure.findings.empty()) return;
  page.section("Result");
  add_findings(page, failure.findings);
  page.text({{failure.reached}});
}

void add_not_recorded(Page& page, const std::string& what) {
  if (!what.empty()) page.text({{fmt::format("Not drawn: {}", what), Style::dim}});
}

void add_trace(Page& page, const TraceReport& report) {
  add_place(page, report.trace,
            fmt::format("warp {} of {} · step {}", report.selection.warp, report.trace.warps(),
                        report.selection.step));
  add_warnings_section(page, report.trace.warnings);
  add_failure(page, failure_of(report.trace, report.selection.warp));
  add_lines(page, report);
  if (const std::string what = not_recorded(report.trace); !what.empty()) {
    if (!report.lines.empty()) page.blank();
    add_not_recorded(page, what);
  }
  add_limit(page, report.trace);
}

std::string trace_text(const TraceReport& report, const Terminal& terminal) {
  Page page(terminal);
  add_heading(page, report.trace);
  add_trace(page, report);
  add_next(page, report);
  return page.str();
}

std::string trace_json(const TraceReport& report) {
  const Trace& trace = report.trace;
  Json json;
  if (trace.lesson) {
    json["lesson"] = {{"number", trace.lesson->number},
                      {"slug", trace.lesson->slug},
                      {"kernel", trace.kernel->name},
                      {"title", trace.lesson->title}};
  }
  json["name"] = trace.name;
  json["file"] = trace.source_file;
  json["problem"] = problem_json(trace.problem);
  json["block"] = {trace.block.x, trace.block.y, trace.block.z};
  json["warp"] = report.selection.warp;
  json["step"] = report.selection.step;
  json["all_accesses"] = trace.result.all_accesses;
  if (trace.result.stopped) json["stopped"] = true;
  if (const std::string what = not_recorded(trace); !what.empty()) json["not_drawn"] = what;
  json["lines"] = Json::array();
  for (const SelectedLine& line : report.lines) {
    Json accesses = Json::array();
    for (const SelectedAccess& access : line.accesses) accesses.push_back(access_json(access));
    json["lines"].push_back(
        {{"line", line.line}, {"text", line.text}, {"accesses", std::move(accesses)}});
  }
  json["findings"] = findings_json(trace.findings);
  add_warnings(json, trace.warnings);
  return to_text(json);
}

}  // namespace gemm_tutor
