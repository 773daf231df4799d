#include "report/device_report.hpp"

#include <fmt/format.h>

#include <vector>

#include "report/json.hpp"
#include "support/text.hpp"
#include "view/units.hpp"

namespace gemm_tutor {
namespace {

struct Missing {
  std::string what, problem, help;
};

const std::string what_nvrtc_adds =
    "Lessons and exercises work without it. With it, the registers of a thread and the occupancy "
    "are known, and a GPU runs kernels as NVIDIA's own compiler makes them. ";

std::vector<Missing> missing_parts(const Machine& machine) {
  std::vector<Missing> parts;
  if (!machine.compiler.available) {
    parts.push_back({"compiler", machine.compiler.problem, machine.compiler.help});
  } else if (!machine.nvrtc.available) {
    parts.push_back({"NVRTC", machine.nvrtc.problem, what_nvrtc_adds + machine.nvrtc.help});
  }
  if (!machine.gpu.available) parts.push_back({"GPU", machine.gpu.problem, machine.gpu.help});
  if (machine.gpu.available && !machine.gpu.cublas_available) {
    parts.push_back({"cuBLAS", machine.gpu.cublas_problem,
                     "Install the CUDA Toolkit's cuBLAS; lessons run without it, but have no time "
                     "to compare with."});
  }
  return parts;
}

Section gpu_section(const gpu::Status& gpu) {
  Section section{"GPU"};
  if (!gpu.available) {
    section.parts = {facts({{{"none: kernels run on the emulator"}}})};
    return section;
  }
  const simt::GpuSpec& spec = gpu.spec;
  Facts facts;
  facts.add({{spec.full_name, Style::heading},
             {fmt::format(" · compute capability {}.{} · driver {}", spec.compute_major,
                          spec.compute_minor, gpu.driver)}});
  facts.add({{fmt::format(
      "{} memory, {} free · {} at peak", human_bytes(static_cast<double>(gpu.total_memory)),
      human_bytes(static_cast<double>(gpu.free_memory)), bandwidth_text(spec.memory_bandwidth))}});
  facts.add({{fmt::format("{} SMs · FP32 {} at peak", spec.multiprocessors,
                          flop_rate_text(spec.peak_flops()))}});
  facts.add(
      {{fmt::format("(peaks are computed from the clocks: {} SMs × {} FFMA per cycle × {:.3g} GHz)",
                    spec.multiprocessors, spec.fp32_lanes_per_multiprocessor, spec.clock_ghz),
        Style::dim}});
  section.parts = {std::move(facts)};
  return section;
}

std::string cublas_text(const gpu::Status& gpu) {
  if (!gpu.available) return "not looked for: it needs a GPU";
  return gpu.cublas_available ? gpu.cublas_version : "missing";
}

Json gpu_json(const gpu::Status& gpu) {
  if (!gpu.available) return {{"available", false}};
  const simt::GpuSpec& spec = gpu.spec;
  return {{"available", true},
          {"name", spec.full_name},
          {"driver", gpu.driver},
          {"compute_capability", fmt::format("{}.{}", spec.compute_major, spec.compute_minor)},
          {"memory_bytes", gpu.total_memory},
          {"free_memory_bytes", gpu.free_memory},
          {"memory_bandwidth_bytes_per_second", spec.memory_bandwidth},
          {"sms", spec.multiprocessors},
          {"clock_ghz", spec.clock_ghz},
          {"peak_fp32_tflops", spec.peak_flops() / 1e12}};
}

Json cublas_json(const gpu::Status& gpu) {
  Json json = {{"available", gpu.cublas_available}};
  if (gpu.cublas_available) json["version"] = gpu.cublas_version;
  return json;
}

// "13.0" of "NVRTC 13.0".
std::string version_of(const simt::CompilerStatus& compiler) {
  return compiler.name.substr(compiler.name.find(' ') + 1);
}

Json compiler_json(const simt::CompilerStatus& compiler) {
  if (!compiler.available) return {{"available", false}};
  return {{"available", true}, {"version", version_of(compiler)}, {"path", compiler.path}};
}

Facts compiler_facts(const Machine& machine) {
  Facts facts;
  const simt::CompilerStatus& used = machine.compiler;
  facts.add({{used.available ? fmt::format("{} · {}", used.name, used.path) : "missing"}});
  for (const simt::CompilerStatus* other : {&machine.nvrtc, &machine.clang}) {
    if (!other->available || other->name == used.name) continue;
    facts.add({{fmt::format("(also here: {} · {}; GEMM_TUTOR_COMPILER={} uses it)", other->name,
                            other->path, other->has_assembler ? "nvrtc" : "clang"),
                Style::dim}});
  }
  return facts;
}

Facts missing_facts(const Machine& machine) {
  Facts facts;
  for (const Missing& part : missing_parts(machine)) {
    facts.add({{part.what, Style::heading}, {": " + part.problem}});
    facts.add({{part.help}});
  }
  return facts;
}

}  // namespace

Document device_document(const Machine& machine) {
  Document document{.title = "What this machine can do"};
  document.parts = {
      gpu_section(machine.gpu), section("Compiler", {compiler_facts(machine)}),
      section("cuBLAS", {facts({{{cublas_text(machine.gpu)}}})}),
      section(
          "CPU",
          {facts({{{fmt::format("{} · {} of memory available", counted(machine.cores, "core"),
                                human_bytes(static_cast<double>(machine.available_memory)))}}})})};
  if (Facts missing = missing_facts(machine); !missing.lines.empty()) {
    document.parts.add(section("Missing", {std::move(missing)}));
  }
  document.parts.add(section("Next", {Commands{{{"gemm-tutor list"}}}}));
  return document;
}

std::string device_json(const Machine& machine) {
  Json json;
  json["gpu"] = gpu_json(machine.gpu);
  if (machine.compiler.available) json["compiler"] = machine.compiler.name;
  json["nvrtc"] = compiler_json(machine.nvrtc);
  json["clang"] = compiler_json(machine.clang);
  if (machine.gpu.available) json["cublas"] = cublas_json(machine.gpu);
  json["cpu"] = {{"cores", machine.cores}, {"available_memory_bytes", machine.available_memory}};
  json["missing"] = Json::array();
  for (const Missing& part : missing_parts(machine)) {
    json["missing"].push_back(
        {{"what", part.what}, {"problem", part.problem}, {"help", part.help}});
  }
  return to_text(json);
}

}  // namespace gemm_tutor
