#include "support/file_watch.hpp"

#include <fstream>

#include "catch.hpp"
#include "support/file.hpp"
#include "temporary_directory.hpp"

using namespace gemm_tutor;
using namespace std::chrono_literals;

namespace {

constexpr std::chrono::milliseconds long_enough = 10s, short_time = 100ms;

void write(const std::filesystem::path& path, const std::string& contents) {
  std::ofstream(path) << contents;
}

// The events of one save.
void take_all(FileWatch& watch) {
  while (watch.wait(short_time)) {
  }
}

}  // namespace

TEST_CASE("a watch tells when its file is written, replaced, made and removed") {
  const bool polls = GENERATE(false, true);
  INFO("polls: " << polls);
  const TemporaryDirectory directory;
  const auto path = directory.path() / "kernel.cu";
  write(path, "1");
  FileWatch watch(path, polls);
  CHECK_FALSE(watch.wait(short_time));

  write(path, "22");
  CHECK(watch.wait(long_enough));
  take_all(watch);

  write_file_atomically(path, "333");  // renames another file over it
  CHECK(watch.wait(long_enough));
  take_all(watch);

  std::filesystem::remove(path);
  CHECK(watch.wait(long_enough));
  take_all(watch);

  write(path, "4444");
  CHECK(watch.wait(long_enough));
}

TEST_CASE("a watch does not tell of other files") {
  const bool polls = GENERATE(false, true);
  const TemporaryDirectory directory;
  write(directory.path() / "kernel.cu", "1");
  FileWatch watch(directory.path() / "kernel.cu", polls);
  write(directory.path() / "other.cu", "2");
  write(directory.path() / "kernel.cu~", "3");
  CHECK_FALSE(watch.wait(short_time));
}

TEST_CASE("a watch of a file in this folder, by its name alone") {
  const TemporaryDirectory directory;
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(directory.path());
  FileWatch watch("kernel.cu");
  write("kernel.cu", "1");
  CHECK(watch.wait(long_enough));
  std::filesystem::current_path(before);
}
