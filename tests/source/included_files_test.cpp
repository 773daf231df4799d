#include "source/included_files.hpp"

#include "catch.hpp"
#include "support/file.hpp"
#include "temporary_directory.hpp"

using namespace gemm_tutor;
using namespace gemm_tutor::source;

namespace {

namespace fs = std::filesystem;

// A repository with files, by path and text.
class Repository {
 public:
  explicit Repository(std::vector<std::pair<std::string, std::string>> files) {
    for (const auto& [path, text] : files) {
      REQUIRE(write_file_atomically(folder_.path() / path, text));
    }
  }

  std::vector<IncludedFile> read(const std::string& path,
                                 const std::vector<std::string>& folders = {}) const {
    std::vector<std::string> given;
    for (const std::string& folder : folders) given.push_back((folder_.path() / folder).string());
    const fs::path file = folder_.path() / path;
    return included_files(file, read_file(file).value(), given);
  }

  // The included files' paths in the repository, with a mark for those that were searched.
  std::vector<std::string> paths(const std::string& path,
                                 const std::vector<std::string>& folders = {}) const {
    std::vector<std::string> result;
    for (const IncludedFile& file : read(path, folders)) {
      const fs::path inside = fs::relative(file.path, fs::weakly_canonical(folder_.path()));
      result.push_back(inside.string() + (file.was_searched ? " (searched)" : ""));
    }
    return result;
  }

 private:
  TemporaryDirectory folder_;
};

using Paths = std::vector<std::string>;

}  // namespace

TEST_CASE("directives that include a header are found, with its place") {
  const std::string text =
      "// #include \"no.h\"\n#include \"a/b.h\"\n#  include <c.h>  // text\nint x;\n"
      "#ifdef Y\n#include MACRO\n#include \"d.h\"\n#endif\n#include <open\n";
  const std::vector<Include> includes = includes_in(text);
  REQUIRE(includes.size() == 3);
  CHECK(includes[0].header == "a/b.h");
  CHECK(includes[0].in_quotes);
  CHECK(includes[0].line == 2);
  CHECK(includes[1].header == "c.h");
  CHECK_FALSE(includes[1].in_quotes);
  CHECK(text.substr(includes[1].begin, includes[1].end - includes[1].begin) == "<c.h>");
  CHECK(includes[2].line == 7);
}

TEST_CASE("files that a file includes are read in the order of their inclusion, each once") {
  const Repository repository({{"src/main.cu", "#include \"a.cuh\"\n#include \"sub/b.cuh\"\n"},
                               {"src/a.cuh", "#pragma once\n#include \"sub/b.cuh\"\n"},
                               {"src/sub/b.cuh", "#include \"../a.cuh\"\n#include \"main.cu\"\n"}});
  const std::vector<IncludedFile> files = repository.read("src/main.cu");
  REQUIRE(repository.paths("src/main.cu") == Paths{"src/a.cuh", "src/sub/b.cuh"});
  REQUIRE(files[0].inclusions.size() == 2);
  CHECK(files[0].inclusions[1].file == 2);
  CHECK(files[0].inclusions[1].header == "../a.cuh");
  CHECK(files[1].inclusions.size() == 2);
  CHECK(files[0].text == "#pragma once\n#include \"sub/b.cuh\"\n");
  CHECK(files[1].name.ends_with("src/sub/b.cuh"));
}

TEST_CASE("headers elsewhere in the repository are found") {
  const Repository repository({{"CMakeLists.txt", "project(x)\n"},
                               {"kernels/v1/Makefile", "all:\n"},
                               {"kernels/v1/main.cu",
                                "#include <tile.cuh>\n#include \"check.h\"\n#include \"near.h\"\n"
                                "#include \"deep.h\"\n#include \"twice.h\"\n#include <deep2.h>\n"
                                "#include <mma.h>\n"},
                               {"include/tile.cuh", "#include \"inner.h\"\n"},
                               {"include/inner.h", "\n"},
                               {"common/check.h", "\n"},
                               {"kernels/v1/near.h", "\n"},
                               {"other/folder/deep.h", "\n"},
                               {"other/folder/deep2.h", "\n"},
                               {"include/mma.h", "\n"},
                               {"one/here/twice.h", "\n"},
                               {"two/here/twice.h", "\n"}});
  CHECK(repository.paths("kernels/v1/main.cu") ==
        Paths{"include/tile.cuh (searched)", "common/check.h (searched)", "kernels/v1/near.h",
              "other/folder/deep.h (searched)", "other/folder/deep2.h (searched)",
              "include/inner.h"});
  CHECK(repository.paths("kernels/v1/main.cu", {"two/here"}).at(4) == "two/here/twice.h");
}

TEST_CASE("headers outside of the repository are not read") {
  const Repository repository({{"tile.cuh", "\n"},
                               {"common/tile.cuh", "\n"},
                               {"repository/.git/config", "\n"},
                               {"repository/src/main.cu", "#include \"tile.cuh\"\n"},
                               {"plain/folder/main.cu", "#include \"tile.cuh\"\n"}});
  CHECK(repository.paths("repository/src/main.cu").empty());
  CHECK(repository.paths("plain/folder/main.cu").empty());
}

TEST_CASE("headers of host libraries are read only if they are beside the file") {
  const Repository repository(
      {{"CMakeLists.txt", ""},
       {"include/helper_cuda.h", "\n"},
       {"include/vector", "\n"},
       {"src/helper_gemm.h", "\n"},
       {"src/main.cu",
        "#include <helper_cuda.h>\n#include <vector>\n#include \"helper_gemm.h\"\n"}});
  CHECK(repository.paths("src/main.cu") == Paths{"src/helper_gemm.h"});
}

TEST_CASE("a file that is not text or that is too long is not read") {
  const Repository repository(
      {{"main.cu", "#include \"a.h\"\n#include \"b.h\"\n#include \"c.h\"\n"},
       {"a.h", std::string("x\0y", 3)},
       {"b.h", std::string((1 << 20) + 1, '\n')},
       {"c.h", "\xef\xbb\xbfint c;\n"}});
  REQUIRE(repository.paths("main.cu") == Paths{"c.h"});
  CHECK(repository.read("main.cu")[0].text == "int c;\n");
}

TEST_CASE("headers of host libraries are known by name and by folder") {
  for (const char* header : {"vector", "torch/extension.h", "ATen/cuda/CUDAContext.h",
                             "cublas_v2.h", "cuda_runtime.h", "helper_cuda.h", "immintrin.h",
                             "sys/time.h", "nvtx3/nvToolsExt.h", "sm_20_atomic_functions.h"}) {
    INFO(header);
    CHECK(is_host_only_header(header));
  }
  for (const char* header : {"cuda_fp16.h", "helper.h", "mma.h", "cuda/pipeline", "torch.cuh",
                             "sm_80_gemm.cuh", "stdint.h", ""}) {
    INFO(header);
    CHECK_FALSE(is_host_only_header(header));
  }
  CHECK(unsupported_library("cutlass/gemm/device/gemm.h") == "CUTLASS");
  CHECK(unsupported_library("tile.cuh").empty());
}

TEST_CASE("a file in the current folder may include a header that is not there") {
  CHECK(included_files("no_such_file.cu", "#include \"no_such_header.h\"\n", {}).empty());
}
