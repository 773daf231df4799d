#include "support/file_watch.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#ifdef __linux__
#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>
#endif

namespace gemm_tutor {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

namespace {

constexpr milliseconds look_again_after{150};

fs::path directory_of(const fs::path& path) {
  const fs::path directory = path.parent_path();
  return directory.empty() ? fs::path(".") : directory;
}

}  // namespace

// The properties of a file that change when it is saved.
struct FileWatch::State {
  std::optional<fs::file_time_type> written;  // nothing if there is no file
  std::uintmax_t bytes = 0;

  explicit State(const fs::path& path) {
    std::error_code error;
    const fs::file_time_type time = fs::last_write_time(path, error);
    if (error) return;
    written = time;
    bytes = fs::file_size(path, error);
  }
  bool operator==(const State&) const = default;
};

#ifdef __linux__

// Watches the directory, not the file, because most editors save by renaming a new file.
struct FileWatch::Notifier {
  int descriptor = -1;
  std::string name;

  Notifier(int notifier, std::string file_name)
      : descriptor(notifier), name(std::move(file_name)) {}
  ~Notifier() { close(descriptor); }
  Notifier(const Notifier&) = delete;
  Notifier& operator=(const Notifier&) = delete;

  static std::unique_ptr<Notifier> begin(const fs::path& path) {
    const int descriptor = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    if (descriptor < 0) return nullptr;
    auto notifier = std::make_unique<Notifier>(descriptor, path.filename().string());
    constexpr std::uint32_t saves = IN_CLOSE_WRITE | IN_MOVED_TO | IN_CREATE | IN_DELETE;
    if (inotify_add_watch(descriptor, directory_of(path).c_str(), saves) < 0) return nullptr;
    return notifier;
  }

  // True if one of the events is about the file.
  bool take_events() const {
    alignas(inotify_event) char events[4096];
    bool found = false;
    for (ssize_t bytes; (bytes = read(descriptor, events, sizeof events)) > 0;) {
      for (const char* at = events; at < events + bytes;) {
        const auto* event = reinterpret_cast<const inotify_event*>(at);
        found = found || (event->len > 0 && event->name == name) || (event->mask & IN_Q_OVERFLOW);
        at += sizeof(inotify_event) + event->len;
      }
    }
    return found;
  }

  bool wait(milliseconds timeout) const {
    const auto end = Clock::now() + timeout;
    while (!take_events()) {
      const auto left = std::chrono::ceil<milliseconds>(end - Clock::now());
      if (left.count() <= 0) return false;
      pollfd event{descriptor, POLLIN, 0};
      poll(&event, 1, static_cast<int>(left.count()));
    }
    return true;
  }
};

#else

struct FileWatch::Notifier {
  static std::unique_ptr<Notifier> begin(const fs::path&) { return nullptr; }
  bool wait(milliseconds) const { return false; }
};

#endif

FileWatch::FileWatch(fs::path path, bool polls)
    : path_(std::move(path)),
      notifier_(polls ? nullptr : Notifier::begin(path_)),
      seen_(std::make_unique<State>(path_)) {}

FileWatch::~FileWatch() = default;

bool FileWatch::wait(milliseconds timeout) {
  if (notifier_) return notifier_->wait(timeout);
  const auto end = Clock::now() + timeout;
  while (true) {
    const State now(path_);
    if (now != *seen_) {
      *seen_ = now;
      return true;
    }
    const auto left = std::chrono::ceil<milliseconds>(end - Clock::now());
    if (left.count() <= 0) return false;
    std::this_thread::sleep_for(std::min(left, look_again_after));
  }
}

}  // namespace gemm_tutor
