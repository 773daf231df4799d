#include "support/activity.hpp"

#include <utility>

namespace gemm_tutor {

void Activity::begin(std::string what, std::int64_t all) {
  check();
  const std::lock_guard lock(mutex_);
  what_ = std::move(what);
  all_ = all;
  done_ = 0;
}

Activity::State Activity::state() const {
  const std::lock_guard lock(mutex_);
  return {what_, done_, all_};
}

Activity& or_unwatched(Activity* activity) {
  static Activity unwatched;
  return activity ? *activity : unwatched;
}

}  // namespace gemm_tutor
