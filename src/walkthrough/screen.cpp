#include "walkthrough/screen.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "support/text.hpp"
#include "view/terminal_text.hpp"

namespace gemm_tutor {
namespace {

std::string first_word(const std::string& text) { return text.substr(0, text.find(' ')); }

}  // namespace

Input meaning_of(const std::string& line, const View& view) {
  std::string typed(trimmed(line));
  if (typed.empty()) return {Input::Kind::key, enter_key};
  if (typed.front() == ':') {
    typed.erase(0, 1);
  } else if (!view.prompt.empty()) {
    return {Input::Kind::line, '\0', typed};
  }
  const std::string word = first_word(typed);
  for (const KeyHelp& key : view.keys) {
    if (word == std::string(1, key.key) || word == first_word(key.meaning)) {
      return {Input::Kind::key, key.key, std::string(trimmed(typed.substr(word.size())))};
    }
  }
  return {};
}

std::vector<Line> rows_of(const View& view, const Terminal& terminal) {
  Parts parts;
  if (!view.notice.empty()) parts.add(Paragraph{{{view.notice, Style::doubtful}}});
  parts.insert(parts.end(), view.body.begin(), view.body.end());
  return terminal_rows(parts, terminal);
}

std::string text_of(const Activity::State& state) {
  const std::string what = state.what.empty() ? "working" : state.what;
  if (state.all <= 0) return what;
  return fmt::format("{}: {} %", what, std::min<std::int64_t>(100, 100 * state.done / state.all));
}

}  // namespace gemm_tutor
