#include "classroom/journal.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <nlohmann/json.hpp>
#include <utility>

#include "support/error.hpp"
#include "support/file.hpp"
#include "support/text.hpp"

namespace gemm_tutor {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

}  // namespace

Journal::Journal(fs::path path, bool fresh) : path_(std::move(path)) {
  if (path_.empty()) return;
  open();
  if (file_ < 0) return;
  read();
  if (!fresh) return;
  marks_.clear();
  if (ftruncate(file_, 0) != 0) remove();
}

Journal::~Journal() {
  if (file_ >= 0) close(file_);
}

void Journal::open() {
  std::error_code ignored;
  fs::create_directories(path_.parent_path(), ignored);
  constexpr mode_t ours_alone = 0600;
  file_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, ours_alone);
  if (file_ < 0 || flock(file_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return;
  close(std::exchange(file_, -1));
  throw Error(ExitStatus::unavailable, "these submissions are being graded already",
              "Wait until that is done, or stop it: its results are kept.");
}

void Journal::read() {
  const std::string text = read_file(path_).value_or("");
  for (const std::string& line : split_lines(text)) {
    const Json json = Json::parse(line, nullptr, false);
    if (!json.is_object()) continue;
    if (json.contains("folder") && json["folder"].is_string()) folders_.push_back(json["folder"]);
    if (!json.contains("key") || !json["key"].is_string() || !json.contains("mark")) continue;
    if (const auto mark = mark_of_json(json["mark"].dump())) marks_[json["key"]] = *mark;
  }
  // The last line may lack its end.
  if (!text.empty() && text.back() != '\n') append("");
}

void Journal::append(const std::string& line) {
  const std::string text = line + "\n";
  if (file_ >= 0 && ::write(file_, text.data(), text.size()) < 0) close(std::exchange(file_, -1));
}

std::optional<Mark> Journal::find(const std::string& key) const {
  const auto found = marks_.find(key);
  return found == marks_.end() ? std::nullopt : std::optional(found->second);
}

void Journal::add(const std::string& key, const Mark& mark) {
  const std::lock_guard lock(mutex_);
  append(Json{{"key", key}, {"mark", Json::parse(mark_json(mark))}}.dump());
}

void Journal::note_folder(const fs::path& folder) {
  const std::lock_guard lock(mutex_);
  append(Json{{"folder", folder.string()}}.dump(-1, ' ', false, Json::error_handler_t::replace));
}

void Journal::remove() {
  if (file_ < 0) return;
  std::error_code ignored;
  fs::remove(path_, ignored);  // still locked, so that a waiting process opens a new file
  close(std::exchange(file_, -1));
}

}  // namespace gemm_tutor
