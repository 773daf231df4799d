#include "support/child_process.hpp"

#include <sys/stat.h>
#include <unistd.h>
#include <csignal>

#include "catch.hpp"
#include "support/confinement.hpp"
#include "support/error.hpp"
#include "support/file.hpp"

using namespace gemm_tutor;
namespace fs = std::filesystem;
using End = ChildResult::End;

namespace {

// What a shell makes of `script`, in a directory of its own.
struct Shell {
  TemporaryFolder folder{"gemm-tutor-test-"};
  ChildRequest request;

  explicit Shell(const std::string& script, double seconds = 20) {
    request.program = "/bin/sh";
    request.arguments = {"-c", script};
    request.environment = {"PATH=/usr/bin:/bin"};
    request.directory = folder.path();
    request.limits.seconds = seconds;
  }
  ChildResult run() const { return run_child(request); }
};

}  // namespace

TEST_CASE("a child has its input, its directory and its environment, and no other") {
  Shell shell("cat; pwd; echo \"$HOME,$GREETING\"; echo trouble >&2; exit 3");
  shell.request.input = "line\n";
  shell.request.environment.push_back("GREETING=hello");
  const ChildResult result = shell.run();
  CHECK(result.end == End::exited);
  CHECK(result.status == 3);
  CHECK(result.output == "line\n" + shell.folder.path().string() + "\n,hello\n");
  CHECK(result.error == "trouble\n");
  CHECK(fs::is_empty(shell.folder.path()));
}

TEST_CASE("a child's input may be larger than any pipe, and need not be read") {
  Shell reads("wc -c");
  reads.request.input.assign(3 << 20, 'x');
  CHECK(std::stoi(reads.run().output) == 3 << 20);
  Shell leaves("exit 0");
  leaves.request.input.assign(3 << 20, 'x');
  CHECK(leaves.run().status == 0);
}

TEST_CASE("a child that takes too long is ended, and what it started with it") {
  const ChildResult result = Shell("sleep 1000 & sleep 1000", 0.2).run();
  CHECK(result.end == End::took_too_long);
  const ChildResult closed = Shell("exec >&- 2>&-; sleep 1000", 0.2).run();
  CHECK(closed.end == End::took_too_long);
}

TEST_CASE("what a child leaves behind ends with it") {
  const ChildResult result = Shell("sleep 1000 & echo $!").run();
  CHECK(result.end == End::exited);
  const pid_t left = std::stoi(result.output);
  // It may stay for a moment as a zombie that its new parent waits for.
  bool gone = false;
  for (int i = 0; i < 1000 && !gone; ++i) {
    gone = kill(left, 0) != 0 ||
           read_file(fs::path("/proc") / std::to_string(left) / "cmdline").value_or("") == "";
  }
  CHECK(gone);
}

TEST_CASE("a child that prints without end is ended, and of its errors the first are kept") {
  const ChildResult output = Shell("while :; do echo yyyyyyyyyyyyyyyyyyyyyyyyyyyy; done").run();
  CHECK(output.end == End::printed_too_much);
  CHECK(output.output.size() == std::size_t{1} << 20);

  Shell shell("i=0; while [ $i -lt 200 ]; do echo 123456789 >&2; i=$((i + 1)); done; echo done");
  shell.request.limits.error_bytes = 1000;
  const ChildResult error = shell.run();
  CHECK(error.end == End::exited);
  CHECK(error.error.size() == 1000);
  CHECK(error.output == "done\n");
}

TEST_CASE("a child that a signal ends says which") {
  const ChildResult result = Shell("kill -SEGV $$").run();
  CHECK(result.end == End::signalled);
  CHECK(result.signal == SIGSEGV);
}

TEST_CASE("a child's limits are the system's") {
  Shell shell("ulimit -f; ulimit -c; ulimit -n; head -c 1000000 /dev/zero >large; wc -c <large");
  shell.request.limits.file_bytes = 10 * 512;
  const ChildResult result = shell.run();
  CHECK(result.output.starts_with("10\n0\n64\n"));
  CHECK(result.output.ends_with("5120\n"));
}

TEST_CASE("a child that is asked to stop does, and a program that is not there is an error") {
  const Shell shell("sleep 1000");
  CHECK(run_child(shell.request, [] { return true; }).end == End::stopped);
  Shell nowhere("");
  nowhere.request.program = "/no/such/program";
  CHECK_THROWS_AS(nowhere.run(), Error);
}

TEST_CASE("the program that runs is a file, and a temporary folder goes with its object") {
  CHECK(fs::is_regular_file(program_path()));
  fs::path path;
  {
    const TemporaryFolder folder("gemm-tutor-test-");
    path = folder.path();
    CHECK(write_file_atomically(path / "below" / "file", "text"));
    struct stat about {};
    REQUIRE(stat(path.c_str(), &about) == 0);
    CHECK((about.st_mode & 0777) == 0700);
  }
  CHECK_FALSE(fs::exists(path));
}

TEST_CASE("a copy of the process returns what its work returns, of any length") {
  const ChildResult result =
      run_copy([] { return std::string(3 << 20, '\0'); }, {.output_bytes = 4 << 20});
  CHECK(result.end == End::exited);
  CHECK(result.status == 0);
  CHECK(result.output == std::string(3 << 20, '\0'));
}

TEST_CASE("a copy that crashes, throws or does not end leaves this process as it is") {
  int untouched = 1;
  const ChildResult crashed = run_copy(
      [&]() -> std::string {
        untouched = 2;
        std::raise(SIGSEGV);
        return "";
      },
      {});
  CHECK(crashed.end == End::signalled);
  CHECK(crashed.signal == SIGSEGV);
  CHECK(untouched == 1);
  const ChildResult thrown = run_copy([]() -> std::string { throw 1; }, {});
  CHECK(thrown.end == End::exited);
  CHECK(thrown.status != 0);
  const ChildResult endless = run_copy(
      []() -> std::string {
        for (;;) pause();
      },
      {.seconds = 0.2});
  CHECK(endless.end == End::took_too_long);
}
