// Ctrl-C and similar signals, to be checked during the work.
#pragma once

#include <thread>

#include "support/activity.hpp"

namespace gemm_tutor::cli {

// While it lives SIGINT, SIGTERM and SIGHUP end nothing by themselves. One at a time.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  int came() const;  // the first that did; 0 for none
};

// While it lives a signal that came stops the work.
class StopWatch {
 public:
  // Both must outlive it.
  StopWatch(const StopSignals& signals, Activity& activity);

 private:
  std::jthread thread_;
};

// As if `signal` had not been held up: the parent sees what ended the program.
[[noreturn]] void end_by(int signal);

}  // namespace gemm_tutor::cli
