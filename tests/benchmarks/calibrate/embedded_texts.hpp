#pragma once

namespace gemm_tutor {

const char* kernels_cu();

}  // namespace gemm_tutor
