// Where the walkthrough happens: a screen drawn by curses, or lines that come and go.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "support/activity.hpp"
#include "view/document.hpp"
#include "view/style.hpp"

namespace gemm_tutor {

struct KeyHelp {
  char key;
  std::string meaning;  // a word or two: "next"; empty where the next key has it for both
  int minor = 0;        // where there is no room for all, the higher the earlier it is left out
};

// A page of the walkthrough.
struct View {
  std::string title;          // "Lesson 3 · A tile in shared memory"
  std::string place = {};     // "step 3 of 9 · predict"
  Parts body = {};            // laid out again whenever the width changes
  std::string notice = {};    // a sentence about what has just happened; empty: none
  std::vector<KeyHelp> keys;  // what Enter does is the first
  std::string prompt = {};    // asks for a line: "Your answer"; empty: for a key alone
  // A line may begin with any letter, so that a key takes Enter; else one of the keys that is typed
  // first works at once.
  bool takes_words = false;
  // Asked now and then while a terminal waits for a key; once it is true that is the answer.
  std::function<bool()> changed = nullptr;
};

struct Input {
  // changed: what View::changed said; end: Ctrl-C, Ctrl-D, the terminal has gone
  enum class Kind { key, line, changed, end };

  Kind kind = Kind::end;
  char key = '\0';        // one of the view's
  std::string line = {};  // what the prompt asked for; of a key, what was typed after it
};

class Screen {
 public:
  virtual ~Screen() = default;

  // Shows the view until the learner has answered it.
  virtual Input show(const View& view) = 0;

  // Does `job`, saying what it does and how far it is once that takes a while. False when the
  // learner interrupted it. Throws what the job throws.
  virtual bool work(const std::function<void(Activity&)>& job) = 0;

  // Gives the terminal to another program, which `job` runs until its end.
  virtual void lend(const std::function<void()>& job) { job(); }
};

// What a line typed at the view means: nothing, its first key; a key or the first word of its
// meaning, perhaps with more after it ("s 512"), that key; else the line that the prompt asked
// for. Kind::end where it is none of these.
Input meaning_of(const std::string& line, const View& view);

// The view's notice and body, without blank rows at the top.
std::vector<Line> rows_of(const View& view, const Terminal& terminal);

// "emulating: 37 %".
std::string text_of(const Activity::State& state);

// Lines on standard output, answers from standard input: for pipes, screen readers and terminals
// that can do no more. Nothing is ever written over.
std::unique_ptr<Screen> plain_screen(const Terminal& terminal);

// The whole terminal, which is as it was when the screen goes. Null where curses cannot use it.
std::unique_ptr<Screen> curses_screen(ColorChoice color);

}  // namespace gemm_tutor
