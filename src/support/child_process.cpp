#include "support/child_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#ifdef __APPLE__
#include <mach-o/dyld.h>
#endif

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <utility>

#include "support/error.hpp"
#include "support/file.hpp"

namespace gemm_tutor {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr auto between_looks = 50ms;
constexpr int could_not_begin = 127;  // as in shells

#if defined(__SANITIZE_ADDRESS__)
constexpr bool address_space_is_ours = false;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
constexpr bool address_space_is_ours = false;
#else
constexpr bool address_space_is_ours = true;
#endif
#else
constexpr bool address_space_is_ours = true;
#endif

Error no_process(const char* what) {
  return {ExitStatus::unavailable,
          fmt::format("no process can be made: {}: {}", what, std::strerror(errno)),
          "Check that there is room for temporary files, and memory for another process."};
}

// A file descriptor. The destructor closes it.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() { close(); }
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }

  int number() const { return number_; }
  bool is_open() const { return number_ >= 0; }
  void close() {
    if (is_open()) ::close(std::exchange(number_, -1));
  }

 private:
  int number_ = -1;
};

struct Pipe {
  Descriptor to_read, to_write;
};

// A program that another thread starts at the same time does not inherit either end.
Pipe make_pipe() {
  std::array<int, 2> ends;
#ifdef __linux__
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw no_process("pipe");
#else
  if (pipe(ends.data()) != 0) throw no_process("pipe");
  for (const int end : ends) fcntl(end, F_SETFD, FD_CLOEXEC);
#endif
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

// A file without a name that contains `text`. With a pipe, this process would have to write, and
// could be killed if the child does not read.
Descriptor file_with(const std::string& text, const fs::path& directory) {
  std::string name = (directory / "input-XXXXXX").string();
  Descriptor file(mkstemp(name.data()));
  if (!file.is_open()) throw no_process("mkstemp");
  unlink(name.c_str());
  fcntl(file.number(), F_SETFD, FD_CLOEXEC);
  if (!write_all(file.number(), text)) throw no_process("write");
  if (lseek(file.number(), 0, SEEK_SET) != 0) throw no_process("lseek");
  return file;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

rlim_t processor_seconds(double seconds) {
  constexpr double room = 2;  // the wall-clock limit is reached first
  return static_cast<rlim_t>(std::ceil(seconds + room));
}

// What the child needs between fork() and exec(). It is made before, because the child must not
// call functions that allocate or lock.
struct Start {
  std::string program, directory;
  std::vector<std::string> argument_texts, environment_texts;
  std::vector<char*> arguments, environment;
  int input, output, error;
  ChildLimits limits;
  pid_t parent;
};

void limit(int resource, rlim_t most) {
  rlimit now{};
  if (getrlimit(static_cast<decltype(RLIMIT_CPU)>(resource), &now) != 0) return;
  const rlim_t value = now.rlim_max == RLIM_INFINITY ? most : std::min(most, now.rlim_max);
  const rlimit wanted{value, value};
  if (setrlimit(static_cast<decltype(RLIMIT_CPU)>(resource), &wanted) != 0) _exit(could_not_begin);
}

void set_limits(const ChildLimits& limits) {
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_CPU, processor_seconds(limits.seconds));
  limit(RLIMIT_FSIZE, limits.file_bytes);
  limit(RLIMIT_NOFILE, static_cast<rlim_t>(limits.open_files));
  if (address_space_is_ours && limits.memory_bytes > 0) limit(RLIMIT_AS, limits.memory_bytes);
}

void end_with_parent([[maybe_unused]] pid_t parent) {
#ifdef __linux__
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(could_not_begin);
#endif
}

void reset_signals() {
  sigset_t none;
  sigemptyset(&none);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) std::signal(signal, SIG_DFL);
  pthread_sigmask(SIG_SETMASK, &none, nullptr);
}

void leave_session(pid_t parent) {
  setsid();
  end_with_parent(parent);
  reset_signals();
}

[[noreturn]] void become(const Start& start) {
  leave_session(start.parent);
  if (dup2(start.input, STDIN_FILENO) < 0 || dup2(start.output, STDOUT_FILENO) < 0 ||
      dup2(start.error, STDERR_FILENO) < 0 || chdir(start.directory.c_str()) != 0) {
    _exit(could_not_begin);
  }
  set_limits(start.limits);
  execve(start.program.c_str(), start.arguments.data(), start.environment.data());
  _exit(could_not_begin);
}

// A running child. The destructor kills it and waits for it.
class Child {
 public:
  template <typename Work>  // must not return
  explicit Child(Work work) : process_(fork()) {
    if (process_ < 0) throw no_process("fork");
    if (process_ == 0) work();
  }
  ~Child() { wait_killed(); }
  Child(const Child&) = delete;

  // True if it and its session have ended. Then how() is the status of waitpid().
  bool is_over() {
    siginfo_t state{};
    const bool ended =
        !over_ &&
        waitid(P_PID, static_cast<id_t>(process_), &state, WEXITED | WNOHANG | WNOWAIT) == 0 &&
        state.si_pid == process_;
    if (ended) wait_killed();  // its process id stays valid until the wait
    return over_;
  }
  void wait_killed() {
    if (over_) return;
    kill(-process_, SIGKILL);
    kill(process_, SIGKILL);  // it may not have its own session yet
    while (waitpid(process_, &how_, 0) < 0 && errno == EINTR) continue;
    over_ = true;
  }
  int how() const { return how_; }

 private:
  pid_t process_;
  bool over_ = false;
  int how_ = 0;
};

// One of the child's two output streams.
struct Stream {
  Descriptor pipe;
  std::size_t most;
  std::string text;
  bool has_more = false;  // there was more than is kept
};

void read_some(Stream& stream) {
  std::array<char, 1 << 14> part;
  const ssize_t count = ::read(stream.pipe.number(), part.data(), part.size());
  if (count < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (count <= 0) {
    stream.pipe.close();
    return;
  }
  const std::size_t kept =
      std::min(static_cast<std::size_t>(count), stream.most - stream.text.size());
  stream.text.append(part.data(), kept);
  if (kept < static_cast<std::size_t>(count)) stream.has_more = true;
}

void read_for_a_while(std::array<Stream*, 2> streams) {
  std::array<pollfd, 2> files;
  for (std::size_t i = 0; i < 2; ++i) files[i] = {streams[i]->pipe.number(), POLLIN, 0};
  const int ready = poll(files.data(), files.size(), static_cast<int>(between_looks.count()));
  for (std::size_t i = 0; ready > 0 && i < 2; ++i) {
    if (files[i].fd >= 0 && files[i].revents != 0) read_some(*streams[i]);
  }
}

void set_end(ChildResult& result, int how) {
  if (WIFSIGNALED(how)) {
    result.end = ChildResult::End::signalled;
    result.signal = WTERMSIG(how);
    if (result.signal == SIGXCPU) result.end = ChildResult::End::took_too_long;
  } else {
    result.status = WEXITSTATUS(how);
  }
}

// The reason to end the child, if there is one.
bool must_end(const ChildLimits& limits, const std::function<bool()>& stop, const Stream& output,
              Clock::time_point begin, ChildResult& result) {
  using End = ChildResult::End;
  const std::chrono::duration<double> taken = Clock::now() - begin;
  if (stop && stop()) {
    result.end = End::stopped;
  } else if (output.has_more) {
    result.end = End::printed_too_much;
  } else if (taken.count() > limits.seconds) {
    result.end = End::took_too_long;
  }
  return result.end != End::exited;
}

// Reads the child's output until it ends or must be ended.
ChildResult wait_for(Child& child, Descriptor output_pipe, Descriptor error_pipe,
                     const ChildLimits& limits, const std::function<bool()>& stop) {
  const auto begin = Clock::now();
  ChildResult result;
  Stream output{std::move(output_pipe), limits.output_bytes, {}};
  Stream error{std::move(error_pipe), limits.error_bytes, {}};
  bool ended = false;
  while (!ended && (!child.is_over() || output.pipe.is_open() || error.pipe.is_open())) {
    if (output.pipe.is_open() || error.pipe.is_open()) {
      read_for_a_while({&output, &error});
    } else {
      std::this_thread::sleep_for(1ms);
    }
    ended = must_end(limits, stop, output, begin, result);
  }
  child.wait_killed();
  if (!ended) set_end(result, child.how());
  result.output = std::move(output.text);
  result.error = std::move(error.text);
  result.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  return result;
}

}  // namespace

ChildResult run_child(const ChildRequest& request, const std::function<bool()>& stop) {
  Pipe output = make_pipe(), error = make_pipe();
  const Descriptor input = file_with(request.input, request.directory);
  Start start{request.program.string(),
              request.directory.string(),
              request.arguments,
              request.environment,
              {},
              {},
              input.number(),
              output.to_write.number(),
              error.to_write.number(),
              request.limits,
              getpid()};
  start.argument_texts.insert(start.argument_texts.begin(), start.program);
  start.arguments = pointers(start.argument_texts);
  start.environment = pointers(start.environment_texts);

  Child child([&] { become(start); });
  output.to_write.close();
  error.to_write.close();
  ChildResult result =
      wait_for(child, std::move(output.to_read), std::move(error.to_read), request.limits, stop);
  if (result.end == ChildResult::End::exited && result.status == could_not_begin) {
    throw Error(ExitStatus::unavailable,
                fmt::format("'{}' cannot be started", request.program.string()),
                "Check that the file is there and may be executed.");
  }
  return result;
}

ChildResult run_copy(const std::function<std::string()>& work, const ChildLimits& limits) {
  Pipe output = make_pipe();
  const pid_t parent = getpid();
  Child child([&] {
    leave_session(parent);
    limit(RLIMIT_CORE, 0);
    // A sanitizer would report what the parent handles.
    for (const int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL})
      std::signal(signal, SIG_DFL);
    try {
      if (!write_all(output.to_write.number(), work())) _exit(could_not_begin);
    } catch (...) {
      _exit(could_not_begin);
    }
    _exit(0);  // without the parent's destructors and buffers
  });
  output.to_write.close();
  return wait_for(child, std::move(output.to_read), Descriptor(), limits, {});
}

fs::path program_path() {
  std::error_code ignored;
#ifdef __APPLE__
  std::array<char, 4096> path;
  std::uint32_t size = path.size();
  if (_NSGetExecutablePath(path.data(), &size) != 0) return {};
  return fs::canonical(path.data(), ignored);
#else
  return fs::read_symlink("/proc/self/exe", ignored);
#endif
}

TemporaryFolder::TemporaryFolder(const std::string& name) {
  std::error_code error;
  std::string path = (fs::temp_directory_path(error) / (name + "XXXXXX")).string();
  if (error || !mkdtemp(path.data())) throw no_process("mkdtemp");
  path_ = fs::canonical(path, error);
  if (error) path_ = path;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace gemm_tutor
