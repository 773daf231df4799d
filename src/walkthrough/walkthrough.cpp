#include "walkthrough/walkthrough.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <new>

#include "report/chapters.hpp"
#include "report/list_report.hpp"
#include "report/run_sections.hpp"
#include "report/source.hpp"
#include "report/trace_report.hpp"
#include "run/target.hpp"
#include "support/error.hpp"
#include "support/text.hpp"
#include "view/markdown.hpp"
#include "walkthrough/dialog.hpp"
#include "walkthrough/exercise_page.hpp"
#include "walkthrough/lesson_runs.hpp"
#include "walkthrough/own_ladder.hpp"
#include "walkthrough/run_pages.hpp"
#include "walkthrough/steps.hpp"
#include "walkthrough/views.hpp"

namespace gemm_tutor {
namespace {

const Lesson& lesson_called(const std::string& slug) {
  const auto found = std::ranges::find(lessons(), slug, &Lesson::slug);
  return found == lessons().end() ? lessons().front() : *found;
}

class Walkthrough {
 public:
  Walkthrough(Screen& screen, ProgressFile& file, const WalkthroughRequest& request)
      : screen_(screen),
        file_(file),
        request_(request),
        dialog_(screen),
        runs_(screen, request.run) {
    if (request.problem) progress().problem = *request.problem;
  }

  // Starts at `asked`, or where the learner was.
  std::string run() {
    const Lesson* const asked = request_.lesson;
    add_notice(file_.take_notice());
    const bool is_new = progress().experience.empty();
    if (is_new && !asked && !welcome(screen_, progress(), std::exchange(notice_, ""))) {
      return "Nothing was kept yet: 'gemm-tutor' begins again.\n";
    }
    enter(asked ? *asked : lesson_called(progress().lesson));
    if (!asked && !is_new) welcome_back();
    if (!asked) {
      resume();
    } else {
      place_ = stop_named(stops_, request_.step);
    }
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
  simt::GpuSpec gpu() const {
    return simt::find_gpu(request_.run.gpu.empty() ? default_gpu : request_.run.gpu);
  }
  bool is_own_kernel() const { return kernel_ == &lesson_->kernels.front(); }

  void add_notice(const std::string& text) {
    if (!text.empty()) notice_ += (notice_.empty() ? "" : " ") + text;
  }

  // To where the learner left.
  void resume() {
    const auto kernel = std::ranges::find(lesson_->kernels, progress().kernel, &Kernel::name);
    const std::string step = progress().step;
    if (kernel != lesson_->kernels.end()) enter(*lesson_, *kernel);
    place_ = stop_named(stops_, step);
    // The exercise that was begun last may be of any lesson or none.
    const auto begun = std::ranges::find(exercises(), progress().exercise, &Exercise::slug);
    if (begun != exercises().end()) exercise_ = &*begun;
  }

  void welcome_back() {
    const auto done = std::ranges::count_if(
        numbered_lessons(), [this](const Lesson& lesson) { return is_behind(lesson, progress()); });
    add_notice(fmt::format("Welcome back: this is where you were. {} of {} lessons are done.", done,
                           numbered_lessons().size()));
  }

  std::string farewell() {
    if (!kept_) return "Your place could not be kept.\n";
    return fmt::format("Your place is kept: {}, {}. 'gemm-tutor' continues there.\n",
                       lesson_->name(), name_at(stops_, place_));
  }

  // --- A step

  void take_step() {
    keep_place();
    if (stop().step == Step::exercise) return do_exercise();
    if (!prepare()) return stopped();
    answer(screen_.show(view_of_stop()));
  }

  void keep_place() {
    progress().lesson = lesson_->slug;
    progress().step = name_at(stops_, place_);
    progress().kernel = is_own_kernel() ? "" : kernel_->name;
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
    first_.reset();
    if (stop().step == Step::run || stop().step == Step::traffic) {
      if (!runs_.execute()) return false;
      if (stop().step == Step::traffic && !runs_.trace_drawings()) return false;
    } else if (Prediction* answered = stop().asks() ? prediction() : nullptr) {
      if (!runs_.count(question())) return false;
      judge_answer(*answered);
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

  // A wrong first answer has a second, unless only one choice is left.
  void judge_answer(Prediction& given) {
    if (!given.answer.empty()) {
      JudgedQuestion judged = judge(question(), given.answer, runs_);
      const bool is_last = given.right || !given.first.empty() || question().choices.size() == 2;
      if (judged.checked.right || is_last || judged.checked.is_nothing) {
        given.right = judged.checked.right;
        judged_ = std::move(judged);
        return;
      }
      given.first = std::exchange(given.answer, "");
    }
    first_ = judge(question(), given.first, runs_);
  }

  void keep_run() {
    const LessonRun& run = runs_.executed();
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
    view.title = fmt::format("{} · {}", capitalised(lesson_->name()), lesson_->title);
    view.place = place_text();
    view.notice = std::exchange(notice_, "");
    view.keys = keys();
    view.about = [this](char key) {
      return is_too_early(key) ? fmt::format("{} ({}) comes after the lesson's questions.", key,
                                             key_help(key).meaning)
                               : elsewhere_text(key);
    };
    view.body = failure_ ? failure_parts() : body();
    view.behind = runs_.behind();
    if (!is_open()) {
      view.enter = stop().step == Step::finish ? "leave" : "next";
    } else if (question().choices.empty()) {
      view.prompt = first_ ? "Your second answer" : "Your answer";
      view.enter = "answer";
      view.typed = std::exchange(unread_, "");
      view.typed_at = std::min(unread_at_, view.typed.size());
    }
    return view;
  }

  // It would answer a question that is still to come.
  bool is_too_early(char key) const {
    constexpr std::string_view answers = "tmdr";
    return answers.find(key) != answers.npos && kernel_->is_cuda() && is_before_run();
  }
  bool is_before_run() const { return place_ < stop_named(stops_, name_of(Step::run)); }

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
    std::vector<KeyHelp> keys;
    if (is_open()) add_choices(keys);
    keys.push_back(key_help(is_open() ? 'x' : 'n'));
    keys.push_back(key_help('p'));
    if (stop().step == Step::run) keys.push_back(key_help('r', 6));
    if (has_details()) keys.push_back({'d', stop().step == Step::run ? "details" : "drawings"});
    keys.push_back(key_help('s', 3));
    if (lesson_->kernels.size() > 1) keys.push_back(key_help('k', 2));
    if (!lesson_->exercise.empty()) keys.push_back(key_help('e', 1));
    keys.push_back(key_help('c', 4));
    if (kernel_->is_cuda() && !is_before_run()) {
      keys.insert(keys.end(), {key_help('t', 5), key_help('m', 7)});
    }
    keys.insert(keys.end(), {key_help('l', 6), key_help('g', 5), key_help('?'), key_help('q')});
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
            Paragraph{{{"Other steps of the lesson work without it."}}}};
  }

  Parts body() {
    switch (stop().step) {
      case Step::machine:
        return machine_chapter(gpu()).parts;
      case Step::idea:
        return idea_parts({*kernel_, settings_, problem()}, *lesson_);
      case Step::source:
        return annotated_kernel(*lesson_, *kernel_);
      case Step::change:
        return change_parts(*lesson_, *kernel_);
      case Step::predict:
      case Step::why:
        if (judged_) return verdict_parts(*judged_, problem());
        return asking_parts();
      case Step::run:
        return run_page(shown_run());
      case Step::traffic:
        return memory_parts(runs_.executed());
      case Step::recap:
        return recap_parts(*lesson_, *kernel_, progress());
      case Step::exercise:  // has pages of its own
        break;
      case Step::finish:
        return finish_parts(progress());
    }
    return {};
  }

  Parts asking_parts() {
    Parts parts = question_parts(question(), runs_, !std::exchange(has_asked_, true));
    if (!first_) return parts;
    parts.add(facts({{{"✗ ", Style::bad}, {fmt::format("You said: {}. ", first_->answer)}}}));
    if (!first_->checked.reply.empty()) {
      parts.add(Paragraph{first_paragraph(first_->checked.reply)});
    }
    parts.add(Paragraph{{{"You have a second try.", Style::heading}}});
    return parts;
  }

  ShownRun shown_run() { return {runs_.executed(), runs_.others(), progress()}; }

  // --- What a key does

  void answer(const Input& input) {
    if (input.kind == Input::Kind::end) {
      left_ = true;
      return;
    }
    if (input.kind == Input::Kind::line) return predict(input.line);
    if (input.key >= '1' && input.key <= '9') return predict(std::string(1, input.key));
    switch (input.key) {
      case enter_key:
        if (is_open()) return say_how_to_answer();
        return go_on();
      case 'n':
        return go_on();
      case 'x':
        return skip();
      case 'p':
        return go_back();
      case 'r':
        runs_.forget_execution();
        place_ = stop_named(stops_, name_of(Step::run));
        return;
      case 'd':
        return show_details();
      case 's':
        return choose_size(input.line);
      case 'k':
        return next_kernel();
      case 'l':
        return choose_lesson(input.line);
      case 'g':
        return dialog_.explain(input.line);
      case 'e':
        exercise_ = exercise_of(*lesson_);
        left_for_exercise_ = place_;
        place_ = stop_named(stops_, name_of(Step::exercise));
        return;
      case 'c':
        return show_code();
      case 't':
        return show_trace();
      case 'm':
        return show_machine_code();
      case '?':
        return dialog_.show_keys(keys());
      default:
        left_ = input.key == 'q';
    }
  }

  // It is judged when the stop is prepared once more.
  void predict(const std::string& line) {
    const auto parsed = parse_answer(question(), line, runs_.values_of(question()));
    if (const std::string* complaint = std::get_if<std::string>(&parsed)) {
      notice_ = *complaint;
      unread_ = line;
      unread_at_ = unreadable_place(line, runs_.values_of(question()));
      return;
    }
    Prediction* begun = prediction();
    lesson_progress().predictions[question().id] = {line, runs_.asked(), std::nullopt,
                                                    begun ? begun->first : ""};
  }

  void say_how_to_answer() {
    const std::size_t choices = question().choices.size();
    notice_ = choices > 0 ? fmt::format("Press a key from 1 to {}; x skips the question.", choices)
                          : "Type a number or a formula. The key x skips the question.";
  }

  void skip() {
    notice_ =
        fmt::format("Skipped: {} is still open, and p leads back to it.", name_at(stops_, place_));
    go_on();
  }

  void go_on() {
    if (stop().step == Step::recap) lesson_progress().done = true;
    if (place_ + 1 < stops_.size()) {
      ++place_;
    } else if (const Lesson* after = lesson_after(*lesson_)) {
      enter(*after);
    } else {
      left_ = true;
    }
  }

  void go_back() {
    if (place_ > 0) {
      --place_;
    } else if (const Lesson* before = lesson_before(*lesson_)) {
      enter(*before);
      place_ = stops_.size() - 1;
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
    exercise_ = exercise_of(lesson);
    left_for_exercise_.reset();
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

  // The exercise's step, which may have been reached from any other.
  void do_exercise() try {
    const ExerciseEnd end = show_exercise(screen_, file_, *exercise_);
    left_ = end == ExerciseEnd::left;
    if (left_) return;
    if (end == ExerciseEnd::back) {
      place_ = left_for_exercise_.value_or(place_ - 1);
    } else if (left_for_exercise_ && end == ExerciseEnd::put_off) {
      place_ = *left_for_exercise_;
    } else {
      go_on();
    }
    left_for_exercise_.reset();
  } catch (const Error& error) {
    place_ = left_for_exercise_.value_or(place_ - 1);
    left_for_exercise_.reset();
    notice_ = fmt::format("The exercise cannot be shown: {}.", error.what());
  }

  void show_code() {
    const std::string title = "The code of " + lesson_->name();
    if (stop().step == Step::run && !failure_) {
      return dialog_.show(title, {source_section(runs_.executed())});
    }
    dialog_.show(title, annotated_kernel(*lesson_, *kernel_));
  }

  bool has_details() const {
    const bool is_drawn = stop().step == Step::traffic && !kernel_->drawings.empty();
    return !failure_ && (stop().step == Step::run || is_drawn);
  }

  void show_details() {
    const bool is_run = stop().step == Step::run;
    const std::vector<DetailPage> pages = is_run ? detail_pages(shown_run()) : drawing_pages(runs_);
    std::vector<std::string> names;
    for (const DetailPage& page : pages) names.push_back(page.name);
    while (const auto chosen = dialog_.choose(is_run ? "Details of the run" : "Drawings", names)) {
      const DetailPage& page = pages[*chosen];
      dialog_.show(is_run ? page.name : "Drawings", page.parts, sizes_text(problem()));
    }
  }

  void show_trace() try {
    if (!runs_.trace()) {
      add_notice("Stopped.");
      return;
    }
    const Trace& trace = runs_.traced();
    dialog_.show(plain_text(trace_heading(*lesson_).heading()), parts_of_trace(trace),
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
        fmt::format("Machine code of {} · {}", lesson_->name(), lesson_->title);
    dialog_.show(title, machine_parts(runs_.executed()), sizes_text(problem()));
  } catch (const Error& error) {
    notice_ = fmt::format("The machine code cannot be shown: {}.", error.what());
  } catch (const std::bad_alloc&) {
    notice_ = "There is not enough memory to run this size.";
  }

  void choose_size(const std::string& given) {
    const bool has_tile = !settings_.empty();
    dialog_.ask({has_tile ? "Another size, or another tile" : "Another size",
                 has_tile ? "Size or tile" : "Size", size_parts(problem(), settings_)},
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
                [this](const std::string& typed) { enter_named(typed); });
  }

  void enter_named(const std::string& name) {
    const Chapter* chapter = find_chapter(name);
    if (!chapter) return enter(find_lesson(name));
    if (name == name_of(Step::machine)) return enter(lessons().front());
    const Document document = chapter->document(gpu());
    dialog_.show(document.title, document.parts);
  }

  Screen& screen_;
  ProgressFile& file_;
  const WalkthroughRequest& request_;
  Dialog dialog_;
  LessonRuns runs_;
  const Lesson* lesson_ = nullptr;
  const Kernel* kernel_ = nullptr;
  Settings settings_;  // of the kernel
  std::vector<Stop> stops_;
  std::size_t place_ = 0;
  const Exercise* exercise_ = nullptr;            // of the exercise's step
  std::optional<std::size_t> left_for_exercise_;  // the place where e was pressed
  bool left_ = false, kept_ = false;
  std::string notice_;                    // for the next view
  std::string unread_;                    // an answer that could not be read
  std::size_t unread_at_ = 0;             // where it could not
  std::optional<JudgedQuestion> judged_;  // of the stop, where it was answered
  std::optional<JudgedQuestion> first_;   // its wrong first answer, before the second
  std::optional<Error> failure_;          // of what the step needs
  bool has_asked_ = false;                // for a number, in this session
};

}  // namespace

std::string walk_through(Screen& screen, ProgressFile& file, const WalkthroughRequest& request) {
  return Walkthrough(screen, file, request).run();
}

}  // namespace gemm_tutor
