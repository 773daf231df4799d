#include "documents/trace_title.hpp"

#include <filesystem>

#include "documents/trace_report.hpp"

namespace gemm_tutor {

std::string file_name(const Trace& trace) {
  return std::filesystem::path(trace.source_file).filename().string();
}

std::string title_of(const Trace& trace) {
  return trace.lesson ? heading_of(trace) : "Trace of " + file_name(trace);
}

}  // namespace gemm_tutor
