#include "simt/check/thread_order.hpp"

#include <algorithm>
#include <set>

#include "simt/exec/machine.hpp"

namespace gemm_tutor::simt {
namespace {

template <typename Visit>
void for_each_thread(std::uint32_t warp, std::uint32_t active, Visit visit) {
  for (; active != 0; active &= active - 1) {
    visit(warp * lanes + static_cast<std::uint32_t>(__builtin_ctz(active)));
  }
}

}  // namespace

ThreadOrder::ThreadOrder(std::uint32_t warps) : threads_(warps * lanes), lanes_(threads_) {
  start();
}

void ThreadOrder::start() {
  const Row nothing = std::make_shared<KnownClocks>(SharedShadow::who_mask + 1);
  std::ranges::fill(lanes_, nothing);
}

void ThreadOrder::join(KnownClocks& clocks, const KnownClocks& more) const {
  for (std::uint32_t t = 0; t < threads_; ++t) clocks[t] = std::max(clocks[t], more[t]);
}

void ThreadOrder::release(std::uint32_t warp, std::uint32_t active, std::uint32_t sync_clock,
                          std::uint32_t clock, KnownClocks& place) const {
  place.resize(SharedShadow::who_mask + 1);
  const KnownClocks* last = nullptr;
  for_each_thread(warp, active, [&](std::uint32_t thread) {
    if (lanes_[thread].get() != last) join(place, *lanes_[thread]);
    last = lanes_[thread].get();
  });
  for_each_thread(warp, all_lanes, [&](std::uint32_t thread) {
    place[thread] = std::max(place[thread], sync_clock);
  });
  for_each_thread(warp, active, [&](std::uint32_t thread) { place[thread] = clock; });
}

void ThreadOrder::acquire(std::uint32_t warp, std::uint32_t active, const KnownClocks& place) {
  if (place.empty()) return;
  while (active != 0) {
    const Row before = lanes_[warp * lanes + static_cast<std::uint32_t>(__builtin_ctz(active))];
    std::uint32_t alike = 0;
    long sharing = 1;  // `before`
    for_each_thread(warp, active, [&](std::uint32_t thread) {
      if (lanes_[thread] != before) return;
      alike |= 1u << thread % lanes;
      ++sharing;
    });
    const bool is_theirs = before.use_count() == sharing;
    const Row row = is_theirs ? before : std::make_shared<KnownClocks>(*before);
    join(*row, place);
    if (!is_theirs) for_each_thread(warp, alike, [&](std::uint32_t t) { lanes_[t] = row; });
    active &= ~alike;
  }
}

void ThreadOrder::synchronise(std::uint32_t warp, std::uint32_t active, std::uint32_t clock) {
  const Row row = std::make_shared<KnownClocks>(SharedShadow::who_mask + 1);
  release(warp, active, 0, clock, *row);
  for_each_thread(warp, active, [&](std::uint32_t thread) { lanes_[thread] = row; });
}

bool ThreadOrder::knows_lanes(std::uint32_t thread, std::uint32_t warp, std::uint32_t of_warp,
                              std::uint32_t clock) const {
  bool all = true;
  for_each_thread(warp, of_warp,
                  [&](std::uint32_t other) { all = all && knows(thread, other, clock); });
  return all;
}

const std::uint32_t* ThreadOrder::known_by_all(std::uint32_t warp, std::uint32_t active) const {
  const Row* first = nullptr;
  bool alike = true;
  for_each_thread(warp, active, [&](std::uint32_t thread) {
    if (first == nullptr) first = &lanes_[thread];
    alike = alike && lanes_[thread] == *first;
  });
  return first != nullptr && alike ? (*first)->data() : nullptr;
}

std::vector<ThreadOrder::Row> ThreadOrder::rows() const {
  const std::set<Row> distinct(lanes_.begin(), lanes_.end());
  return {distinct.begin(), distinct.end()};
}

}  // namespace gemm_tutor::simt
