// The style sheet and the script of a trace's page, which the build embeds.
#pragma once

namespace gemm_tutor {

const char* trace_page_css();
const char* trace_page_js();

}  // namespace gemm_tutor
