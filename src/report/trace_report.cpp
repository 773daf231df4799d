#include "report/trace_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "report/lesson_json.hpp"
#include "report/requests.hpp"
#include "report/run_sections.hpp"
#include "report/source.hpp"
#include "support/text.hpp"
#include "trace/selection.hpp"
#include "view/highlight.hpp"

namespace gemm_tutor {
namespace {

using simt::Access;

Listing requests_listing(const TraceReport& report) {
  const std::vector<Line> code = highlight_source(report.trace.kernel.source);
  Listing listing{.file = "", .is_loose = true};
  for (const SelectedLine& line : report.lines) {
    ListingLine shown = listing_line(code, line.line);
    for (const SelectedAccess& access : line.accesses) {
      if (!shown.below.empty()) shown.below.add(Facts{{Fact{}}});
      shown.below.append(request_parts(access));
    }
    listing.lines.push_back(std::move(shown));
  }
  return listing;
}

Section memory_section(const TraceReport& report) {
  Section section{"Memory"};
  if (report.lines.empty()) {
    const bool is_known = not_recorded(report.trace).empty();
    section.parts = {
        facts({{{is_known ? "nothing was accessed" : "nothing that could be drawn"}}})};
    return section;
  }
  Facts facts;
  facts.add({{fmt::format("{} of {}", counted(std::ssize(report.lines), "line"),
                          report.trace.kernel.file_name)}});
  if (std::ranges::any_of(report.lines, &SelectedLine::is_costly)) {
    facts.add({{"!", Style::bad}, {" " + std::string(costly_means), Style::dim}});
  }
  section.parts = {std::move(facts), requests_listing(report)};
  return section;
}

bool has_step(const TraceReport& report, int line, std::uint64_t step) {
  return std::ranges::any_of(report.trace.result.accesses, [&](const Access& access) {
    return access.line == line && access.warp == report.selection.warp && access.step == step;
  });
}

// The next step of the line that is first, and the next warp.
Commands next_commands(const TraceReport& report, const TracedKernel& traced) {
  const std::string& trace = traced.trace_command;
  const int line = report.lines.front().line;
  const std::uint64_t step = report.selection.step + 1;
  const int warp = report.selection.warp + 1;
  std::vector<std::string> texts;
  if (has_step(report, line, step)) {
    texts.push_back(fmt::format("{} --line {} --step {}", trace, line, step));
  }
  if (warp < report.trace.warps()) {
    texts.push_back(fmt::format("{} --line {} --warp {}", trace, line, warp));
  }
  texts.push_back(traced.lesson_command);
  return commands(texts);
}

// --- JSON

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
               {"space", access.space == simt::MemorySpace::shared ? "shared" : "global"},
               {"kind", access.store ? "store" : "load"},
               {"bytes_a_lane", access.bytes},
               {"lanes", lanes_json(access.active)},
               {"cost", access.cost}};
  if (access.joined > 1) json["joined"] = access.joined;
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

Document trace_heading(const Lesson& lesson) {
  return {.label = "Trace of " + lesson.name(), .title = lesson.title};
}

TracedKernel traced(Trace trace) {
  const std::string& file = trace.kernel.file_name;
  TracedKernel result{.trace = {},
                      .heading = {.title = "Trace of " + file},
                      .title = "Trace of " + std::filesystem::path(file).filename().string(),
                      .code = kernel_lines(trace.kernel.source, trace.name)};
  result.trace = std::move(trace);
  return result;
}

TracedKernel traced(Trace trace, const LessonKernel& of) {
  const Lesson& lesson = *of.lesson;
  const Document heading = trace_heading(lesson);
  const std::string options = options_of(lesson, *of.kernel, trace.problem, of.settings, trace.gpu);
  const simt::Dim3& at = trace.block;
  const std::string block =
      at == simt::Dim3{0, 0, 0} ? "" : fmt::format(" --block {},{}", at.x, at.y);
  Json json = named_json(lesson);
  json["kernel"] = of.kernel->name;
  json["title"] = lesson.title;
  return {std::move(trace),
          heading,
          plain_text(heading.heading()),
          excerpt(lesson, *of.kernel),
          command_of(lesson, "trace") + options + block,
          command_of(lesson, "lesson") + options,
          std::move(json)};
}

Fact place_of(const Trace& trace, const std::string& what) {
  return {{{trace.name, Style::code}},
          {{fmt::format("block {},{} of {}×{} · {}", trace.block.x, trace.block.y,
                        trace.launch.grid.x, trace.launch.grid.y, what),
            Style::dim}}};
}

Section failure_section(const Failure& failure) {
  Section section{"Result"};
  if (failure.findings.empty()) return section;
  Facts facts = finding_facts(failure.findings);
  facts.add({{failure.reached}});
  section.parts = {std::move(facts)};
  return section;
}

Facts not_recorded_facts(const std::string& what) {
  return what.empty() ? Facts() : facts({{{fmt::format("Not drawn: {}", what), Style::dim}}});
}

Parts trace_parts(const TraceReport& report) {
  const Trace& trace = report.trace;
  Section memory = memory_section(report);
  const auto add_apart = [&](const Facts& facts, bool is_apart) {
    if (facts.lines.empty()) return;
    if (is_apart) memory.parts.add(Facts{{Fact{}}});
    memory.parts.add(facts);
  };
  add_apart(not_recorded_facts(not_recorded(trace)), !report.lines.empty());
  if (!trace.result.all_accesses) {
    add_apart(facts({{{std::string(last_steps_missing), Style::doubtful}}}), true);
  }
  return {warnings_section(trace.warnings),
          failure_section(failure_of(trace, report.selection.warp)), std::move(memory)};
}

Document trace_document(const TraceReport& report, const TracedKernel& traced) {
  const Trace& trace = report.trace;
  Document document = traced.heading;
  document.right = {{sizes_text(trace.problem), Style::dim}};
  document.subtitles = {
      place_of(trace, fmt::format("warp {} of {} · step {}", report.selection.warp, trace.warps(),
                                  report.selection.step))};
  document.parts = trace_parts(report);
  if (!traced.trace_command.empty() && !report.lines.empty()) {
    document.parts.add(section("Next", {next_commands(report, traced)}));
  }
  return document;
}

std::string trace_json(const TraceReport& report, const TracedKernel& traced) {
  const Trace& trace = report.trace;
  Json json;
  if (!traced.lesson.empty()) json["lesson"] = traced.lesson;
  json["name"] = trace.name;
  json["file"] = trace.kernel.file_name;
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
