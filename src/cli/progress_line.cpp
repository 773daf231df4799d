#include "cli/progress_line.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <string_view>
#include <system_error>
#include <utility>

#include "support/file.hpp"
#include "support/text.hpp"
#include "view/style.hpp"

namespace gemm_tutor::cli {
namespace {

using namespace std::chrono_literals;
constexpr auto first_after = 300ms, next_after = 100ms;

constexpr std::string_view erased = "\r\033[K";

std::atomic<int> file_to_erase = -1;                   // where a line is drawn
static_assert(std::atomic<int>::is_always_lock_free);  // which a signal handler needs

// Runs in the thread that draws, so never while it does.
void erase_and_end(int signal) {
  if (const int file = file_to_erase; file >= 0) write_all(file, erased);
  std::signal(signal, SIG_DFL);
  raise(signal);  // comes once this returns
}

sigset_t interrupts() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  return signals;
}

bool ends_the_process(int signal) {
  struct sigaction action {};
  return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_DFL;
}

bool can_erase(int file) {
  const char* kind = std::getenv("TERM");
  return isatty(file) && kind && std::string_view(kind) != "dumb";
}

// Of a terminal that may be made narrower at any time.
int width_of(int file) {
  constexpr int usual = 80;
  winsize size{};
  return ioctl(file, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : usual;
}

std::string cut(const std::string& text, int width) {
  std::string result;
  int column = 0;
  for (const CodePoint& point : code_points(text)) {
    column += columns_of(point.value);
    if (column > width) break;
    result += point.bytes;
  }
  return result;
}

}  // namespace

std::string progress_text(const std::string& where, const Activity::State& state, int width,
                          bool unicode) {
  std::string text = where;
  if (!text.empty() && !state.what.empty()) text += " · ";
  text += state.what;
  if (state.all > 0) {
    text += fmt::format(": {} %", 100 * state.done / state.all);
  } else if (!text.empty()) {
    text += " …";
  }
  return cut(unicode ? text : to_ascii(text), width);
}

ProgressLine::ProgressLine(const Activity& activity, int file) : activity_(activity), file_(file) {
  if (!can_erase(file)) return;
  unicode_ = detect_terminal(file, ColorChoice::never).unicode;
  try {
    thread_ = std::thread([this] { draw_until_over(); });
  } catch (const std::system_error&) {
    return;  // the system gives no more threads: the work continues without the line
  }
  const sigset_t signals = interrupts();
  pthread_sigmask(SIG_BLOCK, &signals, &signals_before_);
}

ProgressLine::~ProgressLine() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  ends_.notify_one();
  thread_.join();
  pthread_sigmask(SIG_SETMASK, &signals_before_, nullptr);
}

void ProgressLine::set_where(std::string where) {
  const std::lock_guard lock(mutex_);
  where_ = std::move(where);
}

void ProgressLine::draw_until_over() {
  const bool handles = ends_the_process(SIGINT);
  if (handles) std::signal(SIGINT, erase_and_end);
  const sigset_t signals = interrupts();
  pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);

  std::unique_lock lock(mutex_);
  const auto over = [&] { return over_; };
  for (auto pause = first_after; !ends_.wait_for(lock, pause, over); pause = next_after) draw();
  if (!drawn_.empty()) write_all(file_, erased);

  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  file_to_erase = -1;
  if (handles) std::signal(SIGINT, SIG_DFL);
}

void ProgressLine::draw() {
  // The last column stays free: in it, some terminals begin the next line.
  const std::string text = progress_text(where_, activity_.state(), width_of(file_) - 1, unicode_);
  if (text == drawn_) return;
  file_to_erase = file_;
  write_all(file_, std::string(erased) + text);
  drawn_ = text;
}

}  // namespace gemm_tutor::cli
