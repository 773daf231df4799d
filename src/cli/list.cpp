#include "documents/list_report.hpp"

#include <memory>

#include "cli/command.hpp"

namespace gemm_tutor::cli {

Command add_list(CLI::App& parent, ColorOption& color) {
  CLI::App* app = parent.add_subcommand("list", "The lessons, their kernels, and how far you are");
  const auto format = std::make_shared<FormatOption>();
  format->add_to(*app);
  color.add_to(*app);
  return {app,
          [format, &color] {
            const Terminal terminal = color.terminal();
            const bool json = format->format() == Format::json;
            const StoredProgress stored = read_progress(progress_path());
            return Outcome{json ? list_json(lessons(), stored)
                                : list_text(lessons(), stored, terminal)};
          },
          {.about = "Lists the lessons by number and name with their kernels, marks those that you "
                    "have done, and says what is next.",
           .examples = {{"gemm-tutor list", "the lessons, and how far you are"},
                        {"gemm-tutor list --format json", "the same for a script"}},
           .statuses = {}}};
}

}  // namespace gemm_tutor::cli
