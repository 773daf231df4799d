// Signals that end or interrupt the walkthrough, as something to look at now and then.
#pragma once

namespace gemm_tutor {

// While it lives SIGINT, SIGTERM and SIGHUP end nothing by themselves, but a blocked read. One at a
// time.
class SignalWatch {
 public:
  SignalWatch();
  ~SignalWatch();
  SignalWatch(const SignalWatch&) = delete;

  bool ending() const;      // SIGTERM or SIGHUP came
  bool take_interrupted();  // SIGINT came since the last time
};

}  // namespace gemm_tutor
