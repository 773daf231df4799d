#include "support/confinement.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <functional>

#include "catch.hpp"
#include "support/child_process.hpp"
#include "support/file.hpp"

using namespace gemm_tutor;

namespace {

enum Answer : int { yes, no, cannot_confine };

// In a process of its own, which is confined for good.
int ask_confined(const AllowedFiles& allowed, const std::function<bool()>& question) {
  const pid_t process = fork();
  if (process == 0) _exit(!confine_to(allowed) ? cannot_confine : question() ? yes : no);
  int how = 0;
  waitpid(process, &how, 0);
  return WEXITSTATUS(how);
}

bool can_write(const std::filesystem::path& path) {
  return static_cast<bool>(std::ofstream(path) << "text" << std::flush);
}

}  // namespace

TEST_CASE("a confined process reads and writes what it is allowed to, and nothing else") {
  const TemporaryFolder open("gemm-tutor-test-"), closed("gemm-tutor-test-");
  const auto file = open.path() / "file", secret = closed.path() / "secret",
             single = closed.path() / "single";
  for (const auto& path : {file, secret, single}) REQUIRE(can_write(path));
  std::filesystem::create_symlink(secret, open.path() / "link");
  const AllowedFiles allowed{{single, "/no/such/file"}, {open.path()}};
  if (ask_confined(allowed, [] { return true; }) == cannot_confine) {
    SKIP_BECAUSE("this system has no Landlock");
  }
  const auto can = [&](const std::function<bool()>& question) {
    return ask_confined(allowed, question) == yes;
  };
  CHECK(can([&] { return read_file(file) == "text"; }));
  CHECK(can([&] { return read_file(single) == "text"; }));
  CHECK(can([&] { return can_write(open.path() / "new"); }));
  CHECK_FALSE(can([&] { return read_file(secret).has_value(); }));
  CHECK_FALSE(can([&] { return read_file(open.path() / "link").has_value(); }));
  CHECK_FALSE(can([&] { return read_file("/etc/passwd").has_value(); }));
  CHECK_FALSE(can([&] { return can_write(single); }));
  CHECK_FALSE(can([&] { return can_write(closed.path() / "new"); }));
  CHECK_FALSE(can([&] { return execl("/bin/true", "true", nullptr) == 0; }));
}
