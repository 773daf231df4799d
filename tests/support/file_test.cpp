#include "support/file.hpp"

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "checks.hpp"
#include "temporary_directory.hpp"

using namespace gemm_tutor;
namespace fs = std::filesystem;

namespace {

int entries(const fs::path& directory) {
  return static_cast<int>(
      std::distance(fs::directory_iterator(directory), fs::directory_iterator()));
}

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

TEST_CASE("a write that fails says why") {
  const TemporaryDirectory directory;
  std::ofstream(directory.path() / "file") << "before";
  std::error_code error;
  CHECK_FALSE(write_file_atomically(directory.path() / "file" / "below", "text", error));
  CHECK(error == std::errc::not_a_directory);
  CHECK(write_file_atomically(directory.path() / "file", "text", error));
  CHECK_FALSE(error);
}

TEST_CASE("what is moved aside takes no name that is taken") {
  const TemporaryDirectory directory;
  const fs::path path = directory.path() / "file";
  std::error_code error;
  for (const std::string name : {"file.old", "file.old-2", "file.old-3"}) {
    REQUIRE(write_file_atomically(path, name));
    CHECK(move_aside(path, ".old", error) == directory.path() / name);
    CHECK_FALSE(fs::exists(path));
  }
  CHECK(read_file(directory.path() / "file.old") == "file.old");
  CHECK(read_file(directory.path() / "file.old-2") == "file.old-2");

  fs::create_symlink("nowhere", directory.path() / "file.new");  // which is a name taken, too
  REQUIRE(write_file_atomically(path, "text"));
  CHECK(move_aside(path, ".new", error) == directory.path() / "file.new-2");

  CHECK(move_aside(path, ".old", error).empty());
  CHECK(error == std::errc::no_such_file_or_directory);
}

TEST_CASE("a link leads to its file, there or not") {
  const TemporaryDirectory directory;
  const fs::path link = directory.path() / "link", second = directory.path() / "second";
  CHECK(without_links(link) == link);
  fs::create_directories(directory.path() / "folder");
  fs::create_symlink("folder/file", link);
  fs::create_symlink(link, second);
  CHECK(without_links(link) == directory.path() / "folder" / "file");
  CHECK(without_links(second) == directory.path() / "folder" / "file");
  std::ofstream(directory.path() / "folder" / "file") << "text";
  CHECK(read_file(without_links(second)) == "text");

  const fs::path circle = directory.path() / "circle";
  fs::create_symlink("circle", circle);
  CHECK(without_links(circle) == circle);
}

TEST_CASE("the cache is where the environment says") {
  EnvironmentVariable cache("XDG_CACHE_HOME"), home("HOME");
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

TEST_CASE("the state is where the environment says") {
  EnvironmentVariable state("XDG_STATE_HOME"), home("HOME");
  state.set("/somewhere/state");
  home.set("/home/learner");
  CHECK(state_directory() == "/somewhere/state/gemm-tutor");
  state.set("relative");
  CHECK(state_directory() == "/home/learner/.local/state/gemm-tutor");
  state.set("");
  CHECK(state_directory() == "/home/learner/.local/state/gemm-tutor");
  state.set({});
  CHECK(state_directory() == "/home/learner/.local/state/gemm-tutor");
  home.set({});
  CHECK(state_directory().empty());
}

TEST_CASE("the data are where the environment says") {
  EnvironmentVariable data("XDG_DATA_HOME"), home("HOME");
  data.set("/somewhere/data");
  home.set("/home/learner");
  CHECK(data_directory() == "/somewhere/data/gemm-tutor");
  data.set({});
  CHECK(data_directory() == "/home/learner/.local/share/gemm-tutor");
  home.set({});
  CHECK(data_directory().empty());
}
