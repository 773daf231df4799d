// gemm-tutor write-lessons DIR: the pages of docs/lessons, for scripts/write-lessons.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/output_file.hpp"
#include "cli/progress_line.hpp"
#include "report/lesson_chapter.hpp"
#include "report/run_sections.hpp"
#include "run/target.hpp"
#include "view/markdown.hpp"

namespace gemm_tutor::cli {
namespace {

// All blocks of all kernels take some seconds at this size, and each tile of the course divides it.
// A lesson may name another one.
constexpr Problem size_of_kernels = {512, 512, 512};
// Up to this one the CPU's loads and stores are all counted.
constexpr Problem size_of_cpu = {256, 256, 256};

// The same on every machine: this machine's GPU and its tuned settings are not used.
RunOptions run_options(const Lesson& lesson, Activity& activity) {
  RunOptions options;
  const Problem usual = lesson.kernels.front().cpu ? size_of_cpu : size_of_kernels;
  options.problem = lesson.page_size.value_or(usual);
  options.backend = Backend::emulator;
  options.gpu = default_gpu;
  options.blocks = AllBlocks{};
  options.activity = &activity;
  return options;
}

LessonRun clean_run(const Lesson& lesson, const Kernel& kernel, const RunOptions& options) {
  const Settings settings = untuned_settings(kernel, simt::find_gpu(default_gpu), options.problem);
  LessonRun run = run_kernel(lesson, kernel, settings, options);
  if (!is_clean(run) || !run.traffic.count_is_exact) {
    throw Error(
        ExitStatus::wrong_result,
        fmt::format("{}: {} is wrong, or not all of it was counted", lesson.name(), kernel.name),
        fmt::format("'gemm-tutor lesson {} --kernel {} --size {}' shows what is wrong.",
                    lesson.key(), kernel.name, options.problem.m));
  }
  return run;
}

EmulatedLesson runs_of(const Lesson& lesson, const RunOptions& options) {
  EmulatedLesson result;
  RunOptions with_trace = options;
  with_trace.trace = TraceRequest();
  for (const Kernel& kernel : lesson.kernels) {
    const bool is_own = &kernel == &lesson.kernels.front();
    result.runs.push_back(clean_run(lesson, kernel, is_own ? with_trace : options));
  }
  result.concepts = drawn_concepts(result.runs.front(), options);
  return result;
}

const LessonRun& own_run(const std::vector<EmulatedLesson>& all, const Lesson* lesson) {
  const auto found = std::ranges::find_if(
      all, [&](const EmulatedLesson& other) { return other.runs.front().lesson == lesson; });
  return found->runs.front();
}

// A run is compared with some blocks of the lesson that it changes. If both have the same size, all
// blocks were counted.
void compare_exactly(std::vector<EmulatedLesson>& all) {
  for (EmulatedLesson& lesson : all) {
    LessonRun& run = lesson.runs.front();
    if (!run.comparison) continue;
    const LessonRun& changed = own_run(all, run.comparison->lesson);
    if (changed.problem != run.problem) continue;
    set_factors(*run.comparison, changed.emulation->total, changed.update.types,
                run.emulation->total, run.update.types);
    run.comparison->exact = true;
  }
}

struct WriteLessonsOptions {
  std::string folder;

  void add_to(CLI::App& app) { add_argument(app, "DIR", folder, ""); }
};

Outcome write_lessons(const WriteLessonsOptions& options, const GeneralOptions&) {
  const std::string& folder = options.folder;
  if (folder.empty()) {
    throw Error(ExitStatus::usage, "write-lessons: where to?",
                "Give a folder, as in 'gemm-tutor write-lessons docs/lessons'.");
  }
  const auto path_of = [&](const std::string& name) {
    return (std::filesystem::path(folder) / name).string();
  };
  check_writable("DIR", path_of("README.md"), "docs/lessons");
  Activity activity;
  std::vector<EmulatedLesson> all;
  {
    const ProgressLine line(activity);
    for (const Lesson& lesson : lessons()) {
      all.push_back(runs_of(lesson, run_options(lesson, activity)));
    }
  }
  compare_exactly(all);
  const auto write = [&](const std::string& name, const std::string& text) {
    write_output("DIR", path_of(name), text);
  };
  for (const EmulatedLesson& lesson : all) {
    write(markdown_file(*lesson.runs.front().lesson), markdown_text(lesson_chapter(lesson)));
    for (const PictureFile& picture : lesson_pictures(lesson)) write(picture.name, picture.svg);
  }
  for (const Chapter& chapter : chapters()) {
    write(markdown_file(chapter),
          markdown_text(chapter_page(chapter, simt::find_gpu(default_gpu))));
  }
  write("README.md", markdown_text(lessons_index(all)));
  return {};
}

}  // namespace

Command add_write_lessons(CLI::App& parent) {
  return add_command(parent, "write-lessons", "", write_lessons);
}

}  // namespace gemm_tutor::cli
