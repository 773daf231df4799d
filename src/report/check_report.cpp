#include "report/check_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "classroom/marks.hpp"
#include "classroom/screening.hpp"
#include "course/expression.hpp"
#include "course/question.hpp"
#include "exercise/correction.hpp"
#include "gemm/matrices.hpp"
#include "report/estimate_section.hpp"
#include "report/lesson_json.hpp"
#include "report/reference_section.hpp"
#include "report/run_sections.hpp"
#include "simt/compiler.hpp"
#include "simt/finding.hpp"
#include "support/text.hpp"
#include "view/highlight.hpp"
#include "view/units.hpp"

namespace gemm_tutor {
namespace {

constexpr std::size_t most_findings = 4;  // that are shown

int right_sizes(const CheckReport& report) {
  return static_cast<int>(std::ranges::count_if(
      report.sizes, [](const SizeCheck& size) { return size.verification.passed; }));
}

Line mark(bool good) {
  return {{unbreakable(good ? "✓ " : "✗ "), good ? Style::good : Style::bad}};
}

Facts not_yet(const char* after) {
  return facts({{{fmt::format("looked at once {}", after), Style::dim}}});
}

// The learner's line, shown below the text about it; empty if there is none.
void add_line_of(Parts& parts, const CheckReport& report, int number) {
  const std::vector<std::string> lines = split_lines(report.source);
  if (number < 1 || number > std::ssize(lines)) return;
  const std::string code(trimmed(lines[number - 1]));
  parts.add(Listing{.path = report.file_name,
                    .lines = {{.number = fmt::format("{:>6}", number),
                               .code = highlight({code}).front(),
                               .mark = {" "}}}});
}

bool is_timed(const CheckReport& report) {
  return report.exercise->terms.kind == ExerciseKind::faster && report.timed &&
         report.timed->estimate;
}

// --- The sections

// A file that is watched is checked once it is saved.
std::string compile_help(const CheckView& view) {
  const std::string& help = view.report.compile_help;
  constexpr std::string_view again = ", and run the command again.";
  if (!view.is_watched || !help.ends_with(again)) return help;
  return help.substr(0, help.size() - again.size()) + ", and save it.";
}

Section compile_section(const CheckView& view) {
  const CheckReport& report = view.report;
  if (report.failed == Stage::compile) {
    return {"Compile",
            "",
            {Message{mark(false).front(), report.compile_error},
             facts({{{"  " + compile_help(view)}}})}};
  }
  Section section{"Compile"};
  section.parts.fact(mark(true) +
                     Line{{report.warnings.empty() ? "it compiles" : "it compiles, but:"}});
  section.parts.append(warning_parts(report.warnings));
  return section;
}

std::string size_result(const SizeCheck& size) {
  const Verification& v = size.verification;
  const std::string text = size_text(size.problem);
  if (v.passed) return text;
  if (v.wrong_elements == v.elements_checked) return text + ": all wrong";
  return fmt::format("{}: {} of {} wrong", text, with_thousands(v.wrong_elements),
                     with_thousands(v.elements_checked));
}

// Those after one that had to be stopped.
std::string sizes_not_run(const CheckReport& report) {
  const std::vector<Problem>& all = report.exercise->terms.sizes;
  std::vector<std::string> names;
  for (std::size_t i = report.sizes.size(); i < all.size(); ++i) names.push_back(size_text(all[i]));
  return names.empty() ? "" : fmt::format("not run: {}", join(names));
}

Facts size_facts(const CheckReport& report) {
  Line line;
  for (const SizeCheck& size : report.sizes) {
    if (!line.empty()) line = std::move(line) + Line{{"   "}};
    line =
        std::move(line) + mark(size.verification.passed) + Line{{unbreakable(size_result(size))}};
  }
  Facts facts;
  facts.add(line);
  if (const std::string others = sizes_not_run(report); !others.empty()) {
    facts.add({{others, Style::dim}});
  }
  return facts;
}

std::string value_text(const WrongElement& element) {
  if (is_poison(element.value)) return "was never written";
  return fmt::format("is {:.7g}", element.value);
}

bool is_uniform(const ResultMap& map) {
  return std::ranges::all_of(map.lines, [&](const std::string& line) {
    return line.find_first_not_of(map.lines.front().front()) == line.npos;
  });
}

void add_diagnosis(Parts& parts, const Diagnosis& diagnosis) {
  const WrongElement& first = diagnosis.first;
  parts.fact({{fmt::format("At {}, C[{}][{}] {}; {:.7g} is right. Wrong: {}.",
                           size_text(diagnosis.problem), first.row, first.column, value_text(first),
                           first.reference, diagnosis.where)}});
  if (is_uniform(diagnosis.map)) return;  // `where` says the same
  parts.add(Code{diagnosis.map.lines});
  std::vector<std::string> signs = {". right", "x wrong", "+ some wrong"};
  if (diagnosis.unwritten > 0) signs.emplace_back("? never written");
  for (std::string& sign : signs) sign = unbreakable(sign);
  parts.fact({{fmt::format("  {} a character: {}",
                           cell_text(diagnosis.map.rows, diagnosis.map.columns), join(signs)),
               Style::dim}});
}

Section result_section(const CheckReport& report) {
  Section section{"Result"};
  if (report.failed == Stage::compile) {
    section.parts = {not_yet("it compiles")};
    return section;
  }
  section.parts = {size_facts(report)};
  if (report.diagnosis) add_diagnosis(section.parts, *report.diagnosis);
  if (!report.gpu.empty()) {
    section.parts.fact({{"run on the " + report.gpu + " as well", Style::dim}});
  }
  return section;
}

void add_findings(Parts& parts, const CheckReport& report) {
  const std::vector<simt::Finding> findings = simt::one_per_cause(report.findings);
  for (std::size_t i = 0; i < std::min(most_findings, findings.size()); ++i) {
    const simt::Finding& finding = findings[i];
    parts.add(finding_facts({finding}));
    add_line_of(parts, report, finding.line);
  }
  if (findings.size() > most_findings) {
    parts.fact({{fmt::format("  and {} more, which may come from the same cause",
                             findings.size() - most_findings),
                 Style::dim}});
  }
}

Section safety_section(const CheckReport& report) {
  Section section{"Safety"};
  if (report.failed == Stage::compile) {
    section.parts = {not_yet("it compiles")};
  } else if (!report.findings.empty()) {
    add_findings(section.parts, report);
  } else {
    section.parts = {facts(
        {mark(true) +
         Line{{"no race, no access out of bounds, no shared or global memory read before it is "
               "written"}}})};
  }
  return section;
}

std::string bound_text(const GoalCheck& check) {
  return fmt::format("{} {}", words_of(check.goal->bound),
                     quantity_text(check.expected, check.goal->unit));
}

std::string count_text(const GoalCheck& check) {
  return check.counted ? number_text(*check.counted) : "no value, as " + check.not_counted;
}

std::string goal_text(const GoalCheck& check) {
  return fmt::format("{}: {}, asked {}", check.goal->name, count_text(check), bound_text(check));
}

void add_unjudged(Parts& parts, const GoalCheck& check) {
  parts.fact({{unbreakable("? "), Style::doubtful},
              {fmt::format("{}: not judged. {}.", check.goal->name, check.not_counted)}});
  parts.fact({{fmt::format("  {}", who_makes_machine_code), Style::dim}});
}

void add_goal(Parts& parts, const CheckReport& report, const GoalCheck& check) {
  const Goal& goal = *check.goal;
  if (!check.is_judged) return add_unjudged(parts, check);
  parts.fact(mark(check.met) + Line{{goal_text(check)}});
  if (check.met) return;
  if (check.waits) {
    parts.fact({{"  within its limit; it counts once the goals above it are met", Style::dim}});
    return;
  }
  parts.fact({{fmt::format("  {}, at {}", check.arithmetic, size_text(goal.problem)), Style::dim}});
  for (const LineShare& share : check.lines) {
    parts.fact(
        {{fmt::format("  line {}: {}", share.line, quantity_text(share.counted, goal.unit))}});
    add_line_of(parts, report, share.line);
  }
}

Section goals_section(const CheckReport& report) {
  Section section{"Traffic"};
  if (report.failed && report.failed != Stage::traffic) {
    section.parts = {not_yet("result and safety are good")};
    return section;
  }
  if (report.goals.empty()) section.parts = {facts({{{"nothing is asked of it", Style::dim}}})};
  for (const GoalCheck& check : report.goals) add_goal(section.parts, report, check);
  return section;
}

// For a kernel to make faster: its time, the reason, and what would help.
std::vector<PlacedPart> time_parts(const CheckReport& report) {
  if (!is_timed(report)) return {};
  const KernelRun& run = *report.timed;
  std::vector<PlacedPart> parts = {
      {Place::timing, section("Timing", {facts({{{fmt::format("at {}: {}", size_text(run.problem),
                                                              estimated_text(run))}}})})},
      {Place::timing, speed_section(run)},
      {Place::limits, limits_section(run)}};
  if (!report.solved()) return parts;  // finding what helps is the exercise
  Section changes = try_section(run.estimate);
  if (!changes.parts.empty())
    add_line_of(changes.parts, report, run.estimate->changes.front().line);
  parts.push_back({Place::advice, std::move(changes)});
  return parts;
}

// What the thread did whose element is wrong.
std::string trace_command(const CheckReport& report) {
  const Problem& problem = report.diagnosis->problem;
  const auto& [block, thread] = *report.wrong_by;
  const bool is_cube = problem.m == problem.n && problem.n == problem.k;
  const std::string size =
      is_cube ? fmt::format("--size {}", problem.m)
              : fmt::format("--m {} --n {} --k {}", problem.m, problem.n, problem.k);
  return fmt::format("gemm-tutor trace {} {} --block {},{} --thread {},{}",
                     shell_word(report.file_name), size, block.x, block.y, thread.x, thread.y);
}

Commands next_commands(const CheckView& view) {
  const Exercise& exercise = *view.report.exercise;
  std::vector<std::string> texts;
  if (view.report.solved()) {
    if (view.next) texts.push_back("gemm-tutor exercise start " + short_name(*view.next));
    texts.push_back("gemm-tutor solution " + short_name(exercise));
  } else {
    if (view.hints_left > 0) texts.emplace_back("gemm-tutor hint");
    texts.push_back("gemm-tutor check " + shell_word(view.report.file_name));
    if (view.report.wrong_by) texts.push_back(trace_command(view.report));
  }
  return commands(texts);
}

Facts difference_facts(const CheckView& view) {
  Facts facts;
  if (!view.before) return facts;
  const Differences since = differences(*view.before, view.report);
  for (const std::string& text : since.better) facts.add({{"↑ ", Style::good}, {text}});
  for (const std::string& text : since.worse) facts.add({{"↓ ", Style::bad}, {text}});
  return facts;
}

// Of a kernel that solves its exercise: ", and both goals are met".
std::string goals_text(const std::vector<GoalCheck>& goals) {
  const auto judged = std::ranges::count_if(goals, &GoalCheck::is_judged);
  if (judged < std::ssize(goals)) {
    return fmt::format(", and {} of {} goals met; not judged: {}", judged, goals.size(),
                       goals.size() - judged);
  }
  if (judged == 0) return "";
  if (judged == 1) return ", and the goal is met";
  return judged == 2 ? ", and both goals are met"
                     : fmt::format(", and all {} goals are met", judged);
}

Line verdict(const CheckReport& report) {
  const auto sizes = static_cast<int>(report.sizes.size());
  if (report.solved()) {
    return {{"✓ ", Style::good},
            {"Well done: ", Style::good},
            {fmt::format("right at {}, nothing found{}.", counted(sizes, "size"),
                         goals_text(report.goals))}};
  }
  std::string text;
  switch (report.failed.value()) {
    case Stage::compile:
      text = "it does not compile";
      break;
    case Stage::result:
      text = fmt::format("wrong at {} of {}", sizes - right_sizes(report), counted(sizes, "size"));
      break;
    case Stage::safety:
      text = fmt::format("right at {}, but not safe", counted(sizes, "size"));
      break;
    case Stage::traffic:
      text = fmt::format("right and safe, with {} of {} goals met",
                         std::ranges::count_if(report.goals, &GoalCheck::met),
                         std::ranges::count_if(report.goals, &GoalCheck::is_judged));
  }
  return {{"✗ ", Style::bad}, {std::move(text)}};
}

// The place of a mistake, unless finding it is the exercise, and the gaps that are left.
Facts next_facts(const CheckReport& report) {
  Facts facts;
  if (!report.place.empty() && report.exercise->terms.kind == ExerciseKind::gaps) {
    facts.add({{report.place}});
  }
  if (report.untouched_gaps.empty() || report.solved()) return facts;
  std::vector<std::string> gaps;
  for (const int gap : report.untouched_gaps) gaps.push_back(fmt::format("GAP {}", gap));
  facts.add({{fmt::format("still as handed out: {}", join(gaps))}});
  return facts;
}

Section found_section(const CheckReport& report) {
  Section section{"Found", "", {facts({verdict(report)})}};
  const auto missed = std::ranges::find_if(report.goals, &GoalCheck::missed);
  if (missed != report.goals.end()) section.parts.fact({{goal_text(*missed)}});
  if (is_timed(report)) {
    if (Line time = time_and_limit(*report.timed); !time.empty()) section.parts.fact(time);
  }
  for (Fact& fact : next_facts(report).lines) section.parts.fact(std::move(fact.text));
  return section;
}

// Why a teacher's grading would reject it.
Facts refusal_facts(const CheckReport& report) {
  const std::string refusal = screened(report.source).refusal;
  if (refusal.empty()) return {};
  return facts({{{"'gemm-tutor grade' would refuse it: " + refusal, Style::doubtful}}});
}

Section section_of(const char* label, Facts facts) {
  return facts.lines.empty() ? Section() : section(label, {std::move(facts)});
}

// --- Several files

std::string result_text(const FileCheck& file) {
  if (!file.report) return file.trouble;
  if (file.solved()) return "solved";
  return is_as_handed_out(*file.exercise, file.kernel.source) ? "as handed out"
                                                              : mark_of(*file.report).reason;
}

Commands next_commands(const std::vector<FileCheck>& files, const Exercise* next) {
  const auto unsolved = std::ranges::find_if(files, [](const FileCheck& f) { return !f.solved(); });
  if (unsolved != files.end()) {
    return {{{"gemm-tutor check " + shell_word(unsolved->file), unsolved->exercise->title}}};
  }
  if (!next) return {{{"gemm-tutor exercise list", "all are solved"}}};
  return {{{"gemm-tutor exercise start " + short_name(*next), next->title}}};
}

// --- What changed

int stage_place(const CheckReport& report) {
  constexpr int after_all = 4;
  return report.failed ? static_cast<int>(*report.failed) : after_all;
}

void compare_sizes(const CheckReport& before, const CheckReport& now, Differences& result) {
  const int were = right_sizes(before), are = right_sizes(now);
  if (before.sizes.empty() || now.sizes.empty() || were == are) return;
  auto& list = are > were ? result.better : result.worse;
  list.push_back(fmt::format("right at {} of {} sizes, before at {}", are,
                             now.exercise->terms.sizes.size(), were));
}

bool has_finding(const CheckReport& report, simt::FindingKind kind) {
  return simt::has_kind(report.findings, kind);
}

// By kind: lines move as a file is edited.
void compare_findings(const CheckReport& before, const CheckReport& now, Differences& result) {
  if (before.sizes.empty() || now.sizes.empty()) return;
  std::vector<simt::FindingKind> reported;
  const auto report = [&](const CheckReport& with, const CheckReport& without, const char* verb,
                          std::vector<std::string>& list) {
    for (const simt::Finding& finding : with.findings) {
      const simt::FindingKind kind = finding.kind();
      if (has_finding(without, kind) || std::ranges::count(reported, kind) > 0) continue;
      reported.push_back(kind);
      list.push_back(fmt::format("{}: {}", name_of(kind), verb));
    }
  };
  report(before, now, "no longer found", result.better);
  report(now, before, "found now", result.worse);
}

bool is_same_count(const GoalCheck& a, const GoalCheck& b) {
  return a.counted && b.counted ? nearly_equal(*a.counted, *b.counted) : a.counted == b.counted;
}

void compare_goals(const CheckReport& before, const CheckReport& now, Differences& result) {
  if (before.goals.size() != now.goals.size()) return;
  for (std::size_t i = 0; i < now.goals.size(); ++i) {
    const GoalCheck &was = before.goals[i], &is = now.goals[i];
    if (was.goal != is.goal || is_same_count(was, is)) continue;
    const bool is_less = was.counted && is.counted && *is.counted < *was.counted;
    const bool is_nearer = is_less == (is.goal->bound != Goal::Bound::at_least);
    const bool better = is.met || (!was.met && is_nearer);
    (better ? result.better : result.worse)
        .push_back(
            fmt::format("{}: {}, before {}", is.goal->name, count_text(is), count_text(was)));
  }
}

// --- As JSON

Json json_of(const SizeCheck& size) {
  return {{"problem", problem_json(size.problem)},
          {"passed", size.verification.passed},
          {"elements", size.verification.elements_checked},
          {"wrong_elements", size.verification.wrong_elements},
          {"unwritten_elements", size.verification.unwritten_elements}};
}

Json json_of(const Diagnosis& diagnosis) {
  Json first{{"row", diagnosis.first.row}, {"column", diagnosis.first.column}};
  if (!is_poison(diagnosis.first.value)) first["value"] = diagnosis.first.value;
  first["reference"] = diagnosis.first.reference;
  first["bound"] = diagnosis.first.bound;
  Json json{{"problem", problem_json(diagnosis.problem)}, {"first_wrong", first}};
  json["where"] = diagnosis.where;
  json["map"] = diagnosis.map.lines;
  return json;
}

Json json_of(const GoalCheck& check) {
  Json json{{"name", check.goal->name},
            {"unit", check.goal->unit},
            {key_of(check.goal->bound), check.expected}};
  if (check.goal->is_essential()) json["essential"] = true;
  if (check.goal->is_central) json["central"] = true;
  if (check.counted) json["counted"] = *check.counted;
  if (!check.counted) json["not_counted"] = check.not_counted;
  if (check.is_judged) json["met"] = check.met;
  if (check.waits) json["waits"] = true;
  for (const LineShare& share : check.lines) {
    json["lines"].push_back({{"line", share.line}, {"counted", share.counted}});
  }
  return json;
}

}  // namespace

std::string size_text(const Problem& p) { return fmt::format("{}×{}×{}", p.m, p.n, p.k); }

Document titled(const Exercise& exercise) {
  return {.label = exercise.lesson ? fmt::format("Exercise {}", *exercise.lesson) : "Exercise",
          .title = exercise.title};
}

Document check_document(const CheckView& view) {
  const CheckReport& report = view.report;
  Document document = titled(*report.exercise);
  document.right = {file_span(report.file_name, Style::dim)};
  std::vector<PlacedPart> parts = time_parts(report);
  parts.insert(parts.end(), {{Place::found, found_section(report)},
                             {Place::stages, compile_section(view)},
                             {Place::stages, result_section(report)},
                             {Place::stages, safety_section(report)},
                             {Place::traffic, goals_section(report)},
                             {Place::progress, section_of("Since", difference_facts(view))},
                             {Place::progress, reference_section(report)},
                             {Place::progress, other_ways_section(report)},
                             {Place::messages, section_of("Note", refusal_facts(report))}});
  if (!view.has_keys) {
    parts.push_back({Place::next, section("Next", {next_commands(view)})});
    parts.push_back({Place::next, section("Verdict", {facts({verdict(report)})})});
  }
  document.parts = in_order(std::move(parts));
  return document;
}

Json check_object(const CheckReport& report) {
  Json json{
      {"exercise", report.exercise->slug}, {"file", report.file_name}, {"solved", report.solved()}};
  if (report.failed) json["failed"] = name_of(*report.failed);
  if (report.failed == Stage::compile) {
    json["compile_error"] = report.compile_error;
    return json;
  }
  add_warnings(json, report.warnings);
  for (const SizeCheck& size : report.sizes) json["sizes"].push_back(json_of(size));
  if (report.diagnosis) json["diagnosis"] = json_of(*report.diagnosis);
  json["findings"] = findings_json(report.findings);
  for (const GoalCheck& goal : report.goals) json["goals"].push_back(json_of(goal));
  if (report.timed && report.timed->estimate) {
    json["estimate"] = estimate_json(*report.timed->estimate);
  }
  if (report.reference) json["compared"] = compared_json(report);
  if (!report.place.empty()) json["place"] = report.place;
  if (!report.cause.empty()) json["cause"] = report.cause;
  if (!report.untouched_gaps.empty()) json["untouched_gaps"] = report.untouched_gaps;
  json["warp_instructions"] = report.warp_instructions;
  return json;
}

Document checks_document(const std::vector<FileCheck>& files, const Exercise* next) {
  Definitions rows{.definitions = {}, .has_marks = true};
  std::size_t most = 0;
  for (const FileCheck& file : files) most = std::max(most, short_name(*file.exercise).size());
  for (const FileCheck& file : files) {
    rows.definitions.push_back(
        {.name = {{fmt::format("{:>{}}  ", short_name(*file.exercise), most), Style::code},
                  file_span(file.file, Style::code)},
         .text = {{result_text(file)}},
         .mark = {file.solved() ? "✓" : "✗", file.solved() ? Style::good : Style::bad}});
  }
  const auto solved = std::ranges::count_if(files, &FileCheck::solved);
  Document document{.title = "Exercises of this folder",
                    .right = {{fmt::format("{} of {} solved", solved, files.size()), Style::dim}}};
  document.parts = {std::move(rows), section("Next", {next_commands(files, next)})};
  return document;
}

Json checks_object(const std::vector<FileCheck>& files) {
  Json json{{"solved", std::ranges::all_of(files, &FileCheck::solved)}};
  for (const FileCheck& file : files) {
    json["checks"].push_back(file.report ? check_object(*file.report)
                                         : Json{{"exercise", file.exercise->slug},
                                                {"file", file.file},
                                                {"solved", false},
                                                {"error", file.trouble}});
  }
  return json;
}

Differences differences(const CheckReport& before, const CheckReport& now) {
  Differences result;
  if (before.failed == Stage::compile && now.failed != Stage::compile) {
    result.better.emplace_back("it compiles");
  }
  if (now.failed == Stage::compile && before.failed != Stage::compile) {
    result.worse.emplace_back("it compiled before");
  }
  compare_sizes(before, now, result);
  compare_findings(before, now, result);
  compare_goals(before, now, result);
  const bool further = stage_place(now) > stage_place(before);
  if (further && result.better.empty()) {
    result.better.push_back(now.solved() ? "solved"
                                         : fmt::format("{} passes", name_of(*before.failed)));
  }
  return result;
}

}  // namespace gemm_tutor
