// Runs work on several threads.
#pragma once

#include <cstdint>
#include <functional>

namespace gemm_tutor {

// Returns the number of hardware threads that this process may use, at least 1, and at most as many
// as the environment variable GEMM_TUTOR_CORES says, if it is a whole number.
int core_count();

// Calls work(index, worker) once for every index in [0, count), on up to `threads` threads. Each
// takes the next index when it has finished one. `worker`, in [0, threads), is the thread's number.
// Returns when all calls have returned. After an exception in `work` no thread takes another index,
// and the first exception is rethrown here.
void parallel_for(std::int64_t count, int threads,
                  const std::function<void(std::int64_t index, int worker)>& work);

// Calls work(begin, end) for the parts of [0, count) on all cores. A part is so large that it takes
// longer than to start it.
void parallel_for_parts(std::int64_t count,
                        const std::function<void(std::int64_t begin, std::int64_t end)>& work);

}  // namespace gemm_tutor
