#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <string>

#include "classroom/gradebook.hpp"
#include "cli/command.hpp"
#include "cli/output_file.hpp"
#include "cli/progress_line.hpp"
#include "cli/stop_signals.hpp"
#include "report/grade_report.hpp"
#include "support/parallel.hpp"
#include "view/html_page.hpp"
#include "view/output.hpp"
#include "view/terminal_text.hpp"

namespace gemm_tutor::cli {
namespace {

constexpr int most_jobs = 1024;

struct GradeOptions {
  std::optional<std::string> directory, exercises, jobs, timeout, csv, json, html;
  std::string backend = "emulator", csv_for = "spreadsheet";
  bool times = false, fresh = false;
  SeedOption seed;

  void add_to(CLI::App& app) {
    add_argument(app, "DIR", directory,
                 "the submissions: in it a folder, or a .cu file, for each student");
    add_option(app, "--exercises", exercises, "E[,E]",
               "which exercises, by number or name: 3,7 (default: those handed in)");
    add_option(app, "--jobs", jobs, "N",
               "submissions graded at once (default: one for each processor core)");
    add_option(app, "--timeout", timeout, "S",
               "the longest that one submission may take, in seconds (default: 20)");
    seed.add_to(app, "the class's own, which is kept for the next time");
    add_option(app, "--csv", csv, "FILE.csv", "write the table as CSV too");
    add_option(app, "--csv-for", csv_for, "spreadsheet|canvas|moodle",
               "which columns it has: all that is known, or what Canvas or Moodle imports "
               "(default: spreadsheet)");
    add_option(app, "--json", json, "FILE.json", "write it as JSON too");
    add_option(app, "--html", html, "FILE.html", "write it as a page too");
    add_option(app, "--backend", backend, "emulator|gpu",
               "where the kernels run; gpu: there too, if the emulator found no fault (default: "
               "emulator)");
    add_flag(app, "--times", times, "with the seconds that each submission took");
    add_flag(app, "--fresh", fresh, "do not continue an interrupted grading");
  }
};

Backend backend_of(const std::string& name) {
  return choice<Backend>("--backend", name,
                         {{"emulator", Backend::emulator}, {"gpu", Backend::gpu}});
}

using WriteCsv = std::function<std::string(const Gradebook&)>;

WriteCsv csv_writer(const GradeOptions& options) {
  return choice<WriteCsv>(
      "--csv-for", options.csv_for,
      {{"spreadsheet", [&](const Gradebook& book) { return grade_csv(book, options.times); }},
       {"canvas", canvas_csv},
       {"moodle", moodle_csv}});
}

GradingOptions grading_options(const GradeOptions& options, const GeneralOptions& general) {
  GradingOptions result;
  if (options.exercises) result.exercises = exercises_in(*options.exercises);
  result.jobs = core_count();
  if (options.jobs) {
    result.jobs = static_cast<int>(whole_number("--jobs", *options.jobs, 1, most_jobs));
  }
  if (options.timeout) {
    result.conditions.seconds =
        static_cast<double>(whole_number("--timeout", *options.timeout, 1, most_seconds));
  }
  result.conditions.backend = backend_of(options.backend);
  result.conditions.course = general.course.directory;
  result.conditions.seed = options.seed.seed();
  result.fresh = options.fresh;
  result.version = GEMM_TUTOR_VERSION;
  return result;
}

void say(const std::string& line) { std::fputs((line + "\n").c_str(), stderr); }

// Ends the program if a signal has arrived.
Gradebook graded(const std::string& directory, GradingOptions options) {
  options.going_on = [](std::size_t done, std::size_t all) {
    say(fmt::format("continuing an interrupted grading: {} of {} are done", done, all));
  };
  return stoppable(
      [&](Activity& activity) {
        options.activity = &activity;
        const ProgressLine line(activity);
        return grade(directory, options);
      },
      [](const Activity::State& state) {
        say(fmt::format("interrupted: {} of {} are graded; the same command continues from there",
                        state.done, state.all));
      });
}

struct Output {
  const char* option;
  const std::optional<std::string>& path;
  const char* example;
};

// A report among the submissions would be a submission the next time, or replace one.
void check_is_no_submission(const char* option, const std::optional<std::string>& path,
                            const std::string& submissions) {
  if (!path) return;
  namespace fs = std::filesystem;
  std::error_code ignored;
  const fs::path inside = fs::weakly_canonical(*path, ignored)
                              .lexically_relative(fs::weakly_canonical(submissions, ignored));
  if (inside.empty() || *inside.begin() == "..") return;
  throw Error(ExitStatus::usage, fmt::format("{} '{}' is among the submissions", option, *path),
              "Give a file in another folder.");
}

Outcome run_grade(const GradeOptions& options, const GeneralOptions& general) {
  if (!options.directory) {
    throw Error(ExitStatus::usage, "which submissions are to be graded?",
                "Name the folder that holds them, as in 'gemm-tutor grade submissions'.");
  }
  const GradingOptions grading = grading_options(options, general);
  const WriteCsv csv = csv_writer(options);
  if (options.csv_for != "spreadsheet" && !options.csv) {
    throw Error(ExitStatus::usage, "--csv-for needs a file to write",
                "Name it, as in --csv grades.csv.");
  }
  const Terminal terminal = general.terminal();
  for (const auto& [option, path, example] : {Output{"--csv", options.csv, "grades.csv"},
                                              {"--json", options.json, "grades.json"},
                                              {"--html", options.html, "grades.html"}}) {
    check_writable(option, path, example);
    check_is_no_submission(option, path, *options.directory);
  }
  const std::vector<NamedOutput> outputs = {
      {"--csv", options.csv}, {"--json", options.json}, {"--html", options.html}};
  check_different(outputs);
  check_not_read(outputs);
  const Gradebook book = graded(*options.directory, grading);
  if (options.csv) write_output("--csv", *options.csv, csv(book));
  if (options.json) write_output("--json", *options.json, grade_json(book, options.times));
  const Document document = grade_document(book, options.times);
  if (options.html) write_output("--html", *options.html, html_page(document));
  return {terminal_text(document, terminal)};
}

struct GradeOneOptions {
  std::vector<std::string> words;

  // Newer versions of CLI11 take no name with a blank in it.
  void add_to(CLI::App& app) { add_argument(app, "EXERCISE|BACKEND|SEED|COUNTS", words, ""); }
};

Outcome grade_one_submission(const GradeOneOptions& options, const GeneralOptions&) {
  const auto seed = options.words.size() > 2 ? number_in<std::uint64_t>(options.words[2])
                                             : std::optional<std::uint64_t>();
  if (!seed) {
    throw Error(ExitStatus::usage, "grade-one is for 'gemm-tutor grade' alone",
                "Use 'gemm-tutor check FILE' for one file.");
  }
  CheckOptions as{.seed = *seed, .backend = backend_of(options.words[1])};
  for (std::size_t i = 3; i < options.words.size(); ++i) {
    const std::string& word = options.words[i];
    const std::size_t equals = word.find('=');
    if (equals == word.npos) continue;
    as.counts.emplace(word.substr(0, equals), std::stod(word.substr(equals + 1)));
  }
  grade_one(find_exercise(options.words[0]), as);
  return {};
}

}  // namespace

Command add_grade(CLI::App& parent) {
  return add_command(
      parent, "grade", "For teachers: a class's submissions as a table of points", run_grade,
      {.about = "Checks what a class handed in and prints a table of points. Each submission "
                "is compiled and emulated in a process of its own, with limits on time, memory "
                "and files, so that nobody has to trust it. The same command continues an "
                "interrupted grading.",
       .examples = {{"gemm-tutor exercise start 3 --dir class/student1",
                     "a folder with one submission, to try it on"},
                    {"gemm-tutor grade class", "each student's points"},
                    {"gemm-tutor grade class --exercises 3,7 --csv grades.csv",
                     "two exercises, and the table for a spreadsheet"}},
       .statuses = {
           .done = "graded, whatever the points",
           .unavailable =
               "this machine cannot do it: no CUDA compiler, no GPU for --backend gpu, a file "
               "that cannot be written, or these submissions are being graded already"}});
}

Command add_grade_one(CLI::App& parent) {
  return add_command(parent, grade_one_command, "", grade_one_submission);
}

}  // namespace gemm_tutor::cli
