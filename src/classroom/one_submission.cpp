#include "classroom/one_submission.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <new>
#include <string_view>
#include <vector>

#include "classroom/screening.hpp"
#include "classroom/submissions.hpp"
#include "run/target.hpp"
#include "simt/compiler.hpp"
#include "support/child_process.hpp"
#include "support/error.hpp"
#include "support/file.hpp"
#include "support/text.hpp"

namespace gemm_tutor {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view no_memory = "no memory";  // the parent replaces it by a sentence

// --- The parent

// Environment variables for the loader, the sanitizers and the driver. None has a folder of the
// teacher, so that no cache is read or written.
std::vector<std::string> environment_of(const std::string& folder,
                                        const GradingConditions& conditions) {
  std::vector<std::string> result = {"TMPDIR=" + folder, "LANG=C.UTF-8", "CUDA_CACHE_DISABLE=1"};
  for (const char* kept : {"CUDA_PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "ASAN_OPTIONS",
                           "UBSAN_OPTIONS", "LSAN_OPTIONS", "CUDA_VISIBLE_DEVICES", "PATH",
                           "GEMM_TUTOR_COMPILER", "GEMM_TUTOR_CLANG"}) {
    if (const char* value = std::getenv(kept)) result.push_back(fmt::format("{}={}", kept, value));
  }
  if (!conditions.course.empty()) {
    result.push_back("GEMM_TUTOR_COURSE=" + fs::absolute(conditions.course).string());
  }
  return result;
}

// The CUDA driver reserves addresses for all memory, and opens many devices.
void allow_driver(ChildLimits& limits) {
  limits.memory_bytes = 0;
  limits.file_bytes = std::uint64_t{1} << 30;
  limits.open_files = 1024;
}

std::string memory_reason(const GradingConditions& conditions) {
  return fmt::format("needed more than {} of memory",
                     human_bytes(static_cast<double>(conditions.memory_bytes)));
}

// A compiler that has no more memory says so in a message of its own.
bool is_out_of_memory(const Mark& mark) {
  return mark.reason == no_memory ||
         (mark.failed == name_of(Stage::compile) &&
          lower_case(mark.reason).find("out of memory") != std::string::npos);
}

Mark mark_of_child(const ChildResult& child, const GradingConditions& conditions) {
  using End = ChildResult::End;
  if (child.end == End::took_too_long) {
    return no_mark("limits", fmt::format("took more than {} s", conditions.seconds));
  }
  if (child.end == End::printed_too_much) return no_mark("limits", "printed too much");
  if (child.end == End::signalled) {
    return no_mark("limits", fmt::format("crashed (signal {})", child.signal));
  }
  std::optional<Mark> mark = mark_of_json(child.output);
  if (!mark) {
    return no_mark("limits", fmt::format("ended without a result (status {})", child.status));
  }
  return is_out_of_memory(*mark) ? no_mark("limits", memory_reason(conditions)) : *mark;
}

// --- The child

// Returns a copy of standard output, and redirects standard output to standard error.
int take_output() {
  const int file = dup(STDOUT_FILENO);
  dup2(STDERR_FILENO, STDOUT_FILENO);
  return file;
}

// Loads the libraries now, while all folders can be opened.
void load_driver(Backend backend) {
  RunOptions options;
  options.backend = backend;
  if (backend == Backend::gpu) choose_target(options);
}

std::string all_input() {
  return {std::istreambuf_iterator<char>(std::cin), std::istreambuf_iterator<char>()};
}

}  // namespace

std::optional<Mark> grade_in_child(const Exercise& exercise, const std::string& source,
                                   const Values& counts, const GradingConditions& conditions,
                                   const std::string& folder, const std::function<bool()>& stop) {
  ChildRequest request;
  request.program = program_path();
  request.arguments = {grade_one_command, exercise.slug, name_of(conditions.backend),
                       std::to_string(conditions.seed.value_or(check_seed))};
  for (const auto& [name, value] : counts) {
    request.arguments.push_back(fmt::format("{}={}", name, value));
  }
  request.environment = environment_of(folder, conditions);
  request.directory = folder;
  request.input = source;
  request.limits.seconds = conditions.seconds;
  request.limits.memory_bytes = conditions.memory_bytes;
  if (conditions.backend == Backend::gpu) allow_driver(request.limits);
  const ChildResult child = run_child(request, stop);
  if (child.end == ChildResult::End::stopped) return {};
  Mark mark = mark_of_child(child, conditions);
  mark.seconds = child.seconds;
  return mark;
}

AllowedFiles files_of_grading(Backend backend) {
  const simt::CompilerStatus compiler = simt::compiler_status();
  AllowedFiles files;
  files.to_read = compiler.files_to_read;
  files.to_execute = compiler.files_to_execute;
  for (const char* path : {"/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib",
                           "/etc/ld.so.cache", "/proc/self", "/proc/cpuinfo", "/proc/meminfo",
                           "/sys/devices/system/cpu", "/dev/urandom", "/dev/zero"}) {
    files.to_read.emplace_back(path);
  }
  files.to_read.push_back(program_path());
  files.to_write = {fs::current_path(), "/dev/null"};
  if (backend == Backend::gpu) {
    for (const char* path : {"/proc", "/sys", "/usr", "/etc/nvidia"}) {
      files.to_read.emplace_back(path);
    }
    files.to_write.emplace_back("/dev");
  }
  return files;
}

Mark mark_of_source(const Exercise& exercise, const std::string& source,
                    const CheckOptions& given) {
  const Screened submission = screened(source);
  if (!submission.refusal.empty()) return no_mark("submission", submission.refusal);
  CheckOptions options = given;
  options.threads = 1;
  options.counts_ways = true;
  options.most_trials = 4;  // grading should not spend time on finding the cause
  return mark_of(check_exercise(exercise, submission.source, exercise.file_name, options));
}

void grade_one(const Exercise& exercise, const CheckOptions& options) {
  const int output = take_output();
  load_driver(options.backend);
  confine_to(files_of_grading(options.backend));
  const std::string source = all_input();
  Mark mark;
  try {
    mark = mark_of_source(exercise, source, options);
  } catch (const std::bad_alloc&) {
    mark = no_mark("limits", std::string(no_memory));
  } catch (const std::exception& exception) {
    mark = no_mark("limits", one_line(exception.what()));
  }
  write_all(output, mark_json(mark));
}

}  // namespace gemm_tutor
