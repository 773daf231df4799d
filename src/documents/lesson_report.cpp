#include "documents/lesson_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "course/ladder.hpp"
#include "documents/finding_text.hpp"
#include "documents/source_view.hpp"
#include "documents/traffic_view.hpp"
#include "documents/work_view.hpp"
#include "gemm/matrices.hpp"
#include "model/roofline.hpp"
#include "support/text.hpp"
#include "view/compiler_message.hpp"
#include "view/layout.hpp"
#include "view/markdown.hpp"
#include "view/units.hpp"

namespace gemm_tutor {
namespace {

std::string dimensions(const Dim3& d) {
  if (d.z > 1) return fmt::format("{}×{}×{}", d.x, d.y, d.z);
  return d.y > 1 ? fmt::format("{}×{}", d.x, d.y) : with_thousands(d.x);
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
  page.row({}, {}, kernel_line(run), {{sizes_text(run.problem), Style::dim}});
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

std::string geometry(const Launch& launch, const std::optional<KernelResources>& resources) {
  const Dim3& block = launch.block;
  std::string text = fmt::format("grid {} · block {} = {} threads", dimensions(launch.grid),
                                 dimensions(block), with_thousands(block.count()));
  if (!resources) return text;
  const int shared = resources->static_shared_bytes + launch.dynamic_shared_bytes;
  if (shared > 0) text += fmt::format(" · {} shared", human_bytes(shared));
  if (resources->registers_per_thread > 0) {
    text += fmt::format(" · {} registers", resources->registers_per_thread);
  }
  const int local = resources->local_bytes_per_thread;
  if (local > 0) text += fmt::format(" · {} local a thread", human_bytes(local));
  return text;
}

std::vector<Line> launch_lines(const Launch& launch,
                               const std::optional<KernelResources>& resources,
                               const std::optional<Occupancy>& occupancy) {
  std::vector<Line> lines = {{{geometry(launch, resources)}}};
  if (occupancy) {
    const std::string most = occupancy->exact ? "" : "at most ";
    lines.push_back({{fmt::format("occupancy {}{} ({} on an SM, limited by {})", most,
                                  percent_text(100 * occupancy->occupancy),
                                  counted(occupancy->blocks_per_multiprocessor, "block"),
                                  occupancy->limited_by)}});
  }
  return lines;
}

std::string timing_text(double median_ms, double tflops, std::optional<double> percent_of_cublas) {
  std::string text =
      fmt::format("{} · {}", duration_text(median_ms), flop_rate_text(tflops * 1e12));
  if (percent_of_cublas) {
    text += " · " + unbreakable(percent_text(*percent_of_cublas) + " of cuBLAS");
  }
  return text;
}

// Where the kernel stands under the GPU's roof.
std::string roofline_text(const KernelRun& run) {
  if (!run.gpu || !run.emulation || run.emulation->stopped) return "";
  const double intensity = global_intensity(run);
  if (intensity == 0) return "";
  const double roof = attainable_flops(*run.gpu, intensity);
  std::string text =
      fmt::format("roofline: {} of global memory, where the {} can do {}",
                  intensity_text(intensity), run.gpu->full_name, flop_rate_text(roof));
  if (const auto time = time_of(run)) {
    const double share = 1e12 * time->tflops / roof;
    text += share > 1 ? fmt::format("; this is {} that, as caches answer what is asked for again",
                                    factor_text(share))
                      : fmt::format("; this is {} of it", percent_text(100 * share));
  }
  return text;
}

std::string right_text(const Verification& v) {
  const std::string checked = with_thousands(v.elements_checked);
  if (v.elements_total == 1) return "the one element is within the error bound";
  if (v.elements_checked == v.elements_total) {
    return fmt::format("all {} elements within the error bound", checked);
  }
  return fmt::format("{} element{} checked of {}, all within the error bound", checked,
                     v.elements_checked == 1 ? "" : "s", with_thousands(v.elements_total));
}

bool has_finding(const KernelRun& run, emulator::FindingKind kind) {
  return run.emulation &&
         std::ranges::count(run.emulation->findings, kind, &emulator::Finding::kind) > 0;
}

void add_wrong_result(std::vector<Line>& lines, const KernelRun& run) {
  const Verification& v = run.verification;
  lines.push_back(
      {{"✗ ", Style::bad},
       {fmt::format("{} of {} elements checked are wrong", with_thousands(v.wrong_elements),
                    with_thousands(v.elements_checked))}});
  if (v.unwritten_elements > 0 && !has_finding(run, emulator::FindingKind::unwritten)) {
    lines.push_back(
        {{fmt::format("  {} of them were never written", with_thousands(v.unwritten_elements))}});
  }
  if (const auto& first = v.first_wrong) {
    const std::string value =
        is_poison(first->value) ? "was never written" : fmt::format("is {:.8g}", first->value);
    lines.push_back({{fmt::format(
        "  the first is row {}, column {}: it {}, and {} is right", first->row, first->column,
        value, unbreakable(fmt::format("{:.8g} ± {:.2g}", first->reference, first->bound)))}});
  }
}

void add_write_map(std::vector<Line>& lines, const WriteMap& map) {
  const Region& region = map.region;
  lines.push_back(
      {{fmt::format("C[{}..{}][{}..{}], {} a character: ", region.row_begin, region.row_end - 1,
                    region.column_begin, region.column_end - 1, cell_text(map.rows, map.columns))},
       {unbreakable("# all written,") + " " + unbreakable(". none")},
       {map.rows * map.columns > 1 ? ", " + unbreakable("+ some") : ""}});
  for (const std::string& line : map.lines) lines.push_back({{"  " + line, Style::code}});
}

Line operand_order_line(const OperandOrder& order) {
  return {{fmt::format(
      "with A before B the same call gives C[0][0] = {:.7g} instead of {:.7g}, and no error: "
      "it computes B·A",
      order.exchanged, order.right)}};
}

std::vector<Line> finding_lines(const std::vector<emulator::Finding>& findings) {
  std::vector<Line> lines;
  for (const emulator::Finding& finding : findings) {
    lines.push_back({{"✗ ", Style::bad},
                     {name_of(finding.kind()), Style::heading},
                     {text_behind_kind(finding)}});
  }
  return lines;
}

void add_lines(Page& page, const std::vector<Line>& lines) {
  for (const Line& line : lines) page.text(line);
}

// A size that shows what this one does not: tiles that are cut at the edges, or whole ones.
int other_size(const KernelRun& run) {
  constexpr int cut = 1000, whole = 1024;
  return run.traffic.formula_is_exact && run.problem.m != cut ? cut : whole;
}

// Nothing where it is the size without an option.
std::string size_options(const Problem& p) {
  if (p.m != p.n || p.n != p.k) return fmt::format(" --m {} --n {} --k {}", p.m, p.n, p.k);
  return p.m == default_size ? "" : fmt::format(" --size {}", p.m);
}

// The very kernel that ran.
std::string trace_command(const KernelRun& run) {
  return command_of(*run.lesson, "trace") +
         options_of(*run.lesson, *run.kernel, run.problem, run.settings, run.gpu);
}

}  // namespace

std::string command_of(const Lesson& lesson, std::string_view command) {
  return fmt::format("gemm-tutor {}{} {}", lesson.of_course ? "--course DIR " : "", command,
                     lesson.number);
}

std::string options_of(const Lesson& lesson, const Kernel& kernel, const Problem& problem,
                       const Settings& settings, const std::optional<GpuSpec>& gpu) {
  const Settings usual = gpu ? effective_settings(kernel, *gpu, problem) : kernel.settings;
  std::string options = &kernel == &lesson.kernels.front() ? "" : " --kernel " + kernel.name;
  options += size_options(problem);
  for (const Setting& setting : settings) {
    if (usual[setting.name] == setting.value) continue;
    options += fmt::format(" --set {}={}", setting.name, setting.value);
  }
  return options;
}

std::string other_kernel_command(const KernelRun& run, const Kernel& kernel) {
  return fmt::format("{} --kernel {}{}", command_of(*run.lesson, "lesson"), kernel.name,
                     size_options(run.problem));
}

std::vector<std::string> next_commands(const LessonReport& report) {
  const Lesson& lesson = *report.run.lesson;
  std::vector<std::string> commands;
  if (report.run.kernel->is_cuda()) commands.push_back(trace_command(report.run));
  if (!lesson.exercise.empty()) commands.push_back(command_of(lesson, "exercise start"));
  if (report.next) commands.push_back(command_of(*report.next, "lesson"));
  for (const Kernel& kernel : lesson.kernels) {
    if (kernel.name != report.run.kernel->name) {
      commands.push_back(other_kernel_command(report.run, kernel));
    }
  }
  commands.push_back(
      fmt::format("{} --size {}", command_of(lesson, "lesson"), other_size(report.run)));
  return commands;
}

void add_next_commands(Page& page, std::vector<std::string> commands) {
  constexpr std::size_t margin = 12;  // the section's name, and a separator
  for (std::string& command : commands) {
    const bool fits = command.size() + margin <= static_cast<std::size_t>(page.terminal().width);
    if (fits) command = unbreakable(command);
  }
  page.section("Next");
  page.text({{join(commands, unbreakable(" ·") + " ")}});
}

std::string sizes_text(const Problem& p) {
  if (p.m == p.n && p.n == p.k) return fmt::format("M = N = K = {}", with_thousands(p.m));
  return fmt::format("M = {}, N = {}, K = {}", with_thousands(p.m), with_thousands(p.n),
                     with_thousands(p.k));
}

void add_findings(Page& page, const std::vector<emulator::Finding>& findings) {
  add_lines(page, finding_lines(findings));
}

std::string call_text(const KernelRun& run) {
  if (run.kernel && run.kernel->from_library) {
    return "cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, N, M, K, &one, B, N, A, K, &zero, C, N)";
  }
  return run.launch ? run.launch_statement : run.kernel->name + "(A, B, C, M, N, K)";
}

std::vector<Line> launch_lines(const KernelRun& run) {
  if (run.kernel && run.kernel->from_library) return {{{run.lesson->change}}};
  if (!run.launch) return {{{"a function call on one CPU thread"}}};
  return launch_lines(*run.launch, run.resources, run.occupancy);
}

std::vector<Line> second_launch_lines(const KernelRun& run) {
  if (!run.second_launch) return {};
  const SecondLaunch& second = *run.second_launch;
  return launch_lines(second.launch, second.resources, second.occupancy);
}

void add_launch(Page& page, const KernelRun& run) {
  page.section("Launch");
  add_statement(page, call_text(run));
  add_lines(page, launch_lines(run));
  if (run.occupancy && !run.occupancy->exact) {
    page.text(
        {{fmt::format("(compiled by {}: the registers, which may leave room for fewer blocks, "
                      "are known only to NVIDIA's assembler)",
                      run.compiler),
          Style::dim}});
  }
  if (!run.tuning.empty()) page.text({{run.tuning, Style::dim}});
  if (!run.second_launch) return;
  add_statement(page, run.second_launch->statement);
  add_lines(page, second_launch_lines(run));
}

std::vector<Line> timing_lines(const LessonReport& report) {
  const KernelRun& run = report.run;
  std::vector<Line> lines;
  if (const auto& timing = run.timing) {
    lines.push_back({{timing_text(timing->median_ms, timing->tflops, timing->percent_of_cublas)}});
    std::string spread = fmt::format("median of {}, the fastest {}", counted(timing->runs, "run"),
                                     duration_text(timing->min_ms));
    if (timing->cublas_median_ms) {
      spread +=
          fmt::format("; cuBLAS {} in the same run", duration_text(*timing->cublas_median_ms));
    }
    lines.push_back({{spread, Style::dim}});
  }
  if (const auto& recorded = run.recorded) {
    lines.push_back({{fmt::format(
        "{}, recorded {}: {}", recorded->device, recorded->date,
        timing_text(recorded->median_ms, recorded->tflops, recorded->percent_of_cublas))}});
  }
  if (const std::string standing = roofline_text(run); !standing.empty()) {
    lines.push_back({{standing}});
  }
  if (run.backend == Backend::gpu && !run.timing) {
    lines.push_back({{"not taken, because the result is wrong"}});
  }
  if (run.kept_from_gpu) {
    lines.push_back({{"not taken: the kernel was kept from the GPU, for what the emulator found"}});
  }
  if (run.backend == Backend::emulator) {
    lines.push_back({{fmt::format("({}emulated in {}, which says nothing of a GPU's time)",
                                  report.gpu_missing ? "no GPU here: " : "",
                                  duration_text(1000 * run.emulation->seconds)),
                      Style::dim}});
  }
  return lines;
}

void add_timing(Page& page, const LessonReport& report) {
  page.section("Timing");
  add_lines(page, timing_lines(report));
}

std::vector<Line> result_lines(const KernelRun& run) {
  std::vector<Line> lines;
  if (!run.can_run_here()) {
    lines.push_back({{"not computed: it takes an NVIDIA GPU, its driver and cuBLAS"}});
    if (run.operand_order) lines.push_back(operand_order_line(*run.operand_order));
    return lines;
  }
  const bool stopped = run.emulation && run.emulation->stopped;
  const bool right = run.verification.passed && !stopped;
  if (is_clean(run)) lines.push_back({{"✓ ", Style::good}, {right_text(run.verification)}});
  if (!right && !stopped) add_wrong_result(lines, run);
  if (run.emulation) {
    for (Line& line : finding_lines(run.emulation->findings)) lines.push_back(std::move(line));
  }
  if (right && !is_clean(run)) {
    lines.push_back({{"  the values are right all the same: " + right_text(run.verification)}});
  }
  if (stopped) {
    lines.push_back({{"  the emulator stopped before the kernel's end: C is incomplete"}});
  }
  if (run.unwritten) add_write_map(lines, *run.unwritten);
  if (run.operand_order) lines.push_back(operand_order_line(*run.operand_order));
  return lines;
}

void add_result(Page& page, const KernelRun& run) {
  page.section("Result");
  add_lines(page, result_lines(run));
}

std::string lesson_text(const LessonReport& report, const Terminal& terminal) {
  const KernelRun& run = report.run;
  Page page(terminal);
  add_heading(page, run);
  if (run.lesson) {
    page.section("Idea");
    page.text(first_paragraph(run.lesson->text));
  }
  add_source(page, run, report.requests);
  add_launch(page, run);
  if (run.traffic.counted_loads || run.emulation) add_traffic(page, run);
  add_work(page, run);
  add_timing(page, report);
  add_warnings_section(page, run.warnings);
  add_result(page, run);
  if (run.lesson) add_next_commands(page, next_commands(report));
  return page.str();
}

bool is_clean(const KernelRun& run) {
  return !run.can_run_here() ||
         (run.verification.passed && (!run.emulation || run.emulation->findings.empty()));
}

}  // namespace gemm_tutor
