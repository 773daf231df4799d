#include "report/grade_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "classroom/submissions.hpp"
#include "report/json.hpp"
#include "report/lesson_json.hpp"
#include "support/text.hpp"
#include "view/html_page.hpp"
#include "view/layout.hpp"

namespace gemm_tutor {
namespace {

constexpr int widest_name = 22;
constexpr std::size_t most_of_field = 4000;  // code points

// As wide as it may be: a wide character counts for two.
std::string short_name_of(const std::string& student) {
  std::string name = one_line(student, static_cast<std::size_t>(widest_name));
  for (int most = widest_name - 1; columns(name) > widest_name && most > 0; --most) {
    name = one_line(student, static_cast<std::size_t>(most));
  }
  return name;
}

int student_columns(const Gradebook& book) {
  int width = columns("student");
  for (const std::string& student : book.students) {
    width = std::max(width, columns(short_name_of(student)));
  }
  return width;
}

constexpr const char* not_given = "–";  // no points, because nothing was handed in

std::string points_text(const Mark& mark) {
  return mark.missing() ? not_given : std::to_string(mark.points.total());
}

Style style_of(const Points& points) {
  if (points == most_points) return Style::good;
  return points.total() == 0 ? Style::bad : Style::doubtful;
}

Style style_of(const Mark& mark) { return mark.missing() ? Style::dim : style_of(mark.points); }

std::string seconds_text(const Mark& mark) {
  return mark.seconds > 0 ? fmt::format("{:.2f} s", mark.seconds) : "";
}

std::string work_text(const Mark& mark) {
  return mark.warp_instructions > 0
             ? with_thousands(static_cast<std::int64_t>(mark.warp_instructions))
             : "";
}

bool is_taken(const Grade& grade) { return grade.solution_taken.value_or(false); }

constexpr const char* taken_text = "the solution was taken before a first check";

// "safety: race, line 14: …"; a check mark for what is solved.
Line reason_line(const Mark& mark) {
  if (mark.solved()) return {{"✓", Style::good}};
  const bool is_stage = mark.failed != "submission" && mark.failed != "limits" && !mark.missing();
  if (!is_stage) return {{mark.reason}};
  return {{mark.failed + ": ", Style::dim}, {mark.reason}};
}

int most_of(const Gradebook& book) {
  return most_points.total() * static_cast<int>(book.exercises.size());
}

double mean_points(const Gradebook& book) {
  double sum = 0;
  for (std::size_t i = 0; i < book.students.size(); ++i) sum += book.total(i);
  return sum / static_cast<double>(std::max<std::size_t>(1, book.students.size()));
}

Line summary(const Gradebook& book) {
  const auto solved =
      std::ranges::count_if(book.grades, [](const Grade& g) { return g.mark.solved(); });
  const std::size_t students = book.students.size();
  return {{fmt::format("{} {} · {} of {} solved · {:.1f} of {} points on average · seed {}",
                       students, students == 1 ? "student" : "students", solved, book.grades.size(),
                       mean_points(book), most_of(book), book.seed),
           Style::dim}};
}

// A page has room for the whole name.
Column student_column(Medium medium) { return {.head = {{"student"}}, .medium = medium}; }

std::vector<Cell> name_cells(const std::string& student) {
  return {text_cell(short_name_of(student)), text_cell(one_line(student))};
}

Cell points_cell(const Mark& mark) { return {{{points_text(mark), style_of(mark)}}}; }

// --- One exercise: what its points are made of

// A terminal has the reasons below the table, in lines of their own.
Table exercise_table(const Gradebook& book, std::size_t exercise, bool times, bool reasons) {
  Table table;
  table.columns = {student_column(Medium::terminal), student_column(Medium::page)};
  for (const char* part : {"result", "safety", "traffic", "points"}) {
    const bool is_long = std::string_view(part) == "traffic";
    table.columns.push_back(number_column(part, is_long ? 7 : 6, is_long ? 1 : 2));
  }
  table.columns.push_back(number_column("warp instr.", 12));
  if (times) table.columns.push_back(number_column("time", 7));
  if (reasons) table.columns.push_back({{{"what fails first"}}});
  for (std::size_t s = 0; s < book.students.size(); ++s) {
    const Grade& grade = book.grade(s, exercise);
    const Mark& mark = grade.mark;
    std::vector<Cell> row = name_cells(book.students[s]);
    for (const int part : {mark.points.result, mark.points.safety, mark.points.traffic}) {
      row.push_back(text_cell(mark.missing() ? not_given : std::to_string(part)));
    }
    row.push_back(points_cell(mark));
    row.push_back(text_cell(work_text(mark)));
    if (times) row.push_back(text_cell(seconds_text(mark)));
    if (reasons) {
      row.push_back(text_cell((mark.solved() ? "solved" : one_line(mark.reason)) +
                              (is_taken(grade) ? std::string("; ") + taken_text : "")));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

// --- Several: a table of points, and the reasons below it

// A lesson's number, or for another exercise a letter.
std::string column_name(const Gradebook& book, std::size_t exercise) {
  if (const auto& lesson = book.exercises[exercise]->lesson) return std::to_string(*lesson);
  const auto is_alone = [](const Exercise* other) { return !other->lesson; };
  const auto before =
      std::count_if(book.exercises.begin(),
                    book.exercises.begin() + static_cast<std::ptrdiff_t>(exercise), is_alone);
  return std::string(1, static_cast<char>('A' + before % 26));
}

Table points_table(const Gradebook& book) {
  Table table;
  table.splits = true;
  table.columns = {student_column(Medium::terminal), student_column(Medium::page)};
  for (std::size_t e = 0; e < book.exercises.size(); ++e) {
    table.columns.push_back(number_column(column_name(book, e), 3));
  }
  table.columns.push_back(number_column("total", 6));
  for (std::size_t s = 0; s < book.students.size(); ++s) {
    std::vector<Cell> row = name_cells(book.students[s]);
    for (std::size_t e = 0; e < book.exercises.size(); ++e) {
      row.push_back(points_cell(book.grade(s, e).mark));
    }
    row.push_back(text_cell(std::to_string(book.total(s))));
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::vector<Fact> exercise_names(const Gradebook& book) {
  std::vector<Fact> names;
  for (std::size_t e = 0; e < book.exercises.size(); ++e) {
    names.push_back(
        {.text = {{fmt::format("{:>3}  {}", column_name(book, e), book.exercises[e]->title)}},
         .hang = 5});
  }
  return names;
}

// "2 files are for this exercise, …: 7; not handed in: 3, 5"; empty if all were handed in.
std::string missing_text(const Gradebook& book, std::size_t student) {
  std::map<std::string, std::vector<std::string>> missing;  // by reason
  for (std::size_t e = 0; e < book.exercises.size(); ++e) {
    const Mark& mark = book.grade(student, e).mark;
    if (mark.missing()) missing[mark.reason].push_back(column_name(book, e));
  }
  std::vector<std::string> texts;
  for (const auto& [reason, columns] : missing) {
    const bool is_all = columns.size() == book.exercises.size();
    texts.push_back(!is_all                   ? reason + ": " + join(columns)
                    : reason == not_handed_in ? "nothing handed in"
                                              : reason);
  }
  return join(texts, "; ");
}

// For one exercise, reasons only need the student's name, and times are in the table.
Definitions reasons(const Gradebook& book, bool times) {
  const bool several = book.exercises.size() > 1;
  Definitions definitions;
  for (std::size_t s = 0; s < book.students.size(); ++s) {
    std::string name = short_name_of(book.students[s]);
    const auto add = [&](const std::string& column, const std::string& time, Line reason) {
      Line beside = {{flush_left(std::exchange(name, ""), student_columns(book))}};
      if (several) beside.push_back({fmt::format("{:>4}", column), Style::dim});
      if (several && times) beside.push_back({fmt::format("{:>9}", time)});
      definitions.definitions.push_back({std::move(beside), std::move(reason)});
    };
    for (std::size_t e = 0; e < book.exercises.size(); ++e) {
      const Grade& grade = book.grade(s, e);
      const Mark& mark = grade.mark;
      const bool is_shown = !mark.solved() || (times && several);
      if (is_shown && !(mark.missing() && several)) {
        add(column_name(book, e), seconds_text(mark), reason_line(mark));
      }
      if (is_taken(grade)) add(column_name(book, e), "", {{taken_text, Style::doubtful}});
    }
    const std::string missing = several ? missing_text(book, s) : "";
    if (!missing.empty()) add("", "", {{missing, Style::dim}});
  }
  return definitions;
}

bool has_reasons(const Gradebook& book) {
  return std::ranges::any_of(book.grades,
                             [](const Grade& g) { return !g.mark.solved() || is_taken(g); });
}

// --- Files

// Prevents a spreadsheet from reading it as a formula.
std::string harmless_field(std::string text) {
  constexpr std::string_view formulas = "=+-@\t\r";
  if (!text.empty() && formulas.find(text.front()) != formulas.npos) text.insert(0, "'");
  return csv_field(text);
}

std::string csv_line(const Grade& grade, bool times) {
  const Mark& mark = grade.mark;
  std::vector<std::string> fields = {
      harmless_field(one_line(grade.student)),
      harmless_field(grade.exercise->slug),
      std::to_string(mark.points.total()),
      std::to_string(mark.points.result),
      std::to_string(mark.points.safety),
      std::to_string(mark.points.traffic),
      harmless_field(mark.failed),
      harmless_field(one_line(mark.reason)),
      std::to_string(mark.warp_instructions),
      !grade.solution_taken ? ""
      : is_taken(grade)     ? "yes"
                            : "no",
  };
  if (times) fields.push_back(fmt::format("{:.3f}", mark.seconds));
  return join(fields, ",") + "\n";
}

std::string csv_row(std::vector<std::string> fields) {
  for (std::string& field : fields) field = harmless_field(one_line(field, most_of_field));
  return join(fields, ",") + "\n";
}

std::string points_field(const Mark& mark) {
  return mark.missing() ? "" : std::to_string(mark.points.total());
}

// "tile: 1 of 2 goals met; …", of all that are not solved, as HTML.
std::string feedback(const Gradebook& book, std::size_t student) {
  std::vector<std::string> texts;
  for (std::size_t e = 0; e < book.exercises.size(); ++e) {
    const Mark& mark = book.grade(student, e).mark;
    if (!mark.solved()) texts.push_back(book.exercises[e]->title + ": " + reason_for_student(mark));
  }
  return escaped(join(texts, "; "));
}

Json json_of(const Grade& grade, bool times) {
  const Mark& mark = grade.mark;
  Json json{{"exercise", grade.exercise->slug}, {"points", mark.points.total()},
            {"result", mark.points.result},     {"safety", mark.points.safety},
            {"traffic", mark.points.traffic},   {"solved", mark.solved()}};
  if (!mark.solved()) {
    json["failed"] = mark.failed;
    json["reason"] = one_line(mark.reason);
  }
  add_warnings(json, mark.warnings);
  if (mark.warp_instructions > 0) json["warp_instructions"] = mark.warp_instructions;
  if (grade.solution_taken) json["solution_taken"] = *grade.solution_taken;
  if (times && mark.seconds > 0) json["seconds"] = mark.seconds;
  return json;
}

}  // namespace

std::string full_name(const Exercise& exercise) {
  if (!exercise.lesson) return exercise.title;
  return fmt::format("{} · {}", *exercise.lesson, exercise.title);
}

Document grade_document(const Gradebook& book, bool times) {
  const bool several = book.exercises.size() > 1;
  Document document;
  if (several) {
    document.title = "Grades";
    document.subtitles = exercise_names(book);
    document.parts.add(points_table(book));
  } else {
    document.title = "Exercise " + full_name(*book.exercises[0]);
    document.parts.add(for_terminals(exercise_table(book, 0, times, false)));
  }
  if (has_reasons(book) || (times && several)) {
    const char* heading = times && several ? "Reasons and times" : "Reasons";
    document.parts.add(for_terminals(Section{"", heading, {reasons(book, times)}}));
  }
  for (std::size_t e = 0; e < book.exercises.size(); ++e) {
    if (several) {
      document.parts.add(for_pages(Heading{2, {{full_name(*book.exercises[e])}}}));
    }
    document.parts.add(for_pages(exercise_table(book, e, times, true)));
  }
  if (!book.notes.empty()) {
    Facts notes;
    for (const std::string& note : book.notes) notes.add({{"  " + note}}, {}, 4);
    document.parts.add(Section{"", "Notes", {std::move(notes)}});
  }
  document.parts.add(Paragraph{{{std::string(points_rule), Style::dim}}});
  document.parts.add(Paragraph{summary(book)});
  return document;
}

std::string grade_csv(const Gradebook& book, bool times) {
  std::string text =
      "student,exercise,points,result,safety,traffic,failed,reason,warp_instructions,solution_"
      "taken";
  text += times ? ",seconds\n" : "\n";
  for (const Grade& grade : book.grades) text += csv_line(grade, times);
  return text;
}

std::string canvas_csv(const Gradebook& book) {
  std::vector<std::string> head = {"Student", "ID", "SIS User ID", "SIS Login ID", "Section"};
  for (const Exercise* exercise : book.exercises) head.push_back(exercise->title);
  std::string text = csv_row(std::move(head));
  for (std::size_t s = 0; s < book.students.size(); ++s) {
    const std::string& id = book.ids[s];
    std::vector<std::string> row = {book.students[s], id, "", id.empty() ? book.students[s] : "",
                                    ""};
    for (std::size_t e = 0; e < book.exercises.size(); ++e) {
      row.push_back(points_field(book.grade(s, e).mark));
    }
    text += csv_row(std::move(row));
  }
  return text;
}

std::string moodle_csv(const Gradebook& book) {
  std::string text = csv_row({"Identifier", "Full name", "Username", "Grade", "Maximum grade",
                              "Last modified (grade)", "Feedback comments"});
  for (std::size_t s = 0; s < book.students.size(); ++s) {
    const std::string &name = book.students[s], &id = book.ids[s];
    const auto own =
        std::span(book.grades).subspan(s * book.exercises.size(), book.exercises.size());
    const bool has_any = std::ranges::any_of(own, [](const Grade& g) { return !g.mark.missing(); });
    text += csv_row({id.empty() ? "" : "Participant " + id, name, id.empty() ? name : "",
                     has_any ? std::to_string(book.total(s)) : "", std::to_string(most_of(book)),
                     "", feedback(book, s)});
  }
  return text;
}

std::string grade_json(const Gradebook& book, bool times) {
  Json json;
  json["exercises"] = Json::array();
  for (const Exercise* exercise : book.exercises) {
    Json about;
    if (exercise->lesson) about["number"] = *exercise->lesson;
    about["slug"] = exercise->slug;
    about["title"] = exercise->title;
    json["exercises"].push_back(about);
  }
  json["most_points"] = most_of(book);
  json["seed"] = book.seed;
  json["students"] = Json::array();
  for (std::size_t s = 0; s < book.students.size(); ++s) {
    Json student{{"student", one_line(book.students[s])}, {"points", book.total(s)}};
    student["exercises"] = Json::array();
    for (std::size_t e = 0; e < book.exercises.size(); ++e) {
      student["exercises"].push_back(json_of(book.grade(s, e), times));
    }
    json["students"].push_back(student);
  }
  json["notes"] = book.notes;
  return to_text(json);
}

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
