#include "support/file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

namespace gemm_tutor {
namespace fs = std::filesystem;

namespace {

// In the same directory, because a rename is atomic only within a file system.
fs::path temporary_beside(fs::path path) {
  std::random_device random;
  path += fmt::format(".{:08x}{:08x}.tmp", random(), random());
  return path;
}

std::error_code last_error() { return {errno == 0 ? EIO : errno, std::generic_category()}; }

bool write_file(const fs::path& path, std::string_view contents, std::error_code& error) {
  errno = 0;
  std::ofstream file(path, std::ios::binary);
  file.write(contents.data(), static_cast<std::streamsize>(contents.size()));
  file.close();
  if (!file.good()) error = last_error();
  return file.good();
}

// Renaming needs only the directory's permission.
bool may_replace(const fs::path& path, std::error_code& error) {
  if (faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) == 0 || errno == ENOENT) return true;
  error = last_error();
  return false;
}

fs::path from_environment(const char* variable) {
  const char* value = std::getenv(variable);
  return value ? value : "";
}

// The XDG base directory specification says that relative paths are ignored.
fs::path base_directory(const char* variable, const char* below_home) {
  if (const fs::path given = from_environment(variable); given.is_absolute()) return given;
  const fs::path home = from_environment("HOME");
  return home.empty() ? fs::path() : home / below_home;
}

fs::path own_directory(const fs::path& base) {
  return base.empty() ? fs::path() : base / "gemm-tutor";
}

}  // namespace

std::optional<std::string> read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return {};
  std::string contents;
  std::array<char, 1 << 16> part;
  do {
    file.read(part.data(), part.size());
    contents.append(part.data(), file.gcount());
  } while (file);
  if (file.bad()) return {};  // for example, a directory
  return contents;
}

std::optional<std::string> read_ordinary_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored) ? read_file(path) : std::nullopt;
}

bool write_file_atomically(const fs::path& path, std::string_view contents,
                           std::error_code& error) {
  error.clear();
  if (path.has_parent_path() && !fs::is_directory(path.parent_path(), error)) {
    fs::create_directories(path.parent_path(), error);
    if (error) return false;
  }
  if (!may_replace(path, error)) return false;
  const fs::path temporary = temporary_beside(path);
  if (write_file(temporary, contents, error)) {
    fs::rename(temporary, path, error);
    if (!error) return true;
  }
  std::error_code ignored;
  fs::remove(temporary, ignored);
  return false;
}

bool write_file_atomically(const fs::path& path, std::string_view contents) {
  std::error_code ignored;
  return write_file_atomically(path, contents, ignored);
}

bool write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0 && errno != EINTR) return false;
    if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

fs::path without_links(fs::path path) {
  constexpr int most_links = 40;  // as on Linux
  std::error_code error;
  for (int links = 0; links < most_links && fs::is_symlink(path, error); ++links) {
    path = path.parent_path() / fs::read_symlink(path, error);
  }
  return path;
}

fs::path move_aside(const fs::path& path, std::string_view suffix, std::error_code& error) {
  fs::path aside = path;
  aside += suffix;
  const std::string first = aside.string();
  for (int number = 2; fs::exists(fs::symlink_status(aside, error)); ++number) {
    aside = fmt::format("{}-{}", first, number);
  }
  fs::rename(path, aside, error);
  return error ? fs::path() : aside;
}

fs::path cache_directory() { return own_directory(base_directory("XDG_CACHE_HOME", ".cache")); }

fs::path data_directory() { return own_directory(base_directory("XDG_DATA_HOME", ".local/share")); }

fs::path state_directory() {
  return own_directory(base_directory("XDG_STATE_HOME", ".local/state"));
}

}  // namespace gemm_tutor

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

namespace gemm_tutor {
namespace {

// CRC-32 of IEEE 802.3.
std::uint32_t checksum(std::string_view bytes) {
  std::uint32_t sum = ~std::uint32_t{0};
  for (const char byte : bytes) {
    sum ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) sum = (sum >> 1) ^ (sum & 1 ? 0xedb88320U : 0U);
  }
  return ~sum;
}

// Little-endian numbers of 2 or 4 bytes.
std::string numbers(std::initializer_list<std::pair<int, std::uint64_t>> fields) {
  std::string text;
  for (auto [bytes, value] : fields) {
    for (; bytes > 0; --bytes, value >>= 8) text += static_cast<char>(value & 0xff);
  }
  return text;
}

// What a local header and the directory have in common: from the version to the lengths.
std::string description(const ZipEntry& entry) {
  constexpr int version = 20, utf8 = 0x800, stored = 0, first_day = 0x21;  // 1980-01-01
  const std::size_t size = entry.contents.size();
  return numbers({{2, version},
                  {2, utf8},
                  {2, stored},
                  {2, 0},
                  {2, first_day},
                  {4, checksum(entry.contents)},
                  {4, size},
                  {4, size},
                  {2, entry.name.size()},
                  {2, 0}});
}

}  // namespace

std::string zip_of(const std::vector<ZipEntry>& entries) {
  std::string zip, directory;
  for (const ZipEntry& entry : entries) {
    const std::string about = description(entry);
    constexpr int made_by_unix = 3 << 8 | 20;
    const std::uint64_t mode = entry.is_executable ? 0100755 : 0100644;
    directory += numbers({{4, 0x02014b50}, {2, made_by_unix}}) + about +
                 numbers({{2, 0}, {2, 0}, {2, 0}, {4, mode << 16}, {4, zip.size()}}) + entry.name;
    zip += numbers({{4, 0x04034b50}}) + about + entry.name + entry.contents;
  }
  const std::size_t count = entries.size();
  return zip + directory +
         numbers({{4, 0x06054b50},
                  {2, 0},
                  {2, 0},
                  {2, count},
                  {2, count},
                  {4, directory.size()},
                  {4, zip.size()},
                  {2, 0}});
}

}  // namespace gemm_tutor
