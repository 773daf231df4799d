#include "walkthrough/exercise_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "exercise/check.hpp"
#include "exercise/exercise.hpp"
#include "report/check_report.hpp"
#include "report/exercise_report.hpp"
#include "report/source.hpp"
#include "support/error.hpp"
#include "support/file.hpp"
#include "support/file_watch.hpp"
#include "support/text.hpp"
#include "walkthrough/dialog.hpp"

namespace gemm_tutor {
namespace {

namespace fs = std::filesystem;

// The editor that the environment names; empty if it names no editor.
std::string editor() {
  for (const char* variable : {"VISUAL", "EDITOR"}) {
    if (const char* name = std::getenv(variable); name && *name) return name;
  }
  return "";
}

// Where the page is shown.
struct Setting {
  bool is_in_lesson = true;  // which goes on once the exercise is solved; else the next exercise
  Backend backend = Backend::emulator;
};

class ExercisePage {
 public:
  // An empty `path` is that of the progress file, or the exercise's usual one.
  ExercisePage(Screen& screen, ProgressFile& file, const Exercise& exercise, const Setting& setting,
               fs::path path = {})
      : screen_(screen),
        file_(file),
        setting_(setting),
        dialog_(screen),
        exercise_(&exercise),
        path_(std::move(path)) {}

  ExerciseEnd run() {
    if (!begin()) return end_.value_or(ExerciseEnd::back);
    while (!end_ && !dialog_.left()) take_step();
    return end_.value_or(ExerciseEnd::left);
  }

 private:
  ExerciseProgress& own() { return file_.progress.exercises[exercise_->slug]; }
  bool is_untouched() const { return seen_ == exercise_->handout; }
  bool is_solved() const { return report_ && report_->solved(); }

  // False where the learner goes back instead.
  bool begin() {
    const bool is_known = !path_.empty() || !own().file.empty();
    if (path_.empty()) path_ = is_known ? own().file : exercise_->file_name;
    std::error_code error;
    const bool is_there = fs::symlink_status(path_, error).type() != fs::file_type::not_found;
    if (!is_there || (!is_known && read_ordinary_file(path_) != exercise_->handout)) {
      if (is_there && !asks_to_overwrite()) return false;
      if (!is_there || overwrites_) hand_out();
    }
    file_.progress.exercise = exercise_->slug;
    own().file = fs::absolute(path_, error).string();
    file_.save();
    watch_.emplace(path_);
    report_.reset();
    before_.reset();
    look();
    return true;
  }

  // False where the learner wants neither that file nor another.
  bool asks_to_overwrite() {
    View view;
    view.title = heading();
    view.body = {Paragraph{{{path_.string(), Style::code},
                            {" is there already, and is not the file that the exercise begins "
                             "with. Continue with it, or replace it and lose what is in it?"}}}};
    view.keys = {{'1', "continue with it"}, {'2', "replace it"}, key_help('p')};
    const Input input = screen_.show(view);
    overwrites_ = input.key == '2';
    if (input.kind == Input::Kind::end) end_ = ExerciseEnd::left;
    return input.key == '1' || input.key == '2';
  }

  void hand_out() {
    std::error_code error;
    if (write_file_atomically(path_, exercise_->handout, error)) {
      const std::string own_files = write_editor_files(path_.parent_path());
      notice_ = !own_files.empty() ? own_files
                                   : fmt::format(
                                         "{} was written, and beside it .clangd and "
                                         "compile_flags.txt, with which editors know CUDA.",
                                         path_.filename().string());
      return;
    }
    throw Error(ExitStatus::unavailable,
                fmt::format("'{}' cannot be written: {}", path_.string(), error.message()), "");
  }

  // Checks the file as it is now.
  void look() try {
    failure_.reset();
    const std::optional<std::string> now = read_ordinary_file(path_);
    if (!now) {
      notice_ = fmt::format("{} is gone.", path_.string());
      return;
    }
    seen_ = *now;
    std::optional<CheckReport> report;
    const bool is_done = screen_.work([&](Activity& activity) {
      report =
          check_exercise(*exercise_, seen_, path_.filename().string(),
                         {.backend = setting_.backend, .estimate = true, .activity = &activity});
    });
    if (!is_done) {
      notice_ = "Stopped. r checks it again.";
      return;
    }
    before_ = std::exchange(report_, std::move(report));
    if (!is_untouched() || report_->solved()) own().add_check(report_->solved());
    own().put_off = own().put_off && !own().solved;
    file_.save();
  } catch (const Error& error) {
    failure_ = error;
  }

  // A save was seen; one that changes nothing is none.
  bool has_changed() {
    while (watch_->wait(std::chrono::milliseconds(0))) is_saved_ = true;
    if (!is_saved_) return false;
    const std::optional<std::string> now = read_ordinary_file(path_);
    if (!now) return false;
    is_saved_ = false;
    return *now != seen_;
  }

  // --- What it shows

  std::string heading() const { return plain_text(titled(*exercise_).heading()); }

  View view() {
    View view;
    view.title = heading();
    view.place = path_.filename().string();
    view.notice = std::exchange(notice_, "");
    view.body = body();
    view.enter = !is_solved() ? "check" : setting_.is_in_lesson ? "next lesson" : "next exercise";
    view.keys = keys();
    view.about = elsewhere_text;
    view.changed = [this] { return has_changed(); };
    return view;
  }

  Part where_parts() const {
    const bool has_editor = !editor().empty();
    return Paragraph{{{has_editor ? "Press o, or open " : "Open "},
                      {path_.string(), Style::code},
                      {" in your editor. It is checked here at each save."}}};
  }

  Parts body() {
    if (failure_) {
      return {Paragraph{{{"error: ", Style::bad}, {failure_->what()}}},
              Paragraph{{{"help: ", Style::heading}, {failure_->help()}}}};
    }
    Parts parts = {where_parts()};
    if (is_untouched() || !report_) {
      parts.append(task_parts(*exercise_));
    }
    if (report_) {
      const int hints_left = hint_count(*exercise_, seen_) - own().hints;
      if (is_untouched()) parts.add(Paragraph{{{"The file as it is now:", Style::heading}}});
      parts.append(check_document({.report = *report_,
                                   .before = before_ ? &*before_ : nullptr,
                                   .hints_left = hints_left,
                                   .next = next_unsolved(*exercise_, file_.progress),
                                   .is_watched = true,
                                   .has_keys = true})
                       .parts);
    }
    return parts;
  }

  std::vector<KeyHelp> keys() {
    std::vector<KeyHelp> keys = {is_solved() ? key_help('n') : KeyHelp{'x', "put it off"}};
    if (!editor().empty()) keys.push_back(key_help('o'));
    keys.push_back(key_help('h'));
    keys.push_back(key_help('v', 2));
    if (!is_untouched()) keys.push_back(key_help('i', 3));
    keys.insert(keys.end(), {key_help('p'), key_help('r', 4), key_help('e', 5), key_help('g', 6),
                             key_help('?'), key_help('q')});
    return keys;
  }

  // --- What a key does

  void take_step() {
    const Input input = screen_.show(view());
    if (input.kind == Input::Kind::changed) return look();
    switch (input.key) {
      case enter_key:
        if (is_solved()) return go_on(ExerciseEnd::next);
        [[fallthrough]];
      case 'r':
        look();
        if (notice_.empty() && is_untouched()) {
          notice_ = fmt::format("{} is as it was handed out. Change and save it.",
                                path_.filename().string());
        }
        return;
      case 'o':
        return edit();
      case 'h':
        return hint();
      case 'v':
        return solution();
      case 'e':
        return choose();
      case 'i':
        return show("The task", task_parts(*exercise_));
      case 'g':
        return dialog_.explain(input.line);
      case '?':
        return dialog_.show_keys(keys());
      case 'n':
        return go_on(ExerciseEnd::next);
      case 'x':
        own().put_off = true;
        file_.save();
        return go_on(ExerciseEnd::put_off);
      case 'p':
        end_ = ExerciseEnd::back;
        return;
      default:
        end_ = ExerciseEnd::left;
    }
  }

  void go_on(ExerciseEnd end) {
    const Exercise* next =
        setting_.is_in_lesson ? nullptr : next_unsolved(*exercise_, file_.progress);
    if (next && next != exercise_) return open(*next);
    end_ = end;
  }

  // Stays with the exercise as it was if the learner does not want the other's file.
  void open(const Exercise& exercise) {
    const Exercise* before = std::exchange(exercise_, &exercise);
    const fs::path path = std::exchange(path_, fs::path());
    const auto reopen = [&] {
      exercise_ = before;
      path_ = path;
      begin();
    };
    try {
      if (!begin() && !end_) reopen();
    } catch (const Error&) {
      reopen();
      throw;
    }
  }

  void show(const std::string& title, const Parts& body) { dialog_.show(title, body, heading()); }

  void edit() {
    const std::string command = fmt::format("{} {}", editor(), shell_word(path_.string()));
    int status = 0;
    screen_.lend([&] { status = std::system(command.c_str()); });
    if (status != 0) notice_ = fmt::format("'{}' failed.", command);
    look();
  }

  void hint() {
    const int all = hint_count(*exercise_, seen_);
    own().hints = std::min(own().hints + 1, all);
    file_.save();
    show(fmt::format("Hint {} of {}", own().hints, all),
         hints_document({.exercise = *exercise_,
                         .count = own().hints,
                         .cause = report_ ? cause_as_hint(*report_) : "",
                         .has_cause = has_cause_as_hint(*exercise_, seen_),
                         .has_tried = has_tried()})
             .parts);
  }

  bool has_tried() { return own().is_tried(); }

  void solution() {
    if (!has_tried()) {
      notice_ = "Try it first: the solution is shown once a change of yours was checked.";
      return;
    }
    std::vector<SourceLine> lines;
    for (const std::string& line : split_lines(exercise_->solution)) {
      lines.push_back({static_cast<int>(lines.size()) + 1, line});
    }
    show("A solution", {annotated_listing(lines, "", {})});
  }

  void choose() {
    const Parts all = exercises_document(exercises(), {.progress = file_.progress}).parts;
    dialog_.ask({"The exercises", "Exercise", all}, "",
                [this](const std::string& typed) { open(find_exercise(typed)); });
  }

  Screen& screen_;
  ProgressFile& file_;
  Setting setting_;
  Dialog dialog_;
  const Exercise* exercise_;
  fs::path path_;  // empty before begin(), unless it was given
  bool overwrites_ = false;
  std::optional<FileWatch> watch_;
  bool is_saved_ = false;  // since it was last looked at
  std::string seen_;       // what it held then
  std::optional<CheckReport> report_, before_;
  std::optional<Error> failure_;
  std::string notice_;
  std::optional<ExerciseEnd> end_;
};

}  // namespace

ExerciseEnd show_exercise(Screen& screen, ProgressFile& progress, const Exercise& exercise) {
  return ExercisePage(screen, progress, exercise, {}).run();
}

void show_exercises(Screen& screen, ProgressFile& progress, const Exercise& exercise,
                    const std::string& file, Backend backend) {
  ExercisePage(screen, progress, exercise, {.is_in_lesson = false, .backend = backend}, file).run();
}

}  // namespace gemm_tutor
