#include "walkthrough/screen.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "support/text.hpp"

namespace gemm_tutor {
namespace {

std::string first_word(const std::string& text) { return text.substr(0, text.find(' ')); }

}  // namespace

Input meaning_of(const std::string& line, const View& view) {
  const std::string typed(trimmed(line));
  if (typed.empty()) return {Input::Kind::key, view.keys.front().key};
  const std::string word = first_word(typed);
  for (const KeyHelp& key : view.keys) {
    if (word == std::string(1, key.key) || word == first_word(key.meaning)) {
      return {Input::Kind::key, key.key, std::string(trimmed(typed.substr(word.size())))};
    }
  }
  return view.prompt.empty() ? Input{} : Input{Input::Kind::line, '\0', typed};
}

std::vector<Line> rows_of(const View& view, const Terminal& terminal) {
  Page page(terminal);
  if (!view.notice.empty()) {
    page.row({}, {}, {{view.notice, Style::doubtful}});
    page.blank();
  }
  Page body(terminal);
  if (view.body) view.body(body);
  std::vector<Line> rows = page.rows();
  const auto first = std::ranges::find_if_not(body.rows(), &Line::empty);
  rows.insert(rows.end(), first, body.rows().end());
  return rows;
}

std::string text_of(const Activity::State& state) {
  const std::string what = state.what.empty() ? "working" : state.what;
  if (state.all <= 0) return what;
  return fmt::format("{}: {} %", what, std::min<std::int64_t>(100, 100 * state.done / state.all));
}

}  // namespace gemm_tutor
