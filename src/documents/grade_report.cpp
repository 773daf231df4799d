#include "documents/grade_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "classroom/one_line.hpp"
#include "documents/json.hpp"
#include "documents/lesson_json.hpp"
#include "support/text.hpp"
#include "view/layout.hpp"

namespace gemm_tutor {
namespace {

constexpr int widest_name = 22, points_columns = 8, work_columns = 14, time_columns = 9;

// As wide as it may be: a wide character counts for two.
std::string name_in(const std::string& student, int width) {
  std::string name = one_line(student, static_cast<std::size_t>(width));
  for (int most = width - 1; columns(name) > width && most > 0; --most) {
    name = one_line(student, static_cast<std::size_t>(most));
  }
  return name;
}

int name_columns(const Gradebook& book) {
  int width = columns("student");
  for (const std::string& student : book.students) {
    width = std::max(width, columns(one_line(student, widest_name)));
  }
  return std::min(width, widest_name);
}

constexpr const char* nothing = "–";  // where no points could be given: not handed in

std::string points_text(const Mark& mark) {
  return mark.missing() ? nothing : std::to_string(mark.points.total());
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
  return {{fmt::format("{} {} · {} of {} solved · {:.1f} of {} points on average", students,
                       students == 1 ? "student" : "students", solved, book.grades.size(),
                       mean_points(book), most_of(book)),
           Style::dim}};
}

void add_notes(Page& page, const Gradebook& book) {
  if (book.notes.empty()) return;
  page.blank();
  page.row({}, {}, {{"Left out", Style::heading}});
  for (const std::string& note : book.notes) page.row({{"  "}}, {{"    "}}, {{note}});
}

void add_row(Page& page, const Line& gutter, const Line& body) {
  page.row(gutter, {{std::string(static_cast<std::size_t>(columns(gutter)), ' ')}}, body);
}

// --- One exercise: what its points are made of

void add_one_exercise(Page& page, const Gradebook& book, bool times) {
  const int names = name_columns(book);
  std::string title = flush_left("student", names);
  for (const char* part : {"result", "safety", "traffic", "points"}) {
    title += flush_right(part, points_columns);
  }
  title += flush_right("warp instr.", work_columns);
  page.row({}, {}, {{title + (times ? flush_right("time", time_columns) : ""), Style::dim}});
  for (const Grade& grade : book.grades) {
    const Points& points = grade.mark.points;
    std::string parts;
    for (const int part : {points.result, points.safety, points.traffic}) {
      parts += flush_right(grade.mark.missing() ? nothing : std::to_string(part), points_columns);
    }
    const std::string time = times ? flush_right(seconds_text(grade.mark), time_columns) : "";
    page.row({}, {},
             {{flush_left(name_in(grade.student, names), names) + parts},
              {flush_right(points_text(grade.mark), points_columns), style_of(grade.mark)},
              {flush_right(work_text(grade.mark), work_columns) + time}});
  }
}

// --- Several: a table of points, and the reasons below it

constexpr int cell_columns = 5;

// A lesson's number, or for another exercise a letter.
std::string column_name(const Gradebook& book, std::size_t exercise) {
  if (const auto& lesson = book.exercises[exercise]->lesson) return std::to_string(*lesson);
  const auto is_alone = [](const Exercise* other) { return !other->lesson; };
  const auto before =
      std::count_if(book.exercises.begin(),
                    book.exercises.begin() + static_cast<std::ptrdiff_t>(exercise), is_alone);
  return std::string(1, static_cast<char>('A' + before % 26));
}

// Columns [begin, end) of the table; the totals behind the last.
void add_table(Page& page, const Gradebook& book, std::size_t begin, std::size_t end) {
  const int names = name_columns(book);
  const bool is_last = end == book.exercises.size();
  std::string title = flush_left("student", names);
  for (std::size_t e = begin; e < end; ++e)
    title += flush_right(column_name(book, e), cell_columns);
  page.blank();
  page.row({}, {}, {{title + (is_last ? flush_right("total", points_columns) : ""), Style::dim}});
  for (std::size_t s = 0; s < book.students.size(); ++s) {
    Line row = {{flush_left(name_in(book.students[s], names), names)}};
    for (std::size_t e = begin; e < end; ++e) {
      const Mark& mark = book.grade(s, e).mark;
      row.push_back({flush_right(points_text(mark), cell_columns), style_of(mark)});
    }
    if (is_last) row.push_back({flush_right(std::to_string(book.total(s)), points_columns)});
    page.row({}, {}, row);
  }
}

void add_tables(Page& page, const Gradebook& book) {
  const int room = page.terminal().width - name_columns(book) - points_columns;
  const auto at_once = static_cast<std::size_t>(std::max(1, room / cell_columns));
  for (std::size_t begin = 0; begin < book.exercises.size(); begin += at_once) {
    add_table(page, book, begin, std::min(begin + at_once, book.exercises.size()));
  }
}

void add_legend(Page& page, const Gradebook& book) {
  for (std::size_t e = 0; e < book.exercises.size(); ++e) {
    add_row(page, {{flush_right(column_name(book, e), 3) + "  "}}, {{book.exercises[e]->title}});
  }
}

// "not handed in: 3, 5".
void add_missing(Page& page, const Gradebook& book, std::size_t student, const std::string& name) {
  std::vector<std::string> missing;
  for (std::size_t e = 0; e < book.exercises.size(); ++e) {
    if (book.grade(student, e).mark.missing()) missing.push_back(column_name(book, e));
  }
  if (missing.empty()) return;
  const bool all = missing.size() == book.exercises.size();
  add_row(page, {{name}, {"      "}},
          {{all ? "nothing handed in" : "not handed in: " + join(missing), Style::dim}});
}

// Those of one exercise are told apart by the student alone, and have their times in the table.
void add_reasons(Page& page, const Gradebook& book, bool times) {
  const int names = name_columns(book);
  const bool several = book.exercises.size() > 1;
  page.blank();
  page.row({}, {}, {{times && several ? "Reasons and times" : "Reasons", Style::heading}});
  for (std::size_t s = 0; s < book.students.size(); ++s) {
    std::string name = flush_left(name_in(book.students[s], names), names);
    for (std::size_t e = 0; e < book.exercises.size(); ++e) {
      const Mark& mark = book.grade(s, e).mark;
      if (mark.solved() && !(times && several)) continue;
      if (mark.missing() && several) continue;
      const std::string column = several ? flush_right(column_name(book, e), 4) : "";
      const std::string time =
          times && several ? flush_right(seconds_text(mark), time_columns) : "";
      add_row(page, {{name}, {column, Style::dim}, {time + "  "}}, reason_line(mark));
      name = std::string(static_cast<std::size_t>(names), ' ');
    }
    if (several) add_missing(page, book, s, name);
  }
}

bool has_reasons(const Gradebook& book) {
  return std::ranges::any_of(book.grades, [](const Grade& g) { return !g.mark.solved(); });
}

// --- Files

std::string csv_field(std::string text) {
  constexpr std::string_view formulas = "=+-@\t\r";
  if (!text.empty() && formulas.find(text.front()) != formulas.npos) text.insert(0, "'");
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string csv_line(const Grade& grade, bool times) {
  const Mark& mark = grade.mark;
  std::vector<std::string> fields = {
      csv_field(one_line(grade.student)),
      csv_field(grade.exercise->slug),
      std::to_string(mark.points.total()),
      std::to_string(mark.points.result),
      std::to_string(mark.points.safety),
      std::to_string(mark.points.traffic),
      csv_field(mark.failed),
      csv_field(one_line(mark.reason)),
      std::to_string(mark.warp_instructions),
  };
  if (times) fields.push_back(fmt::format("{:.3f}", mark.seconds));
  return join(fields, ",") + "\n";
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
  if (times && mark.seconds > 0) json["seconds"] = mark.seconds;
  return json;
}

}  // namespace

std::string full_name(const Exercise& exercise) {
  if (!exercise.lesson) return exercise.title;
  return fmt::format("{} · {}", *exercise.lesson, exercise.title);
}

std::string grade_text(const Gradebook& book, bool times, const Terminal& terminal) {
  Page page(terminal);
  if (book.exercises.size() == 1) {
    page.row({}, {}, {{"Exercise " + full_name(*book.exercises[0]), Style::heading}});
    page.blank();
    add_one_exercise(page, book, times);
  } else {
    page.row({}, {}, {{"Exercises", Style::heading}});
    add_legend(page, book);
    add_tables(page, book);
  }
  if (has_reasons(book) || (times && book.exercises.size() > 1)) add_reasons(page, book, times);
  add_notes(page, book);
  page.blank();
  page.row({}, {}, {{points_rule, Style::dim}});
  page.blank();
  page.row({}, {}, summary(book));
  return page.str();
}

std::string grade_csv(const Gradebook& book, bool times) {
  std::string text =
      "student,exercise,points,result,safety,traffic,failed,reason,warp_instructions";
  text += times ? ",seconds\n" : "\n";
  for (const Grade& grade : book.grades) text += csv_line(grade, times);
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

}  // namespace gemm_tutor
