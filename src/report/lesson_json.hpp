// The JSON of `lesson` and `run`. Keys that do not apply are left out, and never have zeros
// instead.
#pragma once

#include <string>

#include "course/lesson_run.hpp"
#include "report/json.hpp"

namespace gemm_tutor {

Json lesson_object(const AnyRun auto& run);

Json dimensions_json(const simt::Dim3& d);  // [64, 64, 1]

// {"BM": 32, …}, in order.
Json settings_json(const Settings& settings);

// The value of the key "findings".
Json findings_json(const std::vector<simt::Finding>& findings);

// Adds the key "warnings", with one object per warning, with line and message. Not if there are
// none.
void add_warnings(Json& json, const std::vector<simt::CompilerWarning>& warnings);

// lesson_object() as indented text with a line break at the end, always UTF-8. With machine code,
// each line of the counters has the key `machine_code`; code without a line is in the counters.
// Then it throws what machine_code() throws.
std::string lesson_json(const AnyRun auto& run, bool with_machine_code = false);

}  // namespace gemm_tutor
