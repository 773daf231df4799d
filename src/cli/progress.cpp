#include "course/progress.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/output_file.hpp"
#include "report/list_report.hpp"
#include "support/file.hpp"
#include "view/output.hpp"
#include "view/terminal_text.hpp"

namespace gemm_tutor::cli {
namespace {

namespace fs = std::filesystem;
using State = StoredProgress::State;

constexpr const char* example = "progress.json";

struct ExportOptions {
  std::optional<std::string> file;
  bool force = false;

  void add_to(CLI::App& app) {
    add_argument(app, "FILE.json", file, "the file to write");
    add_flag(app, "--force", force, "replace a file that is there already");
  }
};

struct ImportOptions {
  std::optional<std::string> file;

  void add_to(CLI::App& app) {
    add_argument(app, "FILE.json", file, "a file that 'gemm-tutor progress export' wrote");
  }
};

struct NoOptions {
  void add_to(CLI::App&) {}
};

const std::string& given(const std::optional<std::string>& file, const char* command) {
  if (file) return *file;
  throw Error(ExitStatus::usage, fmt::format("{}: which file?", command),
              fmt::format("Give its name, as in 'gemm-tutor progress {} {}'.", command, example));
}

Outcome say(const std::string& text, const GeneralOptions& general) {
  return {terminal_text({.parts = {Paragraph{{{text}}}}}, general.terminal())};
}

Outcome show(const NoOptions&, const GeneralOptions& general) {
  const StoredProgress stored = read_progress(progress_path());
  Document document;
  document.parts.add(Paragraph{{{description_of(stored)}}});
  document.parts.add(Section{"Next",
                             "",
                             {Commands{{{"gemm-tutor list", "the lessons, one by one"},
                                        {"gemm-tutor exercise list", "the exercises"}}}}});
  return {terminal_text(document, general.terminal())};
}

Outcome export_progress(const ExportOptions& options, const GeneralOptions& general) {
  const std::string& file = given(options.file, "export");
  check_writable("export", file, example);
  const StoredProgress stored = read_progress(progress_path());
  if (stored.state == State::missing) {
    throw Error(ExitStatus::usage, "there is no progress to export yet",
                "Begin with 'gemm-tutor', or with 'gemm-tutor exercise start 1'.");
  }
  if (const std::string trouble = trouble_with(stored); !trouble.empty()) {
    throw Error(ExitStatus::unavailable, "export: " + trouble,
                stored.state == State::newer
                    ? "Export it with that version."
                    : "'gemm-tutor reset' moves it aside, and the course begins again.");
  }
  std::error_code ignored;
  if (!options.force && fs::symlink_status(file, ignored).type() == fs::file_type::regular) {
    throw Error(ExitStatus::usage, fmt::format("'{}' is there already", file),
                "Give another name, or replace the file with --force.");
  }
  write_output("export", file, progress_text(stored.progress));
  return say(fmt::format("Your progress is in {}. On the other machine: gemm-tutor progress import "
                         "{}",
                         file, shell_word(file)),
             general);
}

// The progress in a file that another machine wrote.
Progress imported(const std::string& file) {
  const auto error = [&](ExitStatus status, const char* what, const char* help) {
    return Error(status, fmt::format("'{}' {}", file, what), help);
  };
  const char* give = "Give a file that 'gemm-tutor progress export' wrote.";
  const StoredProgress stored = read_progress(file);
  switch (stored.state) {
    case State::missing:
      throw error(ExitStatus::usage, "does not exist", give);
    case State::damaged:
      throw error(ExitStatus::usage, "is damaged, or holds no progress", give);
    case State::newer:
      throw error(ExitStatus::usage, "was written by a newer gemm-tutor",
                  "Import it with that version, or a newer one.");
    case State::unreadable:
      throw error(ExitStatus::unavailable, "cannot be read", "Give a file that you may read.");
    case State::good:
      break;
  }
  return stored.progress;
}

Outcome import_progress(const ImportOptions& options, const GeneralOptions& general) {
  const std::string& file = given(options.file, "import");
  const Progress other = imported(file);
  ProgressFile own(progress_path());
  take_over(own.progress, other);
  if (!own.save()) {
    throw Error(ExitStatus::unavailable,
                fmt::format("'{}' is not imported, because your progress cannot be saved in '{}'",
                            file, progress_path().string()),
                "Name a folder that can be written, as in XDG_STATE_HOME=~/.local/state.");
  }
  if (const std::string notice = own.take_notice(); !notice.empty()) {
    write_all(stderr, "note: " + notice + "\n");
  }
  return say(description_of({.state = State::good, .progress = own.progress}), general);
}

Command add_export_command(CLI::App& parent) {
  return add_command(
      parent, "export", "Write your progress to a file, for another machine", export_progress,
      {.about = "Writes your progress to a file: the lessons and exercises that you have done, "
                "your answers and runs, the hints you took, and whose solution you took before you "
                "tried. For another machine, or to hand in with your exercises.",
       .examples = {{"gemm-tutor exercise start 3", "something to take along"},
                    {"gemm-tutor progress export progress.json", "the file, for the other machine"},
                    {"gemm-tutor progress export progress.json --force", "replaces the file"}},
       .statuses = {.done = "the file is written",
                    .unavailable = "the file cannot be written, or your progress is damaged"}});
}

Command add_import_command(CLI::App& parent) {
  return add_command(
      parent, "import", "Add the progress of another machine to yours", import_progress,
      {.about = "Adds what another machine has to your progress. What is done or solved on either "
                "stays so. Where both have an answer, a run, or a file, yours is kept. The names "
                "of files that do not exist here are left out.",
       .examples = {{"gemm-tutor exercise start 3", "on one machine"},
                    {"gemm-tutor progress export progress.json", "there, too"},
                    {"gemm-tutor progress import progress.json", "on the other"}},
       .statuses = {.done = "it is added",
                    .unavailable = "the file cannot be read, or your progress cannot be saved"}});
}

}  // namespace

std::vector<Command> add_progress(CLI::App& parent) {
  std::vector<Command> commands = {
      add_command(parent, "progress", "What you have done, to take to another machine", show,
                  {.about = "Says how far you are, writes that to a file, and adds what such a "
                            "file from another machine says.",
                   .examples = {{"gemm-tutor progress", "how far you are"},
                                {"gemm-tutor exercise start 3", "something to take along"},
                                {"gemm-tutor progress export progress.json",
                                 "the same in a file, for another machine"}}})};
  CLI::App& group = *commands.front().app;
  expect_command(group);
  commands.push_back(add_export_command(group));
  commands.push_back(add_import_command(group));
  return commands;
}

}  // namespace gemm_tutor::cli
