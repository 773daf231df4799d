// A screen whose learner types lines that a test wrote down.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "view/layout.hpp"
#include "walkthrough/screen.hpp"

namespace gemm_tutor {

struct ShownView {
  std::string title, place, notice, text;  // the text with its notice, as in 80 columns
  std::vector<KeyHelp> keys;
};

class ScriptedScreen : public Screen {
 public:
  explicit ScriptedScreen(std::vector<std::string> lines, Terminal terminal = {})
      : terminal_(terminal), lines_(std::move(lines)) {}

  // Each line in turn; then the end of the input.
  Input show(const View& view) override {
    std::string text;
    for (const Line& row : rows_of(view, terminal_)) {
      if (columns(row) > terminal_.width)
        throw std::logic_error("too wide: " + paint(row, terminal_));
      text += paint(row, terminal_) + "\n";
    }
    shown.push_back({view.title, view.place, view.notice, text, view.keys});
    if (next_ == lines_.size()) return {};
    const Input input = meaning_of(lines_[next_++], view);
    if (input.kind == Input::Kind::end) throw std::logic_error("no key: " + lines_[next_ - 1]);
    return input;
  }

  bool work(const std::function<void(Activity&)>& job) override {
    Activity activity;
    if (interrupts) activity.stop();
    try {
      job(activity);
      return true;
    } catch (const Interrupted&) {
      return false;
    }
  }

  const ShownView& last() const { return shown.back(); }

  std::vector<ShownView> shown;
  bool interrupts = false;  // the learner stops whatever is at work

 private:
  Terminal terminal_;
  std::vector<std::string> lines_;
  std::size_t next_ = 0;
};

}  // namespace gemm_tutor
