#include "support/dynamic_library.hpp"
#include "support/file.hpp"
#include "temporary_directory.hpp"

#include <cmath>

#include "catch.hpp"

using namespace gemm_tutor;

TEST_CASE("the first library that can be loaded is taken, and tells where it was found") {
  std::string problem;
  const auto library =
      DynamicLibrary::open({"libgemm-tutor-missing.so", "libm.so.6", "libm.dylib"}, problem);
  if (!library) SKIP_BECAUSE("no C mathematics library of a known name: " + problem);
  CHECK(problem.empty());
  CHECK(library->path().find("libm") != std::string::npos);
  auto* square_root = library->function<double(double)>("sqrt");
  REQUIRE(square_root);
  CHECK(square_root(9.0) == 3.0);
  CHECK(library->function<void()>("gemm_tutor_has_no_such_function") == nullptr);
}

TEST_CASE("when none can be loaded, the loader's message about a file that is there is given") {
  std::string problem = "before";
  CHECK_FALSE(DynamicLibrary::open({"libgemm-tutor-a.so", "/nowhere/libgemm-tutor-b.so"}, problem));
  CHECK(problem.empty());
  const TemporaryDirectory folder;
  const std::string text = (folder.path() / "libtext.so").string();
  REQUIRE(write_file_atomically(text, "this is no library"));
  CHECK_FALSE(DynamicLibrary::open({"libgemm-tutor-a.so", text, "libgemm-tutor-c.so"}, problem));
  CHECK(problem.starts_with("cannot load " + text + " ("));
  CHECK(problem.find('\n') == std::string::npos);
}
