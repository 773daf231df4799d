#include "documents/lesson_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "course/ladder.hpp"
#include "documents/access_words.hpp"
#include "documents/embedded_texts.hpp"
#include "documents/geometry_svg.hpp"
#include "documents/launch_text.hpp"
#include "documents/lesson_parts.hpp"
#include "documents/picture_svg.hpp"
#include "documents/place_text.hpp"
#include "documents/source_view.hpp"
#include "documents/traffic_view.hpp"
#include "documents/work_view.hpp"
#include "run/stream_k_schedule.hpp"
#include "support/text.hpp"
#include "support/utf8.hpp"
#include "trace/selection.hpp"
#include "trace/who_loads.hpp"
#include "view/embedded_texts.hpp"
#include "view/highlight.hpp"
#include "view/html.hpp"
#include "view/line_html.hpp"
#include "view/markdown_html.hpp"
#include "view/mathematics.hpp"
#include "view/units.hpp"

namespace gemm_tutor {
namespace {

constexpr int page_warp = 0, drawn_thread = 0;

std::string page_section(std::string_view name, const std::string& content) {
  return content.empty() ? ""
                         : fmt::format("<section>\n<h2>{}</h2>\n{}</section>\n", name, content);
}

// Short paragraphs, close to one another.
std::string fact_list(const std::vector<Line>& lines) {
  return lines.empty() ? ""
                       : fmt::format("<div class=\"facts\">\n{}</div>\n", paragraphs_html(lines));
}

std::string code(std::string_view text) { return fmt::format("<code>{}</code>", escaped(text)); }

// --- What this is
// ----------------------------------------------------------------------------

std::string title_of(const KernelRun& run) {
  return fmt::format("Lesson {} · {}", run.lesson->number, run.lesson->title);
}

// `kernel`: what is special about it.
std::string named(const Kernel& kernel) {
  return kernel.title.empty() ? code(kernel.name)
                              : code(kernel.name) + ": " + paragraph_html(kernel.title);
}

std::string other_kernels(const KernelRun& run) {
  const std::vector<Kernel>& kernels = run.lesson->kernels;
  if (kernels.size() < 2) return "";
  std::string html =
      fmt::format("<p>The lesson has {} kernels. This page shows {}.</p>\n<ul class=\"kernels\">\n",
                  kernels.size(), named(*run.kernel));
  for (const Kernel& kernel : kernels) {
    if (kernel.name == run.kernel->name) continue;
    html += fmt::format("<li>{} <span class=\"dim\">({})</span></li>\n", named(kernel),
                        escaped(other_kernel_command(run, kernel)));
  }
  return html + "</ul>\n";
}

std::string header(const KernelRun& run) {
  return fmt::format(
      "<header>\n<p class=\"number\">Lesson {}</p>\n<h1>{}</h1>\n<p class=\"dim\">{} · {}</p>\n{}"
      "</header>\n",
      run.lesson->number, escaped(run.lesson->title), html_with_formulas(sizes_text(run.problem)),
      escaped(run.device), other_kernels(run));
}

// What a class is given before it predicts. The style sheet hides the rest: a page that holds no
// script can be put on any server of a school.
constexpr std::string_view class_choice =
    "<input type=\"checkbox\" id=\"for-class\"> <label for=\"for-class\">For a class: only what "
    "comes before the prediction</label>\n";

// --- The source
// ----------------------------------------------------------------------------

// Of a course of a teacher's own the path is a path on somebody's machine: the file's name and its
// folder say enough.
std::string short_path(const std::string& path) {
  const std::filesystem::path file(path);
  return (file.parent_path().filename() / file.filename()).string();
}

std::string count_html(const std::string& count, bool has_conflicts) {
  return fmt::format("<span{}>{}{}</span>", has_conflicts ? " class=\"bad\"" : "", escaped(count),
                     has_conflicts ? " !" : "");
}

// The lines in colour, with their counts at the right and their notes below.
class SourceListing {
 public:
  explicit SourceListing(const KernelRun& run) : run_(run), counts_(counts_beside(run)) {
    for (const LineCounts& counts : counts_) {
      global_ = global_ || !counts.global.empty();
      shared_ = shared_ || !counts.shared.empty();
      conflicts_ = conflicts_ || counts.has_conflicts;
    }
  }

  std::string html() const {
    std::string rows;
    const std::vector<Line> lines = highlight_source(run_.excerpt);
    for (std::size_t i = 0; i < run_.excerpt.size(); ++i) {
      if (i > 0 && run_.excerpt[i].number != run_.excerpt[i - 1].number + 1) {
        rows += "<div class=\"line\"><span></span><span class=\"dim\">…</span></div>\n";
      }
      rows += row(i, lines[i]) + notes_below(i);
    }
    return fmt::format(
        "<p class=\"dim\">{}</p>\n<div class=\"source\" tabindex=\"0\"><div class=\"lines\">\n{}"
        "</div></div>\n{}",
        code(short_path(run_.source_file)), rows, legend());
  }

 private:
  std::string row(std::size_t i, const Line& code) const {
    return fmt::format(
        "<div class=\"line\"><span class=\"number\">{}</span><code>{}</code>{}</div>\n",
        run_.excerpt[i].number, line_html(code), counts_html(counts_[i]));
  }

  std::string counts_html(const LineCounts& counts) const {
    if (counts.global.empty() && counts.shared.empty()) return "";
    std::string html;
    if (global_) html += count_html(counts.global, false);
    if (shared_) html += count_html(counts.shared, counts.has_conflicts);
    return fmt::format("<span class=\"counts after\">{}</span>", html);
  }

  std::string notes_below(std::size_t i) const {
    std::string html;
    for (const Note& note : run_.kernel->notes) {
      if (noted_line(run_.excerpt, note) != i) continue;
      html += fmt::format("<p class=\"note\">{}</p>\n", paragraph_html(note.text));
    }
    return html;
  }

  std::string legend() const {
    std::vector<std::string> parts;
    if (global_) {
      parts.push_back("sec/req: sectors of 32 bytes for each request of a warp to global memory");
    }
    if (shared_) {
      parts.push_back("wf/req: wavefronts, passes of shared memory, for each request to it");
    }
    if (conflicts_) parts.push_back(fmt::format("!: {}", conflicts_legend));
    if (run_.emulation && run_.emulation->total.shared_load_requests > 0) {
      parts.push_back(std::string(ptx_legend));
    }
    if (parts.empty()) return "";
    return fmt::format("<p class=\"legend after\">{}.</p>\n", escaped(join(parts, "; ")));
  }

  const KernelRun& run_;
  std::vector<LineCounts> counts_;
  bool global_ = false, shared_ = false, conflicts_ = false;
};

// The CPU's loops and the call of a library are no kernels.
std::string source(const KernelRun& run) {
  return page_section(run.kernel->is_cuda() ? "The kernel" : "The code", SourceListing(run).html());
}

// --- The launch
// ----------------------------------------------------------------------------

std::string figure(const std::string& drawing, const std::string& caption) {
  return fmt::format("<figure>\n{}<figcaption>{}</figcaption></figure>\n", drawing, caption);
}

template <typename Test>
std::string elements_text(const TileOwners& tile, const Test& is_part) {
  return counted(std::ranges::count_if(tile.owners, is_part), "element");
}

std::string key(std::string_view style) {
  return fmt::format("<span class=\"key {}\"></span>", style);
}

std::string grid_caption(const Trace& trace, const std::vector<Region>& regions) {
  const auto blocks = static_cast<std::int64_t>(trace.launch.grid.count());
  if (trace.shape.stream_k) {
    const StreamKSchedule schedule(trace.shape, trace.problem);
    return fmt::format("C in {}, which {} share.<br>{}block {}: {}, whole or in part",
                       counted(schedule.tiles(), "tile"), counted(blocks, "block"), key("block"),
                       trace.block.x, counted(std::ssize(regions), "tile"));
  }
  return fmt::format("C in {}; <code>blockIdx.x</code> counts {}.<br>{}block {}: {}",
                     counted(blocks, "block"),
                     trace.shape.grid_x_along_rows ? "down" : "to the right", key("block"),
                     place_text(trace.block), region_text(regions.front()));
}

std::string launch_pictures(const Trace& trace) {
  const TileOwners tile = who_loads(trace, 0).c;
  const std::vector<Region> regions = block_regions(trace.shape, trace.problem, trace.block);
  const std::string part = fmt::format(
      "The {} of C that this block computes.<br>{}warp {}: {}<br>{}thread {}: {}",
      regions.size() > 1 ? "first tile" : "tile", key("warp"), page_warp,
      elements_text(tile, [](const Owner& owner) { return owner.warp == page_warp; }),
      key("thread"), drawn_thread,
      elements_text(tile, [](const Owner& owner) { return owner.thread == drawn_thread; }));
  return "<div class=\"pictures\">\n" +
         figure(grid_svg(trace.problem, trace.shape, regions), grid_caption(trace, regions)) +
         figure(tile_part_svg(tile, page_warp, drawn_thread), part) + "</div>\n";
}

std::string launch(const KernelRun& run, const std::optional<Trace>& trace) {
  std::string html = code_block_html({call_text(run)}) + fact_list(launch_lines(run));
  if (run.second_launch) {
    html += code_block_html({run.second_launch->statement}) + fact_list(second_launch_lines(run));
  }
  if (trace) html += launch_pictures(*trace);
  if (run.launch && run.kernel->shape) {
    html += fmt::format("<p>{}</p>\n", html_with_formulas(grid_text(run)));
    const std::string residency = residency_text(run);
    if (!residency.empty()) html += fmt::format("<p>{}</p>\n", escaped(residency));
  }
  return html;
}

// --- Requests of memory
// ----------------------------------------------------------------------------

// Requests one after the other. What was drawn for a line before is not drawn again.
class RequestFigures {
 public:
  std::string html(const SelectedAccess& access, int line) {
    const AccessWords words = words_of(access);
    const std::string costly = access.picture.is_costly() ? "<span class=\"bad\">! </span>" : "";
    return fmt::format(
        "<figure class=\"request\">\n<figcaption>{}<strong>{}</strong> {}<br>{}</figcaption>\n{}"
        "</figure>\n",
        costly, escaped(words.kind), escaped(words.from), escaped(words.cost),
        drawing(access, words, line));
  }

 private:
  std::string drawing(const SelectedAccess& access, const AccessWords& words, int line) {
    const std::string alike = access_svg(access.picture, false) + words.why + words.remedy;
    const auto [known, is_new] = drawn_.emplace(alike, line);
    if (!is_new && words.outside.empty()) {
      return fmt::format("<p>As drawn for line {}{}.</p>\n", known->second,
                         known->second == line ? ", above" : "");
    }
    std::string html =
        fmt::format("<div class=\"scroll\" tabindex=\"0\">{}</div>\n", access_svg(access.picture));
    if (!words.outside.empty()) {
      html += fmt::format("<p class=\"bad\">✗ {}</p>\n", escaped(words.outside));
    }
    html += fmt::format("<p>{}</p>\n", escaped(words.why));
    if (!words.remedy.empty()) html += fmt::format("<p>→ {}</p>\n", escaped(words.remedy));
    return html;
  }

  std::map<std::string, int> drawn_;  // and the line that it was drawn for
};

std::string costly_legend(const std::vector<SelectedLine>& lines) {
  const bool any = std::ranges::any_of(lines, &SelectedLine::is_costly);
  return any ? " <span class=\"bad\">!</span> marks a request that takes more sectors than its "
               "bytes need, or that has bank conflicts."
             : "";
}

std::string requests(const std::optional<Trace>& trace) {
  if (!trace) return "";
  std::vector<SelectedLine> lines = select(*trace, {.warp = page_warp});
  std::ranges::sort(lines, {}, &SelectedLine::line);  // as in the source above
  if (lines.empty()) return "";
  std::string html = fmt::format(
      "<p>What warp {} of block {} asks of memory when it comes to a line for the first time. The "
      "numbers in the cells are its lanes, 0 to 31.{}</p>\n",
      page_warp, place_text(trace->block), costly_legend(lines));
  RequestFigures figures;
  for (const SelectedLine& line : lines) {
    html += fmt::format("<h3><span class=\"number\">{}</span><code>{}</code></h3>\n", line.line,
                        line_html(highlight({printable(trimmed(line.text))}).front()));
    for (const SelectedAccess& access : line.accesses) html += figures.html(access, line.line);
  }
  return html;
}

// --- What was counted, measured and found
// ----------------------------------------------------------------------------

std::string set_or_escaped(const std::string& formula) {
  return mathml(formula, FormulaPlace::own_line).value_or(escaped(formula));
}

std::string traffic_table(const std::vector<TrafficRow>& rows) {
  std::string html =
      "<div class=\"scroll\"><table class=\"traffic\">\n<thead><tr><th></th><th>by the formula</th>"
      "<th>floats</th><th>counted</th><th></th></tr></thead>\n<tbody>\n";
  for (const TrafficRow& row : rows) {
    html += fmt::format(
        "<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
        row.name, set_or_escaped(row.formula), row.predicted, row.counted,
        row.mark.text.empty() ? "" : line_html({row.mark}));
  }
  return html + "</tbody></table></div>\n";
}

std::string counted_alone(const Traffic& traffic) {
  return fmt::format("<p>{} floats loaded and {} stored{}.</p>\n",
                     with_thousands(traffic.counted_loads.value_or(0)),
                     with_thousands(traffic.counted_stores.value_or(0)),
                     traffic.count_is_exact ? "" : " (≈)");
}

std::string traffic(const KernelRun& run) {
  if (!run.traffic.counted_loads && !run.emulation) return "";
  if (run.emulation && run.emulation->stopped) {
    return fmt::format("<p>{}</p>\n", escaped(traffic_not_told));
  }
  const std::vector<TrafficRow> rows = traffic_rows(run);
  return (rows.empty() ? counted_alone(run.traffic) : traffic_table(rows)) +
         fact_list(traffic_lines(run));
}

// --- What a class does with it
// ----------------------------------------------------------------------------

std::string question_html(const Question& question, const KernelRun& run) {
  const Problem problem = problem_of(question, *run.kernel, run.settings, run.problem);
  const Values values = values_before(*run.kernel, run.settings, problem);
  std::string html = paragraph_html(filled_in(question.ask, values));
  if (!(problem == run.problem)) {
    html += fmt::format(" <span class=\"dim\">(For {}.)</span>", escaped(sizes_text(problem)));
  }
  if (question.choices.empty()) {
    return html + fmt::format("<p class=\"answer\"><span class=\"blank\"></span> {}</p>",
                              escaped(question.unit));
  }
  html += "<ul class=\"choices\">";
  for (const Choice& choice : question.choices) {
    html += fmt::format("<li>{}</li>", paragraph_html(filled_in(choice.text, values)));
  }
  return html + "</ul>";
}

// The course begins with the lesson's own kernel, and at a size of its own.
std::string what_is_right(const KernelRun& run) {
  std::string html = "<p class=\"dim\">";
  if (run.emulation || run.traffic.counted_loads) {
    html +=
        "<span class=\"after\">What this run counted stands beside the source and below. </span>";
  }
  html += fmt::format(
      "{} asks this as well, at the size and with the tiles that are chosen there{}; it counts "
      "what is right, and shows the arithmetic that leads there.",
      code(command_of(*run.lesson, "learn")),
      is_own_kernel(run) ? "" : ", once the key k has brought you to this kernel");
  return html + "</p>\n";
}

std::string question_part(const KernelRun& run) {
  if (run.kernel->questions.empty()) return "";
  std::string html = "<ol class=\"questions\">\n";
  for (const Question& question : run.kernel->questions) {
    html += fmt::format("<li>{}</li>\n", question_html(question, run));
  }
  return html + "</ol>\n" + what_is_right(run);
}

std::string article(const std::string& markdown) {
  const std::string html = markdown_html(markdown);
  return html.empty() ? "" : "<article>\n" + html + "</article>\n";
}

std::string next(const LessonReport& report) {
  std::string html = "<ul class=\"commands\">\n";
  for (const std::string& command : next_commands(report)) {
    html += fmt::format("<li>{}</li>\n", code(command));
  }
  html += "</ul>\n";
  if (report.run.lesson->of_course) {
    html += "<p>DIR stands for the folder that holds the course's lessons.</p>\n";
  }
  html +=
      "<p><code>gemm-tutor explain WORD</code> says what a word of this page means, such as "
      "FFMA or PTX.</p>\n";
  if (!report.next) return html;
  return html + fmt::format("<p>The next lesson is {}: {}.</p>\n", report.next->number,
                            escaped(report.next->title));
}

std::string before_prediction(const KernelRun& run) {
  return article(parts_of(*run.lesson).before) + source(run) +
         page_section("Predict before you run", question_part(run));
}

std::string after_prediction(const LessonReport& report, const std::optional<Trace>& trace) {
  const KernelRun& run = report.run;
  const LessonParts parts = parts_of(*run.lesson);
  return article(parts.memory + parts.after) + page_section("Launch", launch(run, trace)) +
         page_section("What a warp asks of memory", requests(trace)) +
         page_section("Traffic", traffic(run)) + page_section("Work", fact_list(work_lines(run))) +
         page_section("Timing", fact_list(timing_lines(report))) +
         page_section("Result", fact_list(result_lines(run))) + page_section("Next", next(report));
}

}  // namespace

std::string lesson_html(const LessonReport& report, const std::optional<Trace>& trace) {
  const KernelRun& run = report.run;
  const std::string body = header(run) + std::string(class_choice) + before_prediction(run) +
                           "<div class=\"after\">\n" + after_prediction(report, trace) + "</div>\n";
  const std::string style = std::string(picture_css()) + line_html_css() + lesson_page_css();
  return html_text({title_of(run), style, body, {}});
}

}  // namespace gemm_tutor
