#include "report/machine_section.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "report/run_sections.hpp"
#include "support/error.hpp"
#include "support/text.hpp"
#include "view/units.hpp"

namespace gemm_tutor {
namespace {

constexpr int beside_label = 9;  // columns of a terminal

// --- What the mnemonics mean

constexpr std::size_t most_mnemonics = 10;

bool is_shown(const FoldedInstructions& folded, const MachineCode& code, MachineDetail detail) {
  return detail == MachineDetail::all || folded.loop == code.hot_loop;
}

// Of those that are shown, the most executed first.
Definitions legend(const MachineCode& code, MachineDetail detail) {
  std::map<std::pair<std::string, std::string_view>, std::uint64_t> executions;  // by its meaning
  bool are_wide = false;
  for (const auto& [line, instructions] : code.lines) {
    for (const FoldedInstructions& folded : instructions) {
      if (!is_shown(folded, code, detail)) continue;
      const std::string name = folded.text.substr(0, folded.text.find('.'));
      if (!folded.meaning.empty()) executions[{name, folded.meaning}] += folded.executions;
      are_wide = are_wide || name != folded.text;
    }
  }
  std::vector<std::pair<decltype(executions)::key_type, std::uint64_t>> ranked(executions.begin(),
                                                                               executions.end());
  std::ranges::stable_sort(ranked, std::greater<>(), [](const auto& one) { return one.second; });
  if (ranked.size() > most_mnemonics) ranked.resize(most_mnemonics);
  Definitions result{.definitions = {}, .indent = beside_label};
  for (const auto& [one, times] : ranked) {
    const auto& [name, meaning] = one;
    result.definitions.push_back({{{name, Style::code}}, {{std::string(meaning), Style::dim}}});
  }
  if (are_wide) {
    result.definitions.push_back(
        {{{".64 .128", Style::code}},
         {{"64 or 128 bits per lane: 2 or 4 FP32 values at once", Style::dim}}});
  }
  return result;
}

// --- Below a line

std::string folded_text(const FoldedInstructions& folded) {
  std::string text = folded.text;
  if (folded.copies > 1) text += fmt::format(" ×{}", folded.copies);
  if (folded.with_conflict > 0)
    text += fmt::format(", {} with a bank conflict", folded.with_conflict);
  return text;
}

std::uint64_t executions_of(const std::vector<FoldedInstructions>& instructions) {
  std::uint64_t sum = 0;
  for (const FoldedInstructions& folded : instructions) sum += folded.executions;
  return sum;
}

int copies_of(const std::vector<FoldedInstructions>& instructions) {
  int sum = 0;
  for (const FoldedInstructions& folded : instructions) sum += folded.copies;
  return sum;
}

std::vector<FoldedInstructions> in_loop(const std::vector<FoldedInstructions>& all, int loop) {
  std::vector<FoldedInstructions> result;
  std::ranges::copy_if(all, std::back_inserter(result),
                       [=](const FoldedInstructions& folded) { return folded.loop == loop; });
  return result;
}

Line executions_text(const std::vector<FoldedInstructions>& instructions) {
  const auto executions = static_cast<std::int64_t>(executions_of(instructions));
  const std::string text = executions > 0 ? with_thousands(executions) : "never";
  return {{"  "}, {text, Style::dim}};  // set off from a line as long as the page is wide
}

Line instructions_text(const std::vector<FoldedInstructions>& instructions) {
  Line line;
  for (const FoldedInstructions& folded : instructions) {
    if (!line.empty()) line.push_back({"  "});
    line.push_back({unbreakable(folded_text(folded)), Style::code});
  }
  return line;
}

std::string loop_name(const MachineCode& code, int loop) {
  if (loop < 0) return "in no loop";
  if (loop == code.hot_loop) return "hot loop";
  const auto at = std::ranges::find(code.loops, loop) - code.loops.begin();
  return fmt::format("loop {}", at + 1);
}

// --- In all

struct LoopFigures {
  int instructions = 0, ffma = 0, register_bank_conflicts = 0, first_line = 0, last_line = 0;
  std::uint64_t executions = 0, iterations = 0;  // by warps
};

LoopFigures figures_of(const simt::Result& result, int loop) {
  LoopFigures figures;
  for (const simt::MachineInstruction& machine : result.machine) {
    if (machine.loop != loop) continue;
    ++figures.instructions;
    if (machine.kind == simt::InstructionKind::ffma) ++figures.ffma;
    figures.register_bank_conflicts += machine.register_bank_conflicts;
    figures.executions += machine.executions;
    figures.iterations = std::max(figures.iterations, machine.executions);
    if (machine.line == 0) continue;
    if (figures.first_line == 0) figures.first_line = machine.line;
    figures.first_line = std::min(figures.first_line, machine.line);
    figures.last_line = std::max(figures.last_line, machine.line);
  }
  return figures;
}

std::string figures_text(const LoopFigures& figures) {
  const std::string ffma = figures.ffma == 0 ? "none" : with_thousands(figures.ffma);
  return fmt::format("{}, {} of them FFMA", counted(figures.instructions, "instruction"), ffma);
}

std::uint64_t all_executions(const simt::Result& result) {
  std::uint64_t sum = 0;
  for (const simt::MachineInstruction& machine : result.machine) sum += machine.executions;
  return sum;
}

std::string hot_loop_text(const simt::Result& result, const MachineCode& code) {
  const LoopFigures figures = figures_of(result, code.hot_loop);
  if (code.hot_loop < 0) {
    return fmt::format("The code has no loop: {}.", figures_text(figures));
  }
  const auto iterations = static_cast<std::int64_t>(figures.iterations);
  const double percent = 100 * static_cast<double>(figures.executions) /
                         static_cast<double>(std::max<std::uint64_t>(1, all_executions(result)));
  return fmt::format(
      "The hot loop has {}. Warps went through it {}: {} of all executed instructions.",
      figures_text(figures), counted(iterations, "time"), percent_text(percent));
}

// The FFMAs of an iteration per element of C that a thread computes. Empty if the block's tile is
// not known, or if some iterations skip some of them.
std::string unrolling_text(const KernelRun& run, const MachineCode& code) {
  if (code.hot_loop < 0) return "";
  const LoopFigures figures = figures_of(*run.emulation, code.hot_loop);
  const auto is_left_out = [&](const simt::MachineInstruction& machine) {
    return machine.loop == code.hot_loop && machine.kind == simt::InstructionKind::ffma &&
           machine.executions != figures.iterations;
  };
  const LaunchShape& shape = run.source.shape;
  const auto threads = static_cast<std::int64_t>(shape.block.count());
  const std::int64_t tile = std::int64_t{shape.tile_rows} * shape.tile_columns;
  const std::int64_t elements = tile / threads;
  const bool is_known = elements > 0 && tile % threads == 0 && figures.ffma % elements == 0;
  if (!is_known || figures.ffma <= 1) return "";
  if (std::ranges::any_of(run.emulation->machine, is_left_out)) return "";
  const std::string steps = counted(figures.ffma / elements, "step") + " along K";
  const std::string of_elements =
      elements == 1 ? "" : fmt::format(" for each of a thread's {} elements of C", elements);
  return fmt::format("Unrolling put {}{} into one iteration: {} FFMA.", steps, of_elements,
                     with_thousands(figures.ffma));
}

std::string register_banks_text(const simt::Result& result, const MachineCode& code) {
  const int conflicts = figures_of(result, code.hot_loop).register_bank_conflicts;
  if (conflicts == 0) return "";
  return fmt::format("{} of registers {}.", counted(conflicts, "bank conflict"),
                     code.hot_loop < 0 ? "in the code" : "in one iteration");
}

// The first FFMAs of the loop, in the form of nvdisasm.
Definitions first_ffmas(const simt::Result& result, int loop) {
  constexpr std::size_t most_ffmas = 8;
  Definitions ffmas{.definitions = {}, .indent = beside_label};
  for (const simt::MachineInstruction& machine : result.machine) {
    if (machine.loop != loop || machine.ffma.empty()) continue;
    const bool has_conflict = machine.register_bank_conflicts > 0;
    ffmas.definitions.push_back({{{unbreakable(machine.ffma), Style::code}},
                                 {{has_conflict ? "bank conflict" : "", Style::dim}}});
    if (ffmas.definitions.size() == most_ffmas) break;
  }
  return ffmas;
}

// The joined loads; empty if there are none.
std::string joining_text(const KernelRun& run) {
  const simt::Counters& total = run.emulation->total;
  if (total.shared_load_requests >= total.ptx.shared_load_requests) return "";
  return fmt::format(
      "Loads of shared memory: {} as written in PTX, {} executed. The assembler joined neighbours.",
      with_thousands(static_cast<std::int64_t>(total.ptx.shared_load_requests)),
      with_thousands(static_cast<std::int64_t>(total.shared_load_requests)));
}

// Spills. Without them local memory holds arrays.
Line local_memory_text(const KernelRun& run, const MachineCode& code) {
  int loads = 0, stores = 0, in_hot_loop = 0;
  for (const simt::MachineInstruction& machine : run.emulation->machine) {
    const bool is_load = machine.kind == simt::InstructionKind::local_load;
    const bool is_store = machine.kind == simt::InstructionKind::local_store;
    loads += is_load;
    stores += is_store;
    in_hot_loop += (is_load || is_store) && machine.loop >= 0 && machine.loop == code.hot_loop;
  }
  if (loads + stores == 0) return {};
  const std::string accesses =
      fmt::format("{} STL and {} LDL, {} of them in the hot loop", stores, loads,
                  in_hot_loop == 0 ? "none" : std::to_string(in_hot_loop));
  const bool are_spills = run.launch && run.launch->resources.spill_store_bytes > 0;
  if (!are_spills) return {{fmt::format("Arrays in local memory: {}.", accesses)}};
  return {{"Registers were spilled", Style::doubtful},
          {fmt::format(" to local memory: {}.", accesses)}};
}

// Instructions that no line of the listing shows.
std::string elsewhere_text(const std::vector<SourceLine>& excerpt, const MachineCode& code) {
  int of_no_line = 0, of_other_lines = 0;
  for (const auto& [line, instructions] : code.lines) {
    const bool is_in_excerpt = std::ranges::count(excerpt, line, &SourceLine::number) > 0;
    if (is_in_excerpt) continue;
    (line == 0 ? of_no_line : of_other_lines) += copies_of(instructions);
  }
  const std::string no_line = "from no line of the source";
  if (of_other_lines == 0) {
    return of_no_line == 0 ? ""
                           : fmt::format("Of all instructions {} come {}.",
                                         with_thousands(of_no_line), no_line);
  }
  const std::string more =
      of_no_line == 0 ? "" : fmt::format(", and {} {}", with_thousands(of_no_line), no_line);
  return fmt::format("Of all instructions {} come from lines that are not shown{}.",
                     with_thousands(of_other_lines), more);
}

Line reading_text(const AnyRun auto& run, MachineDetail detail) {
  const std::string how = "Below a line: what it became, and how often warps executed that.";
  if (detail == MachineDetail::all) return {{how, Style::dim}};
  std::string command = "--machine=all";
  if constexpr (requires { run.lesson; })
    command = command_of(*run.lesson, "lesson") + " " + command;
  return {{how + " ", Style::dim},
          {unbreakable(command), Style::code},
          {" shows what is outside of the hot loop.", Style::dim}};
}

std::string lines_text(const LoopFigures& figures) {
  if (figures.first_line == 0) return "";
  if (figures.first_line == figures.last_line) return fmt::format("line {}: ", figures.first_line);
  return fmt::format("lines {} to {}: ", figures.first_line, figures.last_line);
}

// Each loop, and the code outside of loops.
Definitions loop_definitions(const simt::Result& result, const MachineCode& code) {
  Definitions definitions{.definitions = {}, .indent = beside_label};
  const auto add = [&](int loop) {
    const LoopFigures figures = figures_of(result, loop);
    if (figures.instructions == 0) return;
    const std::string iterations =
        loop < 0 ? ""
                 : fmt::format(", {}",
                               counted(static_cast<std::int64_t>(figures.iterations), "iteration"));
    definitions.definitions.push_back(
        {{{loop_name(code, loop)}},
         {{lines_text(figures) + counted(figures.instructions, "instruction") + iterations}}});
  };
  for (const int loop : code.loops) add(loop);
  add(-1);
  return definitions;
}

void fold(std::vector<FoldedInstructions>& all, const simt::MachineInstruction& machine) {
  const auto same = std::ranges::find_if(all, [&](const FoldedInstructions& folded) {
    return folded.text == machine.name && folded.loop == machine.loop;
  });
  FoldedInstructions& folded =
      same != all.end()
          ? *same
          : all.emplace_back(FoldedInstructions{machine.name, machine.meaning, machine.loop});
  ++folded.copies;
  folded.executions += machine.executions;
  folded.with_conflict += machine.register_bank_conflicts > 0;
}

}  // namespace

void check_has_machine_code(const Lesson& lesson, const Kernel& kernel) {
  if (kernel.is_cuda()) return;
  throw Error(ExitStatus::usage,
              fmt::format("{} has no machine code of a GPU to show: it {}", lesson.name(),
                          kernel.from_library ? "calls a library" : "runs on the CPU"),
              "Show that of a kernel in CUDA C++, as in 'gemm-tutor lesson 5 --machine'.");
}

MachineCode machine_code(const KernelRun& run) {
  if (!run.not_emulated.empty()) {
    throw Error(ExitStatus::unavailable,
                "there are no executions of the machine code to show: " + run.not_emulated,
                "Leave --machine out.");
  }
  if (!run.emulation || run.emulation->machine.empty()) {
    throw Error(ExitStatus::unavailable,
                fmt::format("there is no machine code to show: {} gives none that can be read",
                            run.compiler),
                "NVRTC gives it; 'gemm-tutor device' says whether this machine has it.");
  }
  MachineCode code;
  std::map<int, std::uint64_t> executions;  // by loop
  for (const simt::MachineInstruction& machine : run.emulation->machine) {
    fold(code.lines[machine.line], machine);
    if (machine.loop < 0) continue;
    if (!executions.contains(machine.loop)) code.loops.push_back(machine.loop);
    executions[machine.loop] += machine.executions;
  }
  const auto hot =
      std::ranges::max_element(executions, {}, &std::pair<const int, std::uint64_t>::second);
  if (hot != executions.end()) code.hot_loop = hot->first;
  return code;
}

std::vector<SourceLine> excerpt_with_hot_loop(const AnyRun auto& run, const MachineCode& code) {
  std::vector<int> lines;
  for (const auto& [line, instructions] : code.lines) {
    if (line > 0 && !in_loop(instructions, code.hot_loop).empty()) lines.push_back(line);
  }
  if constexpr (requires { run.lesson; }) return with_lines(run.excerpt, run.source.source, lines);
  return with_counted_functions(run.excerpt, run.source.source, lines);
}

Facts machine_facts(const MachineCode& code, int line, MachineDetail detail) {
  Facts facts;
  const auto found = code.lines.find(line);
  if (found == code.lines.end()) return facts;
  std::vector<FoldedInstructions> rest = found->second;
  const auto take = [&](int loop) {
    std::vector<FoldedInstructions> taken = in_loop(rest, loop);
    std::erase_if(rest, [=](const FoldedInstructions& folded) { return folded.loop == loop; });
    return taken;
  };
  if (detail == MachineDetail::all) {
    while (!rest.empty()) {
      const Line name = {{loop_name(code, rest.front().loop) + ": ", Style::dim}};
      const std::vector<FoldedInstructions> taken = take(rest.front().loop);
      facts.add(name + instructions_text(taken), executions_text(taken), 2);
    }
    return facts;
  }
  const std::vector<FoldedInstructions> hot = take(code.hot_loop);
  if (rest.empty()) {
    facts.add(instructions_text(hot), executions_text(hot), 2);
  } else if (hot.empty()) {
    const std::string number = counted(copies_of(rest), "instruction");
    facts.add({{number + " outside of the hot loop", Style::dim}}, executions_text(rest), 2);
  } else {
    const std::string more = fmt::format("  and {} outside", with_thousands(copies_of(rest)));
    facts.add(instructions_text(hot) + Line{{more, Style::dim}}, executions_text(hot), 2);
  }
  return facts;
}

Section machine_section(const AnyRun auto& run, const MachineCode& code, MachineDetail detail) {
  Facts facts;
  const auto add = [&](const std::string& text) {
    if (!text.empty()) facts.add({{text}});
  };
  add(hot_loop_text(*run.emulation, code));
  add(unrolling_text(run, code));
  add(register_banks_text(*run.emulation, code));
  add(joining_text(run));
  if (Line local = local_memory_text(run, code); !local.empty()) facts.add(std::move(local));
  Section section{"Machine", "The machine code", {std::move(facts)}};
  if (detail == MachineDetail::all) section.parts.add(loop_definitions(*run.emulation, code));
  section.parts.fact(reading_text(run, detail));
  if (const std::string text = elsewhere_text(excerpt_with_hot_loop(run, code), code);
      !text.empty()) {
    section.parts.fact({{text, Style::dim}});
  }
  section.parts.add(legend(code, detail));
  if (Definitions ffmas = first_ffmas(*run.emulation, code.hot_loop); !ffmas.definitions.empty()) {
    section.parts.fact(
        {{"The first FFMAs of the hot loop, with their registers. One with ", Style::dim},
         {".reuse", Style::code},
         {" stays at hand for the next instruction:", Style::dim}});
    section.parts.add(std::move(ffmas));
  }
  return section;
}

template std::vector<SourceLine> excerpt_with_hot_loop(const KernelRun&, const MachineCode&);
template std::vector<SourceLine> excerpt_with_hot_loop(const LessonRun&, const MachineCode&);
template Section machine_section(const KernelRun&, const MachineCode&, MachineDetail);
template Section machine_section(const LessonRun&, const MachineCode&, MachineDetail);

}  // namespace gemm_tutor
