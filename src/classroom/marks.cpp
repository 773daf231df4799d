#include "classroom/marks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string_view>

#include "classroom/submissions.hpp"
#include "course/expression.hpp"
#include "course/ladder.hpp"
#include "course/question.hpp"
#include "support/text.hpp"

namespace gemm_tutor {
namespace {

using Json = nlohmann::ordered_json;

bool is_right(const SizeCheck& check) { return check.verification.passed; }

// The number of sizes to check. Fewer are checked if the kernel was stopped.
std::size_t sizes_of(const CheckReport& report) {
  return std::max(report.sizes.size(), report.exercise->terms.sizes.size());
}

// A compiler's line taken apart: "FILE(12): error: MESSAGE".
struct Complaint {
  std::string file, message;
  int line = 0;
};

std::optional<Complaint> complaint_of(const std::string& line) {
  constexpr std::string_view mark = "error: ";
  const std::size_t error = line.find(mark);
  if (error == line.npos) return {};
  Complaint complaint;
  complaint.message = line.substr(error + mark.size());
  const std::size_t close = line.substr(0, error).rfind("): ");
  const std::size_t open = close == line.npos ? line.npos : line.rfind('(', close);
  if (open == line.npos) return complaint;
  complaint.file = line.substr(0, open);
  complaint.line = number_in<int>(line.substr(open + 1, close - open - 1)).value_or(0);
  return complaint;
}

// The first error, without the text that the compiler quotes below it.
std::string compile_reason(const CheckReport& report) {
  const std::vector<std::string> lines = split_lines(report.compile_error);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    auto complaint = complaint_of(lines[i]);
    if (!complaint) continue;
    // The text of a static_assert may have several lines.
    const auto is_open = [&] { return std::ranges::count(complaint->message, '"') % 2 == 1; };
    for (std::size_t next = i + 1; is_open() && next < lines.size(); ++next) {
      complaint->message += " " + lines[next];
    }
    if (complaint->file == report.file_name && complaint->line > 0) {
      return fmt::format("line {}: {}", complaint->line, complaint->message);
    }
    return complaint->file.empty() ? complaint->message
                                   : fmt::format("in a header: {}", complaint->message);
  }
  // A message without a place is this program's. Its first line only says that there is more.
  return lines.empty() ? "it does not compile" : lines[lines.size() > 1 ? 1 : 0];
}

std::string result_reason(const CheckReport& report) {
  const auto wrong = std::ranges::find_if_not(report.sizes, is_right);
  if (wrong == report.sizes.end()) return "the result is wrong";
  std::string reason =
      fmt::format("right at {} of {} sizes; wrong at {}: {} of {} elements",
                  std::ranges::count_if(report.sizes, is_right), sizes_of(report),
                  size_words(wrong->problem), with_thousands(wrong->verification.wrong_elements),
                  with_thousands(wrong->verification.elements_total));
  if (!report.cause.empty()) return fmt::format("{}. {}", reason, report.cause);
  if (report.findings.empty()) return reason;
  const simt::Finding& finding = report.findings.front();
  return fmt::format("{}; line {}: {}", reason, finding.line, message(finding));
}

std::string safety_reason(const CheckReport& report) {
  if (report.findings.empty()) return "the emulator found something unsafe";
  const simt::Finding& finding = report.findings.front();
  return fmt::format("{}, line {}: {}", name_of(finding.kind()), finding.line, message(finding));
}

// "floats loaded: 20,000 floats, more than 16,384", of one that is missed.
std::string missed_goal(const GoalCheck& check) {
  const Goal& goal = *check.goal;
  if (!check.counted) return fmt::format("{}: no value, as {}", goal.name, check.not_counted);
  constexpr std::array missing = {"more than", "less than", "not"};  // by Goal::Bound
  const std::string way =
      check.way > 0 ? fmt::format(", {:.0f} % of the way there from the file as handed out",
                                  std::min(99.0, 100 * check.way))
                    : "";
  return fmt::format("{}: {}, {} {}{}", goal.name, quantity_text(*check.counted, goal.unit),
                     missing[static_cast<std::size_t>(goal.bound)], number_text(check.expected),
                     way);
}

// The missed ones come first.
bool misses_essential(const CheckReport& report) {
  return !report.goals.empty() && report.goals.front().goal->is_essential();
}

bool is_central_missed(const GoalCheck& check) { return check.missed() && check.goal->is_central; }

// Such a kernel does not do what the exercise is about.
bool misses_its_point(const CheckReport& report) {
  return misses_essential(report) || std::ranges::any_of(report.goals, is_central_missed);
}

std::string traffic_reason(const CheckReport& report) {
  auto missed = std::ranges::find_if(report.goals, &GoalCheck::missed);
  if (missed == report.goals.end()) return "a goal is missed";
  if (misses_its_point(report)) {
    if (!misses_essential(report)) missed = std::ranges::find_if(report.goals, is_central_missed);
    return "not what the exercise is about; " + missed_goal(*missed);
  }
  return fmt::format("{} of {} goals met; {}", std::ranges::count_if(report.goals, &GoalCheck::met),
                     std::ranges::count_if(report.goals, &GoalCheck::is_judged),
                     missed_goal(*missed));
}

std::string stage_reason(const CheckReport& report) {
  switch (report.failed.value()) {
    case Stage::compile:
      return compile_reason(report);
    case Stage::result:
      return result_reason(report);
    case Stage::safety:
      return safety_reason(report);
    case Stage::traffic:
      return traffic_reason(report);
  }
  return "";
}

// The first warning may say why. It comes first, because a long reason is cut at its end.
std::string reason_of(const CheckReport& report) {
  const std::string reason = stage_reason(report);
  if (report.warnings.empty()) return reason;
  const simt::CompilerWarning& warning = report.warnings.front();
  return fmt::format("the compiler warns about line {}: {}; {}", warning.line, warning.message,
                     reason);
}

std::vector<simt::CompilerWarning> in_one_line(const std::vector<simt::CompilerWarning>& warnings) {
  std::vector<simt::CompilerWarning> result;
  for (const simt::CompilerWarning& warning : warnings) {
    if (result.size() == most_warnings) break;
    result.push_back({warning.line, one_line(warning.message)});
  }
  return result;
}

std::string each_in_one_line(const std::string& text) {
  std::vector<std::string> lines = split_lines(text);
  for (std::string& line : lines) line = one_line(line);
  return join(lines, "\n");
}

// --- Parts

std::string compile_text(const CheckReport& report) {
  if (report.failed == Stage::compile) return compile_reason(report);
  std::vector<std::string> lines;
  for (const simt::CompilerWarning& warning : in_one_line(report.warnings)) {
    lines.push_back(fmt::format("warning, line {}: {}", warning.line, warning.message));
  }
  return join(lines, "\n");
}

// Of the exercise's own sizes; the others stay hidden.
MarkPart published_part(const CheckReport& report) {
  const std::vector<Problem>& all = report.exercise->terms.sizes;
  std::vector<std::string> lines;
  std::string first_wrong;
  std::size_t right = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string size = fmt::format("{}×{}×{}", all[i].m, all[i].n, all[i].k);
    if (i >= report.sizes.size()) {
      lines.push_back(size + ": not run");
      continue;
    }
    const Verification& found = report.sizes[i].verification;
    right += found.passed ? 1 : 0;
    if (!found.passed && first_wrong.empty()) first_wrong = ", wrong at " + size;
    lines.push_back(found.passed ? size + ": right"
                                 : fmt::format("{}: wrong in {} of {} elements", size,
                                               with_thousands(found.wrong_elements),
                                               with_thousands(found.elements_total)));
  }
  if (right == all.size()) return {"published", MarkPart::State::passed, join(lines, "\n")};
  // A reader of JUnit's XML may show the first line alone.
  lines.insert(lines.begin(),
               fmt::format("right at {} of {} published sizes{}", right, all.size(), first_wrong));
  if (report.diagnosis) lines.push_back("wrong: " + report.diagnosis->where);
  // As in the report of a check. The cause would be the correction.
  if (!report.place.empty() && report.exercise->terms.kind == ExerciseKind::gaps) {
    lines.push_back(report.place);
  }
  return {"published", MarkPart::State::failed, join(lines, "\n")};
}

// The sizes beside the exercise's own are run once those are right and safe, and only one at which
// something is wrong is reported.
bool is_found_at_hidden_size(const CheckReport& report) {
  return report.sizes.size() > report.exercise->terms.sizes.size();
}

MarkPart hidden_part(const CheckReport& report) {
  using State = MarkPart::State;
  if (report.failed == Stage::result) {
    return {"hidden", State::failed,
            "Wrong at a size that is not published. Think of sizes that cut a tile."};
  }
  if (report.failed != Stage::safety) return {"hidden", State::passed};
  return {"hidden", State::not_reached,
          "Checked when nothing unsafe is found. These points are kept if the hidden sizes are "
          "right, too."};
}

// The message of a finding at a hidden size would name the size.
std::string safety_text(const CheckReport& report) {
  std::vector<std::string> lines;
  for (const simt::Finding& finding : simt::one_per_cause(report.findings)) {
    if (lines.size() == most_warnings) break;
    lines.push_back(fmt::format("{}, line {}: {}", name_of(finding.kind()), finding.line,
                                is_found_at_hidden_size(report)
                                    ? "found at a size that is not published"
                                    : message(finding)));
  }
  return join(lines, "\n");
}

std::string traffic_text(const CheckReport& report) {
  std::vector<std::string> missed, others;
  for (const GoalCheck& check : report.goals) {
    const std::string& name = check.goal->name;
    if (check.missed() && !check.waits) {
      missed.push_back(
          (check.goal->is_central ? "missed, and the exercise is about it: " : "missed: ") +
          missed_goal(check));
    } else {
      others.push_back(!check.is_judged ? fmt::format("not judged: {}", name)
                       : check.met      ? fmt::format("met: {}", name)
                                        : fmt::format("waits for the goals before it: {}", name));
    }
  }
  std::ranges::move(others, std::back_inserter(missed));
  return join(missed, "\n");
}

std::vector<MarkPart> checked_parts(const CheckReport& report) {
  using State = MarkPart::State;
  const auto state = [&](Stage stage) {
    if (!report.failed || *report.failed > stage) return State::passed;
    return report.failed == stage ? State::failed : State::not_reached;
  };
  std::vector<MarkPart> parts = {{"compile", state(Stage::compile), compile_text(report)},
                                 {"published", State::not_reached},
                                 {"hidden", State::not_reached},
                                 {"safety", state(Stage::safety), safety_text(report)},
                                 {"traffic", state(Stage::traffic), traffic_text(report)}};
  if (report.failed != Stage::compile) parts[1] = published_part(report);
  if (parts[1].state == State::passed) parts[2] = hidden_part(report);
  if (misses_its_point(report)) {
    parts[3] = {"safety", State::not_reached,
                "Counts when the kernel does what the exercise is about."};
  }
  // A finding may be the cause of a wrong result, and is shown with it.
  if (!report.findings.empty()) parts[3].state = State::failed;
  for (MarkPart& part : parts) part.text = each_in_one_line(part.text);
  return parts;
}

}  // namespace

std::vector<MarkPart> parts_of(const Mark& mark) {
  if (!mark.parts.empty()) return mark.parts;
  std::vector<MarkPart> parts;
  for (const char* name : part_names) parts.push_back({name});
  parts.front() = {"compile", MarkPart::State::failed, "Not checked: " + one_line(mark.reason)};
  return parts;
}

std::string reason_for_student(const Mark& mark, const std::set<std::string>& hidden) {
  if (mark.parts.empty()) return one_line(mark.reason);
  const auto failed = std::ranges::find(mark.parts, MarkPart::State::failed, &MarkPart::state);
  if (failed == mark.parts.end() || hidden.contains(failed->name) || failed->text.empty()) {
    return "Not solved yet.";
  }
  return split_lines(failed->text).front();
}

int points_of_part(const std::string& name, const Points& points) {
  const int published = std::min(points.result, most_points.result / 2);
  if (name == "published") return published;
  if (name == "hidden") return points.result - published;
  return name == "safety" ? points.safety : name == "traffic" ? points.traffic : 0;
}

Points points_of(const CheckReport& report) {
  if (report.failed == Stage::compile || report.sizes.empty()) return {};
  const auto sizes = static_cast<int>(sizes_of(report));
  const auto right = static_cast<int>(std::ranges::count_if(report.sizes, is_right));
  if (report.failed == Stage::result || right < sizes) {
    return {most_points.result / 2 * std::min(right, sizes - 1) / sizes, 0, 0};
  }
  if (report.failed == Stage::safety || misses_essential(report)) {
    return {most_points.result, 0, 0};
  }
  const auto goals = static_cast<int>(std::ranges::count_if(report.goals, &GoalCheck::is_judged));
  double met = 0;
  for (const GoalCheck& goal : report.goals) met += goal.met ? 1 : goal.way;
  const auto share = [&](int points) {
    return goals == 0 ? points : static_cast<int>(points * met / goals);
  };
  if (misses_its_point(report)) return {most_points.result, 0, share(most_without_point)};
  const bool is_ladder = report.exercise->terms.is_ladder;
  return {most_points.result, is_ladder ? share(most_points.safety) : most_points.safety,
          share(most_points.traffic)};
}

Mark mark_of(const CheckReport& report) {
  Mark mark;
  mark.points = points_of(report);
  mark.warp_instructions = report.warp_instructions;
  mark.warnings = in_one_line(report.warnings);
  mark.parts = checked_parts(report);
  if (!report.failed) return mark;
  mark.failed = std::string(name_of(*report.failed));
  mark.reason = one_line(reason_of(report));
  return mark;
}

Mark no_better_than_handed_out(Mark mark) {
  mark.points = {};
  for (MarkPart& part : mark.parts) {
    if (part.name == "compile" || part.state == MarkPart::State::failed) continue;
    if (part.state == MarkPart::State::not_reached) {
      part.text.clear();  // it may speak of points that are kept
    } else {
      part.state = MarkPart::State::failed;
      part.text = "No better than as handed out, so it has no points.";
    }
  }
  mark.reason = one_line("no better than as handed out: " + mark.reason);
  return mark;
}

std::string mark_json(const Mark& mark) {
  Json json{{"result", mark.points.result},   {"safety", mark.points.safety},
            {"traffic", mark.points.traffic}, {"failed", mark.failed},
            {"reason", mark.reason},          {"warp_instructions", mark.warp_instructions},
            {"seconds", mark.seconds}};
  for (const simt::CompilerWarning& warning : mark.warnings) {
    json["warnings"].push_back({{"line", warning.line}, {"message", warning.message}});
  }
  for (const MarkPart& part : mark.parts) {
    json["parts"].push_back({part.name, static_cast<int>(part.state), part.text});
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::optional<Mark> mark_of_json(const std::string& text) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return {};
  try {
    Mark mark;
    mark.points = {json.at("result"), json.at("safety"), json.at("traffic")};
    mark.failed = json.at("failed");
    mark.reason = one_line(json.at("reason").get<std::string>());
    mark.warp_instructions = json.at("warp_instructions");
    mark.seconds = json.at("seconds");
    std::vector<simt::CompilerWarning> warnings;
    for (const Json& warning : json.value("warnings", Json::array())) {
      warnings.push_back({warning.at("line"), warning.at("message")});
    }
    mark.warnings = in_one_line(warnings);
    const Json parts = json.value("parts", Json::array());
    if (!parts.empty() && parts.size() != std::size(part_names)) return {};
    for (const Json& part : parts) {
      const int state = part.at(1);
      const bool is_known = part.at(0) == part_names[mark.parts.size()] && state >= 0 &&
                            state <= static_cast<int>(MarkPart::State::not_reached);
      if (!is_known) return {};
      mark.parts.push_back({part.at(0), static_cast<MarkPart::State>(state),
                            each_in_one_line(part.at(2).get<std::string>())});
    }
    return mark;
  } catch (const Json::exception&) {
    return {};
  }
}

}  // namespace gemm_tutor
