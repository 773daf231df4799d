// A trace's page: files beside this one, which the build compiles in.
#pragma once

namespace gemm_tutor {

const char* trace_page_css();
const char* trace_page_js();

}  // namespace gemm_tutor
