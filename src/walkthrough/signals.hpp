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

  bool ending() const;      // SIGTERM or SIGHUP has arrived
  bool take_interrupted();  // SIGINT has arrived since the last call

  // Waits until there is input or its end. Returns false if one of the signals arrives first, or
  // has arrived before the call.
  bool wait_to_read(int file_descriptor) const;
};

}  // namespace gemm_tutor
