#include "simt/compile/compiler_log.hpp"

#include <algorithm>
#include <charconv>
#include <initializer_list>
#include <optional>

#include "support/text.hpp"

namespace gemm_tutor::simt {
namespace {

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

bool contains_any(std::string_view text, std::initializer_list<std::string_view> parts) {
  return std::any_of(parts.begin(), parts.end(),
                     [&](std::string_view part) { return contains(text, part); });
}

// Lines about the whole compilation, or that report no error.
bool is_noise(std::string_view line) {
  return line.empty() || line.starts_with("ptxas info") || line.starts_with("Remark: ") ||
         line.starts_with("Compilation terminated.") || line.starts_with("Error limit reached.") ||
         contains_any(line, {" detected in the compilation of ", " bytes stack frame, ",
                             "fatal error: too many errors emitted"});
}

// A diagnostic's first line. Indented lines with the source follow it.
bool starts_diagnostic(std::string_view line) { return line.front() != ' '; }

// 8192 in "used 1 barriers, 8192 bytes smem" for " bytes smem"; 0 if the words are missing.
int number_before(std::string_view line, std::string_view words) {
  const std::size_t end = line.find(words);
  if (end == std::string_view::npos) return 0;
  const std::size_t before = line.find_last_not_of("0123456789", end - 1);
  const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
  int number = 0;
  std::from_chars(line.data() + begin, line.data() + end, number);
  return number;
}

std::string quoted_name(std::string_view line) {
  const std::size_t begin = line.find('\'') + 1;
  return std::string(line.substr(begin, line.find('\'', begin) - begin));
}

// NVRTC identifies it by number, clang by words.
bool says_unused(std::string_view line) {
  return contains_any(line, {" #177-D: ", " #550-D: ", " #826-D: ", ": unused ",
                             " set but not used", "' is not needed and will not be emitted"});
}

// The message, the line of the source and its mark. Notes and template instances follow them.
std::string without_notes(const std::string& text) {
  std::vector<std::string> lines = split_lines(text);
  lines.resize(std::min<std::size_t>(lines.size(), 3));
  return join(lines, "\n");
}

// Parses "FILE(12): warning #940-D: MESSAGE" or "FILE(12): warning: MESSAGE".
std::optional<CompilerWarning> warning_of(const std::string& text, std::string_view file_name) {
  const std::string head = split_lines(text).front();
  if (!head.starts_with(file_name) || says_unused(head)) return {};
  std::string_view rest = std::string_view(head).substr(file_name.size());
  constexpr std::string_view severity = "): warning";
  const std::size_t line_end = rest.find(severity);
  if (!rest.starts_with('(') || line_end == rest.npos) return {};
  CompilerWarning warning{.text = without_notes(text)};
  std::from_chars(rest.data() + 1, rest.data() + line_end, warning.line);
  rest.remove_prefix(line_end + severity.size());
  const std::size_t message = rest.find(": ");
  if (warning.line < 1 || message == rest.npos) return {};
  warning.message = rest.substr(message + 2);
  return warning;
}

}  // namespace

std::vector<Diagnostic> diagnostics(std::string_view log) {
  std::vector<Diagnostic> found;
  for (const std::string& line : split_lines(log)) {
    if (is_noise(line)) continue;
    if (found.empty() || starts_diagnostic(line)) {
      const bool is_warning = contains_any(line, {": warning", "ptxas warning"});
      found.push_back(
          {is_warning ? Diagnostic::Severity::warning : Diagnostic::Severity::error, line});
    } else {
      found.back().text += '\n' + line;
    }
  }
  return found;
}

std::string joined(const std::vector<Diagnostic>& diagnostics, Diagnostic::Severity severity) {
  std::vector<std::string> texts;
  for (const Diagnostic& diagnostic : diagnostics) {
    if (diagnostic.severity == severity) texts.push_back(diagnostic.text);
  }
  return join(texts, "\n");
}

bool CompilerWarning::operator==(const CompilerWarning& other) const {
  return line == other.line && message == other.message;
}

std::vector<CompilerWarning> useful_warnings(std::string_view log, std::string_view file_name) {
  std::vector<CompilerWarning> warnings;
  for (const Diagnostic& diagnostic : diagnostics(log)) {
    if (diagnostic.severity != Diagnostic::Severity::warning) continue;
    const auto warning = warning_of(diagnostic.text, file_name);
    if (warning && std::ranges::count(warnings, *warning) == 0) warnings.push_back(*warning);
  }
  std::ranges::stable_sort(warnings, {}, &CompilerWarning::line);
  return warnings;
}

std::map<std::string, KernelResources> assembler_report(std::string_view log) {
  std::map<std::string, KernelResources> report;
  KernelResources* kernel = nullptr;
  for (const std::string& line : split_lines(log)) {
    if (contains(line, "Compiling entry function '")) {
      kernel = &report[quoted_name(line)];
    } else if (kernel && contains(line, " bytes stack frame, ")) {
      // Of the kernel first, then of each function that it calls.
      kernel->local_bytes_per_thread =
          std::max(kernel->local_bytes_per_thread, number_before(line, " bytes stack frame"));
      kernel->spill_store_bytes += number_before(line, " bytes spill stores");
      kernel->spill_load_bytes += number_before(line, " bytes spill loads");
    } else if (kernel && contains(line, " registers")) {
      kernel->registers_per_thread = number_before(line, " registers");
      kernel->static_shared_bytes = number_before(line, " bytes smem");
      kernel->local_bytes_per_thread = std::max(
          kernel->local_bytes_per_thread, number_before(line, " bytes cumulative stack size"));
    }
  }
  return report;
}

}  // namespace gemm_tutor::simt
