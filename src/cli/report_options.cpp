#include "cli/report_options.hpp"

#include "cli/output_file.hpp"
#include "report/lesson_json.hpp"
#include "view/html_page.hpp"
#include "view/terminal_text.hpp"

namespace gemm_tutor::cli {

ReportRequest ReportOptions::request(Activity& activity, const char* page,
                                     const std::string& read) const {
  ReportRequest request{
      .options = run.run_options(size.problem()), .gpus = run.gpus(), .machine = machine.detail()};
  request.options.activity = &activity;
  // A page draws all of the first block, a text its first warp.
  if (html) {
    request.options.trace = TraceRequest();
  } else if (format.format() == Format::text) {
    request.options.trace = TraceRequest{.warp = 0};
  }
  check_writable("--html", html, page);
  check_not_read({{"--html", html}}, read);
  return request;
}

Outcome ReportOptions::shown(const auto& report, const Document& document,
                             const Terminal& terminal) const {
  if (html) write_output("--html", *html, html_page(document));
  return {format.format() == Format::json ? lesson_json(report.run, report.machine.has_value())
                                          : terminal_text(document, terminal),
          is_clean(report.run) ? ExitStatus::ok : ExitStatus::wrong_result};
}

template Outcome ReportOptions::shown(const KernelReport&, const Document&, const Terminal&) const;
template Outcome ReportOptions::shown(const LessonReport&, const Document&, const Terminal&) const;

}  // namespace gemm_tutor::cli
