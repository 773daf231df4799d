#include "cli/command.hpp"
#include "gemm/matrices.hpp"
#include "report/device_report.hpp"
#include "support/parallel.hpp"
#include "view/terminal_text.hpp"

namespace gemm_tutor::cli {
namespace {

Outcome describe_device(const FormatOption& format, const GeneralOptions& general) {
  const Terminal terminal = general.terminal();
  const bool json = format.format() == Format::json;
  const Machine machine{gpu::status(),        simt::compiler_status(),
                        simt::nvrtc_status(), simt::clang_status(),
                        core_count(),         available_memory()};
  return {json ? device_json(machine) : terminal_text(device_document(machine), terminal)};
}

}  // namespace

Command add_device(CLI::App& parent) {
  return add_command(
      parent, "device", "What this machine can do, and what is missing", describe_device,
      {.about = "Says what this machine has: GPU, driver, CUDA compiler, cuBLAS, processor cores "
                "and memory. If something is missing, it says what needs it and how to get it.",
       .examples = {{"gemm-tutor device", "what is here, and what is missing"},
                    {"gemm-tutor device --format json", "the same for a script"}}});
}

}  // namespace gemm_tutor::cli
