#include "simt/compile/clang_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <vector>

#include "simt/compile/device_compiler.hpp"
#include "support/text.hpp"

namespace gemm_tutor::simt {
namespace {

constexpr std::size_t nowhere = std::string_view::npos;

// The parts of "kernel.cu(12): error: …".
struct Head {
  std::string_view place;  // "kernel.cu(12)"
  std::string_view severity;
};

std::optional<Head> head_of(std::string_view line) {
  for (const std::string_view severity : {"fatal error", "error", "warning", "note"}) {
    const std::string mark = fmt::format("): {}: ", severity);
    if (const std::size_t at = line.find(mark); at != nowhere) {
      return Head{line.substr(0, at + 1), severity};
    }
  }
  return {};
}

bool is_summary(std::string_view line) {
  const bool counts = !line.empty() && line.front() >= '0' && line.front() <= '9' &&
                      line.find(" generated when compiling for ") != nowhere;
  return counts || line.starts_with("In file included from ");
}

// Removes "   12 | ", which clang 17 and newer write before each source line.
std::string_view without_line_number(std::string_view line) {
  const std::size_t bar = line.find(" | ");
  if (bar == nowhere || line.find_first_not_of(" 0123456789") != bar + 1) return line;
  return line.substr(bar + 3);
}

// True if the line begins a message without a source line.
bool is_about_no_line(std::string_view line) {
  return line.starts_with("error: ") || line.starts_with("clang: error: ") ||
         line.starts_with("fatal error: ");
}

// Returns 72 for "7.2".
int version_number(std::string_view digits) {
  int number = 0;
  for (const char c : digits) {
    if (c >= '0' && c <= '9') number = 10 * number + (c - '0');
  }
  return number;
}

// The first PTX version with the architecture and its instructions, which inline assembly may use
// ("PTX ISA", release notes).
int ptx_version(int architecture) {
  if (architecture >= 100) return 87;
  if (architecture >= 90) return 80;
  return architecture > 86 ? 78 : 72;
}

// The value and the place of the line `directive …` in the PTX.
struct Directive {
  std::size_t begin = nowhere, size = 0;
  std::string_view operand;
};

Directive find_directive(std::string_view ptx, std::string_view directive) {
  const std::string mark = fmt::format("\n{} ", directive);
  const std::size_t at = ptx.find(mark);
  if (at == nowhere) return {};
  const std::size_t begin = at + mark.size();
  const std::string_view operand = ptx.substr(begin, ptx.find_first_of(",\n", begin) - begin);
  return {begin, operand.size(), operand};
}

// Returns the end of the declaration at `begin`, after its semicolon; npos for a definition.
std::size_t end_of_declaration(std::string_view ptx, std::size_t begin) {
  const std::size_t end = ptx.find_first_of(";{", begin);
  return end != nowhere && ptx[end] == ';' ? end + 1 : nowhere;
}

}  // namespace

std::string log_like_nvrtc(std::string_view log) {
  std::vector<std::string> result;
  bool shows_source = false;
  for (const std::string& line : split_lines(log)) {
    if (line.starts_with("PLEASE submit a bug report")) break;  // clang's stack trace follows
    if (line.empty() || is_summary(line)) continue;
    const std::optional<Head> head = head_of(line);
    if (!head && !is_about_no_line(line)) {
      if (shows_source) result.push_back("  " + std::string(without_line_number(line)));
      continue;
    }
    const bool is_note = head && head->severity == "note";
    shows_source = !is_note;
    const bool is_ours = head && (head->place.starts_with(clang_header_folder) ||
                                  head->place.starts_with(name_expression_file));
    if (!is_note) {
      result.push_back(line);
    } else if (!is_ours) {
      result.push_back("    " + line);
    }
  }
  return join(result, "\n");
}

ClangPtx without_kernel_variable(std::string_view ptx) {
  ClangPtx result{std::string(ptx), ""};
  std::string& text = result.text;
  const std::string mark = fmt::format(" {} = ", clang_kernel_variable);
  if (const std::size_t at = text.find(mark); at != text.npos) {
    const std::size_t begin = text.rfind('\n', at) + 1, end = text.find(';', at);
    const std::size_t name = at + mark.size();
    result.lowered_name = std::string(trimmed(std::string_view(text).substr(name, end - name)));
    text.erase(begin, std::min(end + 2, text.size()) - begin);
  }
  constexpr std::string_view entry = ".entry ";
  for (std::size_t at = text.find(entry); at != text.npos; at = text.find(entry, at + 1)) {
    const std::size_t end = end_of_declaration(text, at);
    if (end == nowhere) continue;
    const std::size_t begin = text.rfind('\n', at) + 1;
    text.erase(begin, end - begin);
    at = begin;
  }
  return result;
}

std::string marked_for(const std::string& ptx, const std::string& architecture) {
  std::string text = ptx;
  const int wanted = architecture_number(architecture);
  const Directive target = find_directive(text, ".target");
  const int marked = architecture_number(std::string(target.operand));
  if (target.begin == nowhere || marked >= wanted) return text;
  text.replace(target.begin, target.size, architecture);
  const Directive version = find_directive(text, ".version");
  const int needed = ptx_version(wanted);
  if (version.begin == nowhere || version_number(version.operand) >= needed) return text;
  text.replace(version.begin, version.size, fmt::format("{}.{}", needed / 10, needed % 10));
  return text;
}

}  // namespace gemm_tutor::simt
