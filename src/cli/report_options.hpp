// What `lesson` and `run` have in common: how the kernel runs, and how its report is shown.
#pragma once

#include <optional>
#include <string>

#include "cli/command.hpp"
#include "report/lesson_document.hpp"

namespace gemm_tutor::cli {

struct ReportOptions {
  SizeOptions size;
  RunSettings run{.takes_several_gpus = true};
  MachineOption machine;
  FormatOption format;
  std::optional<std::string> html = std::nullopt;

  // All but the kernel. Checks the options before anything runs: `page` is an example of a name of
  // the page, and `read` a file that the command reads.
  ReportRequest request(Activity& activity, const char* page, const std::string& read = "") const;

  // Writes the document as a page. The report is that of a lesson or of a user's kernel.
  Outcome shown(const auto& report, const Document& document, const Terminal& terminal) const;
};

}  // namespace gemm_tutor::cli
