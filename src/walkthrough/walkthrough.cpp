#include "walkthrough/walkthrough.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "course/glossary.hpp"
#include "course/ladder.hpp"
#include "gpu/gpu.hpp"
#include "report/glossary_view.hpp"
#include "report/lesson_report.hpp"
#include "report/list_report.hpp"
#include "support/text.hpp"
#include "walkthrough/steps.hpp"
#include "walkthrough/views.hpp"

namespace gemm_tutor {
namespace {

constexpr int largest_size = 65536;

// "512", or "512 x 256 x 128" for M, N and K; nothing where it is neither.
std::optional<Problem> problem_from(std::string_view text) {
  std::vector<int> numbers;
  for (std::size_t at = 0; at < text.size();) {
    if (std::string_view(" x×,*").find(text[at]) != std::string_view::npos) {
      ++at;
      continue;
    }
    int number = 0;
    const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), number);
    if (error != std::errc() || number < 1 || number > largest_size) return {};
    numbers.push_back(number);
    at = static_cast<std::size_t>(end - text.data());
  }
  if (numbers.size() == 1) return Problem{numbers[0], numbers[0], numbers[0]};
  if (numbers.size() == 3) return Problem{numbers[0], numbers[1], numbers[2]};
  return {};
}

RunRecord record_of(const KernelRun& run) {
  RunRecord record;
  record.problem = run.problem;
  record.device = run.device;
  if (run.emulation) {
    record.flops_a_byte = global_intensity(run);
    record.wavefronts_a_ffma = wavefronts_per_ffma(run);
  } else if (run.traffic.counted_loads) {
    record.flops_a_byte =
        run.problem.flops() / (4.0 * static_cast<double>(*run.traffic.counted_loads));
  }
  if (run.timing) {
    record.tflops = run.timing->tflops;
  } else if (run.recorded) {
    record.tflops = run.recorded->tflops;
    record.recorded = true;
  }
  return record;
}

class Walkthrough {
 public:
  Walkthrough(Screen& screen, ProgressFile& file, const WalkthroughRequest& request)
      : screen_(screen), file_(file), options_(request.run) {
    if (request.problem) progress().problem = *request.problem;
    lesson_ = request.lesson ? request.lesson : lesson_of(progress().lesson);
    kernel_ = &lesson_->kernels.front();
    named_ = request.lesson != nullptr;
  }

  std::string run() {
    notice_ = file_.take_notice();
    const bool is_new = progress().experience.empty();
    if (is_new && !named_) welcome();
    stops_ = stops_of(*lesson_, *kernel_, progress().predict);
    if (!named_ && !is_new) resume();
    while (!left_) step();
    keep_place();
    return farewell();
  }

 private:
  Progress& progress() { return file_.progress; }
  LessonProgress& lesson_progress() { return progress().lessons[lesson_->slug]; }
  const Problem& problem() { return progress().problem; }
  const Stop& stop() const { return stops_[place_]; }

  static const Lesson* lesson_of(const std::string& slug) {
    const auto found = std::ranges::find(lessons(), slug, &Lesson::slug);
    return found == lessons().end() ? &lessons().front() : &*found;
  }

  // --- The first start

  void welcome() {
    const auto greet = [](Page& page) {
      page.row(
          {}, {},
          {{"This course takes a matrix multiply from three loops on a CPU to a kernel as fast as "
            "NVIDIA's own library, one idea a lesson. You read a kernel, predict what it does to "
            "memory, run it, and compare."}});
      page.blank();
      const gpu::Status& gpu = gpu::status();
      page.row(
          {}, {},
          {{gpu.available
                ? fmt::format("This machine has an {}: kernels run on it, and are timed.",
                              gpu.spec.full_name)
                : std::string("This machine has no NVIDIA GPU, and that is fine: kernels run on a "
                              "built-in emulator, which counts all that they do to memory.")}});
      page.blank();
      int shortest = 1000, longest = 0;
      for (const Lesson& lesson : lessons()) {
        shortest = std::min(shortest, estimated_minutes(lesson));
        longest = std::max(longest, estimated_minutes(lesson));
      }
      page.row({}, {},
               {{fmt::format(
                   "There are {} lessons of about {} to {} minutes, by their length. You can stop "
                   "anywhere: the next 'gemm-tutor' goes on there.",
                   lessons().size(), shortest, longest)}});
      page.blank();
    };
    const std::string experience =
        choose(greet, "How much CUDA do you know?",
               {{"new", "none: begin at the beginning"},
                {"some", "I have written a kernel or two: begin with the first kernel, lesson 1"},
                {"much", "I know how warps read memory: begin with shared memory, lesson 3"}});
    if (left_) return;
    const std::string predicts = choose(
        [](Page& page) {
          page.row(
              {}, {},
              {{"Before each kernel runs the course can ask you for two or three numbers, and then "
                "count "
                "them. Nothing depends on being right; to have guessed makes the count stick."}});
          page.blank();
        },
        "Shall it ask you?", {{"yes", "yes, let me predict"}, {"no", "no, just show me"}});
    if (left_) return;
    progress().experience = experience;
    progress().predict = predicts == "yes";
    const char* first = experience == "new" ? "0" : experience == "some" ? "1" : "3";
    lesson_ = &find_lesson(first);
    kernel_ = &lesson_->kernels.front();
  }

  struct Option {
    std::string name, text;
  };

  // The name of one of them; left_ is set where the learner rather went.
  std::string choose(const std::function<void(Page&)>& before, const std::string& question,
                     const std::vector<Option>& options) {
    View view;
    view.title = "gemm-tutor";
    view.place = "welcome";
    view.keys = {{'1', options.front().text.substr(0, options.front().text.find_first_of(":,"))},
                 {'q', "quit"}};
    view.prompt = "Your choice";
    view.body = [&](Page& page) {
      before(page);
      page.row({}, {}, {{question, Style::heading}});
      page.blank();
      for (std::size_t i = 0; i < options.size(); ++i) {
        page.row({{fmt::format("  {}  ", i + 1), Style::code}}, {{"     "}}, {{options[i].text}});
      }
    };
    for (;;) {
      view.notice = std::exchange(notice_, "");
      const Input input = screen_.show(view);
      if (input.kind == Input::Kind::end || input.key == 'q') {
        left_ = true;
        return "";
      }
      if (input.kind == Input::Kind::key) return options.front().name;
      for (std::size_t i = 0; i < options.size(); ++i) {
        if (input.line == std::to_string(i + 1)) return options[i].name;
      }
      notice_ = fmt::format("'{}' is not one of them: give a number from 1 to {}.", input.line,
                            options.size());
    }
  }

  // --- A step

  void resume() {
    place_ = stop_named(stops_, progress().step);
    if (place_ == 0 && !lesson_progress().done && lesson_->number == 0) return;
    add_notice(fmt::format(
        "Welcome back: this is where you were. {} of {} lessons are done.",
        std::ranges::count_if(progress().lessons, [](const auto& l) { return l.second.done; }),
        lessons().size()));
  }

  void step() {
    keep_place();
    if (!prepare()) return;
    View view = view_of_stop();
    view.notice = std::exchange(notice_, "");
    answer(screen_.show(view), view);
  }

  void keep_place() {
    if (!progress().experience.empty() || place_ > 0 || named_) {
      progress().lesson = lesson_->slug;
      progress().step = name_of(stop().step);
    }
    if (!file_.save()) add_notice(file_.take_notice());
  }

  void add_notice(const std::string& text) {
    if (!text.empty()) notice_ += (notice_.empty() ? "" : " ") + text;
  }

  // Does what the step's view needs. False where that was interrupted: then the place is the one
  // before.
  bool prepare() {
    failure_.reset();
    try {
      bool done = true;
      const Step step = stop().step;
      if (step == Step::launch || step == Step::traffic) done = ensure_plan();
      if (step == Step::run || step == Step::compare) done = ensure_run();
      if (step == Step::compare && done) done = ensure_checked();
      if (done) return true;
    } catch (const Error& error) {
      failure_ = error;
      return true;
    }
    add_notice("Stopped.");
    --place_;
    return false;
  }

  RunOptions options_for(const Problem& of) const {
    RunOptions options = options_;
    options.problem = of;
    return options;
  }

  bool ensure_plan() {
    if (plan_ || run_) return true;
    return screen_.work([this](Activity& activity) {
      RunOptions options = options_for(problem());
      options.activity = &activity;
      plan_ = plan_kernel(*lesson_, *kernel_, kernel_->settings, options);
    });
  }

  bool ensure_run() {
    if (run_) return true;
    const bool done = screen_.work([this](Activity& activity) {
      RunOptions options = options_for(problem());
      options.activity = &activity;
      run_ = run_kernel(*lesson_, *kernel_, kernel_->settings, options);
    });
    const bool own = kernel_ == &lesson_->kernels.front();
    if (done && own && is_clean(*run_)) lesson_progress().run = record_of(*run_);
    return done;
  }

  // The run that a question's answer is counted in.
  const KernelRun& counted_run(const Question& question) {
    const Problem of = problem_of(question, *kernel_, kernel_->settings, problem());
    return of == problem() ? *run_ : whole_runs_.at({of.m, of.n, of.k});
  }

  bool ensure_checked() {
    for (const Question& question : kernel_->questions) {
      const Problem of = problem_of(question, *kernel_, kernel_->settings, problem());
      const std::tuple key{of.m, of.n, of.k};
      if (of == problem() || whole_runs_.contains(key)) continue;
      const bool done = screen_.work([&](Activity& activity) {
        RunOptions options = options_for(of);
        options.activity = &activity;
        options.backend = Backend::emulator;
        options.one_of_many = true;
        options.blocks = 1;  // every whole tile counts the same
        whole_runs_.emplace(key, run_kernel(*lesson_, *kernel_, kernel_->settings, options));
      });
      if (!done) return false;
    }
    for (const Question& question : kernel_->questions) {
      if (Prediction* prediction = prediction_for(question))
        prediction->right = checked(question).right;
    }
    file_.save();
    return true;
  }

  Values values_for(const Question& question) {
    return values_before(*kernel_, kernel_->settings,
                         problem_of(question, *kernel_, kernel_->settings, problem()));
  }

  // What was answered at this size; null for nothing.
  Prediction* prediction_for(const Question& question) {
    auto& predictions = lesson_progress().predictions;
    const auto found = predictions.find(question.id);
    return found != predictions.end() && found->second.problem == problem() ? &found->second
                                                                            : nullptr;
  }

  Checked checked(const Question& question) {
    Answer answer;
    if (const Prediction* prediction = prediction_for(question)) {
      const auto parsed = parse_answer(question, prediction->answer, values_for(question));
      if (const Answer* understood = std::get_if<Answer>(&parsed)) answer = *understood;
    }
    return check(question, answer, counted_run(question));
  }

  // --- What a step shows

  View view_of_stop() {
    View view;
    view.title = fmt::format("Lesson {} · {}", lesson_->number, lesson_->title);
    view.place = place_text();
    view.keys = keys();
    view.body = [this](Page& page) { failure_ ? add_failure(page) : add_body(page); };
    if (stop().step == Step::predict) view.prompt = "Your answer";
    return view;
  }

  std::string place_text() const {
    // The questions are one step together.
    const auto steps = [](auto begin, auto end) {
      return std::count_if(begin, end, [](const Stop& s) { return s.question == 0; });
    };
    const auto here = stops_.begin() + static_cast<std::ptrdiff_t>(place_) + 1;
    std::string text = fmt::format("{} of {} · {}", steps(stops_.begin(), here),
                                   steps(stops_.begin(), stops_.end()), name_of(stop().step));
    if (stop().step == Step::predict && kernel_->questions.size() > 1) {
      text += fmt::format(" {} of {}", stop().question + 1, kernel_->questions.size());
    }
    return text;
  }

  std::vector<KeyHelp> keys() const {
    std::vector<KeyHelp> keys;
    if (place_ + 1 < stops_.size() || lesson_ != &lessons().back()) keys.push_back({'n', "next"});
    keys.push_back({'p', "back"});
    const bool runs = stop().step == Step::run || stop().step == Step::compare;
    if (runs) keys.push_back({'r', "run again"});
    keys.push_back({'s', "size"});
    if (lesson_->kernels.size() > 1) keys.push_back({'k', "kernel"});
    keys.insert(keys.end(), {{'l', "lessons"}, {'g', "glossary"}, {'h', "help"}, {'q', "quit"}});
    if (keys.front().key == 'p')
      std::swap(keys.front(), keys.back());  // the very end: Enter leaves
    return keys;
  }

  void add_failure(Page& page) const {
    page.row({}, {}, {{"error: ", Style::bad}, {failure_->what()}});
    page.row({}, {}, {{"help: ", Style::heading}, {failure_->help()}});
    page.blank();
    page.row({}, {}, {{"The other steps of the lesson do not need this: go on with Enter."}});
  }

  void add_body(Page& page) {
    switch (stop().step) {
      case Step::idea:
        return add_idea(page, *lesson_, *kernel_);
      case Step::source:
        return add_annotated_kernel(page, *lesson_, *kernel_);
      case Step::predict: {
        const Question& question = kernel_->questions[stop().question];
        return add_question(page, question, values_for(question), prediction_for(question));
      }
      case Step::launch:
        return add_geometry(page, run_ ? *run_ : *plan_);
      case Step::traffic:
        return add_memory(page, run_ ? *run_ : *plan_);
      case Step::run:
        return add_counts(page, *run_);
      case Step::compare:
        return add_comparison(page, checked_predictions(), problem());
      case Step::change:
        return add_changes(page, *lesson_, *kernel_);
      case Step::recap:
        return add_recap(page, *lesson_, lesson_progress());
      case Step::finish:
        return add_finish(page, progress());
    }
  }

  std::vector<CheckedPrediction> checked_predictions() {
    std::vector<CheckedPrediction> result;
    for (const Question& question : kernel_->questions) {
      const Prediction* prediction = prediction_for(question);
      result.push_back({question, values_for(question), prediction ? prediction->answer : "",
                        checked(question),
                        problem_of(question, *kernel_, kernel_->settings, problem())});
    }
    return result;
  }

  // --- What a key does

  void answer(const Input& input, const View& view) {
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
        run_.reset();
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
      case 'h':
        return show_page("The keys", add_keys);
      case 'q':
        left_ = true;
        return;
      default:
        return;
    }
  }

  void predict(const std::string& line) {
    const Question& question = kernel_->questions[stop().question];
    const auto parsed = parse_answer(question, line, values_for(question));
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

  void enter(const Lesson& lesson) { enter(lesson, lesson.kernels.front()); }

  void enter(const Lesson& lesson, const Kernel& kernel) {
    lesson_ = &lesson;
    kernel_ = &kernel;
    stops_ = stops_of(lesson, kernel, progress().predict);
    place_ = 0;
    forget_runs();
  }

  void forget_runs() {
    plan_.reset();
    run_.reset();
    whole_runs_.clear();
  }

  void next_kernel() {
    const auto& kernels = lesson_->kernels;
    const auto next = (static_cast<std::size_t>(kernel_ - kernels.data()) + 1) % kernels.size();
    enter(*lesson_, kernels[next]);
    place_ = stop_named(stops_, name_of(Step::source));
    notice_ = fmt::format("Kernel {} of {} in this lesson.", next + 1, kernels.size());
  }

  // What was typed at a page of its own, or given already; nothing where the learner went back or
  // left.
  std::optional<std::string> ask(const std::string& given, const std::string& title,
                                 const std::string& prompt,
                                 const std::function<void(Page&)>& body) {
    if (!given.empty()) return given;
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

  void show_page(const std::string& title, const std::function<void(Page&)>& body) {
    View view;
    view.title = title;
    view.body = body;
    view.keys = {{'p', "back"}};
    left_ = screen_.show(view).kind == Input::Kind::end;
  }

  void choose_size(std::string given) {
    const auto body = [this](Page& page) {
      page.row({}, {},
               {{fmt::format("M, N and K are now {}, {} and {}.", with_thousands(problem().m),
                             with_thousands(problem().n), with_thousands(problem().k))}});
      page.blank();
      page.row({}, {},
               {{"Give one number for square matrices (512), or three for M, N and K (300 200 "
                 "100). Sizes that "
                 "are no multiple of a tile show what happens at the edges. Predictions are for "
                 "one size: at "
                 "another you are asked again."}});
    };
    while (const auto typed = ask(given, "Another size", "Size", body)) {
      if (const auto chosen = problem_from(*typed)) {
        progress().problem = *chosen;
        forget_runs();
        const Step now = stop().step;
        if (now != Step::idea && now != Step::source && kernel_->questions.size() > 0 &&
            progress().predict) {
          place_ = stop_named(stops_, name_of(Step::predict));
        }
        return;
      }
      notice_ = fmt::format("'{}' is no size: give one or three whole numbers from 1 to {}.",
                            *typed, largest_size);
      given.clear();
    }
  }

  void choose_lesson(std::string given) {
    const auto body = [this](Page& page) { add_lessons(page, lessons(), progress()); };
    while (const auto typed = ask(given, "The lessons", "Lesson", body)) {
      try {
        return enter(find_lesson(*typed));
      } catch (const Error& error) {
        notice_ = fmt::format("{}. {}", error.what(), error.help());
        given.clear();
      }
    }
  }

  void explain(std::string given) {
    const auto body = [](Page& page) { add_terms(page, glossary()); };
    while (const auto typed = ask(given, "Words", "Word", body)) {
      try {
        const Term& term = find_term(*typed);
        show_page(term.name, [&](Page& page) { add_term(page, term); });
        if (left_ || !given.empty()) return;
      } catch (const Error& error) {
        notice_ = fmt::format("{}. {}", error.what(), error.help());
        given.clear();
      }
    }
  }

  std::string farewell() {
    if (!notice_.empty()) return notice_ + "\n";
    return fmt::format("Your place is kept: lesson {}, {}. 'gemm-tutor' goes on there.\n",
                       lesson_->number, name_of(stop().step));
  }

  Screen& screen_;
  ProgressFile& file_;
  RunOptions options_;
  const Lesson* lesson_ = nullptr;
  const Kernel* kernel_ = nullptr;
  bool named_ = false;  // the lesson was asked for
  std::vector<Stop> stops_;
  std::size_t place_ = 0;
  bool left_ = false;
  std::string notice_;  // for the next view
  std::optional<Error> failure_;
  std::optional<KernelRun> plan_, run_;
  std::map<std::tuple<int, int, int>, KernelRun> whole_runs_;  // by M, N and K
};

}  // namespace

std::string walk_through(Screen& screen, ProgressFile& file, const WalkthroughRequest& request) {
  return Walkthrough(screen, file, request).run();
}

}  // namespace gemm_tutor
