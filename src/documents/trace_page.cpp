#include "documents/trace_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <optional>
#include <vector>

#include "documents/access_words.hpp"
#include "documents/embedded_texts.hpp"
#include "documents/launch_text.hpp"
#include "documents/picture_svg.hpp"
#include "documents/request_costs.hpp"
#include "documents/run_sections.hpp"
#include "documents/thread_report.hpp"
#include "documents/trace_page_data.hpp"
#include "support/text.hpp"
#include "trace/limits.hpp"
#include "trace/thread_story.hpp"
#include "trace/who_loads.hpp"
#include "view/embedded_texts.hpp"
#include "view/highlight.hpp"
#include "view/html.hpp"
#include "view/html_page.hpp"
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

}  // namespace gemm_tutor
