// The pages' styles and scripts: files beside this one, which the build compiles in.
#pragma once

namespace gemm_tutor {

const char* compare_css();
const char* grade_css();
const char* lesson_page_css();
const char* picture_css();  // of the drawings of picture_svg.hpp
const char* trace_page_css();
const char* trace_page_js();

}  // namespace gemm_tutor
