#include "report/list_report.hpp"

#include "cli/command.hpp"
#include "view/terminal_text.hpp"

namespace gemm_tutor::cli {
namespace {

Outcome list(const FormatOption& format, const GeneralOptions& general) {
  const Terminal terminal = general.terminal();
  const bool json = format.format() == Format::json;
  const StoredProgress stored = read_progress(progress_path());
  return {json ? list_json(lessons(), stored)
               : terminal_text(list_document(lessons(), stored), terminal)};
}

}  // namespace

Command add_list(CLI::App& parent) {
  return add_command(
      parent, "list", "The lessons, their kernels, and how far you are", list,
      {.about = "Lists the lessons by number and name with their kernels, marks those that you "
                "have done, and says what is next.",
       .examples = {{"gemm-tutor list", "the lessons, and how far you are"},
                    {"gemm-tutor list --format json", "the same for a script"}}});
}

}  // namespace gemm_tutor::cli
