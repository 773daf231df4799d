// The walkthrough's user interface: a curses screen, or lines of text.
#pragma once

#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "support/activity.hpp"
#include "view/document.hpp"
#include "view/style.hpp"

namespace gemm_tutor {

// Work in another thread, while a screen shows its progress.
class BackgroundJob {
 public:
  explicit BackgroundJob(const std::function<void(Activity&)>& job)
      : done_(std::async(std::launch::async, job, std::ref(activity_))) {}
  ~BackgroundJob() { activity_.stop(); }  // and waits, as futures of async do
  BackgroundJob(const BackgroundJob&) = delete;

  // True if it is done.
  bool wait_for(std::chrono::milliseconds time) {
    return done_.wait_for(time) == std::future_status::ready;
  }

  Activity& activity() { return activity_; }

  // Call once, after it is done. Returns false if it was interrupted, even if that came too late.
  // Throws what the job threw.
  bool finish() try {
    done_.get();
    return !activity_.stopping();
  } catch (const Interrupted&) {
    return false;
  }

 private:
  Activity activity_;
  std::future<void> done_;
};

// Shorter waits are not shown.
inline constexpr std::chrono::milliseconds unnoticed{300};

constexpr char enter_key = '\n';

struct KeyHelp {
  char key;
  std::string meaning;  // a word or two: "next"; empty if the next key's meaning is for both
  int minor = 0;        // if there is no room, keys with higher numbers are left out first
};

// A page of the walkthrough.
struct View {
  std::string title;          // "Lesson 3 · A tile in shared memory"
  std::string place = {};     // "step 3 of 9 · predict"
  Parts body = {};            // laid out again if the width changes
  std::string notice = {};    // a sentence about what has just happened; may be empty
  std::string enter = {};     // what Enter does: "next"; empty if it does nothing here
  std::vector<KeyHelp> keys;  // the others
  // Asks for a line: "Your answer"; if empty, asks only for a key. All characters that are typed go
  // into a field; keys have their meanings once Esc has left it. Lines of text that begin with ':'
  // are keys.
  std::string prompt = {};
  std::string typed = {};        // what is in the field at first
  std::size_t typed_at = 0;      // where the cursor is in it: a byte's index
  bool ends_with_field = false;  // Esc in the field leaves the page: it is the key p
  // The key does what Enter does, so that the line of keys need not name both.
  bool is_enter(const KeyHelp& help) const { return !enter.empty() && help.meaning == enter; }
  // What is said of a key that is not one of the view's; empty for nothing. May be null.
  std::function<std::string(char)> about = nullptr;
  // Called regularly while a terminal waits for a key. If it returns true, show() ends.
  std::function<bool()> changed = nullptr;
  // Work that goes on behind the page, whose progress a terminal shows. Null if there is none.
  BackgroundJob* behind = nullptr;
};

struct Input {
  // changed: View::changed returned true; end: Ctrl-C, Ctrl-D, or the terminal was closed
  enum class Kind { key, line, changed, end };

  Kind kind = Kind::end;
  char key = '\0';        // one of the view's, or enter_key
  std::string line = {};  // the answer to the prompt; for a key, the text typed after it
};

class Screen {
 public:
  virtual ~Screen() = default;

  // Shows the view until the learner answers.
  virtual Input show(const View& view) = 0;

  // Waits for the job's end, and shows its progress if it takes longer. Returns false if the
  // learner interrupted it. Throws what the job threw.
  virtual bool wait(BackgroundJob& job) = 0;

  // Runs `job` like that.
  bool work(const std::function<void(Activity&)>& job) {
    BackgroundJob background(job);
    return wait(background);
  }

  // Gives the terminal to another program, which `job` runs.
  virtual void lend(const std::function<void()>& job) { job(); }
};

// Interprets a line of text. An empty line is enter_key. If there is a prompt, a line is its answer
// unless it begins with ':'. Otherwise a key, or the first word of its meaning, is that key,
// optionally with more text ("s 512"). Kind::end if it is none of these.
Input meaning_of(const std::string& line, const View& view);

// The view's notice and body, without blank rows at the top.
std::vector<Line> rows_of(const View& view, const Terminal& terminal);

// "emulating: 37 %".
std::string text_of(const Activity::State& state);

// Writes lines to standard output and reads answers from standard input: for pipes, screen readers
// and simple terminals. It never overwrites text.
std::unique_ptr<Screen> plain_screen(const Terminal& terminal);

// Uses the whole terminal and restores it at the end. Null if curses cannot use it.
std::unique_ptr<Screen> curses_screen(ColorChoice color);

// Signals that end or interrupt the walkthrough, for polling.

// During its lifetime, SIGINT, SIGTERM and SIGHUP do not end the process, but they end
// wait_to_read(). There can be only one object at a time.
class SignalWatch {
 public:
  SignalWatch();
  ~SignalWatch();
  SignalWatch(const SignalWatch&) = delete;

  bool ending() const;      // SIGTERM or SIGHUP has arrived
  bool take_interrupted();  // SIGINT has arrived since the last call

  // Waits until there is input or its end. Returns false if one of the signals arrives first, or
  // has arrived before the call.
  bool wait_to_read(int file_descriptor) const;
};

}  // namespace gemm_tutor
