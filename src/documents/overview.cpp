#include "documents/overview.hpp"

#include <fmt/format.h>

#include "documents/list_report.hpp"
#include "view/layout.hpp"

namespace gemm_tutor {
namespace {

void add_command(Page& page, std::string_view command, std::string_view meaning) {
  const std::string name = fmt::format("  {:<35}", command);
  page.row({{name, Style::code}}, {{std::string(name.size(), ' ')}}, {{std::string(meaning)}});
}

}  // namespace

std::string overview_text(std::string_view version, const std::vector<Lesson>& lessons,
                          const Progress& progress, const Terminal& terminal) {
  Page page(terminal);
  page.row({}, {}, {{fmt::format("gemm-tutor {}", version), Style::heading}});
  page.row({}, {}, {{"How a CUDA matrix multiply is made fast, one idea a lesson, GPU or not."}});
  page.blank();
  add_command(page, "gemm-tutor learn", "the course, step by step; also 'gemm-tutor' alone");
  add_command(page, "gemm-tutor list", fmt::format("the {} lessons", lessons.size()));
  add_command(page, "gemm-tutor lesson 3", "one lesson: idea, kernel, counts, time");
  add_command(page, "gemm-tutor lesson 3 --size 2048", "the same at another size");
  add_command(page, "gemm-tutor compare", "the lessons side by side, with cuBLAS");
  add_command(page, "gemm-tutor exercise", "kernels for you to complete, mend, speed up");
  add_command(page, "gemm-tutor run FILE.cu", "a kernel of your own");
  add_command(page, "gemm-tutor device", "what this machine can do");
  add_command(page, "gemm-tutor explain warp", "what a word of the course means");
  add_command(page, "gemm-tutor --help", "everything else");
  if (!lessons.empty()) {
    page.section("Next");
    page.text(next_step(lessons, progress));
  }
  return page.str();
}

}  // namespace gemm_tutor
