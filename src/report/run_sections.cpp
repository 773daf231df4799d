#include "report/run_sections.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "course/ladder.hpp"
#include "gemm/matrices.hpp"
#include "report/estimate_section.hpp"
#include "report/launch_text.hpp"
#include "simt/finding.hpp"
#include "simt/gpu_spec.hpp"
#include "support/text.hpp"
#include "view/units.hpp"

namespace gemm_tutor {
namespace {

std::string dimensions(const simt::Dim3& d) {
  if (d.z > 1) return fmt::format("{}×{}×{}", d.x, d.y, d.z);
  return d.y > 1 ? fmt::format("{}×{}", d.x, d.y) : with_thousands(d.x);
}

std::string geometry(const KernelLaunch& launch) {
  const simt::KernelResources& resources = launch.resources;
  const simt::Dim3& block = launch.block;
  std::string text = fmt::format("grid {} · block {}", dimensions(launch.grid), dimensions(block));
  if (block.y > 1 || block.z > 1) text += fmt::format(" = {}", with_thousands(block.count()));
  text += " threads";
  const int shared = resources.static_shared_bytes + launch.dynamic_shared_bytes;
  if (shared > 0) text += fmt::format(" · {} shared", human_bytes(shared));
  if (resources.registers_per_thread > 0) {
    text += fmt::format(" · {} registers", resources.registers_per_thread);
  }
  const int local = resources.local_bytes_per_thread;
  if (local > 0) text += fmt::format(" · {} local per thread", human_bytes(local));
  return text;
}

Facts launch_facts(const KernelLaunch& launch) {
  const simt::Occupancy& occupancy = launch.occupancy;
  return facts(
      {{{geometry(launch)}},
       {{fmt::format("occupancy {}{} ({} on an SM, limited by {})",
                     occupancy.exact ? "" : "at most ", percent_text(100 * occupancy.occupancy),
                     counted(occupancy.blocks_per_multiprocessor, "block"),
                     occupancy.limited_by)}}});
}

// Where the kernel is under the GPU's roof.
std::string roofline_text(const KernelRun& run) {
  if (!run.gpu || !run.emulation || run.is_stopped()) return "";
  const double intensity = global_intensity(run);
  if (intensity == 0) return "";
  const simt::Product product = product_of(run.update.types.precision);
  const double roof = attainable_flops(*run.gpu, intensity, run.update.types.precision);
  // An FP32 product made of others is under another roof.
  const bool is_of_others =
      product == simt::Product::none && run.emulation->total.tensor_multiply_adds > 0;
  if (roof == 0 || is_of_others) return "";
  std::string text =
      fmt::format("roofline: {} of global memory, where the {} can do {}",
                  intensity_text(intensity), run.gpu->full_name, flop_rate_text(roof));
  if (const auto time = time_of(run)) {
    const double share = 1e12 * time->tflops / roof;
    const char* what = time->source == TimeSource::estimated ? "the estimate" : "this";
    text += share > 1 ? fmt::format("; {} is {} that, as caches answer what is asked for again",
                                    what, factor_text(share))
                      : fmt::format("; {} is {} of it", what, percent_text(100 * share));
  }
  return text;
}

// "alpha·A·B + C": the expected result, if it is not A·B.
std::string formula_text(const Update& update) {
  const std::string product = update.alpha ? "alpha·A·B" : "A·B";
  if (update.c == InitialC::poison) return update.alpha ? product : "";
  return fmt::format("{} + {}", product, update.beta ? "beta·C" : "C");
}

std::string right_text(const KernelRun& run) {
  const Verification& v = run.verification;
  const std::string checked = with_thousands(v.elements_checked);
  const std::string formula = formula_text(run.update);
  const std::string of = formula.empty() ? "" : fmt::format(" of {}", unbreakable(formula));
  if (v.elements_total == 1) return fmt::format("the one element is within the error bound{}", of);
  if (v.elements_checked == v.elements_total) {
    return fmt::format("all {} elements within the error bound{}", checked, of);
  }
  return fmt::format("{} element{} checked of {}, all within the error bound{}", checked,
                     v.elements_checked == 1 ? "" : "s", with_thousands(v.elements_total), of);
}

// What alpha and beta are, and what C held; nothing for the usual product.
std::string update_text(const Update& update) {
  std::vector<std::string> texts;
  if (update.alpha) texts.push_back(fmt::format("alpha = {}", *update.alpha));
  if (update.beta) texts.push_back(fmt::format("beta = {}", *update.beta));
  if (update.c != InitialC::poison) {
    texts.push_back(fmt::format("C holds {} before the launch",
                                update.c == InitialC::zero ? "zeros" : "random numbers"));
  }
  return join(texts);
}

// "A and B are FP16, C is FP32; judged by FP16": nothing for FP32.
std::string types_text(const Types& types) {
  const PrecisionTerms& terms = terms_of(types.precision);
  if (types.are_floats() && types.precision == Precision::fp32) return "";
  const auto name = [](Scalar element) { return type_of(element).name; };
  const std::string factors = types.a == types.b
                                  ? fmt::format("A and B are {}", name(types.a))
                                  : fmt::format("A is {}, B is {}", name(types.a), name(types.b));
  const std::string judged =
      terms.exact_to > 0 ? "whole numbers of which every sum is exact, so the result must be"
                         : fmt::format("judged by the error bound of {}", terms.title);
  return fmt::format("{}, C is {}; {}", factors, name(types.c), judged);
}

// Also removes control characters of terminals.
std::string without_line_end(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  std::ranges::replace_if(
      text, [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
  return text;
}

bool has_finding(const KernelRun& run, simt::FindingKind kind) {
  return simt::has_kind(run.findings(), kind);
}

void add_right_options(Facts& facts, const KernelRun& run) {
  if (run.wrong.right_options.empty()) return;
  facts.add(
      {{"  with "}, {run.wrong.right_options, Style::code}, {" two small problems are right"}});
}

void add_wrong_result(Facts& facts, const KernelRun& run) {
  const Verification& v = run.verification;
  facts.add({{"✗ ", Style::bad},
             {fmt::format("{} of {} elements checked are wrong", with_thousands(v.wrong_elements),
                          with_thousands(v.elements_checked))}});
  if (v.unwritten_elements > 0 && !has_finding(run, simt::FindingKind::unwritten)) {
    facts.add(
        {{fmt::format("  {} of them were never written", with_thousands(v.unwritten_elements))}});
  }
  if (const auto& first = v.first_wrong) {
    const std::string value =
        is_poison(first->value) ? "was never written" : fmt::format("is {:.8g}", first->value);
    facts.add({{fmt::format(
        "  the first is row {}, column {}: it {}, and {} is right", first->row, first->column,
        value, unbreakable(fmt::format("{:.8g} ± {:.2g}", first->reference, first->bound)))}});
  }
  if (run.wrong.kind) facts.add({{"  " + run.wrong.kind->text}});
  add_right_options(facts, run);
}

void add_write_map(Parts& parts, const WriteMap& map) {
  const Region& region = map.region;
  parts.fact(
      {{fmt::format("C[{}..{}][{}..{}], {} a character: ", region.row_begin, region.row_end - 1,
                    region.column_begin, region.column_end - 1, cell_text(map.rows, map.columns))},
       {unbreakable("# all written,") + " " + unbreakable(". none")},
       {map.rows * map.columns > 1 ? ", " + unbreakable("+ some") : ""}});
  parts.add(Code{map.lines});
}

Line operand_order_line(const OperandOrder& order) {
  return {{fmt::format(
      "with A before B the same call gives C[0][0] = {:.7g} instead of {:.7g}, and no error: "
      "it computes B·A",
      order.exchanged, order.right)}};
}

// A size of the other kind: with partial tiles at the edges, or with whole tiles only.
int other_size(const LessonRun& run) {
  constexpr int cut = 1000, whole = 1024;
  return run.predicted.is_exact && run.problem.m != cut ? cut : whole;
}

// Empty if it is the default size.
std::string size_options(const Problem& p) {
  if (p.m != p.n || p.n != p.k) return fmt::format(" --m {} --n {} --k {}", p.m, p.n, p.k);
  return p.m == default_size ? "" : fmt::format(" --size {}", p.m);
}

// The exact kernel that ran.
std::string trace_command(const LessonRun& run) {
  return command_of(*run.lesson, "trace") +
         options_of(*run.lesson, *run.kernel, run.problem, run.settings, run.gpu);
}

std::string call_text(const KernelRun& run) {
  if (run.launch) return run.launch->statement;
  if (run.backend == Backend::cpu) return run.name + "(A, B, C, M, N, K)";
  return "cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, N, M, K, &one, B, N, A, K, &zero, C, N)";
}

Facts launch_facts(const KernelRun& run) {
  if (run.launch) return launch_facts(*run.launch);
  if (run.backend != Backend::cpu) return {};
  return facts({{{"a function call on one CPU thread"}}});
}

}  // namespace

std::string timing_text(const LadderTime& time) {
  return fmt::format("{} · {}{}", duration_text(time.median_ms), flop_rate_text(time.tflops * 1e12),
                     shares_text(time));
}

std::string shares_text(const LadderTime& time) {
  std::string text;
  const auto add = [&](const std::optional<double>& percent, std::string_view of) {
    if (percent) text += " · " + unbreakable(fmt::format("{} of {}", percent_text(*percent), of));
  };
  add(time.percent_of_peak, "peak");
  add(time.percent_of_cublas, "cuBLAS");
  return text;
}

std::string speed_text(const KernelRun& run, const LadderTime& time) {
  const auto factors = speed_factors(run, time);
  if (!factors) return "";
  const auto percent = [](double share, std::string_view of) {
    return unbreakable(fmt::format("{} {}", percent_text(100 * share), of));
  };
  std::string text = fmt::format("{} = {} × {}", percent(*time.percent_of_peak / 100, "of peak"),
                                 percent(factors->ffma_share, "FFMA"),
                                 percent(factors->issue_rate, "of issue slots"));
  constexpr double nearly_all = 0.995;
  if (factors->needed < nearly_all) text += " × " + percent(factors->needed, "needed for C");
  if (factors->slots_per_ffma != 1) {
    text += " × " + unbreakable(fmt::format("{:g} slots per FFMA", factors->slots_per_ffma));
  }
  return text;
}

Section speed_section(const KernelRun& run) {
  const auto time = time_of(run);
  const std::string text = time ? speed_text(run, *time) : "";
  if (text.empty()) return {};
  return section("Speed", {facts({{{fmt::format("{}, {}", text, name_of(time->source))}}})});
}

std::string command_of(const Lesson& lesson, std::string_view command) {
  return fmt::format("gemm-tutor {}{} {}", lesson.of_course ? "--course DIR " : "", command,
                     lesson.key());
}

std::string options_of(const Lesson& lesson, const Kernel& kernel, const Problem& problem,
                       const Settings& settings, const std::optional<simt::GpuSpec>& gpu) {
  const Settings usual = gpu ? effective_settings(kernel, *gpu, problem) : kernel.settings;
  std::string options = &kernel == &lesson.kernels.front() ? "" : " --kernel " + kernel.name;
  options += size_options(problem);
  for (const Setting& setting : settings) {
    if (usual[setting.name] == setting.value) continue;
    options += fmt::format(" --set {}={}", setting.name, setting.value);
  }
  return options;
}

std::string other_kernel_command(const LessonRun& run, const Kernel& kernel) {
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

Commands commands(const std::vector<std::string>& texts) {
  Commands result;
  for (const std::string& text : texts) result.commands.push_back({text});
  return result;
}

std::string sizes_text(const Problem& p) {
  if (p.m == p.n && p.n == p.k) return fmt::format("M = N = K = {}", with_thousands(p.m));
  return fmt::format("M = {}, N = {}, K = {}", with_thousands(p.m), with_thousands(p.n),
                     with_thousands(p.k));
}

Line size_of_question(const Problem& asked, const Problem& of_run) {
  if (asked == of_run) return {};
  return {{fmt::format(" (For {}.)", sizes_text(asked)), Style::dim}};
}

namespace {

// "12, 19 and 31", of two lines or more.
std::string lines_text(const std::vector<int>& lines) {
  constexpr std::size_t most = 8;
  const std::size_t shown = lines.size() > most ? most : lines.size() - 1;
  const std::string first =
      fmt::format("{}", fmt::join(lines.begin(), lines.begin() + shown, ", "));
  return lines.size() > most ? fmt::format("{} and {} more", first, lines.size() - most)
                             : fmt::format("{} and {}", first, lines.back());
}

}  // namespace

std::string text_after_kind(const simt::Finding& finding) {
  std::string text = finding.line > 0 ? fmt::format(", line {}", finding.line) : "";
  if (finding.lines.size() > 1) text = ", lines " + lines_text(finding.lines);
  for (const int call : finding.calls) text += fmt::format(", called at line {}", call);
  text += ": " + message(finding);
  if (finding.count == 1) return text;
  return fmt::format("{} (and {} more)", text,
                     with_thousands(static_cast<std::int64_t>(finding.count - 1)));
}

Facts finding_facts(const std::vector<simt::Finding>& findings) {
  Facts result;
  for (const simt::Finding& finding : findings) {
    result.add({{"✗ ", Style::bad},
                {name_of(finding.kind()), Style::heading},
                {text_after_kind(finding)}});
  }
  return result;
}

Parts warning_parts(const std::vector<simt::CompilerWarning>& warnings) {
  constexpr std::size_t most = 4;
  Parts parts;
  for (std::size_t i = 0; i < std::min(most, warnings.size()); ++i) {
    parts.add(Message{{"! ", Style::doubtful}, warnings[i].text});
  }
  if (warnings.size() > most) {
    parts.fact({{fmt::format("  and {} more", warnings.size() - most), Style::dim}});
  }
  return parts;
}

Section warnings_section(const std::vector<simt::CompilerWarning>& warnings) {
  return {"Warnings", "", warning_parts(warnings)};
}

Section launch_section(const KernelRun& run) {
  Facts facts = launch_facts(run);
  std::vector<std::string> searched;
  for (const IncludedFile& file : run.source.included) {
    if (file.was_searched) searched.push_back(file.name);
  }
  if (!searched.empty()) facts.add({{"includes " + join(searched), Style::dim}});
  if (run.launch && !run.launch->occupancy.exact) {
    facts.add(
        {{fmt::format("(compiled by {}: the registers, which may leave room for fewer blocks, "
                      "are known only to NVIDIA's assembler)",
                      run.compiler),
          Style::dim}});
  }
  if (run.launch && !run.launch->tuning.empty()) {
    facts.add({{run.launch->tuning, Style::dim}});
  }
  for (const std::string& text : {update_text(run.update), types_text(run.update.types)}) {
    if (!text.empty()) facts.add({{text}});
  }
  Section section{"Launch", "", {}};
  const auto add = [&](const KernelLaunch& other) {
    section.parts.add(Statement{other.statement});
    section.parts.add(launch_facts(other));
  };
  std::ranges::for_each(run.earlier_launches, add);
  section.parts.add(Statement{call_text(run)});
  if (!facts.lines.empty()) section.parts.add(std::move(facts));
  if (run.second_launch) add(*run.second_launch);
  return section;
}

namespace {

// A long command is broken before options, as a shell reads it.
std::vector<std::string> command_lines(const std::string& command) {
  constexpr std::size_t longest = 67;
  std::vector<std::string> lines;
  std::string line;
  for (std::size_t begin = 0; begin < command.size();) {
    const std::size_t end = std::min(command.find(" --", begin + 1), command.size());
    const std::string word = command.substr(begin, end - begin);
    if (!line.empty() && line.size() + word.size() > longest) {
      lines.push_back(line + " \\");
      line = " " + word;
    } else {
      line += word;
    }
    begin = end;
  }
  lines.push_back(line);
  return lines;
}

}  // namespace

Section command_section(const KernelRun& run) {
  Section section{"Command"};
  if (run.source.found.command.empty()) return section;
  section.parts.add(Code{command_lines(run.source.found.command), "sh"});
  Facts facts;
  for (const std::string& note : run.source.found.notes) facts.add({{note}});
  if (!facts.lines.empty()) section.parts.add(std::move(facts));
  return section;
}

Parts grid_parts(const LessonRun& run) {
  Parts parts;
  if (!run.launch || !run.kernel->shape) return parts;
  parts.add(Paragraph{{{grid_text(run)}}});
  if (const std::string residency = residency_text(run); !residency.empty()) {
    parts.add(Paragraph{{{residency}}});
  }
  return parts;
}

Section timing_section(const KernelRun& run) {
  Facts facts;
  if (const auto& timing = run.timing) {
    facts.add({{timing_text(*measured_time(run))}});
    std::string spread = fmt::format("median of {}, the fastest {}", counted(timing->runs, "run"),
                                     duration_text(timing->min_ms));
    if (timing->cublas_median_ms) {
      spread +=
          fmt::format("; cuBLAS {} in the same run", duration_text(*timing->cublas_median_ms));
    }
    facts.add({{spread, Style::dim}});
  }
  if (const std::string estimated = estimated_text(run); !estimated.empty()) {
    facts.add({{estimated}}, {}, 2);
  }
  if (const auto& recorded = run.recorded) {
    facts.add({{fmt::format("{}, recorded {}: {}", recorded->device, recorded->date,
                            timing_text(*recorded_time(run)))}});
  }
  if (const std::string roofline = roofline_text(run); !roofline.empty()) facts.add({{roofline}});
  if (run.backend == Backend::gpu && !run.timing) {
    facts.add({{"not taken, because the result is wrong"}});
  }
  if (run.kept_from_gpu) {
    facts.add({{"not taken: the kernel was kept from the GPU, for what the emulator found"}});
  }
  if (run.backend == Backend::emulator) {
    facts.add({{fmt::format("({}emulated in {}, which says nothing of a GPU's time)",
                            run.gpu_is_missing ? "no GPU here: " : "",
                            duration_text(1000 * run.emulation->seconds)),
                Style::dim}});
  }
  return section("Timing", {std::move(facts)});
}

Section notes_section(const KernelRun& run) {
  Section section{"Notes"};
  if (!run.emulation || run.emulation->notes.empty()) return section;
  Facts facts;
  for (const simt::Finding& note : run.emulation->notes) {
    const std::string at = note.line > 0 ? fmt::format("line {}: ", note.line) : "";
    facts.add({{at + message(note)}});
  }
  section.parts.add(std::move(facts));
  return section;
}

Section printed_section(const KernelRun& run) {
  Section section{"Printed"};
  if (!run.emulation || run.emulation->printed.empty()) return section;
  constexpr std::size_t most = 40;
  const std::vector<simt::Printed>& lines = run.emulation->printed;
  Facts facts;
  for (std::size_t i = 0; i < std::min(most, lines.size()); ++i) {
    const simt::Printed& printed = lines[i];
    const simt::Dim3 &t = printed.thread, &b = printed.block;
    facts.add({{fmt::format("line {}, block ({}, {}, {}), thread ({}, {}, {}): ", printed.line, b.x,
                            b.y, b.z, t.x, t.y, t.z),
                Style::dim},
               {without_line_end(printed.text)}});
  }
  const std::uint64_t more =
      lines.size() - std::min(most, lines.size()) + run.emulation->printed_left_out;
  if (more > 0) {
    facts.add({{fmt::format("and {} more; --format json has the first 1,000",
                            with_thousands(static_cast<std::int64_t>(more))),
                Style::dim}});
  }
  section.parts.add(std::move(facts));
  return section;
}

namespace {

// The first line with an atomic operation on elements of C that nothing has written; 0 for none.
int line_that_adds_to_c(const KernelRun& run) {
  for (const simt::Finding& finding : run.findings()) {
    const bool is_so = finding.kind() == simt::FindingKind::uninitialised &&
                       finding.access == simt::AccessKind::atomic && finding.array == "C" &&
                       finding.space == simt::MemorySpace::global;
    if (is_so) return finding.line;
  }
  return 0;
}

}  // namespace

Section result_section(const KernelRun& run) {
  Facts facts;
  Section section{"Result"};
  if (!run.can_run_here()) {
    facts.add({{"not computed: it takes an NVIDIA GPU, its driver and cuBLAS"}});
    if (run.operand_order) facts.add(operand_order_line(*run.operand_order));
    section.parts.add(std::move(facts));
    return section;
  }
  const bool stopped = run.is_stopped();
  const bool right = run.verification.passed && !stopped;
  if (is_clean(run)) facts.add({{"✓ ", Style::good}, {right_text(run)}});
  if (const int line = line_that_adds_to_c(run); line > 0) {
    facts.add({{"✗ ", Style::bad},
               {fmt::format("C must begin with zeros, because line {} adds to it with an atomic "
                            "operation: give --c zero",
                            line)}});
  }
  if (!right && !stopped) add_wrong_result(facts, run);
  for (Fact& found : finding_facts(simt::one_per_cause(run.findings())).lines) {
    facts.lines.push_back(std::move(found));
  }
  if (right && !is_clean(run)) {
    facts.add({{"  the values are right all the same: " + right_text(run)}});
  }
  if (stopped) {
    facts.add({{"  the emulator stopped before the kernel's end: C is incomplete"}});
  }
  section.parts.add(std::move(facts));
  if (run.wrong.unwritten) add_write_map(section.parts, *run.wrong.unwritten);
  if (run.operand_order) {
    section.parts.add(gemm_tutor::facts({operand_order_line(*run.operand_order)}));
  }
  return section;
}

namespace {

// "right at 256, 64×96×96 and 97×130×65; whole tiles only: …"
std::string text_of_sizes(const KernelRun& run) {
  std::vector<std::string> right = {short_text(run.problem)};
  std::string others;
  for (const FurtherSize& size : run.further) {
    if (size.is_right)
      right.push_back(size.text.substr(std::string_view("right at ").size()));
    else
      others += "; " + size.text;
  }
  const std::string last = right.back();
  right.pop_back();
  const std::string reading =
      run.source.found.reading.empty() ? "" : "as " + run.source.found.reading + " ";
  return fmt::format("right {}at {}{}{}", reading, join(right),
                     right.empty() ? last : " and " + last, others);
}

}  // namespace

std::string verdict_text(const KernelRun& run) {
  if (!run.can_run_here()) return "not known: it could not run";
  const std::string remedy = run.wrong.right_options.empty()
                                 ? ""
                                 : fmt::format("; right with {}", run.wrong.right_options);
  if (is_clean(run)) return text_of_sizes(run) + remedy;
  const std::string values = run.wrong.kind
                                 ? in_sentence(run.wrong.kind->text)
                                 : fmt::format("{} of {} elements checked are wrong",
                                               with_thousands(run.verification.wrong_elements),
                                               with_thousands(run.verification.elements_checked));
  if (run.findings().empty()) return fmt::format("wrong: {}{}", values, remedy);
  const std::string found = short_message(main_finding(run.findings()));
  if (run.verification.passed) {
    return fmt::format("wrong: {}{}", found,
                       run.is_stopped() ? "" : ", though the values are right");
  }
  return fmt::format("wrong: {}{}{}", run.wrong.kind ? values + "; " : "", found, remedy);
}

Section sizes_section(const KernelRun& run) {
  Section section{"Sizes"};
  if (is_clean(run)) return section;
  Facts facts;
  for (const FurtherSize& size : run.further) facts.add({{size.text}});
  if (run.verification.passed) add_right_options(facts, run);
  if (!facts.lines.empty()) section.parts.add(std::move(facts));
  return section;
}

Parts in_order(std::vector<PlacedPart> placed) {
  std::ranges::stable_sort(placed, {}, &PlacedPart::place);
  Parts parts;
  for (PlacedPart& one : placed) parts.add(std::move(one.part));
  return parts;
}

}  // namespace gemm_tutor
