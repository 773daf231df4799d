#include <filesystem>
#include <optional>
#include <string>

#include "classroom/bundle.hpp"
#include "classroom/gradebook.hpp"
#include "cli/command.hpp"
#include "report/grade_report.hpp"
#include "view/terminal_text.hpp"

namespace gemm_tutor::cli {
namespace {

struct BundleOptions {
  std::string folder;
  std::optional<std::string> exercises, archive;
  HideOption hide;
  SeedOption seed;

  void add_to(CLI::App& app) {
    add_argument(app, "DIR", folder, "the folder to write, which must be new or empty");
    add_option(app, "--exercises", exercises, "E[,E]",
               "which exercises, by number or name: 3,7 (default: none; name at least one)");
    add_option(app, "--archive", archive, "FILE",
               "gemm-tutor-VERSION-linux-x86_64.tar.xz, which runs on older systems, too "
               "(default: this program and the libraries that it uses)");
    hide.add_to(app);
    seed.add_to(app, "a random one");
  }
};

using Make = std::vector<BundleFile> (*)(const BundleRequest&);

Outcome write(const BundleOptions& options, const GeneralOptions& general, const char* system,
              Make make) {
  if (options.folder.empty()) {
    throw Error(ExitStatus::usage, fmt::format("{}: where to?", system),
                fmt::format("Name a new folder, as in 'gemm-tutor classroom {} bundle'.", system));
  }
  if (!options.exercises) {
    throw Error(ExitStatus::usage, fmt::format("{}: which exercises?", system),
                "Name them, as in --exercises 3,7. 'gemm-tutor exercise list' shows them all.");
  }
  const std::set<std::string> hidden = options.hide.parts();
  const BundleRequest request = {exercises_in(*options.exercises),
                                 join({hidden.begin(), hidden.end()}, ","),
                                 options.archive.value_or(""), general.course.directory,
                                 options.seed.seed().value_or(random_seed())};
  if (options.archive == "") {
    throw Error(ExitStatus::usage, "--archive '' is not a name for a file",
                "Give a file, or leave the option out.");
  }
  check_bundle_folder(options.folder);
  const std::vector<BundleFile> files = make(request);
  write_bundle(options.folder, files);
  return {terminal_text(bundle_document(options.folder, files), general.terminal())};
}

Outcome write_gradescope(const BundleOptions& options, const GeneralOptions& general) {
  return write(options, general, "gradescope", gradescope_bundle);
}

Outcome write_github(const BundleOptions& options, const GeneralOptions& general) {
  return write(options, general, "github", github_bundle);
}

struct NoBundle {
  void add_to(CLI::App&) {}
};

Outcome ask_for_system(const NoBundle&, const GeneralOptions&) {
  throw Error(ExitStatus::usage, "classroom: for which system?",
              "'gemm-tutor classroom gradescope' and 'gemm-tutor classroom github' write bundles.");
}

}  // namespace

std::vector<Command> add_classroom(CLI::App& parent) {
  std::vector<Command> commands = {add_command(
      parent, "classroom", "For teachers: bundles for autograders", ask_for_system,
      {.about = "Writes what an autograder needs to check exercises with this program: the "
                "program, and the scripts that the system runs.",
       .examples = {{"gemm-tutor classroom gradescope bundle --exercises 3,7",
                     "what Gradescope takes"},
                    {"gemm-tutor classroom github repository --exercises 3,7",
                     "a repository for students"}},
       .statuses = {.unavailable = "the folder cannot be written"}})};
  CLI::App& group = *commands.front().app;
  expect_command(group);
  commands.push_back(add_command(
      group, "gradescope", "An autograder for Gradescope", write_gradescope,
      {.about = "Writes setup.sh, run_autograder and the program into a folder, and all of it as "
                "autograder.zip, which you upload to Gradescope.",
       .examples = {{"gemm-tutor classroom gradescope bundle --exercises 3,7",
                     "bundle/autograder.zip, for two exercises"},
                    {"gemm-tutor classroom gradescope other --exercises 5 --hide traffic",
                     "another, which does not show the goals to students"}},
       .statuses = {.done = "the bundle is written",
                    .unavailable = "the folder cannot be written"}}));
  commands.push_back(add_command(
      group, "github", "A repository for students, with a workflow for GitHub", write_github,
      {.about = "Writes a repository for students: the exercises as handed out, a workflow that "
                "checks them at each push and keeps the results as JUnit's XML, and the program. "
                "For Classroom 50 it has autograder.py.",
       .examples = {{"gemm-tutor classroom github repository --exercises 3,7",
                     "a repository with two exercises"},
                    {"gemm-tutor classroom github other --exercises small-k-only",
                     "one with an exercise that belongs to no lesson"}},
       .statuses = {.done = "the repository is written",
                    .unavailable = "the folder cannot be written"}}));
  return commands;
}

}  // namespace gemm_tutor::cli
