// A screen whose learner types lines that a test wrote down. The line ">" goes on, from any page.
#pragma once

#include <algorithm>
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
    for (;;) {
      std::string line = lines_[next_++];
      if (line == ">") line = onwards(view);
      const Input input = meaning_of(line, view);
      if (input.kind != Input::Kind::end) return input;
      said = line.size() == 1 && view.about ? view.about(line.front()) : "";
      if (said.empty()) throw std::logic_error("no key: " + line);
      if (next_ == lines_.size()) return {};
    }
  }

  bool wait(BackgroundJob& job) override {
    if (interrupts) job.activity().stop();
    while (!job.wait_for(std::chrono::hours(1))) continue;
    return job.finish();
  }

  const ShownView& last() const { return shown.back(); }

  std::vector<ShownView> shown;
  std::string said;         // of the last key that meant nothing where it was typed
  bool interrupts = false;  // the learner stops whatever is at work

 private:
  // The key that goes on from any page: past a question or an exercise, too.
  static std::string onwards(const View& view) {
    for (const char key : {'x', 'n'}) {
      if (std::ranges::find(view.keys, key, &KeyHelp::key) != view.keys.end()) return {':', key};
    }
    return "";
  }

  Terminal terminal_;
  std::vector<std::string> lines_;
  std::size_t next_ = 0;
};

}  // namespace gemm_tutor
