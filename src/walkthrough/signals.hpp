// Signals that end or interrupt the walkthrough, as something to look at now and then.
#pragma once

namespace gemm_tutor {

// While it lives SIGINT, SIGTERM and SIGHUP end nothing by themselves, but wait_to_read(). One at a
// time.
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
