#include "walkthrough/walkthrough.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <new>
#include <sstream>

#include "course/glossary.hpp"
#include "course/ladder.hpp"
#include "documents/check_report.hpp"
#include "documents/glossary_view.hpp"
#include "documents/list_report.hpp"
#include "documents/run_sections.hpp"
#include "documents/trace_report.hpp"
#include "run/target.hpp"
#include "support/error.hpp"
#include "support/text.hpp"
#include "walkthrough/lesson_runs.hpp"
#include "walkthrough/steps.hpp"
#include "walkthrough/views.hpp"
#include "walkthrough/welcome.hpp"

namespace gemm_tutor {
namespace {

constexpr int largest_size = 65536;

// What was typed to change the size: "512", "300 200 100", "BM=64 TM=4".
struct NewSize {
  Problem problem;
  Settings settings;
};

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

// Throws Error (usage) that says what of it is no size and no setting.
NewSize size_from(const std::string& text, NewSize size) {
  std::vector<int> numbers;
  for (const std::string& word : words_of(text)) {
    if (word.find('=') != std::string::npos) {
      apply_setting(size.settings, word);
      continue;
    }
    const double number = Expression::parse(word).value({});
    if (number < 1 || number > largest_size || number != std::floor(number)) {
      throw Error(ExitStatus::usage,
                  fmt::format("'{}' is no whole number from 1 to {}", word, largest_size), "");
    }
    numbers.push_back(static_cast<int>(number));
  }
  if (numbers.size() == 1) size.problem = {numbers[0], numbers[0], numbers[0]};
  if (numbers.size() == 3) size.problem = {numbers[0], numbers[1], numbers[2]};
  if (numbers.size() == 2 || numbers.size() > 3) {
    throw Error(
        ExitStatus::usage,
        fmt::format("{} numbers are no size, but one for square matrices, or three: M, N and K",
                    numbers.size()),
        "");
  }
  return size;
}

RunRecord record_of(const KernelRun& run) {
  RunRecord record;
  record.problem = run.problem;
  record.device = run.device;
  if (run.emulation) {
    record.flops_a_byte = global_intensity(run);
    record.wavefronts_a_ffma = wavefronts_per_ffma(run).value_or(0);
  } else if (run.traffic.counted_loads) {
    record.flops_a_byte =
        run.problem.flops() / (sizeof(float) * static_cast<double>(*run.traffic.counted_loads));
  }
  if (run.timing) {
    record.tflops = run.timing->tflops;
  } else if (run.recorded) {
    record.tflops = run.recorded->tflops;
    record.recorded = true;
    record.device = run.recorded->device;
  }
  return record;
}

// Without what only helps on the command line.
std::string text_of(const Error& error) {
  constexpr std::string_view option = "--set ";
  const std::string_view text = error.what();
  return fmt::format("Not taken: {}.",
                     text.starts_with(option) ? text.substr(option.size()) : text);
}

const Lesson& lesson_called(const std::string& slug) {
  const auto found = std::ranges::find(lessons(), slug, &Lesson::slug);
  return found == lessons().end() ? lessons().front() : *found;
}

class Walkthrough {
 public:
  Walkthrough(Screen& screen, ProgressFile& file, const WalkthroughRequest& request)
      : screen_(screen), file_(file), runs_(screen, request.run) {
    if (request.problem) progress().problem = *request.problem;
  }

  // From `asked` on, or where the learner was.
  std::string run(const Lesson* asked) {
    add_notice(file_.take_notice());
    const bool is_new = progress().experience.empty();
    if (is_new && !asked && !welcome(screen_, progress(), std::exchange(notice_, ""))) {
      return "Nothing was kept yet: 'gemm-tutor' begins again.\n";
    }
    enter(asked ? *asked : lesson_called(progress().lesson));
    if (!asked) return_to(progress().step);
    if (!asked && !is_new) welcome_back();
    while (!left_) take_step();
    keep_place();
    return farewell();
  }

 private:
  Progress& progress() { return file_.progress; }
  LessonProgress& lesson_progress() { return progress().lessons[lesson_->slug]; }
  const Problem& problem() { return progress().problem; }
  const Stop& stop() const { return stops_[place_]; }
  bool is_own_kernel() const { return kernel_ == &lesson_->kernels.front(); }

  void add_notice(const std::string& text) {
    if (!text.empty()) notice_ += (notice_.empty() ? "" : " ") + text;
  }

  // Of the questions, to the first that is not answered.
  void return_to(const std::string& step) {
    place_ = stop_named(stops_, step);
    while (stop().step == Step::predict && stops_[place_ + 1].step == Step::predict &&
           prediction_of(kernel_->questions[stop().question])) {
      ++place_;
    }
  }

  void welcome_back() {
    const auto done = std::ranges::count_if(progress().lessons,
                                            [](const auto& lesson) { return lesson.second.done; });
    add_notice(fmt::format("Welcome back: this is where you were. {} of {} lessons are done.", done,
                           lessons().size()));
  }

  std::string farewell() {
    if (!kept_) return "Your place could not be kept.\n";
    return fmt::format("Your place is kept: lesson {}, {}. 'gemm-tutor' goes on there.\n",
                       lesson_->number, name_of(stop().step));
  }

  // --- A step

  void take_step() {
    keep_place();
    if (!prepare()) {
      --place_;  // no first step needs anything
      add_notice("Stopped.");
      return;
    }
    answer(screen_.show(view_of_stop()));
  }

  void keep_place() {
    progress().lesson = lesson_->slug;
    progress().step = name_of(stop().step);
    kept_ = file_.save();
    add_notice(file_.take_notice());
  }

  // Does what the step's view needs; false where that was interrupted.
  bool prepare() try {
    failure_.reset();
    switch (stop().step) {
      case Step::launch:
      case Step::traffic:
        return runs_.plan();
      case Step::run:
        return runs_.execute() && keep_run();
      case Step::compare:
        return runs_.count_questions() && keep_run() && compare();
      default:
        return true;
    }
  } catch (const Error& error) {
    failure_ = error;
    return true;
  } catch (const std::bad_alloc&) {
    failure_ = Error(ExitStatus::unavailable, "there is not enough memory for this size",
                     "Choose a smaller one: press s.");
    return true;
  }

  bool keep_run() {
    const KernelRun& run = runs_.executed();
    const bool counts = is_own_kernel() && settings_ == usual_settings(problem());
    if (counts && is_clean(run)) lesson_progress().run = record_of(run);
    return true;
  }

  bool compare() {
    compared_.clear();
    for (const Question& question : kernel_->questions) {
      const Checked checked = check(question, answer_to(question), runs_.counted(question));
      if (Prediction* prediction = prediction_of(question)) prediction->right = checked.right;
      compared_.push_back({question, runs_.values_of(question), answer_text(question), checked,
                           runs_.problem_of(question)});
    }
    return true;
  }

  // What was answered at this size; null for nothing.
  Prediction* prediction_of(const Question& question) {
    auto& predictions = lesson_progress().predictions;
    const auto found = predictions.find(question.id);
    return found != predictions.end() && found->second.problem == problem() ? &found->second
                                                                            : nullptr;
  }

  // What that means; nothing in it where there is none.
  Answer answer_to(const Question& question) {
    const Prediction* prediction = prediction_of(question);
    if (!prediction) return {};
    const auto parsed = parse_answer(question, prediction->answer, runs_.values_of(question));
    const Answer* understood = std::get_if<Answer>(&parsed);
    return understood ? *understood : Answer{};
  }

  // As it was typed; of a choice, its text.
  std::string answer_text(const Question& question) {
    const Prediction* prediction = prediction_of(question);
    if (!prediction) return "";
    const Answer answer = answer_to(question);
    if (!answer.choice) return prediction->answer;
    return filled_in(question.choices[*answer.choice].text, runs_.values_of(question));
  }

  // --- What it shows

  View view_of_stop() {
    View view;
    view.title = fmt::format("Lesson {} · {}", lesson_->number, lesson_->title);
    view.place = place_text();
    view.notice = std::exchange(notice_, "");
    view.keys = keys();
    view.body = failure_ ? failure_parts() : body();
    if (stop().step == Step::predict) view.prompt = "Your answer";
    return view;
  }

  // "3 of 9 · predict 1 of 3": the questions are one step together.
  std::string place_text() const {
    const auto steps_until = [this](std::size_t end) {
      return std::count_if(stops_.begin(), stops_.begin() + static_cast<std::ptrdiff_t>(end),
                           [](const Stop& s) { return s.question == 0; });
    };
    std::string text = fmt::format("{} of {} · {}", steps_until(place_ + 1),
                                   steps_until(stops_.size()), name_of(stop().step));
    if (stop().step == Step::predict && kernel_->questions.size() > 1) {
      text += fmt::format(" {} of {}", stop().question + 1, kernel_->questions.size());
    }
    return text;
  }

  std::vector<KeyHelp> keys() const {
    const bool is_end = stop().step == Step::finish;
    std::vector<KeyHelp> keys = {{'n', is_end ? "leave" : "next"}, {'p', "back"}};
    if (stop().step == Step::run || stop().step == Step::compare) keys.push_back({'r', "run"});
    keys.push_back({'s', "size"});
    if (lesson_->kernels.size() > 1) keys.push_back({'k', "kernel"});
    if (!lesson_->exercise.empty()) keys.push_back({'e', "exercise"});
    if (kernel_->is_cuda()) keys.insert(keys.end(), {{'t', "trace", 1}, {'m', "machine", 4}});
    keys.insert(keys.end(), {{'l', "lessons", 2}, {'g', "words", 3}, {'h', "help"}, {'q', "quit"}});
    return keys;
  }

  Parts failure_parts() const {
    return {facts({{{"error: ", Style::bad}, {failure_->what()}},
                   {{"help: ", Style::heading}, {failure_->help()}}}),
            Paragraph{{{"Other steps of the lesson do without: Enter goes on."}}}};
  }

  Parts body() {
    switch (stop().step) {
      case Step::idea:
        return idea_parts(*lesson_, *kernel_);
      case Step::source:
        return annotated_kernel(*lesson_, *kernel_);
      case Step::predict: {
        const Question& question = kernel_->questions[stop().question];
        return question_parts(question, runs_.values_of(question), answer_text(question));
      }
      case Step::launch:
        return geometry_parts(runs_.planned());
      case Step::traffic:
        return memory_parts(runs_.planned());
      case Step::run:
        return count_parts(runs_.executed(), runs_.requests());
      case Step::compare:
        return comparison_parts(compared_, problem());
      case Step::change:
        return change_parts(*lesson_, *kernel_);
      case Step::recap:
        return recap_parts(*lesson_, lesson_progress());
      case Step::finish:
        return finish_parts(progress());
    }
    return {};
  }

  // --- What a key does

  void answer(const Input& input) {
    if (input.kind == Input::Kind::end) {
      left_ = true;
      return;
    }
    if (input.kind == Input::Kind::line) return predict(input.line);
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
        return show_exercise();
      case 't':
        return show_trace();
      case 'm':
        return show_machine_code();
      case 'h':
        return show_page("The keys", key_parts());
      default:
        left_ = input.key == 'q';
    }
  }

  void predict(const std::string& line) {
    const Question& question = kernel_->questions[stop().question];
    const auto parsed = parse_answer(question, line, runs_.values_of(question));
    if (const std::string* complaint = std::get_if<std::string>(&parsed)) {
      notice_ = *complaint;
      return;
    }
    lesson_progress().predictions[question.id] = {line, problem(), std::nullopt};
    go_on();
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
    return kernel_->settings;  // there is no such machine, as the first step that needs it says
  }

  void enter(const Lesson& lesson) { enter(lesson, lesson.kernels.front()); }

  void enter(const Lesson& lesson, const Kernel& kernel) {
    lesson_ = &lesson;
    kernel_ = &kernel;
    stops_ = stops_of(lesson, kernel, progress().predict);
    place_ = 0;
    settings_ = usual_settings(problem());
    runs_.set(lesson, kernel, settings_, problem());
  }

  void next_kernel() {
    const auto& kernels = lesson_->kernels;
    const auto next = (static_cast<std::size_t>(kernel_ - kernels.data()) + 1) % kernels.size();
    enter(*lesson_, kernels[next]);
    place_ = stop_named(stops_, name_of(Step::source));
    notice_ = fmt::format("Kernel {} of {} in this lesson.", next + 1, kernels.size());
  }

  // --- Pages of their own

  // Nothing where the learner went back, or left.
  std::optional<std::string> ask(const std::string& title, const std::string& prompt,
                                 const Parts& body) {
    View view;
    view.title = title;
    view.body = body;
    view.prompt = prompt;
    view.keys = {{'p', "back"}};
    view.notice = std::exchange(notice_, "");
    const Input input = screen_.show(view);
    left_ = input.kind == Input::Kind::end;
    if (input.kind != Input::Kind::line) return {};
    return input.line;
  }

  void show_page(const std::string& title, const Parts& body, const std::string& place = "") {
    View view;
    view.title = title;
    view.place = place;
    view.body = body;
    view.keys = {{'p', "back"}, {'q', "quit"}};
    const Input input = screen_.show(view);
    left_ = input.kind == Input::Kind::end || input.key == 'q';
  }

  // Until `use` takes what is typed, and throws no Error about it. `given` was typed with the key.
  void ask_until(const std::string& given, const std::string& title, const std::string& prompt,
                 const Parts& body, const std::function<void(const std::string&)>& use) {
    std::optional<std::string> typed = given;
    if (given.empty()) typed = ask(title, prompt, body);
    for (; typed; typed = ask(title, prompt, body)) try {
        return use(*typed);
      } catch (const Error& error) {
        notice_ = text_of(error);
      }
  }

  void show_exercise() {
    const Exercise& exercise = *exercise_of(*lesson_);
    show_page(plain_text(titled(exercise).heading()), exercise_parts(exercise));
  }

  void show_trace() try {
    if (!runs_.trace()) {
      add_notice("Stopped.");
      return;
    }
    const Trace& trace = runs_.traced();
    show_page(plain_text(titled(trace).heading()), parts_of_trace(trace),
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
    show_page(title, machine_parts(runs_.executed()), sizes_text(problem()));
  } catch (const Error& error) {
    notice_ = fmt::format("The machine code cannot be shown: {}.", error.what());
  } catch (const std::bad_alloc&) {
    notice_ = "There is not enough memory to run this size.";
  }

  void choose_size(const std::string& given) {
    ask_until(given, "Another size", "Size", size_parts(problem(), settings_),
              [this](const std::string& typed) {
                change_size(size_from(typed, {problem(), settings_}));
              });
  }

  // Back to the questions, where they come before: there are none yet for this size.
  void change_size(NewSize chosen) {
    const bool are_usual = settings_ == usual_settings(problem());
    if (are_usual && chosen.settings == settings_) {
      chosen.settings = usual_settings(chosen.problem);
    }
    if (kernel_->shape) kernel_->shape(chosen.settings);  // throws where they do not go together
    if (chosen.settings != settings_) {
      for (const Question& question : kernel_->questions) {
        lesson_progress().predictions.erase(question.id);
      }
    }
    settings_ = chosen.settings;
    progress().problem = chosen.problem;
    runs_.set(*lesson_, *kernel_, settings_, problem());
    const std::size_t questions = stop_named(stops_, name_of(Step::predict));
    if (questions > 0) place_ = std::min(place_, questions);
    notice_ =
        fmt::format("M = {}, N = {}, K = {} from here on", problem().m, problem().n, problem().k);
    for (const auto& [name, value] : settings_) notice_ += fmt::format(", {} = {}", name, value);
    notice_ += ".";
  }

  void choose_lesson(const std::string& given) {
    ask_until(given, "The lessons", "Lesson", lesson_rows(lessons(), progress()),
              [this](const std::string& typed) { enter(find_lesson(typed)); });
  }

  void explain(const std::string& given) {
    ask_until(given, "Words", "Word", {term_definitions(glossary())},
              [this](const std::string& typed) {
                const Term& term = find_term(typed);
                show_page(term.name, term_parts(term));
              });
  }

  Screen& screen_;
  ProgressFile& file_;
  LessonRuns runs_;
  const Lesson* lesson_ = nullptr;
  const Kernel* kernel_ = nullptr;
  Settings settings_;  // of the kernel
  std::vector<Stop> stops_;
  std::size_t place_ = 0;
  bool left_ = false, kept_ = false;
  std::string notice_;                       // for the next view
  std::vector<CheckedPrediction> compared_;  // at Step::compare
  std::optional<Error> failure_;             // of what the step needs
};

}  // namespace

std::string walk_through(Screen& screen, ProgressFile& file, const WalkthroughRequest& request) {
  return Walkthrough(screen, file, request).run(request.lesson);
}

}  // namespace gemm_tutor
