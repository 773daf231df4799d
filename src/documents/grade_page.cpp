// The gradebook as a page: plain HTML, no script and nothing from elsewhere.
#include <fmt/format.h>

#include "classroom/one_line.hpp"
#include "documents/embedded_texts.hpp"
#include "documents/grade_page.hpp"
#include "documents/grade_report.hpp"
#include "support/text.hpp"
#include "view/html.hpp"

namespace gemm_tutor {
namespace {

const char* class_of(const Mark& mark) {
  if (mark.missing()) return "missing";
  if (mark.points == most_points) return "full";
  return mark.points.total() == 0 ? "none" : "part";
}

// A dash where nothing was handed in.
std::string points_text(const Mark& mark, int points) {
  return mark.missing() ? "–" : std::to_string(points);
}

std::string name_of_student(const std::string& student) { return escaped(one_line(student)); }

std::string table(const Gradebook& book) {
  std::string html =
      "<div class=\"scroll\" tabindex=\"0\"><table>\n<thead><tr><th class=\"text\" "
      "scope=\"col\">student</th>";
  for (const Exercise* exercise : book.exercises) {
    html += fmt::format("<th scope=\"col\" title=\"{}\">{}</th>", escaped(exercise->title),
                        escaped(short_name(*exercise)));
  }
  html += "<th scope=\"col\">total</th></tr></thead>\n<tbody>\n";
  for (std::size_t s = 0; s < book.students.size(); ++s) {
    html += fmt::format("<tr><th class=\"text\" scope=\"row\">{}</th>",
                        name_of_student(book.students[s]));
    for (std::size_t e = 0; e < book.exercises.size(); ++e) {
      const Mark& mark = book.grade(s, e).mark;
      html += fmt::format("<td class=\"points {}\">{}</td>", class_of(mark),
                          points_text(mark, mark.points.total()));
    }
    html += fmt::format("<td class=\"total\">{}</td></tr>\n", book.total(s));
  }
  return html + "</tbody></table></div>\n";
}

std::string detail(const Grade& grade, bool times) {
  const Mark& mark = grade.mark;
  const std::string work = mark.warp_instructions > 0
                               ? with_thousands(static_cast<std::int64_t>(mark.warp_instructions))
                               : "";
  std::string html = fmt::format(
      "<tr><th class=\"text\" scope=\"row\">{}</th><td>{}</td><td>{}</td><td>{}</td>"
      "<td class=\"points {}\">{}</td><td>{}</td>",
      name_of_student(grade.student), points_text(mark, mark.points.result),
      points_text(mark, mark.points.safety), points_text(mark, mark.points.traffic), class_of(mark),
      points_text(mark, mark.points.total()), work);
  if (times) html += mark.seconds > 0 ? fmt::format("<td>{:.2f}</td>", mark.seconds) : "<td></td>";
  const std::string reason = mark.solved() ? "solved" : one_line(mark.reason);
  return html + fmt::format("<td class=\"text\">{}</td></tr>\n", escaped(reason));
}

std::string details(const Gradebook& book, std::size_t exercise, bool times) {
  std::string html = fmt::format(
      "<h2>{}</h2>\n<div class=\"scroll\" tabindex=\"0\"><table>\n<thead><tr><th class=\"text\" "
      "scope=\"col\">"
      "student</th><th scope=\"col\">result</th><th scope=\"col\">safety</th><th scope=\"col\">"
      "traffic</th><th scope=\"col\">points</th><th scope=\"col\">warp instructions</th>{}"
      "<th class=\"text\" scope=\"col\">what fails first</th></tr></thead>\n<tbody>\n",
      escaped(full_name(*book.exercises[exercise])), times ? "<th scope=\"col\">seconds</th>" : "");
  for (std::size_t s = 0; s < book.students.size(); ++s) {
    html += detail(book.grade(s, exercise), times);
  }
  return html + "</tbody></table></div>\n";
}

std::string notes(const Gradebook& book) {
  if (book.notes.empty()) return "";
  std::string html = "<h2>Left out</h2>\n<ul>\n";
  for (const std::string& note : book.notes) {
    html += fmt::format("<li class=\"text\">{}</li>\n", escaped(note));
  }
  return html + "</ul>\n";
}

}  // namespace

std::string grade_html(const Gradebook& book, bool times) {
  std::string body =
      fmt::format("<h1>Grades</h1>\n<p class=\"dim\">{} students, {} exercises. {}</p>\n",
                  book.students.size(), book.exercises.size(), escaped(points_rule));
  if (book.exercises.size() > 1) body += table(book);
  for (std::size_t e = 0; e < book.exercises.size(); ++e) body += details(book, e, times);
  return html_text({"Grades", grade_css(), body + notes(book), {}});
}

}  // namespace gemm_tutor
