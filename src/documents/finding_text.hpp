// A finding in one line.
#pragma once

#include <fmt/format.h>

#include <string>

#include "emulator/emulator.hpp"
#include "support/text.hpp"

namespace gemm_tutor {

inline std::string finding_text(const emulator::Finding& finding) {
  if (finding.count == 1) return message(finding);
  return fmt::format("{} (and {} more)", message(finding),
                     with_thousands(static_cast<std::int64_t>(finding.count - 1)));
}

// The same with its line, to follow the finding's kind: ", line 14, called at line 30: reads
// A[64][0]".
inline std::string text_behind_kind(const emulator::Finding& finding) {
  std::string line = finding.line > 0 ? fmt::format(", line {}", finding.line) : "";
  for (const int call : finding.calls) line += fmt::format(", called at line {}", call);
  return fmt::format("{}: {}", line, finding_text(finding));
}

}  // namespace gemm_tutor
