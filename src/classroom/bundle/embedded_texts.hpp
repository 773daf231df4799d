// The files of bundles for autograders, which the build embeds.
#pragma once

namespace gemm_tutor {

const char* setup_sh();
const char* run_autograder_sh();
const char* workflow_yml();
const char* autograder_py();

}  // namespace gemm_tutor
