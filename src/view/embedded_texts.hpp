// The pages' style sheets: files of this folder, which the build embeds.
#pragma once

namespace gemm_tutor {

const char* house_css();     // for all pages, light and dark
const char* document_css();  // of html_page()
const char* line_css();      // for the classes of line_html() and code_html()
const char* picture_css();   // for drawings

}  // namespace gemm_tutor
