#include "exercise/exercise.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <optional>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "classroom/gradebook.hpp"
#include "cli/command.hpp"
#include "cli/output_file.hpp"
#include "cli/progress_line.hpp"
#include "cli/stop_signals.hpp"
#include "course/progress.hpp"
#include "exercise/check.hpp"
#include "report/check_report.hpp"
#include "report/exercise_report.hpp"
#include "report/grade_report.hpp"
#include "run/target.hpp"
#include "simt/compiler.hpp"
#include "support/file.hpp"
#include "support/file_watch.hpp"
#include "support/parallel.hpp"
#include "support/text.hpp"
#include "view/highlight.hpp"
#include "view/html_page.hpp"
#include "view/output.hpp"
#include "view/terminal_text.hpp"
#include "walkthrough/exercise_page.hpp"

namespace gemm_tutor::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* see_list = "'gemm-tutor exercise list' shows them all.";
constexpr const char* give_an_exercise =
    "Give the file of an exercise, as in 'gemm-tutor check 03-shared-memory-tile.cu'.";

struct StartOptions {
  std::string exercise, directory = ".";
  bool force = false;

  void add_to(CLI::App& app) {
    add_argument(app, "E", exercise, "the exercise's number or name");
    add_option(app, "--dir", directory, "DIR",
               "the folder to put it in (default: the one you are in)");
    add_flag(app, "--force", force,
             "replace a file that is there already; what you wrote in it is lost");
  }
};

// Which file is checked, as what, and where.
struct WorkOptions {
  std::string file;
  std::optional<std::string> exercise;
  std::string backend = "emulator";
  const char* summary = "the file with your kernel (default: the current exercise's)";
  const char* which = "which exercise it is (default: what the file says in its first line)";

  void add_to(CLI::App& app) {
    add_argument(app, "FILE.cu", file, summary);
    add_option(app, "--exercise", exercise, "E", which);
    add_option(app, "--backend", backend, "emulator|gpu",
               "where the kernel runs; gpu: there too, if the emulator found no fault "
               "(default: emulator)");
  }
};

struct CheckCommandOptions : WorkOptions {
  FormatOption format = {.for_autograders = true};
  HideOption hide;
  SeedOption seed;
  std::optional<std::string> html;

  void add_to(CLI::App& app) {
    summary =
        "the file with your kernel (default: each exercise's file in this folder, or, if there is "
        "none, the current exercise's)";
    which =
        "which exercise it is; for an autograder's format also several, as in 3,7 (default: what "
        "the file says in its first line)";
    WorkOptions::add_to(app);
    format.add_to(app);
    hide.add_to(app);
    seed.add_to(app, std::to_string(check_seed));
    add_option(app, "--html", html, "FILE.html", "write it as a page too");
  }
};

constexpr const char* which_exercise = "the exercise, by number or name (default: the current one)";

struct HintOptions {
  std::string exercise;

  void add_to(CLI::App& app) { add_argument(app, "E", exercise, which_exercise); }
};

struct SolutionOptions {
  std::string exercise;
  bool anyway = false;

  void add_to(CLI::App& app) {
    add_argument(app, "E", exercise, which_exercise);
    add_flag(app, "--anyway", anyway, "even before you have tried");
  }
};

// Reports a problem with the progress file. It never stops a command.
void say_note(const std::string& notice) {
  if (!notice.empty()) write_all(stderr, "note: " + notice + "\n");
}

// --- Which exercise, which file

const Exercise& current_exercise(const Progress& progress, const char* command) {
  if (!progress.exercise.empty()) {
    const auto found = std::ranges::find(exercises(), progress.exercise, &Exercise::slug);
    if (found != exercises().end()) return *found;
  }
  throw Error(
      ExitStatus::usage, fmt::format("{}: which exercise?", command),
      fmt::format("Begin one with 'gemm-tutor exercise start 3', or name it. {}", see_list));
}

const Exercise& named_or_current(const std::string& name, const Progress& progress,
                                 const char* command) {
  return name.empty() ? current_exercise(progress, command) : find_exercise(name);
}

// A file and what it is to solve.
struct Work {
  const Exercise* exercise = nullptr;
  std::string file;
};

std::string file_of(const Exercise& exercise, const Progress& progress) {
  const auto found = progress.exercises.find(exercise.slug);
  if (found == progress.exercises.end() || found->second.file.empty()) return exercise.file_name;
  std::error_code error;
  const fs::path near = fs::relative(found->second.file, error);  // what a learner would type
  const bool is_below = !error && !near.empty() && *near.begin() != "..";
  return is_below ? near.string() : found->second.file;
}

Work work_of(const WorkOptions& options, const Progress& progress, const char* command) {
  if (options.file.empty()) {
    const std::string name = options.exercise.value_or("");
    const Exercise& exercise = named_or_current(name, progress, command);
    return {&exercise, file_of(exercise, progress)};
  }
  if (options.exercise) return {&find_exercise(*options.exercise), options.file};
  const auto named = std::ranges::find_if(exercises(), [&](const Exercise& exercise) {
    return options.file == exercise.slug || options.file == short_name(exercise);
  });
  if (named != exercises().end() && !fs::exists(options.file)) {
    return {&*named, file_of(*named, progress)};  // "check 3", as in "hint 3"
  }
  const KernelSource kernel = read_kernel_file(options.file, give_an_exercise);
  if (const Exercise* exercise = exercise_of(kernel.source, options.file)) {
    return {exercise, options.file};
  }
  throw Error(ExitStatus::usage,
              fmt::format("'{}' does not say which exercise it is", options.file),
              fmt::format("Name it, as in --exercise 3. {}", see_list));
}

// Has checked it, solved or not.
bool has_tried(const Exercise& exercise, const Progress& progress) {
  const auto own = progress.exercises.find(exercise.slug);
  return own != progress.exercises.end() && own->second.is_tried();
}

// --- The commands

Outcome list_exercises(const FormatOption& format, const GeneralOptions& general) {
  const bool json = format.format() == Format::json;
  const StoredProgress stored = read_progress(progress_path());
  return {json ? exercises_json(exercises(), stored)
               : terminal_text(exercises_document(exercises(), stored), general.terminal())};
}

struct NoOptions {
  void add_to(CLI::App&) {}
};

Outcome list_exercises_alone(const NoOptions&, const GeneralOptions& general) {
  return list_exercises({}, general);
}

Outcome start_exercise(const StartOptions& options, const GeneralOptions& general) {
  if (options.exercise.empty()) {
    throw Error(
        ExitStatus::usage, "start: which exercise?",
        fmt::format("Give its number or name, as in 'gemm-tutor exercise start 3'. {}", see_list));
  }
  const Exercise& exercise = find_exercise(options.exercise);
  const fs::path path = options.directory == "." ? fs::path(exercise.file_name)
                                                 : fs::path(options.directory) / exercise.file_name;
  std::error_code error;
  if (fs::symlink_status(path, error).type() != fs::file_type::not_found && !options.force) {
    throw Error(ExitStatus::usage, fmt::format("'{}' is there already", path.string()),
                fmt::format("Continue with 'gemm-tutor check {}', choose another folder with "
                            "--dir, or replace the file with --force.",
                            shell_word(path.string())));
  }
  if (!write_file_atomically(path, exercise.handout, error)) {
    throw Error(ExitStatus::unavailable,
                fmt::format("'{}' cannot be written: {}", path.string(), error.message()),
                "Choose another folder with --dir.");
  }
  ProgressFile file(progress_path());
  file.progress.exercise = exercise.slug;
  file.progress.exercises[exercise.slug].file = fs::absolute(path, error).string();
  file.save();
  say_note(file.take_notice());
  say_note(write_editor_files(path.parent_path()));
  return {terminal_text(started_document(exercise, path.string()), general.terminal())};
}

CheckOptions check_options(const WorkOptions& options) {
  CheckOptions result;
  result.backend = choice<Backend>("--backend", options.backend,
                                   {{"emulator", Backend::emulator}, {"gpu", Backend::gpu}});
  result.estimate = true;
  return result;
}

CheckReport checked(const Work& work, CheckOptions options) {
  const KernelSource kernel = read_kernel_file(work.file, give_an_exercise);
  Activity activity;
  options.activity = &activity;
  const ProgressLine line(activity);
  return check_exercise(*work.exercise, kernel.source, kernel.file_name, options);
}

struct Kept {
  int hints_left = 0;
  const Exercise* next = nullptr;
};

Kept keep(const Work& work, const CheckReport& report) {
  ProgressFile file(progress_path());
  const Exercise& exercise = *report.exercise;
  ExerciseProgress& own = file.progress.exercises[exercise.slug];
  std::error_code error;
  own.file = fs::absolute(work.file, error).string();
  own.add_check(report.solved());
  file.progress.exercise = exercise.slug;
  file.save();
  say_note(file.take_notice());
  return {hint_count(exercise, report.source) - own.hints, next_unsolved(exercise, file.progress)};
}

ExitStatus status_of(const CheckReport& report) {
  if (report.solved()) return ExitStatus::ok;
  return report.failed == Stage::compile ? ExitStatus::compile_error : ExitStatus::wrong_result;
}

// --- All files of a folder

// In the order of the exercises, and then by name.
std::vector<FileCheck> files_of_folder() {
  std::vector<FileCheck> files;
  std::error_code error;
  for (fs::directory_iterator entry(".", error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name.starts_with('.') || !name.ends_with(".cu")) continue;
    FileCheck& file = files.emplace_back();
    file.file = name;
    try {
      file.kernel = read_kernel_file(name, give_an_exercise);
    } catch (const Error& unreadable) {
      file.trouble = unreadable.what();
    }
    file.exercise = exercise_of(file.kernel.source, name);
    if (!file.exercise) files.pop_back();
  }
  // The exercises are in one array, so their addresses are in order.
  std::ranges::sort(files, {}, [](const FileCheck& f) { return std::tuple(f.exercise, f.file); });
  return files;
}

void check_all(std::vector<FileCheck>& files, CheckOptions options) {
  simt::require_compiler();
  Activity activity;
  const ProgressLine line(activity);
  // One GPU runs one kernel at a time.
  const int cores = options.backend == Backend::gpu ? 1 : core_count();
  options.threads = std::max(1, cores / static_cast<int>(files.size()));
  options.estimate = false;  // and no search for causes: the table has no place for them
  options.most_trials = 0;
  activity.begin("checking", std::ssize(files));
  parallel_for(std::ssize(files), cores, [&](std::int64_t i, int) {
    FileCheck& file = files[i];
    const KernelSource& kernel = file.kernel;
    if (file.trouble.empty()) {
      file.report = check_exercise(*file.exercise, kernel.source, kernel.file_name, options);
    }
    activity.advance();
  });
}

// The current exercise stays the same.
const Exercise* keep_all(const std::vector<FileCheck>& files) {
  ProgressFile stored(progress_path());
  std::error_code error;
  const fs::path folder = fs::current_path(error);
  for (const FileCheck& file : files) {
    if (!file.report) continue;
    ExerciseProgress& own = stored.progress.exercises[file.exercise->slug];
    own.add_check(file.report->solved());
    // Of two files for one exercise, the one that is known stays.
    const bool is_here = fs::path(own.file).parent_path() == folder && fs::exists(own.file, error);
    if (!is_here) own.file = (folder / file.file).string();
  }
  stored.save();
  say_note(stored.take_notice());
  return next_unsolved(*files.back().exercise, stored.progress);
}

Outcome check_folder(std::vector<FileCheck> files, const CheckOptions& options, bool json,
                     const Terminal& terminal) {
  check_all(files, options);
  const Exercise* next = keep_all(files);
  return {
      json ? to_text(checks_object(files)) : terminal_text(checks_document(files, next), terminal),
      std::ranges::all_of(files, &FileCheck::solved) ? ExitStatus::ok : ExitStatus::wrong_result};
}

// --- For an autograder

// A student's file or folder, judged as 'grade' does it. The learner's progress stays as it is.
Outcome check_for_autograder(const CheckCommandOptions& options, Format format, Backend backend,
                             const GeneralOptions& general) {
  GradingOptions grading;
  if (options.exercise) grading.exercises = exercises_in(*options.exercise);
  grading.conditions.backend = backend;
  grading.conditions.course = general.course.directory;
  grading.conditions.seed = options.seed.seed();
  const std::set<std::string> hidden = options.hide.parts();
  const std::string path = options.file.empty() ? "." : options.file;
  const Gradebook book = stoppable(
      [&](Activity& activity) {
        grading.activity = &activity;
        return grade_student(path, grading);
      },
      [](const Activity::State&) {});
  const bool all = std::ranges::all_of(book.grades, [](const Grade& g) { return g.mark.solved(); });
  return {format == Format::junit ? junit_xml(book, hidden) : gradescope_json(book, hidden),
          all ? ExitStatus::ok : ExitStatus::wrong_result};
}

void refuse_page(const std::optional<std::string>& html) {
  if (!html) return;
  throw Error(ExitStatus::usage, "--html is for the check of one file, as text or JSON",
              "Leave it out, or name the file.");
}

Outcome check(const CheckCommandOptions& options, const GeneralOptions& general) {
  const Format format = options.format.format();
  const bool json = format == Format::json;
  CheckOptions check_as = check_options(options);
  check_as.seed = options.seed.seed().value_or(check_seed);
  if (format == Format::gradescope || format == Format::junit) {
    refuse_page(options.html);
    return check_for_autograder(options, format, check_as.backend, general);
  }
  if (options.hide.list) {
    throw Error(ExitStatus::usage, "--hide is for --format gradescope and --format junit",
                "Leave it out, or add one of them.");
  }
  const Terminal terminal = general.terminal();
  WorkOptions which = options;
  const bool is_open = which.file.empty() && !which.exercise;
  if (is_open) {
    std::vector<FileCheck> files = files_of_folder();
    if (files.size() > 1) {
      refuse_page(options.html);
      return check_folder(std::move(files), check_as, json, terminal);
    }
    if (files.size() == 1) which.file = files.front().file;
  }
  const Work work = work_of(which, read_progress(progress_path()).progress, "check");
  if (is_open && !fs::exists(work.file)) {
    throw Error(ExitStatus::usage, "check: this folder has no file of an exercise",
                fmt::format("Begin one with 'gemm-tutor exercise start {}', or name a file.",
                            short_name(*work.exercise)));
  }
  check_writable("--html", options.html, "check.html");
  check_not_read({{"--html", options.html}}, work.file);
  const CheckReport report = checked(work, check_as);
  const Kept kept = keep(work, report);
  const CheckView view{.report = report, .hints_left = kept.hints_left, .next = kept.next};
  const Document document = check_document(view);
  if (options.html) write_output("--html", *options.html, html_page(document));
  return {json ? to_text(check_object(report)) : terminal_text(document, terminal),
          status_of(report)};
}

Outcome hint(const HintOptions& options, const GeneralOptions& general) {
  ProgressFile file(progress_path());
  const Exercise& exercise = named_or_current(options.exercise, file.progress, "hint");
  ExerciseProgress& own = file.progress.exercises[exercise.slug];
  const std::string source = read_ordinary_file(own.file).value_or(exercise.handout);
  const int all = hint_count(exercise, source);
  own.hints = std::min(own.hints + 1, all);
  HintsView view{.exercise = exercise,
                 .has_cause = has_cause_as_hint(exercise, source),
                 .has_tried = has_tried(exercise, file.progress)};
  // Without a progress file, "one more hint" would always show the first one.
  view.count = file.save() ? own.hints : all;
  say_note(file.take_notice());
  if (view.has_cause && view.count == all) {
    view.cause = cause_as_hint(checked({&exercise, own.file}, {}));
  }
  return {terminal_text(hints_document(view), general.terminal())};
}

std::string coloured(const std::string& source, const Terminal& terminal) {
  if (!terminal.color) return source;
  std::string result;
  for (const Line& line : highlight(split_lines(source))) result += paint(line, terminal) + "\n";
  return result;
}

Outcome solution(const SolutionOptions& options, const GeneralOptions& general) {
  const Progress progress = read_progress(progress_path()).progress;
  const Exercise& exercise = named_or_current(options.exercise, progress, "solution");
  if (!has_tried(exercise, progress) && !options.anyway) {
    throw Error(ExitStatus::wrong_result,
                fmt::format("you have not checked '{}' yet", exercise.slug),
                "Try it first: a check that fails is enough. Or see the solution --anyway.");
  }
  if (!has_tried(exercise, progress)) {
    ProgressFile file(progress_path());
    file.progress.exercises[exercise.slug].solution_taken = true;
    file.save();
    say_note(file.take_notice());
  }
  return {coloured(exercise.solution, general.terminal())};
}

// --- watch

constexpr std::chrono::milliseconds more_events{30};  // of one save
constexpr const char* clear_screen = "\x1b[H\x1b[2J\x1b[3J";

// Compared with the previous contents: a file that is saved unchanged is not checked again.
std::optional<std::string> contents_after_save(FileWatch& watch, const std::string& file) {
  watch.wait(std::chrono::hours(1));
  while (watch.wait(more_events)) {
  }
  return read_ordinary_file(file);
}

std::string time_of_day() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  return fmt::format("{:02}:{:02}:{:02}", local.tm_hour, local.tm_min, local.tm_sec);
}

class Watcher {
 public:
  Watcher(Work work, const CheckOptions& options, const Terminal& terminal)
      : work_(std::move(work)),
        options_(options),
        terminal_(terminal),
        clears_(isatty(STDOUT_FILENO) && terminal_.color) {}

  [[noreturn]] void run() {
    FileWatch watch(work_.file);
    for (std::optional<std::string> seen = read_ordinary_file(work_.file);;) {
      show(seen ? look() : fmt::format("{} is gone.\n", work_.file));
      std::optional<std::string> now = seen;
      while (now == seen) now = contents_after_save(watch, work_.file);
      seen = now;
    }
  }

 private:
  // What there is to say of the file as it is now.
  std::string look() try {
    const CheckReport report = checked(work_, options_);
    const Kept kept = keep(work_, report);
    const std::string text = terminal_text(check_document({.report = report,
                                                           .before = before_ ? &*before_ : nullptr,
                                                           .hints_left = kept.hints_left,
                                                           .next = kept.next,
                                                           .is_watched = true}),
                                           terminal_);
    before_ = report;
    return text;
  } catch (const Error& error) {  // for example an empty file, while it is saved
    return describe(error, terminal_).text;
  }

  void show(const std::string& text) const {
    const std::string waiting = fmt::format("\n{} {}: checked again at each save; Ctrl-C ends.\n",
                                            time_of_day(), work_.file);
    write_all(stdout, (clears_ ? clear_screen : "") + text + printable(waiting, '\n'));
  }

  Work work_;
  CheckOptions options_;
  Terminal terminal_;
  bool clears_;
  std::optional<CheckReport> before_;
};

Outcome watch(const WorkOptions& options, const GeneralOptions& general) {
  const CheckOptions check_as = check_options(options);
  const Work work = work_of(options, read_progress(progress_path()).progress, "watch");
  read_kernel_file(work.file, give_an_exercise);
  RunOptions where;
  where.backend = check_as.backend;
  choose_target(where);
  simt::require_compiler();
  const bool is_interactive = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
  if (std::unique_ptr<Screen> screen =
          is_interactive ? curses_screen(general.color.choice()) : nullptr) {
    ProgressFile file(progress_path());
    show_exercises(*screen, file, *work.exercise, work.file, check_as.backend);
    return {};
  }
  Watcher(work, check_as, general.terminal()).run();
}

// --- Their options

Command add_list_command(CLI::App& parent) {
  return add_command(
      parent, "list", "The exercises, and which you have solved", list_exercises,
      {.about = "Lists the exercises: kernels to complete, to fix and to make faster.",
       .examples = {{"gemm-tutor exercise list", "all exercises, and which you have solved"},
                    {"gemm-tutor exercise list --format json", "the same for a script"}}});
}

Command add_start_command(CLI::App& parent) {
  return add_command(
      parent, "start", "Begin an exercise: its file, for you to edit", start_exercise,
      {.about = "Writes the exercise's file, a kernel with gaps or a fault in it. 'check', "
                "'watch', 'hint' and 'solution' then use this exercise by default. The command "
                "also writes .clangd and compile_flags.txt, with which clangd and the editors that "
                "use it know CUDA. Your own files of these names stay as they are.",
       .examples = {{"gemm-tutor exercise start 3", "writes 03-shared-memory-tile.cu"},
                    {"gemm-tutor exercise start small-k-only --dir work",
                     "the exercise of that name, in another folder"}},
       .statuses = {.done = "the file is written", .unavailable = "the file cannot be written"}});
}

Command add_check_command(CLI::App& parent) {
  return add_command(
      parent, "check", "Is your kernel right, safe and lean?", check,
      {.about =
           "Compiles your kernel and runs it at several sizes, odd ones too. Looks for races and "
           "accesses out of bounds, and counts whether it asks as little of memory as the exercise "
           "wants. Says what is wrong, where and why. The counts matter once the rest is right. "
           "Without a file it checks all exercises' files of the folder, and if there are several, "
           "it prints a table with a line for each.",
       .examples = {{"gemm-tutor exercise start 3", "a kernel with gaps, to begin with"},
                    {"gemm-tutor check", "is it solved? Not yet: status 1"},
                    {"gemm-tutor check 03-shared-memory-tile.cu --format json",
                     "a file by its name, and the verdict for a script"}},
       .statuses = {
           .done = "solved; of several files, all",
           .wrong = "not solved: something is wrong with it, or it asks too much of memory",
           .unavailable = cannot_run,
           .compile_error = "the kernel does not compile"}});
}

Command add_hint_command(CLI::App& parent) {
  return add_command(
      parent, "hint", "A hint, and one more each time", hint,
      {.about = "Shows a hint for an exercise, and one more each time.",
       .examples = {{"gemm-tutor hint 3", "the first hint for exercise 3; again: one more"},
                    {"gemm-tutor hint small-k-only", "one for the exercise of that name"}}});
}

Command add_solution_command(CLI::App& parent) {
  return add_command(
      parent, "solution", "A kernel that solves an exercise, once you have tried", solution,
      {.about = "Prints a kernel that solves the exercise, once you have checked one of your "
                "own, solved or not. That it was taken before is kept in your progress.",
       .examples = {{"gemm-tutor solution 3 --anyway",
                     "the solution of exercise 3, whether you have tried or not"},
                    {"gemm-tutor solution 3 --anyway > tile.cu", "the same, kept in a file"}},
       .statuses = {.done = "done",
                    .wrong = "you have not checked a kernel of this exercise yet",
                    .unavailable = "the output cannot be written"}});
}

Command add_watch_command(CLI::App& parent) {
  return add_command(
      parent, "watch", "Check your kernel at each save", watch,
      {.about = "Checks the file now and at each save, as 'check' does, and says what got better "
                "since the previous save. On a terminal its last line shows keys, the same as in "
                "the course: for a hint, the solution, your editor. Once it is solved, Enter goes "
                "on to the next exercise. Elsewhere each check is printed, until Ctrl-C.",
       .examples = {{"gemm-tutor exercise start 7", "a kernel with gaps, to begin with"},
                    {"gemm-tutor watch", "checks it now and at each save"}},
       .statuses = {.done = "you left",
                    .unavailable =
                        "this machine cannot do it: no GPU for --backend gpu, no CUDA compiler, "
                        "or the file cannot be watched"}});
}

}  // namespace

std::vector<Command> add_exercises(CLI::App& parent) {
  std::vector<Command> commands = {add_command(
      parent, "exercise", "Kernels for you to complete, fix and make faster", list_exercises_alone,
      {.about =
           "The exercises. Without a command it lists them, as 'exercise list' does. 'check', "
           "'hint', 'solution' and 'watch' are the same with and without 'exercise' before them.",
       .examples = {{"gemm-tutor exercise", "all exercises, and which you have solved"},
                    {"gemm-tutor exercise start 3",
                     "begins exercise 3: writes 03-shared-memory-tile.cu"}}})};
  CLI::App& group = *commands.front().app;
  expect_command(group);
  commands.push_back(add_list_command(group));
  commands.push_back(add_start_command(group));
  for (CLI::App* where : {&group, &parent}) {
    commands.push_back(add_check_command(*where));
    commands.push_back(add_hint_command(*where));
    commands.push_back(add_solution_command(*where));
    commands.push_back(add_watch_command(*where));
  }
  return commands;
}

}  // namespace gemm_tutor::cli
