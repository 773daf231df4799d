// Work in a thread of its own, for a screen that goes on showing how far it is.
#pragma once

#include <chrono>
#include <functional>
#include <future>

#include "support/activity.hpp"

namespace gemm_tutor {

class BackgroundJob {
 public:
  explicit BackgroundJob(const std::function<void(Activity&)>& job)
      : done_(std::async(std::launch::async, job, std::ref(activity_))) {}
  ~BackgroundJob() { activity_.stop(); }  // and waits, as futures of async do
  BackgroundJob(const BackgroundJob&) = delete;

  // True once it is done.
  bool wait_for(std::chrono::milliseconds time) {
    return done_.wait_for(time) == std::future_status::ready;
  }

  Activity& activity() { return activity_; }

  // False when it was interrupted; throws what the job threw. Once, after it is done.
  bool finish() try {
    done_.get();
    return true;
  } catch (const Interrupted&) {
    return false;
  }

 private:
  Activity activity_;
  std::future<void> done_;
};

// Before this nobody needs to be told that something takes a while.
inline constexpr std::chrono::milliseconds unnoticed{300};

}  // namespace gemm_tutor
