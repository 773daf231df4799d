#include "report/lesson_report.hpp"

#include <fmt/format.h>

#include "gemm/matrices.hpp"
#include "report/finding_text.hpp"
#include "report/layout.hpp"
#include "report/markdown.hpp"
#include "report/source_view.hpp"
#include "report/traffic_view.hpp"
#include "report/units.hpp"
#include "report/work_view.hpp"
#include "support/text.hpp"

namespace gemm_tutor {
namespace {

std::string dimensions(const Dim3& d) {
  if (d.z > 1) return fmt::format("{}×{}×{}", d.x, d.y, d.z);
  return d.y > 1 ? fmt::format("{}×{}", d.x, d.y) : fmt::format("{}", d.x);
}

std::string problem_text(const Problem& p) {
  if (p.m == p.n && p.n == p.k) return fmt::format("M = N = K = {}", with_thousands(p.m));
  return fmt::format("M = {}, N = {}, K = {}", with_thousands(p.m), with_thousands(p.n),
                     with_thousands(p.k));
}

// The part of a row that says which of the lesson's kernels this is; nothing where there is only
// one.
Line kernel_line(const KernelRun& run) {
  if (!run.lesson || run.lesson->kernels.size() < 2) return {};
  const std::string& title = run.kernel->title;
  return {{run.kernel->name, Style::code}, {title.empty() ? "" : ": " + title}};
}

void add_heading(Page& page, const KernelRun& run) {
  const std::string title =
      run.lesson ? fmt::format("Lesson {} · {}", run.lesson->number, run.lesson->title)
                 : fmt::format("Kernel {}", run.name);
  page.row({}, {}, {{title, Style::heading}}, {{run.device, Style::dim}});
  page.row({}, {}, kernel_line(run), {{problem_text(run.problem), Style::dim}});
}

// The statement, broken before the <<< where it is too long for a line.
void add_statement(Page& page, const std::string& statement) {
  const std::size_t chevrons = statement.find("<<<");
  if (columns(statement) <= page.text_columns() || chevrons == std::string::npos) {
    page.text({{statement, Style::code}});
    return;
  }
  page.text({{statement.substr(0, chevrons), Style::code}});
  page.text({{"    " + statement.substr(chevrons), Style::code}});
}

std::string geometry(const KernelRun& run) {
  const Dim3& block = run.launch->block;
  std::string text = fmt::format("grid {} · block {} = {} threads", dimensions(run.launch->grid),
                                 dimensions(block), with_thousands(block.count()));
  if (!run.resources) return text;
  const int shared = run.resources->static_shared_bytes + run.launch->dynamic_shared_bytes;
  if (shared > 0) text += fmt::format(" · {} shared", human_bytes(shared));
  text += fmt::format(" · {} registers", run.resources->registers_per_thread);
  const int local = run.resources->local_bytes_per_thread;
  if (local > 0) text += fmt::format(" · {} local a thread", human_bytes(local));
  return text;
}

void add_launch(Page& page, const KernelRun& run) {
  page.section("Launch");
  if (!run.launch) {
    page.text({{run.kernel->name + "(A, B, C, M, N, K)", Style::code}});
    page.text({{"a function call on one CPU thread"}});
    return;
  }
  add_statement(page, run.launch_statement);
  page.text({{geometry(run)}});
  if (run.occupancy) {
    const int blocks = run.occupancy->blocks_per_multiprocessor;
    page.text({{fmt::format("occupancy {} ({} block{} on an SM, limited by {})",
                            percent_text(100 * run.occupancy->occupancy), blocks,
                            blocks == 1 ? "" : "s", run.occupancy->limited_by)}});
  }
}

std::string timing_text(double median_ms, double tflops, std::optional<double> percent_of_cublas) {
  std::string text =
      fmt::format("{} · {}", duration_text(median_ms), flop_rate_text(tflops * 1e12));
  if (percent_of_cublas) {
    text += " · " + unbreakable(percent_text(*percent_of_cublas) + " of cuBLAS");
  }
  return text;
}

void add_timing(Page& page, const LessonReport& report) {
  const KernelRun& run = report.run;
  page.section("Timing");
  if (const auto& timing = run.timing) {
    page.text({{timing_text(timing->median_ms, timing->tflops, timing->percent_of_cublas)}});
    std::string spread = fmt::format("median of {} run{}, the fastest {}", timing->runs,
                                     timing->runs == 1 ? "" : "s", duration_text(timing->min_ms));
    if (timing->cublas_median_ms) {
      spread +=
          fmt::format("; cuBLAS {} in the same run", duration_text(*timing->cublas_median_ms));
    }
    page.text({{spread, Style::dim}});
  }
  if (const auto& recorded = run.recorded) {
    page.text({{fmt::format(
        "{}, recorded {}: {}", recorded->device, recorded->date,
        timing_text(recorded->median_ms, recorded->tflops, recorded->percent_of_cublas))}});
  }
  if (run.backend == "gpu" && !run.timing) {
    page.text({{"not taken, because the result is wrong"}});
  }
  if (run.kept_from_gpu) {
    page.text({{"not taken: the kernel was kept from the GPU, for what the emulator found"}});
  }
  if (run.backend == "emulator") {
    page.text({{fmt::format("({}emulated in {}, which says nothing of a GPU's time)",
                            report.gpu_missing ? "no GPU here: " : "",
                            duration_text(1000 * run.emulation->seconds)),
                Style::dim}});
  }
}

void add_right_result(Page& page, const Verification& v) {
  const std::string elements = v.elements_checked == 1 ? "element" : "elements";
  const std::string checked = v.elements_checked == v.elements_total
                                  ? fmt::format("all {} {} within the error bound",
                                                with_thousands(v.elements_total), elements)
                                  : fmt::format("{} {} checked of {}, all within the error bound",
                                                with_thousands(v.elements_checked), elements,
                                                with_thousands(v.elements_total));
  page.text({{"✓ ", Style::good}, {checked}});
}

void add_wrong_result(Page& page, const Verification& v) {
  page.text({{"✗ ", Style::bad},
             {fmt::format("{} of {} elements checked are wrong", with_thousands(v.wrong_elements),
                          with_thousands(v.elements_checked))}});
  if (v.unwritten_elements > 0) {
    page.text(
        {{fmt::format("  {} of them were never written", with_thousands(v.unwritten_elements))}});
  }
  if (const auto& first = v.first_wrong) {
    const std::string value =
        is_poison(first->value) ? "was never written" : fmt::format("is {:.8g}", first->value);
    page.text({{fmt::format("  the first is row {}, column {}: it {}, and {:.8g} ± {:.2g} is right",
                            first->row, first->column, value, first->reference, first->bound)}});
  }
}

void add_findings(Page& page, const emulator::Result& emulation) {
  for (const emulator::Finding& finding : emulation.findings) {
    const std::string line = finding.line > 0 ? fmt::format(", line {}", finding.line) : "";
    page.text({{"✗ ", Style::bad},
               {finding.kind, Style::heading},
               {fmt::format("{}: {}", line, finding_text(finding))}});
  }
}

void add_write_map(Page& page, const WriteMap& map) {
  const Region& region = map.region;
  page.text({{fmt::format("C[{}..{}][{}..{}], {}×{} elements a character: # all written, . none{}",
                          region.row_begin, region.row_end - 1, region.column_begin,
                          region.column_end - 1, map.rows, map.columns,
                          map.rows * map.columns > 1 ? ", + some" : "")}});
  for (const std::string& line : map.lines) page.text({{"  " + line, Style::code}});
}

void add_result(Page& page, const KernelRun& run) {
  page.section("Result");
  run.verification.passed ? add_right_result(page, run.verification)
                          : add_wrong_result(page, run.verification);
  if (run.emulation) add_findings(page, *run.emulation);
  if (run.unwritten) add_write_map(page, *run.unwritten);
}

// A size that shows what this one does not: tiles that are cut at the edges, or whole ones.
int other_size(const KernelRun& run) {
  constexpr int cut = 1000, whole = 1024;
  return run.traffic.formula_is_exact && run.problem.m != cut ? cut : whole;
}

void add_next(Page& page, const LessonReport& report) {
  const int number = report.run.lesson->number;
  std::vector<std::string> commands;
  if (report.next) commands.push_back(fmt::format("gemm-tutor lesson {}", report.next->number));
  for (const Kernel& kernel : report.run.lesson->kernels) {
    if (kernel.name == report.run.kernel->name) continue;
    commands.push_back(fmt::format("gemm-tutor lesson {} --kernel {}", number, kernel.name));
  }
  commands.push_back(fmt::format("gemm-tutor lesson {} --size {}", number, other_size(report.run)));
  for (std::string& command : commands) command = unbreakable(command);
  page.section("Next");
  page.text({{join(commands, " · ")}});
}

}  // namespace

std::string lesson_text(const LessonReport& report, const Terminal& terminal) {
  const KernelRun& run = report.run;
  Page page(terminal);
  add_heading(page, run);
  if (run.lesson) {
    page.section("Idea");
    page.text(first_paragraph(run.lesson->text));
  }
  add_source(page, run);
  add_launch(page, run);
  add_traffic(page, run);
  add_work(page, run);
  add_timing(page, report);
  add_result(page, run);
  if (run.lesson) add_next(page, report);
  return page.str();
}

bool is_clean(const KernelRun& run) {
  return run.verification.passed && (!run.emulation || run.emulation->findings.empty());
}

}  // namespace gemm_tutor
