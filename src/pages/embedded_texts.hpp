// The pages' styles and scripts: files beside this one, which the build compiles in.
#pragma once

namespace gemm_tutor {

const char* house_css();  // what all pages look like, in light and dark
const char* compare_css();
const char* grade_css();

}  // namespace gemm_tutor
