#include "support/parallel.hpp"

#ifdef __linux__
#include <sched.h>
#endif

#include <algorithm>
#include <atomic>
#include <climits>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "support/numbers.hpp"
#include "support/text.hpp"

namespace gemm_tutor {

namespace {

int available_cores() {
#ifdef __linux__
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) return CPU_COUNT(&allowed);
#endif
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

}  // namespace

int core_count() {
  const char* most = std::getenv("GEMM_TUTOR_CORES");
  return std::clamp(number_in<int>(most ? most : "").value_or(INT_MAX), 1, available_cores());
}

void parallel_for(std::int64_t count, int threads,
                  const std::function<void(std::int64_t index, int worker)>& work) {
  std::atomic<std::int64_t> next = 0;
  std::exception_ptr failure;
  std::once_flag failed;
  const auto run = [&](int worker) {
    try {
      for (std::int64_t index; (index = next++) < count;) work(index, worker);
    } catch (...) {
      next = count;
      std::call_once(failed, [&] { failure = std::current_exception(); });
    }
  };

  const auto workers = static_cast<int>(std::min<std::int64_t>(threads, count));
  std::vector<std::thread> others;  // the calling thread is worker 0
  others.reserve(std::max(0, workers - 1));
  try {
    for (int worker = 1; worker < workers; ++worker) others.emplace_back(run, worker);
  } catch (const std::system_error&) {
    // The system has no more threads. The existing ones do the work.
  }
  run(0);
  for (std::thread& other : others) other.join();
  if (failure) std::rethrow_exception(failure);
}

void parallel_for_parts(std::int64_t count,
                        const std::function<void(std::int64_t begin, std::int64_t end)>& work) {
  constexpr std::int64_t part = 1 << 16;
  parallel_for(ceil_divide(count, part), core_count(), [&](std::int64_t index, int) {
    work(index * part, std::min(count, (index + 1) * part));
  });
}

}  // namespace gemm_tutor
