#include "walkthrough/walkthrough.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <new>

#include "course/glossary.hpp"
#include "documents/glossary_view.hpp"
#include "documents/list_report.hpp"
#include "documents/run_sections.hpp"
#include "documents/source.hpp"
#include "documents/trace_report.hpp"
#include "run/target.hpp"
#include "support/error.hpp"
#include "walkthrough/dialog.hpp"
#include "walkthrough/exercise_page.hpp"
#include "walkthrough/judged_question.hpp"
#include "walkthrough/lesson_runs.hpp"
#include "walkthrough/new_size.hpp"
#include "walkthrough/own_ladder.hpp"
#include "walkthrough/steps.hpp"
#include "walkthrough/views.hpp"
#include "walkthrough/welcome.hpp"

namespace gemm_tutor {
namespace {

constexpr std::string_view exercise_from = "exercise from ";  // in the progress, before a step

const Lesson& lesson_called(const std::string& slug) {
  const auto found = std::ranges::find(lessons(), slug, &Lesson::slug);
  return found == lessons().end() ? lessons().front() : *found;
}

class Walkthrough {
 public:
  Walkthrough(Screen& screen, ProgressFile& file, const WalkthroughRequest& request)
      : screen_(screen), file_(file), dialog_(screen), runs_(screen, request.run) {
    if (request.problem) progress().problem = *request.problem;
  }

  // Starts at `asked`, or where the learner was.
  std::string run(const Lesson* asked) {
    add_notice(file_.take_notice());
    const bool is_new = progress().experience.empty();
    if (is_new && !asked && !welcome(screen_, progress(), std::exchange(notice_, ""))) {
      return "Nothing was kept yet: 'gemm-tutor' begins again.\n";
    }
    enter(asked ? *asked : lesson_called(progress().lesson));
    if (!asked && !is_new) welcome_back();
    if (!asked) resume();
    while (!left_ && !dialog_.left()) take_step();
    keep_place();
    return farewell();
  }

 private:
  Progress& progress() { return file_.progress; }
  LessonProgress& lesson_progress() { return progress().lessons[lesson_->slug]; }
  const Problem& problem() { return progress().problem; }
  const Stop& stop() const { return stops_[place_]; }
  const Question& question() const { return kernel_->questions[stop().question]; }
  bool is_own_kernel() const { return kernel_ == &lesson_->kernels.front(); }

  void add_notice(const std::string& text) {
    if (!text.empty()) notice_ += (notice_.empty() ? "" : " ") + text;
  }

  // To where the learner left.
  void resume() {
    std::string step = progress().step;
    const bool was_at_exercise = step.starts_with(exercise_from);
    if (was_at_exercise) step.erase(0, exercise_from.size());
    place_ = stop_named(stops_, step);
    const Exercise* begun = exercise_under_way();
    if (was_at_exercise && begun) do_exercise(*begun);
  }

  // The exercise that was started last, of any lesson or none.
  const Exercise* exercise_under_way() {
    const auto found = std::ranges::find(exercises(), progress().exercise, &Exercise::slug);
    return found == exercises().end() ? exercise_of(*lesson_) : &*found;
  }

  void welcome_back() {
    const auto done = std::ranges::count_if(progress().lessons,
                                            [](const auto& lesson) { return lesson.second.done; });
    add_notice(fmt::format("Welcome back: this is where you were. {} of {} lessons are done.", done,
                           lessons().size()));
  }

  std::string farewell() {
    if (!kept_) return "Your place could not be kept.\n";
    return fmt::format("Your place is kept: lesson {}, {}. 'gemm-tutor' continues there.\n",
                       lesson_->number, in_exercise_ ? "exercise" : name_at(stops_, place_));
  }

  // --- A step

  void take_step() {
    keep_place();
    if (!prepare()) return stopped();
    answer(screen_.show(view_of_stop()));
  }

  void keep_place() {
    progress().lesson = lesson_->slug;
    progress().step = (in_exercise_ ? std::string(exercise_from) : "") + name_at(stops_, place_);
    kept_ = file_.save();
    add_notice(file_.take_notice());
  }

  // Called if the work for the step was interrupted.
  void stopped() {
    add_notice("Stopped.");
    if (stop().asks()) {
      lesson_progress().predictions.erase(question().id);
    } else {
      --place_;  // the first step never needs work
    }
  }

  // Does the work that the step's view needs. Returns false if it was interrupted.
  bool prepare() try {
    failure_.reset();
    judged_.reset();
    if (stop().step == Step::run || stop().step == Step::traffic) {
      if (!runs_.execute()) return false;
      if (stop().step == Step::traffic && !runs_.trace_drawings()) return false;
    } else if (Prediction* answered = stop().asks() ? prediction() : nullptr) {
      if (!runs_.count(question())) return false;
      judged_ = judge(question(), *answered, runs_);
      answered->right = judged_->checked.right;
    }
    if (runs_.is_executed()) keep_run();
    return true;
  } catch (const Error& error) {
    failure_ = error;
    return true;
  } catch (const std::bad_alloc&) {
    failure_ = Error(ExitStatus::unavailable, "there is not enough memory for this size",
                     "Choose a smaller one: press s.");
    return true;
  }

  void keep_run() {
    const KernelRun& run = runs_.executed();
    const bool counts = is_own_kernel() && settings_ == usual_settings(problem());
    if (counts && is_clean(run)) lesson_progress().run = record_of(run);
  }

  // Returns the answer to the stop's question at its size; may be null.
  Prediction* prediction() {
    auto& predictions = lesson_progress().predictions;
    const auto found = predictions.find(question().id);
    const bool is_there = found != predictions.end() && found->second.problem == runs_.asked();
    return is_there ? &found->second : nullptr;
  }

  // --- What it shows

  View view_of_stop() {
    View view;
    view.title = fmt::format("Lesson {} · {}", lesson_->number, lesson_->title);
    view.place = place_text();
    view.notice = std::exchange(notice_, "");
    view.keys = keys();
    view.body = failure_ ? failure_parts() : body();
    if (is_open() && question().choices.empty()) view.prompt = "Your answer";
    return view;
  }

  // It waits for an answer.
  bool is_open() const { return stop().asks() && !judged_ && !failure_; }

  // "3 of 9 · predict 1 of 3": the questions are one step together.
  std::string place_text() const {
    int steps = 0, step = 0;
    for (std::size_t i = 0; i < stops_.size(); ++i) {
      steps += i == 0 || stops_[i].step != stops_[i - 1].step;
      if (i == place_) step = steps;
    }
    std::string text = fmt::format("{} of {} · {}", step, steps, name_at(stops_, place_));
    const auto alike = std::ranges::count(stops_, stop().step, &Stop::step);
    return alike == 1 ? text : fmt::format("{} of {}", text, alike);
  }

  std::vector<KeyHelp> keys() const {
    const bool is_end = stop().step == Step::finish;
    std::vector<KeyHelp> keys = {{'n', is_end ? "leave" : is_open() ? "skip" : "next"}};
    if (is_open()) add_choices(keys);
    keys.push_back({'p', "back"});
    if (stop().step == Step::run) keys.push_back({'r', "run"});
    keys.push_back({'s', "size"});
    if (lesson_->kernels.size() > 1) keys.push_back({'k', "kernel"});
    if (!lesson_->exercise.empty()) keys.push_back({'e', "exercise"});
    keys.push_back({'c', "code", 1});
    if (kernel_->is_cuda()) keys.insert(keys.end(), {{'t', "trace", 2}, {'m', "machine", 5}});
    keys.insert(keys.end(), {{'l', "lessons", 3}, {'g', "words", 4}, {'h', "help"}, {'q', "quit"}});
    return keys;
  }

  void add_choices(std::vector<KeyHelp>& keys) const {
    const std::size_t choices = question().choices.size();
    for (std::size_t i = 0; i < choices; ++i) {
      keys.push_back({static_cast<char>('1' + i), i + 1 == choices ? "answer" : ""});
    }
  }

  Parts failure_parts() const {
    return {facts({{{"error: ", Style::bad}, {failure_->what()}},
                   {{"help: ", Style::heading}, {failure_->help()}}}),
            Paragraph{{{"Other steps of the lesson work without it: Enter continues."}}}};
  }

  Parts body() {
    switch (stop().step) {
      case Step::idea:
        return idea_parts({*kernel_, settings_, problem()}, *lesson_);
      case Step::source:
        return annotated_kernel(*lesson_, *kernel_);
      case Step::change:
        return change_parts(*lesson_, *kernel_);
      case Step::predict:
      case Step::why:
        if (judged_) return verdict_parts(*judged_, problem());
        return question_parts(question(), runs_, !std::exchange(has_asked_, true));
      case Step::run:
        return parts_of_run();
      case Step::traffic:
        return memory_parts(runs_.executed(), runs_.owners(), drawn());
      case Step::recap:
        return recap_parts(*lesson_, progress());
      case Step::finish:
        return finish_parts(progress());
    }
    return {};
  }

  Parts drawn() {
    Parts parts;
    for (const KernelDrawing& drawing : kernel_->drawings) {
      if (drawing.is_concept()) continue;
      parts.append(drawing_parts(drawing, runs_.executed(), runs_.traced(drawing)));
    }
    return parts;
  }

  Parts parts_of_run() {
    Parts parts = run_parts(runs_.executed(), runs_.requests());
    parts.append(order_parts(runs_.executed(), runs_.others()));
    if (is_own_kernel()) parts.append(so_far_parts(*lesson_, progress()));
    return parts;
  }

  // --- What a key does

  void answer(const Input& input) {
    if (input.kind == Input::Kind::end) {
      left_ = true;
      return;
    }
    if (input.kind == Input::Kind::line) return predict(input.line);
    if (input.key >= '1' && input.key <= '9') return predict(std::string(1, input.key));
    switch (input.key) {
      case 'n':
        return go_on();
      case 'p':
        return go_back();
      case 'r':
        runs_.forget_execution();
        place_ = stop_named(stops_, name_of(Step::run));
        return;
      case 's':
        return choose_size(input.line);
      case 'k':
        return next_kernel();
      case 'l':
        return choose_lesson(input.line);
      case 'g':
        return explain(input.line);
      case 'e':
        return do_exercise(*exercise_of(*lesson_));
      case 'c':
        return show_code();
      case 't':
        return show_trace();
      case 'm':
        return show_machine_code();
      case 'h':
        return dialog_.show("The keys", key_parts());
      default:
        left_ = input.key == 'q';
    }
  }

  // It is judged when the stop is prepared once more.
  void predict(const std::string& line) {
    const auto parsed = parse_answer(question(), line, runs_.values_of(question()));
    if (const std::string* complaint = std::get_if<std::string>(&parsed)) {
      notice_ = *complaint;
      return;
    }
    lesson_progress().predictions[question().id] = {line, runs_.asked(), std::nullopt};
  }

  void go_on() {
    if (stop().step == Step::recap) lesson_progress().done = true;
    if (place_ + 1 < stops_.size()) {
      ++place_;
    } else if (lesson_ != &lessons().back()) {
      enter(*(lesson_ + 1));
    } else {
      left_ = true;
    }
  }

  void go_back() {
    if (place_ > 0) {
      --place_;
    } else if (lesson_ != &lessons().front()) {
      enter(*(lesson_ - 1));
      place_ = stop_named(stops_, name_of(Step::recap));
    } else {
      notice_ = "This is the first step of the course.";
    }
  }

  // Of the kernel where the learner gives none.
  Settings usual_settings(const Problem& size) const try {
    RunOptions options = runs_.options();
    options.problem = size;
    return effective_settings(*kernel_, options);
  } catch (const Error&) {
    return kernel_->settings;  // the GPU does not exist; the first step that needs it reports this
  }

  void enter(const Lesson& lesson) { enter(lesson, lesson.kernels.front()); }

  void enter(const Lesson& lesson, const Kernel& kernel) {
    lesson_ = &lesson;
    kernel_ = &kernel;
    stops_ = stops_of(lesson, kernel, progress().predict);
    place_ = 0;
    settings_ = usual_settings(problem());
    set_runs();
  }

  void set_runs() {
    const Subject chosen{problem(), settings_};
    const auto usual = [this](const Problem& size) { return usual_settings(size); };
    runs_.set(*lesson_, *kernel_, chosen, subject_of_questions(*lesson_, *kernel_, chosen, usual));
  }

  void next_kernel() {
    const auto& kernels = lesson_->kernels;
    const auto next = (static_cast<std::size_t>(kernel_ - kernels.data()) + 1) % kernels.size();
    enter(*lesson_, kernels[next]);
    place_ = 1;  // its source, or what it changes
    notice_ = fmt::format("Kernel {} of {} in this lesson.", next + 1, kernels.size());
  }

  // --- Other pages

  // May be called at any step. Returns to it, or continues with the next lesson.
  void do_exercise(const Exercise& exercise) try {
    in_exercise_ = true;
    keep_place();
    const ExerciseEnd end = show_exercise(screen_, file_, exercise);
    left_ = end == ExerciseEnd::left;
    in_exercise_ = left_;
    if (end != ExerciseEnd::next) return;
    // Called in the middle of a lesson, which is not finished then.
    const bool skips = stop().step != Step::recap && lesson_ != &lessons().back();
    if (skips) return enter(*(lesson_ + 1));
    place_ = stop_named(stops_, name_of(Step::recap));
    go_on();
  } catch (const Error& error) {
    in_exercise_ = false;
    notice_ = fmt::format("The exercise cannot be shown: {}.", error.what());
  }

  void show_code() {
    const std::string title = fmt::format("The code of lesson {}", lesson_->number);
    if (stop().step == Step::run && !failure_) {
      return dialog_.show(title, {source_section(runs_.executed(), runs_.requests())});
    }
    dialog_.show(title, annotated_kernel(*lesson_, *kernel_));
  }

  void show_trace() try {
    if (!runs_.trace()) {
      add_notice("Stopped.");
      return;
    }
    const Trace& trace = runs_.traced();
    dialog_.show(plain_text(titled(trace).heading()), parts_of_trace(trace),
                 sizes_text(trace.problem));
  } catch (const Error& error) {
    notice_ = fmt::format("It cannot be traced: {}.", error.what());
  } catch (const std::bad_alloc&) {
    notice_ = "There is not enough memory to trace this size.";
  }

  void show_machine_code() try {
    if (!runs_.execute()) {
      add_notice("Stopped.");
      return;
    }
    const std::string title =
        fmt::format("Machine code of lesson {} · {}", lesson_->number, lesson_->title);
    dialog_.show(title, machine_parts(runs_.executed()), sizes_text(problem()));
  } catch (const Error& error) {
    notice_ = fmt::format("The machine code cannot be shown: {}.", error.what());
  } catch (const std::bad_alloc&) {
    notice_ = "There is not enough memory to run this size.";
  }

  void choose_size(const std::string& given) {
    const bool has_tile = !settings_.empty();
    dialog_.ask({has_tile ? "Another size, or another tile" : "Another size",
                 has_tile ? "Size or tile" : "Size", size_parts(problem(), settings_), false},
                given, [this](const std::string& typed) {
                  change_size(size_from(typed, {problem(), settings_}));
                });
  }

  // Returns to the questions if they are earlier, because this size has no answers yet.
  void change_size(NewSize chosen) {
    check_size(chosen.problem);
    const bool are_usual = settings_ == usual_settings(problem());
    if (are_usual && chosen.settings == settings_) {
      chosen.settings = usual_settings(chosen.problem);
    }
    if (kernel_->shape) kernel_->shape(chosen.settings);  // throws if they do not fit together
    if (chosen.settings != settings_) {
      for (const Question& question : kernel_->questions) {
        lesson_progress().predictions.erase(question.id);
      }
    }
    settings_ = chosen.settings;
    progress().problem = chosen.problem;
    set_runs();
    const std::size_t questions = stop_named(stops_, name_of(Step::predict));
    if (questions > 0) place_ = std::min(place_, questions);
    notice_ =
        fmt::format("M = {}, N = {}, K = {} from here on", problem().m, problem().n, problem().k);
    for (const auto& [name, value] : settings_) notice_ += fmt::format(", {} = {}", name, value);
    notice_ += ".";
  }

  void choose_lesson(const std::string& given) {
    dialog_.ask({"The lessons", "Lesson", lesson_rows(lessons(), progress())}, given,
                [this](const std::string& typed) { enter(find_lesson(typed)); });
  }

  void explain(const std::string& given) {
    dialog_.ask({"Words", "Word", {term_definitions(glossary())}}, given,
                [this](const std::string& typed) {
                  const Term& term = find_term(typed);
                  dialog_.show(term.name, term_parts(term));
                });
  }

  Screen& screen_;
  ProgressFile& file_;
  Dialog dialog_;
  LessonRuns runs_;
  const Lesson* lesson_ = nullptr;
  const Kernel* kernel_ = nullptr;
  Settings settings_;  // of the kernel
  std::vector<Stop> stops_;
  std::size_t place_ = 0;
  bool left_ = false, kept_ = false, in_exercise_ = false;
  std::string notice_;                    // for the next view
  std::optional<JudgedQuestion> judged_;  // of the stop, where it was answered
  std::optional<Error> failure_;          // of what the step needs
  bool has_asked_ = false;                // for a number, in this session
};

}  // namespace

std::string walk_through(Screen& screen, ProgressFile& file, const WalkthroughRequest& request) {
  return Walkthrough(screen, file, request).run(request.lesson);
}

}  // namespace gemm_tutor
