// How far long work is, in one line on a terminal that is written over and over.
#pragma once

#include <unistd.h>

#include <condition_variable>
#include <csignal>
#include <mutex>
#include <string>
#include <thread>

#include "support/activity.hpp"

namespace gemm_tutor::cli {

// "emulating: 37 %", or "compiling …" where the amount is not known; `where`, if it is not
// empty, comes before it. Cut to `width` columns, and in ASCII unless the terminal shows more.
std::string progress_text(const std::string& where, const Activity::State& state, int width,
                          bool unicode);

// While there is one, and after 0.3 s, a thread of its own draws what `activity` says, at most ten
// times a second; its end erases the line. Where `file` is no terminal, or one that cannot erase,
// it does nothing. SIGINT (Ctrl-C) still ends the process, but the line is erased first; for that
// it is blocked in the thread that makes the progress line and in those that it starts.
class ProgressLine {
 public:
  explicit ProgressLine(const Activity& activity, int file = STDERR_FILENO);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // What the activity is a part of: "3 of 21 · lesson 2".
  void set_where(std::string where);

 private:
  void draw_until_over();
  void draw();

  const Activity& activity_;
  int file_;
  bool unicode_ = true;
  std::mutex mutex_;
  std::condition_variable ends_;
  bool over_ = false;
  std::string where_;
  std::string drawn_;
  sigset_t signals_before_{};
  std::thread thread_;
};

}  // namespace gemm_tutor::cli
