#include "classroom/marks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>

#include "classroom/one_line.hpp"
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
  for (const std::string& line : split_lines(report.compile_error)) {
    const auto complaint = complaint_of(line);
    if (!complaint) continue;
    if (complaint->file == report.file_name && complaint->line > 0) {
      return fmt::format("line {}: {}", complaint->line, complaint->message);
    }
    return complaint->file.empty() ? complaint->message
                                   : fmt::format("in a header: {}", complaint->message);
  }
  // A message without a place is this program's. Its first line only says that there is more.
  const std::vector<std::string> lines = split_lines(report.compile_error);
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
  const emulator::Finding& finding = report.findings.front();
  return fmt::format("{}; line {}: {}", reason, finding.line, message(finding));
}

std::string safety_reason(const CheckReport& report) {
  if (report.findings.empty()) return "the emulator found something unsafe";
  const emulator::Finding& finding = report.findings.front();
  return fmt::format("{}, line {}: {}", name_of(finding.kind()), finding.line, message(finding));
}

std::string traffic_reason(const CheckReport& report) {
  const auto missed = std::ranges::find_if(report.goals, &GoalCheck::missed);
  if (missed == report.goals.end()) return "a goal is missed";
  const Goal& goal = *missed->goal;
  const std::string goals =
      fmt::format("{} of {} goals met; {}", std::ranges::count_if(report.goals, &GoalCheck::met),
                  std::ranges::count_if(report.goals, &GoalCheck::is_judged), goal.name);
  if (!missed->counted) return fmt::format("{}: no value, as {}", goals, missed->not_counted);
  return fmt::format("{}: {}, {} {}", goals, quantity_text(*missed->counted, goal.unit),
                     goal.exactly ? "not" : "more than", number_text(missed->expected));
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
  const CompilerWarning& warning = report.warnings.front();
  return fmt::format("the compiler warns about line {}: {}; {}", warning.line, warning.message,
                     reason);
}

std::vector<CompilerWarning> in_one_line(const std::vector<CompilerWarning>& warnings) {
  std::vector<CompilerWarning> result;
  for (const CompilerWarning& warning : warnings) {
    if (result.size() == most_warnings) break;
    result.push_back({warning.line, one_line(warning.message)});
  }
  return result;
}

}  // namespace

Points points_of(const CheckReport& report) {
  if (report.failed == Stage::compile || report.sizes.empty()) return {};
  const auto sizes = static_cast<int>(sizes_of(report));
  const auto right = static_cast<int>(std::ranges::count_if(report.sizes, is_right));
  if (report.failed == Stage::result || right < sizes) {
    return {most_points.result / 2 * std::min(right, sizes - 1) / sizes, 0, 0};
  }
  if (report.failed == Stage::safety) return {most_points.result, 0, 0};
  const auto goals = static_cast<int>(std::ranges::count_if(report.goals, &GoalCheck::is_judged));
  const auto met = static_cast<int>(std::ranges::count_if(report.goals, &GoalCheck::met));
  return {most_points.result, most_points.safety,
          goals == 0 ? most_points.traffic : most_points.traffic * met / goals};
}

Mark mark_of(const CheckReport& report) {
  Mark mark;
  mark.points = points_of(report);
  mark.warp_instructions = report.warp_instructions;
  mark.warnings = in_one_line(report.warnings);
  if (!report.failed) return mark;
  mark.failed = std::string(name_of(*report.failed));
  mark.reason = one_line(reason_of(report));
  return mark;
}

Mark no_better_than_handed_out(Mark mark) {
  mark.points = {};
  mark.reason = one_line("no better than as handed out: " + mark.reason);
  return mark;
}

std::string mark_json(const Mark& mark) {
  Json json{{"result", mark.points.result},   {"safety", mark.points.safety},
            {"traffic", mark.points.traffic}, {"failed", mark.failed},
            {"reason", mark.reason},          {"warp_instructions", mark.warp_instructions},
            {"seconds", mark.seconds}};
  for (const CompilerWarning& warning : mark.warnings) {
    json["warnings"].push_back({{"line", warning.line}, {"message", warning.message}});
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
    std::vector<CompilerWarning> warnings;
    for (const Json& warning : json.value("warnings", Json::array())) {
      warnings.push_back({warning.at("line"), warning.at("message")});
    }
    mark.warnings = in_one_line(warnings);
    return mark;
  } catch (const Json::exception&) {
    return {};
  }
}

}  // namespace gemm_tutor
