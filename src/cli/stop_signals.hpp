// Ctrl-C and its kin, as something to look at while work goes on.
#pragma once

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

// As if `signal` had not been held up: the parent sees what ended the program.
[[noreturn]] void end_by(int signal);

}  // namespace gemm_tutor::cli
