// Work in another thread, while a screen shows its progress.
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

  // True if it is done.
  bool wait_for(std::chrono::milliseconds time) {
    return done_.wait_for(time) == std::future_status::ready;
  }

  Activity& activity() { return activity_; }

  // Call once, after it is done. Returns false if it was interrupted, even if that came too late.
  // Throws what the job threw.
  bool finish() try {
    done_.get();
    return !activity_.stopping();
  } catch (const Interrupted&) {
    return false;
  }

 private:
  Activity activity_;
  std::future<void> done_;
};

// Shorter waits are not shown.
inline constexpr std::chrono::milliseconds unnoticed{300};

}  // namespace gemm_tutor
