#include "walkthrough/screen.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <sys/select.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>

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

namespace {

constexpr std::array watched = {SIGINT, SIGTERM, SIGHUP};

std::atomic<bool> interrupt_came = false, end_came = false;
std::array<struct sigaction, watched.size()> actions_before;

void note(int signal) { (signal == SIGINT ? interrupt_came : end_came) = true; }

}  // namespace

SignalWatch::SignalWatch() {
  interrupt_came = end_came = false;
  struct sigaction action {};
  action.sa_handler = note;
  action.sa_flags = SA_RESTART;  // writes continue after a signal; pselect() returns anyway
  sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < watched.size(); ++i)
    sigaction(watched[i], &action, &actions_before[i]);
}

SignalWatch::~SignalWatch() {
  for (std::size_t i = 0; i < watched.size(); ++i)
    sigaction(watched[i], &actions_before[i], nullptr);
}

bool SignalWatch::ending() const { return end_came; }

// The signals are unblocked only during the wait. Otherwise a signal just before it would
// be missed.
bool SignalWatch::wait_to_read(int file_descriptor) const {
  sigset_t blocked, usual;
  sigemptyset(&blocked);
  for (const int signal : watched) sigaddset(&blocked, signal);
  pthread_sigmask(SIG_BLOCK, &blocked, &usual);
  bool ready = false;
  while (!ready && !interrupt_came && !end_came) {
    fd_set files;
    FD_ZERO(&files);
    FD_SET(file_descriptor, &files);
    ready = pselect(file_descriptor + 1, &files, nullptr, nullptr, nullptr, &usual) >= 0;
    if (!ready && errno != EINTR) break;
  }
  pthread_sigmask(SIG_SETMASK, &usual, nullptr);
  return ready;
}

bool SignalWatch::take_interrupted() { return interrupt_came.exchange(false); }

}  // namespace gemm_tutor
