// The progress of long work, and a way to stop it.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <string>

namespace gemm_tutor {

// Thrown through work that was asked to stop; no error, and never shown.
class Interrupted : public std::exception {
 public:
  const char* what() const noexcept override { return "interrupted"; }
};

// Shared by who works and who waits; every function may be called from any thread.
class Activity {
 public:
  struct State {
    std::string what;                // "emulating", "compiling"; empty before the first begin()
    std::int64_t done = 0, all = 0;  // all is 0 where the amount is not known
  };

  // For those that work.
  void begin(std::string what, std::int64_t all = 0);
  void advance(std::int64_t by = 1) { done_ += by; }
  void check() const {  // throws Interrupted when asked to stop
    if (stopping()) throw Interrupted();
  }
  bool stopping() const { return stopping_; }

  // For those that wait.
  State state() const;
  void stop() { stopping_ = true; }

 private:
  mutable std::mutex mutex_;
  std::string what_;
  std::int64_t all_ = 0;
  std::atomic<std::int64_t> done_ = 0;
  std::atomic<bool> stopping_ = false;
};

// The activity; where it is null, one that is neither shown nor stopped.
Activity& or_unwatched(Activity* activity);

}  // namespace gemm_tutor
