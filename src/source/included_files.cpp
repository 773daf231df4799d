#include "source/included_files.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <map>
#include <optional>
#include <system_error>
#include <tuple>
#include <utility>

#include "source/definitions.hpp"
#include "source/token.hpp"
#include "support/file.hpp"

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

namespace {

constexpr auto host_only = std::to_array<std::string_view>(
    {// C
     "assert.h", "complex.h", "ctype.h", "errno.h", "fenv.h", "locale.h", "malloc.h", "math.h",
     "memory.h", "setjmp.h", "signal.h", "stdarg.h", "stdbool.h", "stddef.h", "stdio.h", "stdlib.h",
     "string.h", "strings.h", "time.h", "wchar.h",
     // C++
     "any", "array", "atomic", "barrier", "bit", "bitset", "cassert", "ccomplex", "cctype",
     "cerrno", "cfenv", "charconv", "chrono", "clocale", "codecvt", "compare", "complex",
     "concepts", "condition_variable", "coroutine", "csetjmp", "csignal", "cstdarg", "cstdbool",
     "cstddef", "cstdio", "cstdlib", "cstring", "ctime", "cuchar", "cwchar", "cwctype", "deque",
     "exception", "execution", "filesystem", "format", "forward_list", "fstream", "functional",
     "future", "initializer_list", "iomanip", "ios", "iosfwd", "iostream", "istream", "iterator",
     "latch", "limits", "list", "locale", "map", "memory", "memory_resource", "mutex", "new",
     "numbers", "numeric", "optional", "ostream", "queue", "random", "ranges", "ratio", "regex",
     "scoped_allocator", "semaphore", "set", "shared_mutex", "source_location", "span", "sstream",
     "stack", "stdexcept", "stop_token", "streambuf", "string", "string_view", "strstream",
     "syncstream", "system_error", "thread", "tuple", "type_traits", "typeindex", "typeinfo",
     "unordered_map", "unordered_set", "utility", "valarray", "variant", "vector", "version",
     "bits/*", "experimental/*", "ext/*",
     // Operating systems
     "arpa/*", "conio.h", "direct.h", "dirent.h", "dlfcn.h", "err.h", "fcntl.h", "getopt.h",
     "intrin.h", "io.h", "libgen.h", "linux/*", "mach/*", "netinet/*", "omp.h", "poll.h",
     "process.h", "pthread.h", "pwd.h", "sched.h", "sys/*", "sysexits.h", "syslog.h", "termios.h",
     "unistd.h", "windows.h", "Windows.h", "*intrin.h",
     // CUDA for the host
     "cuda.h", "cudaProfiler.h", "cuda_profiler_api.h", "cuda_runtime.h", "cuda_runtime_api.h",
     "cuda_gl_interop.h", "cuda_occupancy.h", "cudaTypedefs.h", "cudart_platform.h",
     "cuda_device_runtime_api.h", "device_functions.h", "device_launch_parameters.h",
     "driver_functions.h", "driver_types.h", "host_config.h", "host_defines.h", "math_functions.h",
     "nvrtc.h", "sm_*_functions.h", "sm_*_intrinsics.h", "vector_functions.h", "vector_types.h",
     "nvml.h", "nvToolsExt*", "nvtx3/*", "cupti*", "nvperf*", "nvbench/*", "nvJitLink.h",
     // CUDA's libraries for the host, and what comes with its samples
     "cublas*", "cudnn*", "cufft*", "cufile.h", "curand.h", "cusolver*", "cusparse*", "cutensor*",
     "nccl.h", "npp*", "nvjpeg*", "nvgraph.h", "nvshmem*", "helper_*.h", "exception.h",
     "hip/hip_runtime.h", "mpi.h",
     // Libraries for the host
     "ATen/*", "Eigen/*", "Python.h", "THC/*", "TH/*", "absl/*", "benchmark/*", "boost/*", "c10/*",
     "caffe2/*", "catch.hpp", "catch2/*", "cblas*", "cxxopts.hpp", "doctest/*", "fmt/*", "gflags/*",
     "glog/*", "gmock/*", "gtest/*", "jax*", "mkl*", "nanobind/*", "nlohmann/*", "numpy/*",
     "opencv/*", "opencv2/*", "openblas*", "pybind11/*", "spdlog/*", "stb_*", "tensorflow/*",
     "thrust/*", "torch/*", "xla/*"});

constexpr auto unsupported = std::to_array<std::pair<std::string_view, std::string_view>>(
    {{"cutlass/", "CUTLASS"},
     {"cute/", "CUTLASS"},
     {"cub/", "CUB"},
     {"cooperative_groups", "cooperative groups"},
     {"mma.h", "tensor cores"},
     {"raft/", "RAFT"},
     {"kittens", "ThunderKittens"},
     {"cccl/", "CCCL"}});

bool fits(std::string_view pattern, std::string_view header) {
  const std::size_t star = pattern.find('*');
  if (star == pattern.npos) return header == pattern;
  const std::string_view begin = pattern.substr(0, star), end = pattern.substr(star + 1);
  return header.size() >= begin.size() + end.size() && header.starts_with(begin) &&
         header.ends_with(end);
}

}  // namespace

std::span<const std::string_view> host_only_headers() { return host_only; }

bool is_host_only_header(std::string_view header) {
  return std::ranges::any_of(host_only, [&](std::string_view one) { return fits(one, header); });
}

std::string_view unsupported_library(std::string_view header) {
  const auto found = std::ranges::find_if(
      unsupported, [&](const auto& one) { return header.starts_with(one.first); });
  return found == unsupported.end() ? "" : found->second;
}

namespace {}  // namespace

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
