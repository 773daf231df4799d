#include "support/file.hpp"

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "catch.hpp"
#include "temporary_directory.hpp"

using namespace gemm_tutor;
namespace fs = std::filesystem;

namespace {

int entries(const fs::path& directory) {
  return static_cast<int>(
      std::distance(fs::directory_iterator(directory), fs::directory_iterator()));
}

// An environment variable that has its value again when the test is over.
class Variable {
 public:
  explicit Variable(const char* name) : name_(name) {
    if (const char* value = std::getenv(name)) before_ = value;
  }
  ~Variable() { set(before_); }

  void set(const std::optional<std::string>& value) {
    if (value) {
      setenv(name_, value->c_str(), 1);
    } else {
      unsetenv(name_);
    }
  }

 private:
  const char* name_;
  std::optional<std::string> before_;
};

}  // namespace

TEST_CASE("what is written is read, whatever its bytes") {
  const TemporaryDirectory directory;
  const fs::path path = directory.path() / "file";
  const std::string large(300'000, 'x');
  for (const std::string& contents :
       {std::string(), std::string("line\nline\r\n"), std::string("\0\xff·", 4), large}) {
    REQUIRE(write_file_atomically(path, contents));
    CHECK(read_file(path) == contents);
    CHECK(entries(directory.path()) == 1);
  }
}

TEST_CASE("directories are created on the way") {
  const TemporaryDirectory directory;
  const fs::path path = directory.path() / "a" / "b" / "file";
  REQUIRE(write_file_atomically(path, "text"));
  CHECK(read_file(path) == "text");
}

TEST_CASE("a file that is not there, and a directory, cannot be read") {
  const TemporaryDirectory directory;
  CHECK_FALSE(read_file(directory.path() / "missing"));
  CHECK_FALSE(read_file(directory.path()));
}

TEST_CASE("a write that fails leaves nothing behind") {
  const TemporaryDirectory directory;
  SECTION("the path is a directory") {
    const fs::path path = directory.path() / "directory";
    fs::create_directories(path / "inside");
    CHECK_FALSE(write_file_atomically(path, "text"));
    CHECK(fs::is_directory(path / "inside"));
    CHECK(entries(directory.path()) == 1);
  }
  SECTION("a file stands where a directory is needed") {
    std::ofstream(directory.path() / "file") << "before";
    CHECK_FALSE(write_file_atomically(directory.path() / "file" / "below", "text"));
    CHECK(read_file(directory.path() / "file") == "before");
    CHECK(entries(directory.path()) == 1);
  }
}

TEST_CASE("a reader sees a whole file while several writers replace it") {
  const TemporaryDirectory directory;
  const fs::path path = directory.path() / "file";
  const std::string one(100'000, '1'), two(50'000, '2');
  REQUIRE(write_file_atomically(path, one));
  std::atomic<int> writing = 2;
  const auto write = [&](const std::string& contents) {
    for (int i = 0; i < 50; ++i) write_file_atomically(path, contents);
    --writing;
  };
  std::thread first(write, one), second(write, two);
  bool whole = true;
  while (writing > 0) {
    const auto contents = read_file(path);
    whole = whole && (contents == one || contents == two);
  }
  first.join();
  second.join();
  CHECK(whole);
  CHECK(entries(directory.path()) == 1);
}

TEST_CASE("the cache is where the environment says") {
  Variable cache("XDG_CACHE_HOME"), home("HOME");
  cache.set("/somewhere/cache");
  home.set("/home/learner");
  CHECK(cache_directory() == "/somewhere/cache/gemm-tutor");
  cache.set("relative");
  CHECK(cache_directory() == "/home/learner/.cache/gemm-tutor");
  cache.set({});
  CHECK(cache_directory() == "/home/learner/.cache/gemm-tutor");
  home.set({});
  CHECK(cache_directory().empty());
}
