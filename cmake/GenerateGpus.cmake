# Writes OUTPUT: the files *.toml of the folder GPUS, as C++.

file(GLOB files RELATIVE ${GPUS} ${GPUS}/*.toml)
list(SORT files)
set(rows "")
foreach(file IN LISTS files)
  file(READ ${GPUS}/${file} text)
  string(APPEND rows "    {\"gpus/${file}\", R\"_gpu_(${text})_gpu_\"},\n")
endforeach()

file(WRITE ${OUTPUT}.new
"// Written by cmake/GenerateGpus.cmake.
#include \"simt/gpus/gpu_file.hpp\"

namespace gemm_tutor::simt {

const std::vector<GpuFile>& embedded_gpu_files() {
  static const std::vector<GpuFile> all = {
${rows}  };
  return all;
}
}  // namespace gemm_tutor::simt
")
file(RENAME ${OUTPUT}.new ${OUTPUT})
