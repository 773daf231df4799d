// Work spread over all cores.
#pragma once

#include <cstdint>
#include <functional>

namespace gemm_tutor {

// Hardware threads that this process may use, at least 1.
int core_count();

// Calls work(index, worker) for every index in [0, count), each once, from up to `threads` threads
// that take the next index as they finish one; `worker` in [0, threads) is the thread's number.
// Returns when all is done. The first exception thrown by `work` stops the others from taking more
// and is rethrown here.
void parallel_for(std::int64_t count, int threads,
                  const std::function<void(std::int64_t index, int worker)>& work);

}  // namespace gemm_tutor
