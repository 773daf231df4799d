#include "source/repository_files.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <system_error>
#include <tuple>
#include <utility>

#include "source/definitions.hpp"
#include "source/included_files.hpp"
#include "support/file.hpp"

namespace gemm_tutor::source {
namespace {

namespace fs = std::filesystem;

}  // namespace

fs::path resolved(const fs::path& path) {
  std::error_code error;
  fs::path result = fs::weakly_canonical(path, error);
  return error ? path : result;
}

std::multimap<fs::path, fs::path> files_below(const fs::path& root) {
  std::multimap<fs::path, fs::path> files;
  std::error_code error;
  int entries = 0;
  constexpr int most_entries = 50'000;  // files and folders
  constexpr auto only_readable = fs::directory_options::skip_permission_denied;
  for (fs::recursive_directory_iterator at(root, only_readable, error), end; !error && at != end;
       at.increment(error)) {
    if (++entries > most_entries) break;
    const fs::path& path = at->path();
    std::error_code ignored;
    if (path.filename().native().starts_with(".")) {
      if (at->is_directory(ignored)) at.disable_recursion_pending();
    } else if (at->is_regular_file(ignored)) {
      files.emplace(path.filename(), path);
    }
  }
  return files;
}

std::optional<std::string> text_of_file(const fs::path& path) {
  constexpr std::uintmax_t most_bytes = 1 << 20;
  std::error_code error;
  if (fs::file_size(path, error) > most_bytes || error) return {};
  std::optional<std::string> text = read_ordinary_file(path);
  if (!text || text->find('\0') != text->npos) return {};
  constexpr std::string_view mark = "\xef\xbb\xbf";  // of UTF-8
  if (text->starts_with(mark)) text->erase(0, mark.size());
  return text;
}

std::vector<OtherFile> files_with(const fs::path& file, const std::set<std::string>& words) {
  static const std::set<std::string> endings = {".cu", ".cuh", ".cpp", ".cc", ".cxx", ".h", ".hpp"};
  constexpr std::size_t most = 2000;
  std::vector<OtherFile> found;
  if (words.empty()) return found;
  const fs::path self = resolved(file);
  std::size_t files = 0;
  for (const auto& [name, path] : files_below(repository_root(fs::absolute(file).parent_path()))) {
    if (!endings.contains(path.extension().string())) continue;
    if (++files > most) break;
    std::optional<std::string> text = resolved(path) == self ? std::nullopt : text_of_file(path);
    if (!text) continue;
    const auto missing = std::ranges::count_if(
        words, [&](const std::string& word) { return text->find(word) == text->npos; });
    if (missing < std::ssize(words)) found.push_back({path, std::move(*text), missing});
  }
  std::ranges::sort(found, {}, [&](const OtherFile& one) {
    const fs::path way = one.path.lexically_relative(self.parent_path());
    return std::tuple(one.missing, std::distance(way.begin(), way.end()), one.path);
  });
  return found;
}

std::vector<OtherFile> files_that_launch(const fs::path& file, const std::string& name) {
  std::vector<OtherFile> found = files_with(file, {name});
  std::erase_if(found, [&](const OtherFile& one) {
    const bool may_launch =
        one.text.find("<<<") != one.text.npos || one.text.find("cudaLaunchKernel") != one.text.npos;
    return !may_launch || File(one.text).find_kernel(name);
  });
  return found;
}

void add_with_included(std::vector<OtherFile>& files, std::set<fs::path>& known, OtherFile one) {
  const auto included = included_files(one.path.string(), one.text, {});
  if (known.insert(resolved(one.path)).second) files.push_back(std::move(one));
  for (const IncludedFile& other : included) {
    if (known.insert(other.path).second) files.push_back({other.path, other.text, 0});
  }
}

std::vector<OtherFile> files_that_include(const fs::path& file) {
  constexpr std::size_t most = 3, most_read = 8;
  std::vector<std::vector<OtherFile>> levels;
  std::set<fs::path> known = {resolved(file)};
  std::vector<fs::path> wanted = {file};
  while (!wanted.empty() && levels.size() < most) {
    levels.emplace_back();
    std::size_t read = 0;
    for (const fs::path& header : wanted) {
      const fs::path absolute = resolved(header);
      for (OtherFile& one : files_with(header, {header.filename().string()})) {
        if (read++ == most_read) break;
        const auto included = included_files(one.path.string(), one.text, {});
        if (!std::ranges::count(included, absolute, &IncludedFile::path)) continue;
        if (!known.insert(resolved(one.path)).second) continue;
        levels.back().push_back(std::move(one));
      }
    }
    wanted.clear();
    for (const OtherFile& one : levels.back()) wanted.push_back(one.path);
    if (wanted.size() > most) wanted.resize(most);
  }
  std::vector<OtherFile> found;
  for (auto level = levels.rbegin(); level != levels.rend(); ++level)
    std::ranges::move(*level, std::back_inserter(found));
  if (found.size() > most) found.resize(most);
  return found;
}

}  // namespace gemm_tutor::source
