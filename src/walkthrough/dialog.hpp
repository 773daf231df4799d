// What the keys mean, and pages outside of the lesson's steps, which show or ask something until
// the learner goes back.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "view/document.hpp"
#include "walkthrough/screen.hpp"

namespace gemm_tutor {

// A key has one meaning on every page of the course. Returns the key with its word: {'t', "trace",
// minor}.
KeyHelp key_help(char key, int minor = 0);

// The page about the keys: first those that work here, then the others, with where they are.
Parts key_parts(const std::vector<KeyHelp>& keys);

// "t (trace): after the lesson's questions." Empty for a character that is no key anywhere, or one
// of the view's.
std::string elsewhere_text(char key);

class Dialog {
 public:
  explicit Dialog(Screen& screen) : screen_(screen) {}

  // The learner may open other pages from it, and comes back to it.
  void show(const std::string& title, const Parts& body, const std::string& place = "");

  // The pages that every page leads to: the meaning of its keys, and of a word. `given` was typed
  // with the key.
  void show_keys(const std::vector<KeyHelp>& keys);
  void explain(const std::string& given);

  // Asks until `use` accepts the typed text, that is, throws no Error.
  struct Question {
    std::string title, prompt;
    Parts body;
  };
  void ask(const Question& question, const std::string& given,
           const std::function<void(const std::string&)>& use);

  // Returns the index of the chosen name, by a key from 1 to 9; nothing if the learner went back.
  std::optional<std::size_t> choose(const std::string& title,
                                    const std::vector<std::string>& names);

  bool left() const { return left_; }  // the learner left the course from one of these pages

 private:
  // Returns nothing if the learner went back or left.
  std::optional<std::string> typed_at(const Question& question, const std::string& before,
                                      const std::string& notice);

  Screen& screen_;
  bool left_ = false;
};

}  // namespace gemm_tutor
