// The walkthrough as a learner has it: on a terminal, and through a pipe.
#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <regex>

#include "catch.hpp"
#include "checks.hpp"
#include "course/progress.hpp"
#include "exercise/exercise.hpp"
#include "no_terminal.hpp"
#include "own_folder.hpp"
#include "sample.hpp"
#include "support/file.hpp"
#include "support/text.hpp"
#include "virtual_terminal.hpp"
#include "walkthrough/steps.hpp"

using namespace gemm_tutor;

namespace {

const std::string program = PROJECT_BINARY_DIR "/gemm-tutor";
const std::string cache = "XDG_CACHE_HOME=" PROJECT_BINARY_DIR "/test-cache";
const std::string ctrl_c = "\x03", ctrl_d = "\x04", ctrl_z = "\x1a";

// The place of a learner's progress.
struct Learner {
  OwnFolder directory;

  std::string state() const { return "XDG_STATE_HOME=" + directory.path().string(); }
  std::filesystem::path file() const { return directory.path() / "gemm-tutor" / "progress.json"; }

  // As when the first questions are answered.
  void begin() const {
    ProgressFile file(this->file());
    file.progress.experience = "new";
    file.progress.lesson = lessons().front().slug;
    file.progress.problem = {64, 64, 64};
    REQUIRE(file.save());
  }
};

// gemm-tutor on a terminal.
class Session : public VirtualTerminal {
 public:
  explicit Session(const Learner& learner, std::vector<std::string> arguments = {},
                   TerminalSize size = {}, std::vector<std::string> environment = {})
      : VirtualTerminal(command(std::move(arguments)), size,
                        with(learner, std::move(environment))) {}

  // Until the screen's title speaks of the step.
  void wait_for_stop(const Lesson& lesson, const Stop& stop) {
    const std::string title = capitalised(lesson.name()) + " ";
    std::string place = fmt::format(" {}", name_of(stop.step));
    const std::vector<Stop> stops = stops_of(lesson, lesson.kernels.front(), true);
    const auto alike = std::ranges::count(stops, stop.step, &Stop::step);
    if (stop.asks() && alike > 1) {
      const auto number =
          std::ranges::find(stops, stop) - std::ranges::find(stops, stop.step, &Stop::step);
      place += fmt::format(" {} of {}", number + 1, alike);
    }
    if (stop.step == Step::exercise)
      return wait_for_title(fmt::format("Exercise {} ", lesson.key()));
    wait_until([&] { return gemm_tutor::contains(row(0), title) && row(0).ends_with(place); },
               title + "…" + place);
  }

  // Past a stop of any kind, without an answer.
  void go_past(const Lesson& lesson, const Stop& stop) {
    const bool types =
        stop.asks() && lesson.kernels.front().questions[stop.question].choices.empty();
    if (types) {
      send("\x1b");
      wait_for("Enter type");
    }
    send(stop.asks() || stop.step == Step::exercise ? "x" : "n");
  }

  // By the key for the next step, from the lesson's first.
  void go_to(const Lesson& lesson, Step step) {
    for (const Stop& stop : stops_of(lesson, lesson.kernels.front(), true)) {
      wait_for_stop(lesson, stop);
      if (stop.step == step) return;
      go_past(lesson, stop);
    }
  }

  void wait_for_title(const std::string& title) {
    wait_until([&] { return gemm_tutor::contains(row(0), title); }, title);
  }

  std::string last_row() const { return screen().back(); }

  // That it ended well, and that the terminal is as it was.
  void check_gone() {
    CHECK(wait_for_end() == ProgramEnd{});
    CHECK(are_alike(settings(), settings_before()));
    CHECK_FALSE(shows_alternate_screen());
    CHECK(shows_cursor());
  }

 private:
  static std::vector<std::string> command(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), program);
    return arguments;
  }
  static std::vector<std::string> with(const Learner& learner,
                                       std::vector<std::string> environment) {
    environment.insert(environment.end(), {learner.state(), cache});
    return environment;
  }
};

struct Piped {
  int status = 0;
  std::string output;
};

// gemm-tutor in a shell, with `input` at its standard input.
Piped piped(const Learner& learner, const std::string& arguments, const std::string& input,
            const std::string& environment = "LANG=C.UTF-8") {
  const auto in = learner.directory.path() / "input", out = learner.directory.path() / "output";
  REQUIRE(write_file_atomically(in, input));
  const int status = std::system(
      fmt::format("unset LC_ALL LC_CTYPE; env {} '{}' '{}' '{}' {} < '{}' > '{}' 2>&1", environment,
                  learner.state(), cache, program, arguments, in.string(), out.string())
          .c_str());
  return {WEXITSTATUS(status), read_file(out).value_or("")};
}

// Lines that go through the course from lesson 0's idea on.
std::string past_everything() {
  std::string lines;
  for (const Lesson& lesson : lessons()) {
    for (const Stop& stop : stops_of(lesson, lesson.kernels.front(), true)) {
      if (stop.step == Step::machine) continue;
      lines += stop.asks() || stop.step == Step::exercise ? ":x\n" : "n\n";
    }
  }
  return lines;
}

int widest(const std::string& text) {
  int most = 0;
  for (const std::string& line : split_lines(text)) {
    int width = 0;
    for (const CodePoint& point : code_points(line)) width += columns_of(point.value);
    most = std::max(most, width);
  }
  return most;
}

bool is_ascii(const std::string& text) {
  return std::ranges::all_of(text, [](unsigned char c) { return c < 0x80; });
}

bool has_color(const std::string& text) {
  static const std::regex color("\033\\[([0-9;]*;)?[34][0-7]m");
  return std::regex_search(text, color);
}

}  // namespace

TEST_CASE("the whole course on a terminal of 80×24") {
  if (!no_terminal().empty()) SKIP_BECAUSE(no_terminal());
  const Learner learner;
  Session session(learner, {"learn", "--size", "64"});
  session.wait_for_title("welcome");
  session.send("1");
  session.wait_for("Shall it ask you?");
  session.send("1");
  for (const Lesson& lesson : numbered_lessons()) {
    for (const Stop& stop : stops_of(lesson, lesson.kernels.front(), true)) {
      session.wait_for_stop(lesson, stop);
      session.wait_until(
          [&] {
            return contains(session.last_row(), "q quit") ||
                   contains(session.last_row(), "Esc other keys");
          },
          "the keys");
      if (stop.step == Step::finish) break;
      const bool chooses =
          stop.asks() && !lesson.kernels.front().questions[stop.question].choices.empty();
      if (stop.asks()) {
        session.wait_until([&] { return !session.contains("You said"); }, "the next question");
        const bool knows = lesson.number == 3 && stop.question == 0;
        session.send(chooses ? "1" : knows ? "2^11\r" : "1\r");
        session.wait_for("You said");
        session.wait_until(
            [&] {
              return contains(session.last_row(), "Enter next") || session.contains("second try");
            },
            "the verdict, or a second try");
        if (session.contains("You have a second try")) {
          session.send(chooses ? "2" : "1\r");
          session.wait_until([&] { return !session.contains("You have a second try"); }, "the end");
        }
      }
      if (lesson.number == 3 && stop == Stop{Step::predict, 0})
        session.wait_for("✓ You said: 2^11 = 2,048. Counted: 2,048 floats.");
      if (lesson.number == 3 && stop == Stop{Step::predict, 1})
        session.wait_for("✗ You said: 1. Counted: 4 barriers.");
      session.send(stop.step == Step::exercise ? "x" : "n");
    }
  }
  session.send(Key::end);
  session.wait_for("Nsight Compute");
  session.send("q");
  session.check_gone();
  CHECK(has_color(session.received()));
  CHECK(session.contains(fmt::format("lesson {}, finish", *numbered_lessons().back().number)));
}

TEST_CASE("no key of an answer is a command: 200 formulas and numbers, over all questions") {
  if (!no_terminal().empty()) SKIP_BECAUSE(no_terminal());
  // Their letters are those of every command.
  const std::vector<std::string> typed = {"k*m*n*2", "n*m*k",      "q?hgpsxecltm/bk+1",
                                          "k/BK+1",  "16,384",     "1-2:n",
                                          "2 ^ 11",  "−1 + ½·N²×3"};
  std::size_t next = 0, answers = 0;
  for (const Lesson& lesson : sample_of(lessons(), 11)) {
    const std::vector<Question>& questions = lesson.kernels.front().questions;
    const Learner learner;
    learner.begin();
    Session session(learner, {"learn", lesson.key(), "--size", "64"});
    const auto waits_for = [&](const std::string& answer) {
      session.wait_until([&] { return session.row(22) == trimmed("Your answer: " + answer); },
                         "Your answer: " + answer);
      CHECK(contains(session.row(0), capitalised(lesson.name()) + " "));
    };
    for (const Stop& stop : stops_of(lesson, lesson.kernels.front(), true)) {
      if (stop.step == Step::machine) continue;
      session.wait_for_stop(lesson, stop);
      if (stop.step == Step::exercise) break;
      if (stop.asks() && questions[stop.question].choices.empty()) {
        const std::string& formula = questions[stop.question].work;
        std::vector<std::string> of_question = {formula, lower_case(formula)};
        for (int i = 0; i < 6; ++i) of_question.push_back(typed[next++ % typed.size()]);
        for (const std::string& answer : of_question) {
          session.send(answer);
          waits_for(answer);
          session.send("\x15");  // Ctrl-U
          waits_for("");
          ++answers;
        }
      }
      session.go_past(lesson, stop);
    }
    session.send("q");
    session.check_gone();
  }
  CHECK(answers >= (takes_all() ? 200 : 30));
}

TEST_CASE("each step can be left in any way, and is where the next start begins", "[long]") {
  if (!no_terminal().empty()) SKIP_BECAUSE(no_terminal());
  const Lesson& lesson = find_lesson("3");
  const std::vector<Stop> stops = stops_of(lesson, lesson.kernels.front(), true);
  const auto go_on = [&](Session& session, std::size_t from) {
    session.go_past(lesson, stops[from]);
    session.wait_for_stop(lesson, stops[from + 1]);
  };
  for (const std::string way : sample_of(std::vector{"SIGTERM", "Ctrl-C", "Ctrl-D", "q"}, 4)) {
    const Learner learner;
    learner.begin();
    Session(learner, {"learn", "3"}).wait_for_stop(lesson, stops.front());
    for (std::size_t at = 0; at < stops.size(); ++at) {
      INFO(way << " at " << name_of(stops[at].step) << " " << stops[at].question);
      Session session(learner);
      const std::size_t begin = at == 0 ? 0 : at - 1;
      session.wait_for_stop(lesson, stops[begin]);
      session.wait_for("Welcome back");
      for (std::size_t next = begin; next < at; ++next) go_on(session, next);
      if (way == "Ctrl-C") session.send(ctrl_c);
      if (way == "Ctrl-D") session.send(ctrl_d);
      if (way == "SIGTERM") session.signal(SIGTERM);
      if (way == "q") {
        const Stop& stop = stops[at];
        if (stop.asks() && lesson.kernels.front().questions[stop.question].choices.empty()) {
          session.send("\x1b");
          session.wait_for("q quit");
        }
        session.send("q");
      }
      session.check_gone();
      CHECK(read_progress(learner.file()).progress.step == name_at(stops, at));
    }
  }
}

TEST_CASE("Ctrl-C leaves the terminal as it was, from every page") {
  if (!no_terminal().empty()) SKIP_BECAUSE(no_terminal());
  for (const std::string keys : {"", "s", "l", "g", "?", "gwarp\r", "s12", "nn"}) {
    INFO("after " << keys);
    const Learner learner;
    learner.begin();
    Session session(learner);
    session.wait_for_title("Lesson 0");
    for (const char key : keys) session.send(std::string(1, key));
    session.send(ctrl_c);
    session.check_gone();
    CHECK(read_progress(learner.file()).progress.lesson == lessons().front().slug);
  }
  const Learner learner;
  Session session(learner);
  session.wait_for_title("welcome");
  session.send(ctrl_c);
  session.check_gone();
}

TEST_CASE("a terminal that goes takes the walkthrough with it, and no progress") {
  if (!no_terminal().empty()) SKIP_BECAUSE(no_terminal());
  const Learner learner;
  learner.begin();
  Session session(learner);
  session.go_to(lessons().front(), Step::source);
  session.hang_up();
  session.wait_for_end();
  CHECK(read_progress(learner.file()).progress.step == "source");
}

TEST_CASE("long work says how far it is, and can be stopped") {
  if (!no_terminal().empty()) SKIP_BECAUSE(no_terminal());
  const Learner learner;
  learner.begin();
  const Lesson& lesson = find_lesson("2");
  Session session(learner,
                  {"learn", "2", "--size", "4096", "--blocks", "all", "--backend", "emulator"});
  for (const Stop& stop : stops_of(lesson, lesson.kernels.front(), true)) {
    if (stop.step == Step::run) break;
    session.wait_for_stop(lesson, stop);
    session.go_past(lesson, stop);
  }
  session.wait_until([&] { return contains(session.row(22), "emulating: "); }, "emulating");
  CHECK(contains(session.row(22), " %"));
  CHECK(contains(session.row(22), "Esc stops it"));
  session.resize({100, 30});
  session.send(Key::escape);
  session.wait_for("Stopped.");
  session.wait_until([&] { return contains(session.row(0), "predict 3 of 3"); }, "the step before");

  session.send("x");
  session.wait_for("emulating: ");
  session.signal(SIGTERM);
  session.check_gone();
}

TEST_CASE("an answer is judged at once, and the run goes on behind the pages") {
  if (!no_terminal().empty()) SKIP_BECAUSE(no_terminal());
  const Learner learner;
  learner.begin();
  const Lesson& lesson = lessons().front();
  Session session(learner, {"learn", "machine", "--size", "4096"});  // whose run takes minutes
  session.go_to(lesson, Step::predict);
  session.send("2*m*n*k\r");
  session.wait_for("✓ ");
  session.wait_until([&] { return contains(session.row(1), "running on one CPU thread"); },
                     "progress");
  CHECK(contains(session.row(1), " %"));
  session.send("n");
  session.wait_for("predict 2 of");
  session.send("8\r");
  session.wait_for("✓ ");
  CHECK(contains(session.row(1), "running on one CPU thread"));
  session.send("q");
  session.check_gone();
}

TEST_CASE("the screen follows the terminal's size, and keeps what is typed") {
  if (!no_terminal().empty()) SKIP_BECAUSE(no_terminal());
  const Learner learner;
  learner.begin();
  const Lesson& lesson = find_lesson("3");
  Session session(learner, {"learn", "3"});
  session.wait_for_stop(lesson, {Step::idea});
  session.resize({100, 30});
  session.wait_until([&] { return contains(session.row(29), "q quit"); },
                     "the keys on the last row");
  session.send("nn");
  session.wait_for_stop(lesson, {Step::predict});
  session.send("20");
  session.wait_until([&] { return contains(session.row(28), "Your answer: 20"); },
                     "what was typed");
  for (const TerminalSize size : {TerminalSize{40, 10}, {20, 5}, {1, 1}, {80, 24}})
    session.resize(size);
  session.wait_until([&] { return contains(session.row(22), "Your answer: 20"); },
                     "what was typed");
  session.send("4x");
  session.send(Key::backspace);
  session.send(Key::left);
  session.send(Key::end);
  session.send("8\r");
  session.wait_for("✓ You said: 2048.");
  session.send(ctrl_c);
  session.check_gone();
  CHECK(read_progress(learner.file())
            .progress.lessons.at(lesson.slug)
            .predictions.begin()
            ->second.answer == "2048");
}

TEST_CASE("pages longer than the screen are scrolled") {
  if (!no_terminal().empty()) SKIP_BECAUSE(no_terminal());
  const Learner learner;
  learner.begin();
  const Lesson& lesson = find_lesson("1");
  Session session(learner, {"learn", "1"});
  session.wait_for_stop(lesson, {Step::idea});
  session.wait_until([&] { return contains(session.last_row(), "Enter more"); }, "more");
  const std::string first = session.row(2);
  session.send(Key::down);
  session.wait_until([&] { return session.row(2) != first; }, "the next row");
  session.send(Key::home);
  session.wait_until([&] { return session.row(2) == first; }, "the first row");
  session.send(Key::end);
  session.wait_until([&] { return contains(session.last_row(), "Enter next"); }, "the end");
  session.send(" ");
  session.wait_for_stop(lesson, {Step::change});
}

TEST_CASE("t shows the kernel's trace, scrolled, and leads back") {
  if (!no_terminal().empty()) SKIP_BECAUSE(no_terminal());
  const Learner learner;
  learner.begin();
  const Lesson& lesson = find_lesson("3");
  Session session(learner, {"learn", "3"});
  session.wait_for_stop(lesson, {Step::idea});
  session.send("t");
  session.wait_for("t (trace) comes after the lesson's questions.");
  session.go_to(lesson, Step::run);
  session.send("t");
  session.wait_for_title("Trace of lesson 3");
  session.wait_until([&] { return contains(session.last_row(), "Enter more"); }, "more");
  session.wait_until([&] { return contains(session.row(0), "M = N = K = 64"); }, "the size");
  session.send(Key::end);
  session.wait_until([&] { return contains(session.last_row(), "Enter back"); }, "the end");
  CHECK_FALSE(session.contains("gemm-tutor trace"));
  session.send("p");
  session.wait_for_stop(lesson, {Step::run});
  session.send("q");
  session.check_gone();

  const Piped plain = piped(learner, "learn --plain", "t\n\nt\np\nq\n");
  CHECK(plain.status == 0);
  CHECK(contains(plain.output, "t trace"));
  CHECK(contains(plain.output, "4 sectors in 1 line of 128 bytes"));
  CHECK(widest(plain.output) <= 80);
}

TEST_CASE("Ctrl-Z gives the terminal back until the walkthrough is continued") {
  if (!no_terminal().empty()) SKIP_BECAUSE(no_terminal());
  const Learner learner;
  learner.begin();
  Session session(learner);
  session.wait_for_title("Lesson 0");
  session.send(ctrl_z);
  session.wait_until([&] { return !session.shows_alternate_screen(); }, "the shell's screen");
  session.wait_until(
      [&] {
        session.signal(SIGCONT);  // until it has stopped there is nothing to continue
        return session.shows_alternate_screen() && contains(session.row(0), "Lesson 0");
      },
      "the walkthrough again");
  session.send("q");
  session.check_gone();
}

TEST_CASE("without colour, and without UTF-8") {
  if (!no_terminal().empty()) SKIP_BECAUSE(no_terminal());
  const Learner learner;
  learner.begin();
  for (const std::string environment : {"NO_COLOR=1", "LANG=C"}) {
    Session session(learner, {"learn", "3"}, {}, {environment});
    session.go_to(find_lesson("3"), Step::run);
    session.send("q");
    session.check_gone();
    CHECK(has_color(session.received()) == (environment == "LANG=C"));
    CHECK(is_ascii(session.received()) == (environment == "LANG=C"));
  }
}

TEST_CASE("a terminal that can do no more gets lines") {
  if (!no_terminal().empty()) SKIP_BECAUSE(no_terminal());
  const Learner learner;
  learner.begin();
  for (const std::string environment : {"TERM=dumb", "TERM=no-such-terminal"}) {
    INFO(environment);
    Session session(learner, {}, {}, {environment});
    session.wait_for("Enter next, p back");
    CHECK_FALSE(session.shows_alternate_screen());
    session.send("n\rn\r");
    session.wait_for("cpu_loop(const Float* A");
    session.send(ctrl_c);
    session.check_gone();
    CHECK_FALSE(contains(session.received(), "\033"));
  }
}

TEST_CASE("an exercise is checked as soon as another program has saved it") {
  if (!no_terminal().empty()) SKIP_BECAUSE(no_terminal());
  const Learner learner;
  const Exercise& exercise = find_exercise("3");
  const std::filesystem::path kernel = learner.directory.path() / exercise.file_name;
  ProgressFile file(learner.file());
  file.progress.experience = "new";
  file.progress.lesson = exercise.slug;
  file.progress.step = "recap";
  file.progress.exercises[exercise.slug].file = kernel.string();
  REQUIRE(file.save());
  const std::filesystem::path edited = learner.directory.path() / "edited";
  REQUIRE(write_file_atomically(edited, exercise.solution));
  Session session(learner, {}, {}, {"EDITOR=cp -v " + edited.string()});
  session.wait_for_stop(find_lesson("3"), {Step::recap});
  session.send("e");
  session.wait_for_title("Exercise 3");
  session.send("o");
  session.wait_for("✓ it compiles");
  REQUIRE(write_file_atomically(kernel, "// Exercise shared-memory-tile: mine\n"));
  session.wait_for("Compile  ✗");
  session.send("q");
  session.check_gone();
  CHECK(contains(session.received(), "' -> '"));  // by the editor
  CHECK(read_progress(learner.file()).progress.exercises.at(exercise.slug).solved);
}

TEST_CASE("the whole course through a pipe", "[long][nightly]") {
  for (const std::string environment : {"LANG=C.UTF-8", "LANG=C"}) {
    const Learner learner;
    const Piped run = piped(learner, "learn 0 --plain --size 64", past_everything(), environment);
    CHECK(run.status == 0);
    CHECK(widest(run.output) <= 80);
    CHECK_FALSE(contains(run.output, "\033"));
    CHECK(is_ascii(run.output) == (environment == "LANG=C"));
    for (const char* box : {"│", "─", "┌", "█", "╰"}) CHECK_FALSE(contains(run.output, box));
    std::size_t from = 0;
    for (const Lesson& lesson : numbered_lessons()) {
      for (const Stop& stop : stops_of(lesson, lesson.kernels.front(), true)) {
        if (stop.step == Step::machine || stop.step == Step::exercise) continue;
        const std::string dot = environment == "LANG=C" ? " - " : " · ";
        from = run.output.find(dot + std::string(name_of(stop.step)), from);
        INFO(lesson.name() << ", " << name_of(stop.step));
        REQUIRE(from != run.output.npos);
        ++from;
      }
    }
    CHECK(contains(run.output, "Your own ladder"));
    CHECK(read_progress(learner.file()).progress.step == "finish");
  }
}

TEST_CASE("lines that end early, are no keys, or are no text") {
  const Learner learner;
  const Piped first = piped(learner, "--plain", "1\n1\nn\n");
  CHECK(first.status == 0);
  CHECK(contains(first.output, "Your place is kept: lesson 0, idea."));

  const std::string strange =
      "w\n\xff\xfe\nnext\n" + std::string(1, '\0') + "\n" + std::string(100'000, 'n') + "\nq\n";
  const Piped second = piped(learner, "learn --plain", strange);
  CHECK(second.status == 0);
  CHECK(contains(second.output, "'w' is not one of the keys"));
  CHECK(widest(second.output) <= 80);
  CHECK(piped(learner, "learn --plain", "").status == 0);
  CHECK(contains(piped(learner, "", "").output, "Next"));  // no terminal: the overview
  CHECK(piped(learner, "learn 99", "").status == 2);
}

TEST_CASE("progress that cannot be read or kept is said, once, and stops nobody") {
  const auto starts = [](const Learner& learner) {
    return piped(learner, "learn 0 --plain", "n\nn\nq\n");
  };
  {
    const Learner learner;  // damaged
    REQUIRE(write_file_atomically(learner.file(), "{\"version\": 1, \"less"));
    const Piped run = starts(learner);
    CHECK(run.status == 0);
    CHECK(read_file(learner.file().string() + ".damaged") == "{\"version\": 1, \"less");
    CHECK_FALSE(contains(starts(learner).output, "damaged"));
  }
  {
    const Learner learner;  // newer
    REQUIRE(write_file_atomically(learner.file(), "{\"version\": 1000}"));
    CHECK(starts(learner).status == 0);
    CHECK(read_file(learner.file().string() + ".newer") == "{\"version\": 1000}");
  }
  {
    const Learner learner;  // a file where the folder should be
    REQUIRE(write_file_atomically(learner.directory.path() / "gemm-tutor", ""));
    const Piped run = starts(learner);
    CHECK(run.status == 0);
    CHECK(contains(run.output, "cannot be saved"));
    CHECK(run.output.find("cannot be saved") == run.output.rfind("cannot be saved"));
    CHECK(contains(run.output, "3 of"));
  }
}
