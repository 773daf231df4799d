// The JSON of `lesson` and `run`: the design's keys in the design's order. Keys that do not apply
// are left out, never filled with zeros.
#pragma once

#include <string>

#include "course/kernel_run.hpp"
#include "documents/json.hpp"

namespace gemm_tutor {

Json lesson_object(const KernelRun& run);

Json dimensions_json(const Dim3& d);  // [64, 64, 1]

// {"BM": 32, …}, in their order.
Json settings_json(const Settings& settings);

// The value of its key "findings".
Json findings_json(const std::vector<emulator::Finding>& findings);

// The key "warnings", an object each with its line and message; left out for none.
void add_warnings(Json& json, const std::vector<CompilerWarning>& warnings);

// lesson_object() indented, with a line break at the end; always UTF-8. If asked for, with
// `machine_code` in each line of the counters, and in the counters themselves that of no line;
// throws what machine_code() then throws.
std::string lesson_json(const KernelRun& run, bool with_machine_code = false);

}  // namespace gemm_tutor
