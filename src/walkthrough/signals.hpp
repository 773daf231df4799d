// Signals that end or interrupt the walkthrough, for polling.
#pragma once

namespace gemm_tutor {

// During its lifetime, SIGINT, SIGTERM and SIGHUP do not end the process, but they end
// wait_to_read(). There can be only one object at a time.
class SignalWatch {
 public:
  SignalWatch();
  ~SignalWatch();
  SignalWatch(const SignalWatch&) = delete;

  bool ending() const;      // SIGTERM or SIGHUP came
  bool take_interrupted();  // SIGINT came since the last time

  // Until there is something to read, or its end. False when one of the signals came before, also
  // before this was called.
  bool wait_to_read(int file_descriptor) const;
};

}  // namespace gemm_tutor
