// Styles of pages: files beside this one, which the build compiles in.
#pragma once

namespace gemm_tutor {

const char* house_css();     // what all pages look like, in light and dark
const char* document_css();  // of html_page()
const char* line_css();      // of the classes of line_html() and code_html()
const char* picture_css();   // of drawings

}  // namespace gemm_tutor
