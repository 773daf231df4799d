#include "report/trace_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <filesystem>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "report/embedded_texts.hpp"
#include "report/json.hpp"
#include "report/launch_text.hpp"
#include "report/picture_svg.hpp"
#include "report/requests.hpp"
#include "report/run_sections.hpp"
#include "report/thread_report.hpp"
#include "support/text.hpp"
#include "trace/selection.hpp"
#include "trace/steps_along_k.hpp"
#include "trace/thread_story.hpp"
#include "trace/who_loads.hpp"
#include "view/embedded_texts.hpp"
#include "view/highlight.hpp"
#include "view/html_page.hpp"
#include "view/style.hpp"
#include "view/units.hpp"

namespace gemm_tutor {
namespace {

std::string text_html(const std::string& text) { return escaped(breakable(text)); }

// --- The view without a script

// The request that is shown first: a costly one, if the line has some.
struct FirstView {
  int line = 0, warp = 0;
  std::uint64_t step = 0;
  std::optional<SelectedAccess> access;
};

FirstView first_view(const Trace& trace, const Selection& selection) {
  const std::vector<SelectedLine> lines = select(trace, selection);
  if (!lines.empty()) {
    return {lines[0].line, selection.warp, selection.step, lines[0].accesses[0]};
  }
  for (const simt::Access& access : trace.result.accesses) {
    if (access.line > 0) return first_view(trace, {access.warp, access.line, access.step});
  }
  return {};
}

// The kernel, and the functions of the file in which it accesses memory.
std::vector<SourceLine> shown_lines(const TracedKernel& traced, const TracePageData& data) {
  std::vector<int> counted;
  for (const PageLine& line : data.lines) counted.push_back(line.line);
  return with_counted_functions(traced.code, traced.trace.kernel.source, counted);
}

std::vector<RequestCost> costs_of(const PageLine& line) {
  std::vector<RequestCost> costs = request_costs(line.operands, simt::MemorySpace::global);
  std::ranges::move(request_costs(line.operands, simt::MemorySpace::shared),
                    std::back_inserter(costs));
  return costs;
}

std::string cost_html(const PageLine& line) {
  std::string html;
  for (const RequestCost& cost : costs_of(line)) {
    html += fmt::format("<span>{}</span>", escaped(cost.text()));
  }
  return html.empty() ? "<span>no request</span>" : html;
}

// A line's columns: its number, what it costs, and its code, further lines of which are indented.
std::string source_line(const SourceLine& line, const std::string& code, const PageLine* memory,
                        const FirstView& view) {
  const std::size_t indent = std::min(line.text.find_first_not_of(' '), line.text.size());
  const std::string parts = fmt::format(
      "<span class=\"number\">{}</span><span class=\"costs\">{}</span>"
      "<span class=\"mark\">{}</span><code style=\"--indent:{}ch\">{}</code>",
      line.number, memory ? cost_html(*memory) : "",
      memory && memory->costly ? "<abbr title=\"costly\">!</abbr>" : "", indent + 4, code);
  if (memory == nullptr) return fmt::format("<li>{}</li>\n", parts);
  return fmt::format("<li><a href=\"#line={0}\" data-line=\"{0}\"{1}{2}>{3}</a></li>\n",
                     line.number, memory->costly ? " class=\"costly\"" : "",
                     line.number == view.line ? " aria-current=\"true\"" : "", parts);
}

std::string source_html(const TracedKernel& traced, const TracePageData& data,
                        const FirstView& view) {
  const Trace& trace = traced.trace;
  const std::vector<Line> code = highlight_source(trace.kernel.source);
  std::string html;
  int last = 0, cost_columns = 0;
  for (const SourceLine& line : shown_lines(traced, data)) {
    if (last != 0 && line.number != last + 1) html += "<li class=\"gap\">…</li>\n";
    last = line.number;
    const auto memory = std::ranges::find(data.lines, line.number, &PageLine::line);
    if (memory != data.lines.end()) {
      for (const RequestCost& cost : costs_of(*memory))
        cost_columns = std::max(cost_columns, columns(cost.text()));
    }
    html += source_line(line, code_html(code[static_cast<std::size_t>(line.number) - 1]),
                        memory == data.lines.end() ? nullptr : &*memory, view);
  }
  return fmt::format(
      "<section class=\"kernel\" aria-labelledby=\"source\">\n<h2 id=\"source\">{}</h2>\n"
      "<ol style=\"--costs:{}\">\n{}</ol>\n"
      "<p class=\"dim\">sec/req: sectors per request of global memory; wf/req: wavefronts per "
      "request "
      "of shared memory. <b class=\"bad\">!</b> {}.</p>\n</section>\n",
      escaped(std::filesystem::path(trace.kernel.file_name).filename().string()), cost_columns,
      html, costly_means);
}

std::string slider_html(const std::string& name, const std::string& label, std::uint64_t last) {
  return fmt::format(
      "<label for=\"{0}\">{1}</label> <input type=\"range\" id=\"{0}\" min=\"0\" max=\"{2}\" "
      "value=\"0\"> <output for=\"{0}\" id=\"{0}-text\"></output>"
      "<button type=\"button\" id=\"{0}-play\">Play</button>",
      name, label, last);
}

std::string controls_html(const Trace& trace) {
  std::string warps;
  for (int warp = 0; warp < trace.warps(); ++warp) {
    warps += fmt::format("<option value=\"{0}\">{0}</option>", warp);
  }
  return fmt::format(
      "<form class=\"controls\" hidden>\n<div>{}</div>\n"
      "<div><label for=\"warp\">Warp</label> <select id=\"warp\">{}</select> <span "
      "id=\"which\"><label for=\"request\">Request</label> <select id=\"request\"></select></span>"
      "</div>\n</form>\n",
      slider_html("step", "Step", 0), warps);
}

std::string view_html(const Trace& trace, const FirstView& view) {
  if (!view.access) {
    return fmt::format("<section class=\"view\"><p>The block accessed no memory{}.</p></section>\n",
                       not_recorded(trace).empty() ? "" : " in a way that could be drawn");
  }
  const AccessWords words = words_of({view.access->picture});
  return fmt::format(
      "<section class=\"view\" aria-labelledby=\"what\">\n"
      "<h2 id=\"what\">Line {} · {} {}</h2>\n{}"
      "<p id=\"cost\">{}</p>\n"
      "<div class=\"scroll\" id=\"drawing\" role=\"group\" aria-label=\"Lanes and where they "
      "go. Arrow keys choose a lane.\" aria-describedby=\"lane\">{}</div>\n"
      "<p id=\"lane\" class=\"readout\" aria-live=\"polite\">Warp {}, step {}.</p>\n"
      "<p id=\"outside\" class=\"bad\">{}</p>\n<p id=\"why\">{}</p>\n<p id=\"remedy\">{}</p>\n"
      "<noscript><p class=\"dim\">Other lines, warps and steps need a script, which this browser "
      "does not run.</p></noscript>\n</section>\n",
      view.line, text_html(words.kind), text_html(words.from), controls_html(trace),
      text_html(words.cost), svg_element(request_diagram(view.access->picture)), view.warp,
      view.step, text_html(words.outside), text_html(words.why), text_html(words.remedy));
}

// --- Who loads what

std::string tile_figure(const char* name, const std::string& what, const std::string& drawing) {
  return fmt::format(
      "<figure id=\"tile-{0}\" class=\"tile-of\"><figcaption>{1}</figcaption>"
      "<div class=\"drawing\" role=\"group\" aria-label=\"{0}: arrow keys choose an element\">{2}"
      "</div></figure>\n",
      name, what, drawing);
}

std::string tiles_html(const Trace& trace, std::int64_t step) {
  const WhoLoads who = who_loads(trace, step);
  const std::string said = who.tile.empty() ? "" : " " + escaped(who.tile);
  const auto figure = [](const char* name, const char* what, const TileOwners& tile) {
    return tile_figure(
        name, fmt::format("<b>{}</b> {}: <span>{}</span>", name, what, region_text(tile.region)),
        svg_element(tile_diagram(tile)));
  };
  return fmt::format(
      "<section aria-labelledby=\"tiles\">\n<h2 id=\"tiles\">Who loads what</h2>\n"
      "<div class=\"tiles\">\n<div class=\"how\"><p>Each element in the colour and with the number "
      "of the warp that loads it from global memory, or stores it; "
      "dark grey where several do.{}</p>\n"
      "<form class=\"controls\" hidden><div>{}</div></form>\n"
      "<p id=\"owner\" class=\"readout\" aria-live=\"polite\"></p></div>\n{}{}{}</div>\n"
      "</section>\n",
      said, slider_html("tile", "Step along K", static_cast<std::uint64_t>(who.steps - 1)),
      figure("B", "is loaded", who.b), figure("A", "is loaded", who.a),
      figure("C", "is stored", who.c));
}

// --- A thread's story

std::string story_html(const ThreadStory& story) {
  return fmt::format(
      "<section class=\"story\" aria-labelledby=\"story\">\n<h2 id=\"story\">Thread {}'s own "
      "story</h2>\n<p>threadIdx {} of block {}: lane {} of warp {}.</p>\n{}</section>\n",
      story.number, place_text(story.thread), place_text(story.block), story.lane, story.warp,
      parts_html(thread_parts(story)));
}

// --- The page

std::string facts_html(const Trace& trace) {
  const simt::Dim3 &grid = trace.launch.grid, &block = trace.launch.block;
  std::string threads = fmt::format("{}×{}", block.x, block.y);
  if (block.z > 1) threads += fmt::format("×{}", block.z);
  return fmt::format(
      "<p class=\"facts\"><code>{}</code> · {} · block {},{} of {}×{} · {} threads = {}</p>"
      "\n",
      escaped(trace.name), sizes_text(trace.problem), trace.block.x, trace.block.y, grid.x, grid.y,
      threads, counted(trace.warps(), "warp"));
}

std::string findings_html(const Trace& trace) {
  if (trace.findings.empty()) return "";
  return fmt::format("<section class=\"findings\"><h2>The kernel fails</h2>\n{}{}</section>\n",
                     parts_html({finding_facts(trace.findings)}),
                     trace.result.stopped
                         ? "<p>The emulator stopped there: what is below came before.</p>\n"
                         : "");
}

std::string limits_html(const Trace& trace, const TracePageData& data) {
  std::string html;
  if (const std::string what = not_recorded(trace); !what.empty()) {
    html += fmt::format("<p class=\"dim\">Not drawn: {}</p>\n", escaped(what));
  }
  if (!trace.result.all_accesses) {
    html += fmt::format("<p class=\"doubtful\">{}</p>\n", last_steps_missing);
  }
  if (data.left_out) {
    html += fmt::format(
        "<p class=\"doubtful\">The steps from {} on are left out, but for the last of each: all "
        "would be too much for a page.</p>\n",
        with_thousands(static_cast<std::int64_t>(*data.left_out)));
  }
  return html;
}

constexpr const char* keys_html =
    "<section class=\"keys\" aria-labelledby=\"keys\">\n<h2 id=\"keys\">Keys</h2>\n<dl>\n"
    "<div><dt><kbd>j</kbd> <kbd>k</kbd></dt><dd>next and previous line</dd></div>\n"
    "<div><dt><kbd>←</kbd> <kbd>→</kbd></dt><dd>previous and next step</dd></div>\n"
    "<div><dt><kbd>w</kbd> <kbd>W</kbd></dt><dd>next and previous warp</dd></div>\n"
    "<div><dt><kbd>Tab</kbd></dt><dd>to a drawing, in which the arrow keys choose a lane or an "
    "element</dd></div>\n</dl>\n<p class=\"dim\">The address of this page says what it shows: keep "
    "it, or hand it on.</p>\n</section>\n";

std::string template_html(const char* name, const std::vector<std::string>& drawings) {
  std::string html = fmt::format("<template id=\"{}\">", name);
  for (const std::string& drawing : drawings) html += drawing;
  return html + "</template>\n";
}

std::string data_html(const Trace& trace, const TracePageData& data, const FirstView& view,
                      std::int64_t along_k) {
  std::vector<std::string> tiles;
  for (const PageTile& tile : data.tiles) tiles.push_back(tile.drawing);
  return template_html("drawings", data.drawings) + template_html("tile-drawings", tiles) +
         fmt::format("<script type=\"application/json\" id=\"data\">{}</script>\n",
                     trace_page_json(trace, data, {view.warp, view.line, view.step}, along_k));
}

}  // namespace

std::string trace_html(const TracedKernel& traced, const TraceView& view) {
  const Trace& trace = traced.trace;
  const ThreadStory story =
      thread_story(trace, {.number = view.thread, .step = view.step_along_k, .iterations = 1});
  const FirstView first = first_view(trace, view.selection);
  const TracePageData data = trace_page_data(trace);
  const std::string body = fmt::format("<header>\n<h1>{}</h1>\n{}</header>\n<main>\n",
                                       escaped(traced.title), facts_html(trace)) +
                           findings_html(trace) + limits_html(trace, data) +
                           "<div class=\"workbench\">\n" + source_html(traced, data, first) +
                           view_html(trace, first) + "</div>\n" +
                           tiles_html(trace, view.step_along_k) + story_html(story) + keys_html +
                           "</main>\n" + data_html(trace, data, first, view.step_along_k);
  const std::string style =
      std::string(picture_css()) + line_css() + document_css() + trace_page_css();
  return html_text({traced.title, style, body, trace_page_js()});
}

static void to_json(Json& json, const PageRun& run) {
  json = {run.first, run.count, run.kind, run.value, run.distance};
}
static void to_json(Json& json, const PageWarp& warp) { json = {warp.warp, warp.base, warp.way}; }
static void to_json(Json& json, const PageInstruction& instruction) {
  json = {{"line", instruction.line}, {"warps", instruction.warps}};
}

namespace {

using simt::Access;
using simt::MemorySpace;

// Numbers the distinct keys.
template <typename Key>
class Numbering {
 public:
  // Returns the key's number. If the key is new, calls `add` before.
  template <typename Add>
  std::size_t of(const Key& key, const Add& add) {
    const auto [place, is_new] = numbers_.try_emplace(key, numbers_.size());
    if (is_new) add();
    return place->second;
  }

 private:
  std::map<Key, std::size_t> numbers_;
};

auto parts_of(const Access& a) {
  return std::tuple(a.line, a.instruction, a.warp, a.step, a.space, a.store, a.bytes, a.joined,
                    a.active, a.buffer, a.offsets, a.cost, a.conflicts, a.asynchronous);
}
using AccessParts = decltype(parts_of(Access()));

auto parts_of(const PageRequest& r) {
  return std::tuple(parts_of(r.access), r.outside, r.drawing, r.costly, r.words);
}
using RequestParts = decltype(parts_of(PageRequest()));

// With distances from its base for offsets.
Access without_place(const Access& access) {
  Access result = access;
  result.line = 0;
  result.instruction = 0;
  result.warp = 0;
  result.step = 0;
  const std::uint64_t base = base_of(access);
  for (const int lane : lanes_of(access.active)) {
    result.offsets[static_cast<std::size_t>(lane)] -= base;
  }
  return result;
}

// "from A[0][0] on · 4 bytes per lane": the part after the name.
std::string without_name(const std::string& from) {
  constexpr std::string_view separator = " on · ";
  const std::size_t end = from.find(separator);
  return end == from.npos ? from : from.substr(end + separator.size());
}

// Draws similar requests only once.
class Drawer {
 public:
  Drawer(const Trace& trace, TracePageData& data) : beside_(trace), paddings_(trace), data_(data) {
    beside_.result.accesses.clear();
  }

  // All accesses of one warp in one step: the number of each one's request.
  std::vector<std::size_t> requests_of(std::span<const Access* const> accesses) {
    beside_.result.accesses.clear();
    for (const Access* access : accesses) beside_.result.accesses.push_back(*access);
    const std::size_t situation = situations_.of(situation_of(beside_.result.accesses), [] {});
    std::vector<std::size_t> result;
    for (const Access& access : beside_.result.accesses) {
      result.push_back(request_of(access, may_conflict(access) ? situation : 0));
    }
    return result;
  }

  std::size_t bytes() const { return bytes_; }

 private:
  // Everything that draw() depends on: the request, its lanes out of bounds, the shared array, and,
  // if it has conflicts, the other accesses of the step.
  using Key = std::tuple<AccessParts, std::uint32_t, std::string, std::size_t>;

  // The conflicts of a copy are not counted, but drawn.
  static bool may_conflict(const Access& access) {
    return access.conflicts > 0 || (access.asynchronous && access.space == MemorySpace::shared);
  }

  // The remedy for bank conflicts depends on all of the warp's accesses to shared memory: in this
  // step here, and in other steps through the paddings.
  static std::vector<AccessParts> situation_of(const std::vector<Access>& accesses) {
    std::vector<AccessParts> parts;
    if (std::ranges::none_of(accesses, may_conflict)) return parts;
    for (Access access : accesses) {
      if (access.space != MemorySpace::shared) continue;
      access.step = 0;
      parts.push_back(parts_of(access));
    }
    return parts;
  }

  std::string array_of(const Access& access) const {
    if (access.space != MemorySpace::shared || access.active == 0) return "";
    const auto first = static_cast<std::size_t>(std::countr_zero(access.active));
    return element_at(beside_, access, access.offsets[first]).array;
  }

  std::size_t request_of(const Access& access, std::size_t situation) {
    const Key key{parts_of(without_place(access)), lanes_outside(beside_, access), array_of(access),
                  situation};
    const auto known = known_.find(key);
    if (known != known_.end()) return known->second;
    return known_[key] = drawn(access);
  }

  std::size_t drawn(const Access& access) {
    const AccessPicture picture = draw(beside_, access, paddings_);
    PageRequest request{without_place(access), picture.outside, 0, picture.is_costly(),
                        words_of({picture})};
    request.words.from = without_name(request.words.from);
    const std::string drawing = svg_element(request_diagram(picture, false));
    request.drawing = drawings_.of(drawing, [&] {
      data_.drawings.push_back(drawing);
      bytes_ += drawing.size();
    });
    return requests_.of(parts_of(request), [&] {
      data_.requests.push_back(request);
      bytes_ += bytes_of_request;
    });
  }

  static constexpr std::size_t bytes_of_request = 400;  // in the page, about

  Trace beside_;  // with the accesses that draw() is to see
  Paddings paddings_;
  TracePageData& data_;
  Numbering<std::vector<AccessParts>> situations_;
  std::map<Key, std::size_t> known_;
  Numbering<std::string> drawings_;
  Numbering<RequestParts> requests_;
  std::size_t bytes_ = 0;
};

// Another run, or one more place of the last.
bool add_to(std::vector<PageRun>& runs, std::int64_t place, std::int64_t kind, std::int64_t value) {
  if (!runs.empty()) {
    PageRun& last = runs.back();
    const std::int64_t distance = last.count == 1 ? value - last.value : last.distance;
    if (last.kind == kind && last.first + last.count == place &&
        last.value + last.count * distance == value) {
      last.distance = distance;
      ++last.count;
      return false;
    }
  }
  runs.push_back({place, 1, kind, value, 0});
  return true;
}

using InstructionKey = std::tuple<int, std::uint32_t, MemorySpace>;
using WarpKey = std::pair<InstructionKey, int>;

WarpKey key_of(const Access& access) {
  return {{access.line, access.instruction, access.space}, access.warp};
}

// By step, then by warp, each in the order of the program. Those of no line are not shown.
std::vector<const Access*> by_step(const Trace& trace) {
  std::vector<const Access*> accesses;
  for (const Access& access : trace.result.accesses) {
    if (access.line > 0) accesses.push_back(&access);
  }
  std::ranges::stable_sort(
      accesses, {}, [](const Access* access) { return std::pair(access->step, access->warp); });
  return accesses;
}

// Those of one warp in one step: neighbours in by_step().
using AccessGroup = std::span<const Access* const>;

std::vector<AccessGroup> groups_of(const std::vector<const Access*>& accesses) {
  std::vector<AccessGroup> groups;
  for (auto begin = accesses.begin(); begin != accesses.end();) {
    const auto end = std::find_if(begin, accesses.end(), [&](const Access* access) {
      return access->step != (*begin)->step || access->warp != (*begin)->warp;
    });
    groups.emplace_back(begin, end);
    begin = end;
  }
  return groups;
}

std::map<WarpKey, std::uint64_t> last_steps_of(const Trace& trace) {
  std::map<WarpKey, std::uint64_t> steps;
  for (const Access& access : trace.result.accesses) steps[key_of(access)] = access.step;
  return steps;
}

// Adds the lines of costly requests to `costly`.
std::map<WarpKey, std::vector<PageRun>> add_requests(const Trace& trace, TracePageData& data,
                                                     std::size_t most_bytes,
                                                     std::set<int>& costly) {
  constexpr std::size_t bytes_of_run = 24;  // in the page, about
  std::map<WarpKey, std::vector<PageRun>> runs;
  const std::map<WarpKey, std::uint64_t> last_steps = last_steps_of(trace);
  const auto is_last = [&](const Access* access) {
    return last_steps.at(key_of(*access)) == access->step;
  };
  std::size_t bytes = 0;
  std::uint64_t step_before = 0;
  Drawer drawer(trace, data);
  const std::vector<const Access*> accesses = by_step(trace);
  for (const AccessGroup& group : groups_of(accesses)) {
    const std::uint64_t step = group.front()->step;
    const bool is_new_step = step != std::exchange(step_before, step);
    if (is_new_step && !data.left_out && bytes + drawer.bytes() > most_bytes) data.left_out = step;
    if (data.left_out && std::ranges::none_of(group, is_last)) continue;
    const std::vector<std::size_t> requests = drawer.requests_of(group);
    for (std::size_t i = 0; i < group.size(); ++i) {
      if (data.left_out && !is_last(group[i])) continue;
      if (data.requests[requests[i]].costly) costly.insert(group[i]->line);
      const bool is_new = add_to(runs[key_of(*group[i])], static_cast<std::int64_t>(step),
                                 static_cast<std::int64_t>(requests[i]),
                                 static_cast<std::int64_t>(base_of(*group[i])));
      if (is_new) bytes += bytes_of_run;
    }
  }
  return runs;
}

void add_ways(TracePageData& data, std::map<WarpKey, std::vector<PageRun>>&& all_runs) {
  Numbering<std::vector<PageRun>> ways;
  for (auto& [key, runs] : all_runs) {
    const auto& [line, instruction, space] = key.first;
    const bool is_same = !data.instructions.empty() && data.instructions.back().line == line &&
                         data.instructions.back().instruction == instruction &&
                         data.instructions.back().space == space;
    if (!is_same) data.instructions.push_back({line, instruction, space, {}});
    const std::int64_t base = runs.front().value;
    for (PageRun& run : runs) run.value -= base;
    const std::size_t way = ways.of(runs, [&data, &added = runs] { data.ways.push_back(added); });
    data.instructions.back().warps.push_back({key.second, base, way});
  }
}

// --- What the lines cost

// The matrices and the shared arrays, in order.
std::vector<simt::OperandCounters> operands_of(const Trace& trace) {
  std::vector<simt::OperandCounters> operands;
  for (const TracedMatrix& matrix : trace.matrices) {
    operands.push_back({matrix.name, MemorySpace::global});
  }
  for (const simt::SharedArray& array : trace.result.shared_arrays) {
    operands.push_back({array.name, MemorySpace::shared});
  }
  return operands;
}

std::string operand_name(const Trace& trace, const Access& access) {
  if (access.space == MemorySpace::global) {
    const TracedMatrix* matrix = matrix_of(trace, access);
    return matrix == nullptr ? "" : matrix->name;
  }
  const simt::SharedArray* array = array_at(trace, first_offset(access));
  return array == nullptr ? "" : array->name;
}

void add_lines(const Trace& trace, const std::set<int>& costly, TracePageData& data) {
  std::map<int, std::vector<simt::OperandCounters>> lines;
  const std::vector<simt::OperandCounters> none = operands_of(trace);
  for (const Access& access : trace.result.accesses) {
    if (access.line <= 0) continue;
    auto& operands = lines.try_emplace(access.line, none).first->second;
    const bool is_shared = access.space == MemorySpace::shared;
    if (is_shared && access.asynchronous) continue;  // which no counter counts
    add(operands, {operand_name(trace, access), access.space, 1, access.cost, access.conflicts});
  }
  for (auto& [line, operands] : lines) {
    std::erase_if(operands, [](const auto& operand) { return operand.requests == 0; });
    data.lines.push_back({line, std::move(operands), costly.contains(line)});
  }
}

// --- Who loads what

void add_tiles(const Trace& trace, TracePageData& data) {
  Numbering<std::tuple<char, int, std::vector<Owner>>> tiles;
  const auto number_of = [&](const TileOwners& tile) {
    return tiles.of({tile.matrix, tile.region.columns(), tile.owners}, [&] {
      data.tiles.push_back({tile, svg_element(tile_diagram(tile))});
    });
  };
  const TilesOfSteps all = tiles_of_steps(trace);
  for (const TileOwners& tile : all.a) data.a_tiles.push_back(number_of(tile));
  for (const TileOwners& tile : all.b) data.b_tiles.push_back(number_of(tile));
  data.c_tile = number_of(all.c);
  data.step_depth = steps_along_k(trace).depth;
}

// --- As JSON

// Each text is written once, and referred to by its number.
struct Texts {
  Numbering<std::string> numbers;
  Json list = Json::array();

  std::size_t of(const std::string& text) {
    return numbers.of(text, [&] { list.push_back(breakable(text)); });
  }
};

Json request_json(const PageRequest& request, Texts& texts) {
  const simt::Access& access = request.access;
  Json at = Json::array();
  for (std::size_t lane = 0; lane < access.offsets.size(); ++lane) {
    const bool is_active = access.active >> lane & 1;
    at.push_back(is_active ? Json(access.offsets[lane]) : Json());
  }
  Json json = {{"shared", access.space == simt::MemorySpace::shared},
               {"bytes", access.bytes},
               {"at", std::move(at)},
               {"drawing", request.drawing},
               {"costly", request.costly},
               {"kind", texts.of(request.words.kind)},
               {"lanes", texts.of(request.words.from)},
               {"cost", texts.of(request.words.cost)},
               {"outside", texts.of(request.words.outside)},
               {"why", texts.of(request.words.why)},
               {"remedy", texts.of(request.words.remedy)}};
  if (access.buffer) json["buffer"] = *access.buffer;
  if (request.outside != 0) json["lanesOutside"] = lanes_of(request.outside);
  return json;
}

std::vector<PageRun> runs_of(const TileOwners& tile) {
  std::vector<PageRun> runs;
  for (std::size_t i = 0; i < tile.owners.size(); ++i) {
    const Owner& owner = tile.owners[i];
    const int sharers = owner.several_warps ? 2 : owner.several_threads ? 1 : 0;
    add_to(runs, static_cast<std::int64_t>(i), sharers, owner.thread);
  }
  return runs;
}

Json tiles_json(const TracePageData& data) {
  Json tiles = Json::array();
  for (const PageTile& tile : data.tiles) {
    const Region& region = tile.owners.region;
    tiles.push_back({{"row", region.row_begin},
                     {"rows", region.rows()},
                     {"column", region.column_begin},
                     {"columns", region.columns()},
                     {"owners", runs_of(tile.owners)}});
  }
  return {{"all", std::move(tiles)},
          {"A", data.a_tiles},
          {"B", data.b_tiles},
          {"C", data.c_tile},
          {"depth", data.step_depth}};
}

Json memory_json(const Trace& trace) {
  Json matrices = Json::array(), arrays = Json::array();
  for (const TracedMatrix& matrix : trace.matrices) {
    matrices.push_back({{"name", matrix.name},
                        {"extents", {matrix.rows, matrix.columns}},
                        {"element_bytes", matrix.element_bytes}});
  }
  for (const simt::SharedArray& array : trace.result.shared_arrays) {
    arrays.push_back({{"name", array.name},
                      {"extents", array.extents},
                      {"offset", array.offset},
                      {"bytes", array.bytes},
                      {"element_bytes", array.element_bytes}});
  }
  return {{"matrices", std::move(matrices)}, {"arrays", std::move(arrays)}};
}

// Escapes text for a <script> element, which ends at the first "</script".
std::string script_json(const Json& json) {
  std::string text;
  for (const char c : json.dump(-1, ' ', false, Json::error_handler_t::replace)) {
    text += c == '<' ? "\\u003c" : std::string(1, c);
  }
  return text;
}

}  // namespace

TracePageData trace_page_data(const Trace& trace, std::size_t most_bytes) {
  TracePageData data;
  std::set<int> costly;
  add_ways(data, add_requests(trace, data, most_bytes, costly));
  add_lines(trace, costly, data);
  add_tiles(trace, data);
  return data;
}

std::string trace_page_json(const Trace& trace, const TracePageData& data, const Selection& first,
                            std::int64_t along_k) {
  Texts texts;
  Json requests = Json::array();
  for (const PageRequest& request : data.requests) requests.push_back(request_json(request, texts));
  const simt::Dim3& block = trace.launch.block;
  return script_json({{"view",
                       {{"line", first.line.value_or(0)},
                        {"warp", first.warp},
                        {"step", first.step},
                        {"tile", along_k}}},
                      {"block", {block.x, block.y, block.z}},
                      {"memory", memory_json(trace)},
                      {"texts", texts.list},
                      {"requests", std::move(requests)},
                      {"ways", data.ways},
                      {"instructions", data.instructions},
                      {"tiles", tiles_json(data)}});
}

}  // namespace gemm_tutor
