// Styles of pages: files beside this one, which the build compiles in.
#pragma once

namespace gemm_tutor {

const char* house_css();      // what all pages look like, in light and dark
const char* line_html_css();  // of the classes of line_html.hpp

}  // namespace gemm_tutor
