#include "documents/overview.hpp"

#include <fmt/format.h>

#include "documents/list_report.hpp"

namespace gemm_tutor {

Document overview_document(std::string_view version, const std::vector<Lesson>& lessons,
                           const Progress& progress) {
  Document document{.title = fmt::format("gemm-tutor {}", version)};
  document.subtitles = {
      {{{"How a CUDA matrix multiply is made fast, one idea a lesson, GPU or not."}}}};
  Definitions commands{.definitions = {}, .indent = 2, .gap = 4};
  const auto add = [&](const char* command, const std::string& meaning) {
    commands.definitions.push_back({{{command, Style::code}}, {{meaning}}});
  };
  add("gemm-tutor learn", "the course, step by step; also 'gemm-tutor' alone");
  add("gemm-tutor list", fmt::format("the {} lessons", lessons.size()));
  add("gemm-tutor lesson 3", "one lesson: idea, kernel, counts, time");
  add("gemm-tutor lesson 3 --size 2048", "the same at another size");
  add("gemm-tutor compare", "the lessons side by side, with cuBLAS");
  add("gemm-tutor exercise", "kernels for you to complete, mend, speed up");
  add("gemm-tutor run FILE.cu", "a kernel of your own");
  add("gemm-tutor device", "what this machine can do");
  add("gemm-tutor explain warp", "what a word of the course means");
  add("gemm-tutor --help", "everything else");
  document.parts = {std::move(commands)};
  if (!lessons.empty()) {
    document.parts.add(section("Next", {facts({next_step(lessons, progress)})}));
  }
  return document;
}

}  // namespace gemm_tutor
