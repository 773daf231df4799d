#include "report/list_report.hpp"

#include <memory>

#include "cli/command.hpp"

namespace gemm_tutor::cli {

Command add_list(CLI::App& parent, ColorOption& color) {
  CLI::App* app = parent.add_subcommand("list", "The lessons and their kernels");
  const auto format = std::make_shared<FormatOption>();
  format->add_to(*app);
  color.add_to(*app);
  return {app, [format, &color] {
            const Terminal terminal = color.terminal();
            return Outcome{format->format() == Format::json ? list_json(lessons())
                                                            : list_text(lessons(), terminal)};
          }};
}

}  // namespace gemm_tutor::cli
