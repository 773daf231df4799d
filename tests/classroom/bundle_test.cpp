#include "classroom/bundle.hpp"

#include "catch.hpp"
#include "support/error.hpp"
#include "support/file.hpp"
#include "temporary_directory.hpp"

using namespace gemm_tutor;
namespace fs = std::filesystem;

TEST_CASE("a bundle that cannot be written leaves none of its files") {
  const TemporaryDirectory directory;
  const fs::path folder = directory.path() / "bundle";
  const std::vector<BundleFile> files = {{"deep/er/setup.sh", "a", true}, {"bin", "b"}};
  write_bundle(folder, files);
  CHECK(read_file(folder / "bin") == "b");
  fs::remove_all(folder);
  std::vector<BundleFile> impossible = files;
  impossible.push_back({"bin/gemm-tutor", "where a file is"});
  CHECK_THROWS_AS(write_bundle(folder, impossible), Error);
  CHECK(fs::is_empty(folder));
  check_bundle_folder(folder);
  REQUIRE(write_file_atomically(folder / "another", ""));
  CHECK_THROWS_AS(check_bundle_folder(folder), Error);
}
