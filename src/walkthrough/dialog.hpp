// Pages beside the lesson's steps: what is shown, or asked, until the learner goes back.
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

  // Until `use` takes what is typed, and throws no Error about it. `given` was typed with the key.
  struct Question {
    std::string title, prompt;
    Parts body;
    bool takes_words = true;  // as View has it
  };
  void ask(const Question& question, const std::string& given,
           const std::function<void(const std::string&)>& use);

  bool left() const { return left_; }  // the whole course, from one of these pages

 private:
  // Nothing where the learner went back, or left.
  std::optional<std::string> typed_at(const Question& question, const std::string& notice);

  Screen& screen_;
  bool left_ = false;
};

}  // namespace gemm_tutor
