// Ctrl-C and similar signals, which are checked during the work.
#pragma once

#include <thread>

#include "support/activity.hpp"

namespace gemm_tutor::cli {

// During its lifetime, SIGINT, SIGTERM and SIGHUP do not end the process. There can be only one
// object at a time.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  int came() const;  // the first signal that arrived; 0 for none
};

// During its lifetime, a signal stops the work.
class StopWatch {
 public:
  // Both must outlive it.
  StopWatch(const StopSignals& signals, Activity& activity);

 private:
  std::jthread thread_;
};

// Ends the process by `signal`, so that the parent sees the reason.
[[noreturn]] void end_by(int signal);

}  // namespace gemm_tutor::cli
