// The progress of long work, and a way to stop it.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <string>

namespace gemm_tutor {

// Thrown by work that was asked to stop. It is not an error, and is never shown.
class Interrupted : public std::exception {
 public:
  const char* what() const noexcept override { return "interrupted"; }
};

// Shared by the threads that work and those that wait. All functions are thread-safe.
class Activity {
 public:
  struct State {
    std::string what;                // "emulating", "compiling"; empty before the first begin()
    std::int64_t done = 0, all = 0;  // all is 0 if the amount is not known
  };

  // For threads that work.
  void begin(std::string what, std::int64_t all = 0);
  void advance(std::int64_t by = 1) { done_ += by; }
  void check() const {  // throws Interrupted when asked to stop
    if (stopping()) throw Interrupted();
  }
  bool stopping() const { return stopping_; }

  // For threads that wait.
  State state() const;
  void stop() { stopping_ = true; }

 private:
  mutable std::mutex mutex_;
  std::string what_;
  std::int64_t all_ = 0;
  std::atomic<std::int64_t> done_ = 0;
  std::atomic<bool> stopping_ = false;
};

// Returns the activity. If it is null, returns one that nobody shows or stops.
Activity& or_unwatched(Activity* activity);

}  // namespace gemm_tutor
