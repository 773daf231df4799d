// Pages outside of the lesson's steps, which show or ask something until the learner goes back.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "walkthrough/screen.hpp"

namespace gemm_tutor {

class Dialog {
 public:
  explicit Dialog(Screen& screen) : screen_(screen) {}

  void show(const std::string& title, const Parts& body, const std::string& place = "");

  // Asks until `use` accepts the typed text, that is, throws no Error. `given` was typed with the
  // key.
  struct Question {
    std::string title, prompt;
    Parts body;
    bool takes_words = true;  // View::takes_words
  };
  void ask(const Question& question, const std::string& given,
           const std::function<void(const std::string&)>& use);

  bool left() const { return left_; }  // the learner left the course from one of these pages

 private:
  // Returns nothing if the learner went back or left.
  std::optional<std::string> typed_at(const Question& question, const std::string& notice);

  Screen& screen_;
  bool left_ = false;
};

}  // namespace gemm_tutor
