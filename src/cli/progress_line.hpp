// Shows the progress of long work in one line of a terminal, which is overwritten.
#pragma once

#include <unistd.h>

#include <condition_variable>
#include <csignal>
#include <mutex>
#include <string>
#include <thread>

#include "support/activity.hpp"

namespace gemm_tutor::cli {

// Returns "emulating: 37 %", or "compiling …" if the amount is not known. `where` is before it, if
// it is not empty. The text is cut to `width` columns, and is ASCII unless `unicode` is set.
std::string progress_text(const std::string& where, const Activity::State& state, int width,
                          bool unicode);

// During its lifetime, after 0.3 s, a thread draws the state of `activity`, at most ten times per
// second. The destructor erases the line. If `file` is not a terminal, or cannot erase, it does
// nothing. SIGINT (Ctrl-C) still ends the process, but the line is erased first. For that, SIGINT
// is blocked in the thread that makes the object and in threads that it starts.
class ProgressLine {
 public:
  explicit ProgressLine(const Activity& activity, int file = STDERR_FILENO);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // Sets a text about the whole work: "3 of 21 · lesson 2".
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
