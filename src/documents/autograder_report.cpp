#include "documents/autograder_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "classroom/one_line.hpp"
#include "documents/grade_report.hpp"
#include "documents/json.hpp"
#include "support/text.hpp"
#include "view/html.hpp"

namespace gemm_tutor {
namespace {

using State = MarkPart::State;

std::string title_of(const std::string& part) {
  return part == "compile"     ? "It compiles"
         : part == "published" ? "Right at the published sizes"
         : part == "hidden"    ? "Right at hidden sizes"
         : part == "safety"    ? "Nothing unsafe was found"
                               : "Traffic goals";
}

using Hidden = std::set<std::string>;

// What a student reads about a part.
std::string text_of(const MarkPart& part, const Points& points, const Hidden& hidden) {
  if (part.state == State::not_reached && part.text.empty()) {
    return "Checked when the parts above are right.";
  }
  const int lost = points_of_part(part.name, most_points) - points_of_part(part.name, points);
  const bool counts_others = part.name == "published" && part.state == State::passed && lost > 0;
  if (!counts_others || hidden.contains("hidden")) return part.text;
  return part.text + "\nThe points count the hidden sizes, too.";
}

// What to do about an exercise that is not solved.
std::string advice(const Exercise& exercise, const Mark& mark, const Hidden& hidden) {
  if (mark.solved()) return "Solved.";
  std::string text = reason_for_student(mark, hidden);
  if (mark.missing()) {
    return fmt::format("{}\nHand in one file, {}.", capitalised(text), exercise.file_name);
  }
  if (!exercise.terms.hints.empty()) text += "\nHint: " + exercise.terms.hints.front();
  return text + fmt::format(
                    "\nOn your machine, 'gemm-tutor check {}' shows more, and 'gemm-tutor "
                    "hint {}' gives further hints.",
                    exercise.file_name, short_name(exercise));
}

Json gradescope_test(const Grade& grade, const MarkPart& part, const Hidden& hidden) {
  return {{"name", fmt::format("{}: {}", full_name(*grade.exercise), title_of(part.name))},
          {"score", points_of_part(part.name, grade.mark.points)},
          {"max_score", points_of_part(part.name, most_points)},
          {"status", part.state == State::passed ? "passed" : "failed"},
          {"output", text_of(part, grade.mark.points, hidden)},
          {"output_format", "text"},
          {"visibility", hidden.contains(part.name) ? "hidden" : "visible"}};
}

// --- JUnit

std::string property(const char* name, int value) {
  return fmt::format("<property name=\"{}\" value=\"{}\"/>", name, value);
}

std::string properties(int points, int most) {
  return "<properties>" + property("points", points) + property("max_points", most) +
         "</properties>";
}

std::string junit_case(const Grade& grade, const MarkPart& part, const Hidden& hidden) {
  const Points& points = grade.mark.points;
  const bool keeps = hidden.contains(part.name) && part.state != State::not_reached;
  const std::string text = keeps ? "" : text_of(part, points, hidden);
  const std::string first = keeps ? "the teacher keeps the details" : split_lines(text + "\n")[0];
  std::string result;
  if (part.state == State::failed) {
    result = fmt::format("\n      <failure type=\"{}\" message=\"{}\">{}</failure>", part.name,
                         escaped(first), escaped(text));
  } else if (part.state == State::not_reached) {
    result = fmt::format("\n      <skipped message=\"{}\"/>", escaped(first));
  } else if (!text.empty()) {
    result = fmt::format("\n      <system-out>{}</system-out>", escaped(text));
  }
  return fmt::format(
      "    <testcase classname=\"{}\" name=\"{}\" file=\"{}\">\n      {}{}\n    </testcase>\n",
      escaped(grade.exercise->slug), title_of(part.name), escaped(grade.exercise->file_name),
      properties(points_of_part(part.name, points), points_of_part(part.name, most_points)),
      result);
}

struct Counts {
  std::ptrdiff_t tests = 0, failures = 0, skipped = 0;

  void add(const std::vector<MarkPart>& parts) {
    tests += std::ssize(parts);
    failures += std::ranges::count(parts, State::failed, &MarkPart::state);
    skipped += std::ranges::count(parts, State::not_reached, &MarkPart::state);
  }
  std::string text() const {
    return fmt::format("tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\"", tests, failures,
                       skipped);
  }
};

}  // namespace

std::string gradescope_json(const Gradebook& book, const Hidden& hidden) {
  Json json;
  std::vector<std::string> output;
  int score = 0;
  for (const Grade& grade : book.grades) {
    score += grade.mark.points.total();
    output.push_back(full_name(*grade.exercise) + "\n" +
                     advice(*grade.exercise, grade.mark, hidden));
  }
  for (const std::string& note : book.notes) output.push_back("Left out: " + one_line(note));
  json["score"] = score;
  json["output"] = join(output, "\n\n");
  json["output_format"] = "text";
  json["tests"] = Json::array();
  for (const Grade& grade : book.grades) {
    for (const MarkPart& part : parts_of(grade.mark)) {
      json["tests"].push_back(gradescope_test(grade, part, hidden));
    }
  }
  return to_text(json);
}

std::string junit_xml(const Gradebook& book, const Hidden& hidden) {
  std::string suites;
  Counts all;
  for (const Grade& grade : book.grades) {
    Counts counts;
    std::string cases;
    const std::vector<MarkPart> parts = parts_of(grade.mark);
    counts.add(parts);
    all.add(parts);
    for (const MarkPart& part : parts) cases += junit_case(grade, part, hidden);
    suites += fmt::format(
        "  <testsuite name=\"{}\" {}>\n    {}\n{}    <system-out>{}</system-out>\n  </testsuite>\n",
        escaped(full_name(*grade.exercise)), counts.text(),
        properties(grade.mark.points.total(), most_points.total()), cases,
        escaped(advice(*grade.exercise, grade.mark, hidden)));
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"gemm-tutor\" {}>\n{}"
      "</testsuites>\n",
      all.text(), suites);
}

Document bundle_document(const std::string& folder, const std::vector<BundleFile>& files) {
  Document document{.title = "Bundle"};
  document.right = {file_span(folder, Style::dim)};
  Facts written;
  for (const BundleFile& file : files) {
    written.add(
        {{file.path}, {"  " + human_bytes(static_cast<double>(file.contents.size())), Style::dim}});
  }
  document.parts.add(Section{"Written", "", {std::move(written)}});
  const bool is_zip = files.back().path.ends_with(".zip");
  document.parts.add(
      section("Next", {facts({{{is_zip ? "upload autograder.zip as the assignment's autograder"
                                       : "make it the template repository of the assignment"}}})}));
  return document;
}

}  // namespace gemm_tutor
