#include <memory>

#include "cli/command.hpp"
#include "documents/device_report.hpp"
#include "gemm/matrices.hpp"
#include "support/parallel.hpp"

namespace gemm_tutor::cli {

Command add_device(CLI::App& parent, ColorOption& color) {
  CLI::App* app = parent.add_subcommand("device", "What this machine can do, and what is missing");
  const auto format = std::make_shared<FormatOption>();
  format->add_to(*app);
  color.add_to(*app);
  return {app,
          [format, &color] {
            const Terminal terminal = color.terminal();
            const bool json = format->format() == Format::json;
            const Machine machine{gpu::status(),  compiler_status(), nvrtc_status(),
                                  clang_status(), core_count(),      available_memory()};
            return Outcome{json ? device_json(machine) : device_text(machine, terminal)};
          },
          {.about = "Says what this machine has of what the program can use: GPU, driver, CUDA "
                    "compiler, cuBLAS, processor cores and memory. For what is missing it says "
                    "what that is needed for and how to get it.",
           .examples = {{"gemm-tutor device", "what is here, and what is missing"},
                        {"gemm-tutor device --format json", "the same for a script"}},
           .statuses = {}}};
}

}  // namespace gemm_tutor::cli
