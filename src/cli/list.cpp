#include "report/list_report.hpp"

#include <memory>

#include "cli/command.hpp"

namespace gemm_tutor::cli {

Command add_list(CLI::App& parent, ColorOption& color) {
  CLI::App* app = parent.add_subcommand("list", "The lessons, their kernels, and how far you are");
  const auto format = std::make_shared<FormatOption>();
  format->add_to(*app);
  color.add_to(*app);
  return {app, [format, &color] {
            const Terminal terminal = color.terminal();
            const bool json = format->format() == Format::json;
            const StoredProgress stored = read_progress(progress_path());
            return Outcome{json ? list_json(lessons(), stored)
                                : list_text(lessons(), stored, terminal)};
          }};
}

}  // namespace gemm_tutor::cli
