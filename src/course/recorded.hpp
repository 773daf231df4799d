// Times measured earlier and kept in docs/results, for readers without a GPU.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "course/kernel_run.hpp"

namespace gemm_tutor {

// The files of docs/results as the build embedded them: each what scripts/record-results keeps of
// the JSON of `compare`.
const std::vector<const char*>& embedded_results();

// The time of `kernel` with its default settings on the GPU of that full name, at exactly that
// size; nothing where none of the embedded files, or of `results`, has it.
std::optional<RecordedTiming> recorded_timing(std::string_view kernel, const Problem& problem,
                                              std::string_view device);
std::optional<RecordedTiming> recorded_timing(std::string_view kernel, const Problem& problem,
                                              std::string_view device,
                                              const std::vector<const char*>& results);

// cuBLAS's own time beside any kernel at that size.
std::optional<RecordedTiming> recorded_cublas_timing(const Problem& problem,
                                                     std::string_view device);

}  // namespace gemm_tutor
