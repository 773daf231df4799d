#include "source/included_files.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <system_error>

#include "source/library_headers.hpp"
#include "source/repository_files.hpp"
#include "source/token.hpp"

namespace gemm_tutor::source {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_files = 200;
constexpr int most_folders_up = 8;  // from a file to the root of its repository

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

// A folder where a repository or a build begins.
bool has_build_file(const fs::path& folder) {
  constexpr const char* names[] = {"CMakeLists.txt", "Makefile",       "makefile",    "GNUmakefile",
                                   "setup.py",       "pyproject.toml", "meson.build", "WORKSPACE",
                                   "BUILD.bazel",    "xmake.lua",      "build.sh",    "SConstruct"};
  return std::ranges::any_of(names, [&](const char* name) { return is_there(folder / name); });
}

bool is_common_to_projects(const fs::path& folder) {
  const char* home = std::getenv("HOME");
  return folder == folder.root_path() || (home != nullptr && folder == fs::path(home));
}

// The folder and those above it, nearest first, up to the repository's root. Without a repository,
// only the folder above: others may be of other people's projects.
std::vector<fs::path> folders_up(const fs::path& folder) {
  const fs::path root = repository_root(folder);
  std::vector<fs::path> folders = {folder};
  while (folders.back() != root) folders.push_back(folders.back().parent_path());
  const bool is_alone = folders.size() == 1 && !is_there(root / ".git");
  if (is_alone && !is_common_to_projects(folder.parent_path())) {
    folders.push_back(folder.parent_path());
  }
  return folders;
}

// Headers of the CUDA Toolkit for device code.
bool is_of_toolkit(std::string_view header) {
  constexpr std::string_view begins[] = {"mma.h",          "cuda_fp",
                                         "cuda_bf16.",     "cuda_pipeline",
                                         "cuda_awbarrier", "cooperative_groups",
                                         "curand_",        "cub/",
                                         "cuda/",          "nv/"};
  return std::ranges::any_of(begins, [&](std::string_view one) { return header.starts_with(one); });
}

// True if `path` ends with all parts of `header`, a path without "..".
bool ends_with(const fs::path& path, const fs::path& header) {
  auto part = path.end();
  for (auto wanted = header.end(); wanted != header.begin();) {
    if (part == path.begin() || *--part != *--wanted) return false;
  }
  return true;
}

class Search {
 public:
  Search(const fs::path& main, const std::vector<std::string>& folders)
      : main_(main), folders_(folders.begin(), folders.end()) {}

  struct Found {
    fs::path path;  // as it is shown
    bool was_searched = false;
  };

  std::optional<Found> find(const Include& include, const fs::path& from) {
    const fs::path folder = from.parent_path(), header = include.header;
    if (header.is_absolute()) return {};
    const bool is_of_host = is_host_only_header(include.header);
    if (include.in_quotes && is_file(folder / header)) return Found{folder / header};
    for (const fs::path& given : folders_) {
      if (is_file(given / header)) return Found{given / header};
    }
    // A repository may have a header of its own by such a name.
    if (!include.in_quotes && (is_of_host || is_of_toolkit(include.header))) return {};
    return searched(header, folder, !is_of_host);
  }

 private:
  std::optional<Found> searched(const fs::path& header, const fs::path& from, bool everywhere) {
    const std::vector<fs::path> folders =
        folders_up(fs::absolute(from / ".").lexically_normal().parent_path());
    fs::path shown = from;
    for (std::size_t up = 0; up < folders.size(); ++up, shown /= "..") {
      for (const char* inside : {"", "include", "inc", "common", "Common", "src", "utils"}) {
        const fs::path path = shown / inside / header;
        if (is_file(path)) return Found{path, true};
      }
    }
    if (!everywhere || !exists_repository(folders)) return {};
    fs::path without_dots;
    for (const fs::path& part : header) {
      if (part != ".." && part != ".") without_dots /= part;
    }
    const std::optional<fs::path> only = only_file(folders.back(), without_dots);
    if (!only) return {};
    return Found{main_.is_absolute() ? *only : only->lexically_proximate(fs::current_path()), true};
  }

  // Returns the repository's only file of that name.
  std::optional<fs::path> only_file(const fs::path& root, const fs::path& header) {
    if (!files_) files_ = files_below(root);
    std::optional<fs::path> found;
    const auto [begin, end] = files_->equal_range(header.filename());
    for (auto file = begin; file != end; ++file) {
      if (!ends_with(file->second, header)) continue;
      if (found) return {};
      found = file->second;
    }
    return found;
  }

  static bool exists_repository(const std::vector<fs::path>& folders) {
    return !folders.empty() &&
           (is_there(folders.back() / ".git") || has_build_file(folders.back()));
  }

  fs::path main_;
  std::vector<fs::path> folders_;
  std::optional<std::multimap<fs::path, fs::path>> files_;  // of the repository
};

// Compilers put the name into strings.
std::string shown_name(const fs::path& path) {
  std::string name = path.lexically_normal().string();
  std::ranges::replace_if(
      name, [](unsigned char c) { return c < ' ' || c == '"' || c == '\\' || c == 0x7f; }, '_');
  return name;
}

}  // namespace

fs::path repository_root(const fs::path& folder) {
  fs::path root = folder, at = folder;
  for (int up = 0; up < most_folders_up && !is_common_to_projects(at); ++up) {
    const bool has_git = is_there(at / ".git");
    if (has_git || has_build_file(at)) root = at;
    if (has_git) break;
    at = at.parent_path();
  }
  return root;
}

std::vector<Include> includes_in(std::string_view text) {
  std::vector<Include> includes;
  const std::vector<Token> tokens = tokens_of(text);
  for (std::size_t at = 0; at + 2 < tokens.size(); ++at) {
    const bool begins =
        tokens[at].directive > 0 && (at == 0 || tokens[at - 1].directive != tokens[at].directive);
    if (!begins || !tokens[at + 1].is("include")) continue;
    const Token& first = tokens[at + 2];
    if (first.directive != tokens[at].directive) continue;
    Include include{.header = {}, .begin = first.at, .line = first.line};
    if (first.kind == Token::Kind::literal && first.text.size() > 2 && first.is_closed) {
      include.in_quotes = true;
      include.end = first.end();
    } else if (first.is("<")) {
      const std::size_t close = text.find_first_of(">\n", first.at);
      if (close == text.npos || text[close] != '>') continue;
      include.end = close + 1;
    } else {
      continue;
    }
    include.header = text.substr(include.begin + 1, include.end - include.begin - 2);
    includes.push_back(std::move(include));
  }
  return includes;
}

std::vector<IncludedFile> included_files(const fs::path& path, std::string_view text,
                                         const std::vector<std::string>& folders) {
  Search search(path, folders);
  std::vector<IncludedFile> files;
  std::map<fs::path, std::size_t> numbers = {{resolved(path), 0}};  // as in Inclusion
  std::vector<fs::path> shown = {path};
  for (std::size_t from = 0; from <= files.size(); ++from) {
    const std::vector<Include> includes =
        includes_in(from == 0 ? text : std::string_view(files[from - 1].text));
    for (const Include& include : includes) {
      const std::optional<Search::Found> found = search.find(include, shown[from]);
      if (!found) continue;
      const fs::path absolute = resolved(found->path);
      const auto [number, is_new] = numbers.try_emplace(absolute, files.size() + 1);
      if (number->second == 0) continue;  // a file that includes itself
      if (is_new) {
        std::optional<std::string> contents;
        if (files.size() < most_files) contents = text_of_file(absolute);
        if (!contents) {
          numbers.erase(number);
          continue;
        }
        files.push_back(
            {shown_name(found->path), absolute, std::move(*contents), found->was_searched});
        shown.push_back(found->path);
      }
      files[number->second - 1].inclusions.push_back({from, include.header});
    }
  }
  return files;
}

}  // namespace gemm_tutor::source
