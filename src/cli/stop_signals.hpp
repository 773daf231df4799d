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

// Returns what `work` returns for an Activity that a signal stops. If one does, folders of the work
// are gone before `interrupted` gets the state, and the process ends.
template <class Work, class Report>
auto stoppable(const Work& work, const Report& interrupted) {
  Activity activity;
  const StopSignals signals;
  try {
    const StopWatch watch(signals, activity);
    return work(activity);
  } catch (const Interrupted&) {
    interrupted(activity.state());
    end_by(signals.came());
  }
}

}  // namespace gemm_tutor::cli
