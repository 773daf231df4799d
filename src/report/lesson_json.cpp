#include "report/lesson_json.hpp"

#include <cmath>

#include "report/estimate_section.hpp"
#include "report/json.hpp"
#include "report/machine_section.hpp"
#include "report/run_sections.hpp"
#include "simt/finding.hpp"

namespace gemm_tutor {
namespace {

Json lesson_of(const LessonRun& run) {
  Json json = named_json(*run.lesson);
  json["kernel"] = run.kernel->name;
  json["title"] = run.lesson->title;
  if (run.launch) json["function"] = run.kernel->function;
  if (!run.settings.empty()) json["settings"] = settings_json(run.settings);
  return json;
}

Json problem_of(const KernelRun& run) {
  Json json = problem_json(run.problem);
  const Update& update = run.update;
  if (update.c != InitialC::poison) json["c"] = name_of(update.c);
  if (update.alpha) json["alpha"] = *update.alpha;
  if (update.beta) json["beta"] = *update.beta;
  const Types& types = update.types;
  if (types == Types()) return json;
  json["types"] = {type_of(types.a).name, type_of(types.b).name, type_of(types.c).name};
  json["precision"] = terms_of(types.precision).name;
  return json;
}

Json launch_json(const KernelLaunch& launch) {
  Json json = {{"grid", dimensions_json(launch.grid)}, {"block", dimensions_json(launch.block)}};
  json["shared_bytes"] = launch.resources.static_shared_bytes + launch.dynamic_shared_bytes;
  if (const int registers = launch.resources.registers_per_thread; registers > 0)  // else not known
    json["registers_per_thread"] = registers;
  if (const simt::Occupancy& occupancy = launch.occupancy; occupancy.exact) {
    json["blocks_per_sm"] = occupancy.blocks_per_multiprocessor;
    json["occupancy"] = occupancy.occupancy;
    json["limited_by"] = occupancy.limited_by;
  }
  return json;
}

Json floats(std::int64_t loads, std::int64_t stores) {
  return {{"load_floats", loads}, {"store_floats", stores}};
}

Json traffic_of(const AnyRun auto& run) {
  const Traffic& traffic = run.traffic;
  Json json;
  if constexpr (requires { run.predicted; }) {
    if (run.predicted.loads && run.predicted.stores) {
      const TrafficFormula& formula = run.kernel->traffic;
      json["formula"] = {{"loads", formula.loads}, {"stores", formula.stores}};
      if (const auto& symbol = formula.symbol) {
        const Values values = values_before(*run.kernel, run.settings, run.problem);
        json["formula"]["symbol"] = {
            {"name", symbol->name}, {"value", values.at(symbol->name)}, {"words", symbol->words}};
      }
      json["predicted"] = floats(*run.predicted.loads, *run.predicted.stores);
    }
  }
  if (traffic.counted_loads && traffic.counted_stores && !run.is_stopped()) {
    json["counted"] = floats(*traffic.counted_loads, *traffic.counted_stores);
  }
  return json;
}

Json by_kind(const std::array<std::uint64_t, simt::instruction_kinds>& instructions) {
  Json json = Json::object();
  for (std::size_t kind = 0; kind < simt::instruction_kinds; ++kind) {
    const auto name = name_of(static_cast<simt::InstructionKind>(kind));
    if (instructions[kind] > 0) json[std::string(name)] = instructions[kind];
  }
  return json;
}

Json ptx_json(const simt::PtxCounters& c) {
  return {{"shared_load_requests", c.shared_load_requests},
          {"shared_load_wavefronts", c.shared_load_wavefronts},
          {"shared_load_conflicts", c.shared_load_conflicts},
          {"shared_store_requests", c.shared_store_requests},
          {"shared_store_wavefronts", c.shared_store_wavefronts},
          {"shared_store_conflicts", c.shared_store_conflicts}};
}

void add_counters(Json& json, const simt::Counters& c) {
  json["global_load_requests"] = c.global_load_requests;
  json["global_load_sectors"] = c.global_load_sectors;
  json["global_load_bytes"] = c.global_load_bytes;
  if (c.global_load_wavefronts > 0) json["global_load_wavefronts"] = c.global_load_wavefronts;
  json["global_store_requests"] = c.global_store_requests;
  json["global_store_sectors"] = c.global_store_sectors;
  json["global_store_bytes"] = c.global_store_bytes;
  json["shared_load_requests"] = c.shared_load_requests;
  json["shared_load_wavefronts"] = c.shared_load_wavefronts;
  json["shared_load_conflicts"] = c.shared_load_conflicts;
  json["shared_load_bytes"] = c.shared_load_bytes;
  json["shared_store_requests"] = c.shared_store_requests;
  json["shared_store_wavefronts"] = c.shared_store_wavefronts;
  json["shared_store_conflicts"] = c.shared_store_conflicts;
  json["shared_store_bytes"] = c.shared_store_bytes;
  if (c.local_load_requests + c.local_store_requests > 0) {
    json["local_load_requests"] = c.local_load_requests;
    json["local_store_requests"] = c.local_store_requests;
  }
  if (c.constant_load_requests > 0) {
    json["constant_load_requests"] = c.constant_load_requests;
    json["constant_load_addresses"] = c.constant_load_addresses;
  }
  if (c.atomic_requests > 0) {
    json["atomic_requests"] = c.atomic_requests;
    json["atomic_operations"] = c.atomic_operations;
  }
  json["ffma"] = c.ffma;
  if (c.tensor_multiply_adds > 0) json["tensor_multiply_adds"] = c.tensor_multiply_adds;
  json["warp_instructions"] = c.warp_instructions();
  json["warp_instructions_by_kind"] = by_kind(c.instructions);
  if (c.machine_instructions() > 0) {
    json["machine_instructions"] = c.machine_instructions();
    json["machine_instructions_by_kind"] = by_kind(c.machine);
    json["register_bank_conflicts"] = c.register_bank_conflicts;
  }
  json["barriers"] = c.barriers;
  if (c.unmatched_requests > 0) json["unmatched_requests"] = c.unmatched_requests;
  json["ptx"] = ptx_json(c.ptx);
}

Json machine_code_json(const MachineCode& code,
                       const std::vector<FoldedInstructions>& instructions) {
  Json json = Json::array();
  for (const FoldedInstructions& folded : instructions) {
    json.push_back({{"text", folded.text},
                    {"copies", folded.copies},
                    {"executions", folded.executions},
                    {"in_hot_loop", folded.loop >= 0 && folded.loop == code.hot_loop}});
  }
  return json;
}

void add_machine_code(Json& counters, const MachineCode& code) {
  const auto add = [&](Json& to, int line) {
    const auto found = code.lines.find(line);
    if (found != code.lines.end()) to["machine_code"] = machine_code_json(code, found->second);
  };
  add(counters, 0);
  for (Json& line : counters["lines"]) add(line, line["line"].get<int>());
}

Json operands_json(const std::vector<simt::OperandCounters>& operands) {
  Json json = Json::array();
  for (const simt::OperandCounters& operand : operands) {
    const bool is_shared = operand.space == simt::MemorySpace::shared;
    Json counted = Json::object();
    if (!operand.name.empty()) counted["name"] = operand.name;
    counted["space"] = is_shared ? "shared" : "global";
    counted["requests"] = operand.requests;
    counted[is_shared ? "wavefronts" : "sectors"] = operand.cost;
    if (is_shared) counted["conflicts"] = operand.conflicts;
    json.push_back(std::move(counted));
  }
  return json;
}

Json counters_of(const simt::Result& result) {
  Json json = {{"exact", result.exact},
               {"blocks_emulated", result.blocks_emulated},
               {"blocks_total", result.blocks_total},
               {"shared_memory_counts",
                result.shared_as_in_machine_code ? "machine code" : "as the assembler would"}};
  if (result.stopped) json["stopped"] = true;  // the counts are of what ran
  add_counters(json, result.total);
  json["lines"] = Json::array();
  for (const simt::LineCounters& line : result.lines) {
    Json counted = {{"line", line.line}};
    add_counters(counted, line.counters);
    if (!line.operands.empty()) counted["operands"] = operands_json(line.operands);
    json["lines"].push_back(std::move(counted));
  }
  return json;
}

Json timing_of(const RunTiming& timing) {
  Json json = {{"where", name_of(timing.where)},
               {"runs", timing.runs},
               {"median_ms", timing.median_ms},
               {"min_ms", timing.min_ms},
               {"tflops", timing.tflops}};
  if (timing.where == Backend::gpu) json["spread_percent"] = timing.spread_percent;
  if (timing.cublas_median_ms) json["cublas_median_ms"] = *timing.cublas_median_ms;
  if (timing.percent_of_cublas) json["percent_of_cublas"] = *timing.percent_of_cublas;
  return json;
}

Json recorded_of(const RecordedTiming& recorded) {
  Json json = {{"device", recorded.device},
               {"date", recorded.date},
               {"median_ms", recorded.median_ms},
               {"tflops", recorded.tflops}};
  if (recorded.percent_of_cublas) json["percent_of_cublas"] = *recorded.percent_of_cublas;
  return json;
}

Json speed_json(const KernelRun& run, const LadderTime& time) {
  Json json = {{"percent_of_peak", *time.percent_of_peak}};
  const Precision precision = run.update.types.precision;
  if (product_of(precision) != simt::Product::none) json["precision"] = terms_of(precision).name;
  if (const auto factors = speed_factors(run, time)) {
    json["ffma_share"] = factors->ffma_share;
    json["issue_rate"] = factors->issue_rate;
    json["needed_share"] = factors->needed;
    json["slots_per_ffma"] = factors->slots_per_ffma;
  }
  json["where"] = time.source == TimeSource::measured ? "gpu" : name_of(time.source);
  return json;
}

Json verification_of(const Verification& verification) {
  Json json = {{"passed", verification.passed},
               {"elements_checked", verification.elements_checked},
               {"elements_total", verification.elements_total}};
  // JSON has no infinity, which is the error of a NaN.
  if (std::isfinite(verification.worst_error_over_bound)) {
    json["worst_error_over_bound"] = verification.worst_error_over_bound;
  }
  return json;
}

Json printed_json(const std::vector<simt::Printed>& printed) {
  Json json = Json::array();
  for (const simt::Printed& line : printed) {
    json.push_back({{"block", dimensions_json(line.block)},
                    {"thread", dimensions_json(line.thread)},
                    {"line", line.line},
                    {"text", line.text}});
  }
  return json;
}

}  // namespace

Json findings_json(const std::vector<simt::Finding>& findings) {
  Json json = Json::array();
  for (const simt::Finding& finding : findings) {
    Json found = {{"kind", name_of(finding.kind())}};
    if (finding.line > 0) found["line"] = finding.line;  // C that nothing wrote has no line
    if (finding.lines.size() > 1) found["lines"] = finding.lines;
    if (!finding.calls.empty()) found["calls"] = finding.calls;
    if (finding.other_line > 0) found["other_line"] = finding.other_line;
    found["message"] = message(finding);
    if (finding.count > 1) found["count"] = finding.count;
    json.push_back(std::move(found));
  }
  return json;
}

Json dimensions_json(const simt::Dim3& d) { return Json::array({d.x, d.y, d.z}); }

void add_warnings(Json& json, const std::vector<simt::CompilerWarning>& warnings) {
  for (const simt::CompilerWarning& warning : warnings) {
    json["warnings"].push_back({{"line", warning.line}, {"message", warning.message}});
  }
}

Json settings_json(const Settings& settings) {
  Json json = Json::object();
  for (const auto& [name, value] : settings) json[name] = value;
  return json;
}

Json lesson_object(const AnyRun auto& run) {
  Json json;
  if constexpr (requires { run.lesson; }) json["lesson"] = lesson_of(run);
  json["problem"] = problem_of(run);
  json["backend"] = name_of(run.backend);
  json["device"] = run.device;
  if (!run.compiler.empty()) json["compiler"] = run.compiler;
  add_warnings(json, run.warnings);
  if (!run.source.found.command.empty()) {
    json["command"] = run.source.found.command;
    json["command_notes"] = run.source.found.notes;
  }
  if (run.launch) json["launch"] = launch_json(*run.launch);
  for (const KernelLaunch& one : run.earlier_launches)
    json["earlier_launches"].push_back(launch_json(one));
  if (run.second_launch) json["second_launch"] = launch_json(*run.second_launch);
  if (run.launch && !run.launch->tuning.empty()) json["tuning"] = run.launch->tuning;
  if (Json traffic = traffic_of(run); !traffic.is_null() || run.traffic.counted_loads)
    json["traffic"] = std::move(traffic);
  if (run.emulation) json["counters"] = counters_of(*run.emulation);
  if (!run.not_emulated.empty()) json["not_counted"] = run.not_emulated;
  if (run.timing) json["timing"] = timing_of(*run.timing);
  if (run.emulation) json["emulation"] = {{"seconds", run.emulation->seconds}};
  if (run.estimate) json["estimate"] = estimate_json(*run.estimate);
  for (const GpuEstimate& on : run.estimates) {
    if (on.estimate) json["estimates"].push_back(estimate_json(*on.estimate));
  }
  if (run.recorded) json["recorded"] = recorded_of(*run.recorded);
  if (const auto time = time_of(run); time && time->percent_of_peak) {
    json["speed"] = speed_json(run, *time);
  }
  if (run.can_run_here()) json["verification"] = verification_of(run.verification);
  if constexpr (!requires { run.lesson; })
    json["verdict"] = {{"right", is_clean(run)}, {"text", verdict_text(run)}};
  if (const auto& kind = run.wrong.kind)
    json["wrong_result"] = {{"kind", kind->name}, {"text", kind->text}};
  if (!run.wrong.right_options.empty())
    json["wrong_result"]["right_options"] = run.wrong.right_options;
  for (const FurtherSize& size : run.further) {
    const auto& [m, n, k] = size.problem;
    json["sizes"].push_back(
        {{"m", m}, {"n", n}, {"k", k}, {"right", size.is_right}, {"text", size.text}});
  }
  if (run.emulation) {
    json["findings"] = findings_json(run.emulation->findings);
    if (!run.emulation->findings.empty()) {
      json["causes"] = findings_json(simt::one_per_cause(run.emulation->findings));
    }
    if (!run.emulation->notes.empty()) json["notes"] = findings_json(run.emulation->notes);
    const simt::Result& result = *run.emulation;
    if (!result.printed.empty()) json["printed"] = printed_json(result.printed);
    if (result.printed_left_out > 0) json["printed_left_out"] = result.printed_left_out;
  }
  return json;
}

std::string lesson_json(const AnyRun auto& run, bool with_machine_code) {
  Json json = lesson_object(run);
  if (with_machine_code) add_machine_code(json["counters"], machine_code(run));
  return to_text(json);
}

template Json lesson_object(const KernelRun&);
template Json lesson_object(const LessonRun&);
template std::string lesson_json(const KernelRun&, bool);
template std::string lesson_json(const LessonRun&, bool);

}  // namespace gemm_tutor
