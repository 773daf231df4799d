#include "simt/compile/kernel_cache.hpp"

#include <fstream>
#include <set>

#include "catch.hpp"
#include "compiled_kernel.hpp"
#include "support/file.hpp"
#include "temporary_directory.hpp"

using namespace gemm_tutor;
using namespace gemm_tutor::simt;
namespace fs = std::filesystem;

namespace {

CompiledKernel sample(const std::string& ptx = "ptx\n:1:\n") {
  CompiledKernel kernel;
  kernel.ptx = ptx;
  kernel.cubin = {'\0', '\n', ':', '\x7f', '\xff'};
  kernel.lowered_name = "_Z1kPf";
  kernel.resources = {40, 8192, 16, 8, 4};
  kernel.kernels = {{"_Z1kPf", kernel.resources}, {"other", {10, 0, 0, 0, 0}}};
  kernel.log = "a warning";
  kernel.compiler = "NVRTC 13.0";
  return kernel;
}

std::vector<fs::path> files_in(const fs::path& directory) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(directory)) files.push_back(entry.path());
  return files;
}

void overwrite(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

}  // namespace

TEST_CASE("a kernel comes back from the cache as it went in") {
  const TemporaryDirectory directory;
  const KernelCache cache(directory.path() / "made" / "when needed");
  CHECK_FALSE(cache.load("key"));
  cache.store("key", sample());
  const auto kept = cache.load("key");
  REQUIRE(kept);
  CHECK(is_same(*kept, sample()));
  CHECK(kept->from_cache);
  CHECK_FALSE(cache.load("another key"));
}

TEST_CASE("an entry that is not whole is not found, and storing it again repairs it") {
  const TemporaryDirectory directory;
  const KernelCache cache(directory.path());
  cache.store("key", sample());
  const fs::path file = files_in(directory.path()).at(0);
  const std::string whole = *read_file(file);

  std::vector<std::string> broken = {"", "\n", whole + "x", std::string(4096, '\xff')};
  for (std::size_t size = 0; size < whole.size(); ++size) broken.push_back(whole.substr(0, size));
  for (std::size_t at = 0; at < whole.size(); ++at) {
    broken.push_back(whole);
    broken.back()[at] = static_cast<char>(broken.back()[at] ^ 1);
  }
  for (const std::string& bytes : broken) {
    overwrite(file, bytes);
    if (cache.load("key")) FAIL("found in " << bytes.size() << " broken bytes");
  }
  cache.store("key", sample());
  CHECK(cache.load("key"));
}

TEST_CASE("another key's entry under this key's file name is not taken for it") {
  const TemporaryDirectory directory;
  const KernelCache cache(directory.path());
  cache.store("key", sample("right"));
  const fs::path file = files_in(directory.path()).at(0);
  cache.store("other", sample("wrong"));
  for (const fs::path& other : files_in(directory.path())) {
    if (other != file) fs::copy_file(other, file, fs::copy_options::overwrite_existing);
  }
  CHECK_FALSE(cache.load("key"));
  CHECK(cache.load("other"));
}

TEST_CASE("different parts never make the same key") {
  std::set<std::string> keys;
  const std::vector<std::vector<std::string>> parts = {
      {"13.0", "-a", "k.cu", "k<1>", "source"}, {"13.1", "-a", "k.cu", "k<1>", "source"},
      {"13.0", "-b", "k.cu", "k<1>", "source"}, {"13.0", "-a", "l.cu", "k<1>", "source"},
      {"13.0", "-a", "k.cu", "k<2>", "source"}, {"13.0", "-a", "k.cu", "k<1>", "source "},
      {"13.0", "-ak", ".cu", "k<1>", "source"}, {"13.0", "-a", "k.cuk", "<1>", "source"},
      {"13.0", "-a", "k.cu", "", "k<1>source"}, {"13.0-a", "", "k.cu", "k<1>", "source"}};
  for (const auto& part : parts) keys.insert(cache_key(part));
  CHECK(keys.size() == parts.size());
}

TEST_CASE("the cache does not grow over its capacity: the oldest go first") {
  const TemporaryDirectory directory;
  const KernelCache cache(directory.path(), 10'000);
  const std::string big(3'000, 'p');
  const auto now = fs::file_time_type::clock::now();
  std::set<fs::path> known;
  for (int i = 0; i < 6; ++i) {
    cache.store(std::to_string(i), sample(big));
    // Older than any file written by the clock, and in order.
    for (const fs::path& file : files_in(directory.path())) {
      if (known.insert(file).second) fs::last_write_time(file, now - std::chrono::hours(10 - i));
    }
  }
  CHECK(files_in(directory.path()).size() == 3);
  for (int i = 0; i < 6; ++i) CHECK(cache.load(std::to_string(i)).has_value() == (i >= 3));
}

TEST_CASE("files that are not the cache's are left alone") {
  const TemporaryDirectory directory;
  overwrite(directory.path() / "notes.txt", std::string(20'000, 'n'));
  const KernelCache cache(directory.path(), 10'000);
  cache.store("key", sample());
  CHECK(fs::exists(directory.path() / "notes.txt"));
  CHECK(cache.load("key"));
}

TEST_CASE("a cache that cannot be written, or is not wanted, finds nothing and says nothing") {
  const TemporaryDirectory directory;
  overwrite(directory.path() / "file", "");
  const KernelCache below_a_file(directory.path() / "file" / "cache");
  below_a_file.store("key", sample());
  CHECK_FALSE(below_a_file.load("key"));

  const KernelCache none{fs::path()};
  none.store("key", sample());
  CHECK_FALSE(none.load("key"));
}
