#include "classroom/bundle.hpp"

#include <fmt/format.h>
#if __has_include(<link.h>)
#include <link.h>
#endif

#include <algorithm>
#include <array>
#include <string_view>

#include "classroom/bundle/embedded_texts.hpp"
#include "support/child_process.hpp"
#include "support/error.hpp"
#include "support/file.hpp"
#include "support/text.hpp"
#include "support/zip.hpp"

namespace gemm_tutor {
namespace {

namespace fs = std::filesystem;

std::string contents_of(const fs::path& path, const std::string& help) {
  if (auto contents = read_ordinary_file(path)) return std::move(*contents);
  throw Error(ExitStatus::usage, fmt::format("'{}' cannot be read", path.string()), help);
}

constexpr const char* name_an_archive = "Name an archive of the program with --archive.";

// The libraries that this process has loaded, without those that each system has.
#if __has_include(<link.h>)
std::vector<std::string> own_libraries() {
  std::vector<std::string> paths;
  const auto add = [](dl_phdr_info* info, std::size_t, void* list) {
    const std::string path = info->dlpi_name;
    const std::string name = fs::path(path).filename().string();
    constexpr std::array everywhere = {"ld-linux",    "libc.",  "libm.",     "libdl.",
                                       "libpthread.", "librt.", "libgcc_s.", "libstdc++."};
    const bool is_own = path.starts_with('/') && std::ranges::none_of(everywhere, [&](auto start) {
                          return name.starts_with(start);
                        });
    if (is_own) static_cast<std::vector<std::string>*>(list)->push_back(path);
    return 0;
  };
  dl_iterate_phdr(add, &paths);
  std::ranges::sort(paths);
  return paths;
}
#else
std::vector<std::string> own_libraries() {
  throw Error(ExitStatus::usage, "this system does not tell which libraries the program uses",
              name_an_archive);
}
#endif

std::string with_options(std::string_view text, const BundleRequest& request) {
  std::vector<std::string> names;
  for (const Exercise* exercise : request.exercises) names.push_back(short_name(*exercise));
  std::string options;
  if (!request.hidden.empty()) options += " --hide " + request.hidden;
  const std::string course = request.course.empty() ? "" : " --course /opt/gemm-tutor/course";
  std::string result(text);
  for (const auto& [word, value] :
       {std::pair("@EXERCISES@", join(names, ",")), std::pair("@FIRST@", names.front()),
        std::pair("@OPTIONS@", options + course), std::pair("@COURSE@", course),
        std::pair("@SEED@", std::to_string(request.seed))}) {
    for (std::size_t at = result.find(word); at != result.npos; at = result.find(word)) {
      result.replace(at, std::string_view(word).size(), value);
    }
  }
  return result;
}

// Without hidden files, such as those of git.
void add_course(const fs::path& course, std::vector<BundleFile>& files) {
  const char* help = "Give a course that can be read.";
  std::error_code error;
  fs::recursive_directory_iterator entry(course, error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    const fs::path& path = entry->path();
    const bool is_hidden = path.filename().string().starts_with('.');
    std::error_code ignored;
    if (is_hidden) {
      entry.disable_recursion_pending();
    } else if (entry->is_regular_file(ignored)) {
      files.push_back(
          {"course/" + path.lexically_relative(course).string(), contents_of(path, help)});
    }
  }
  if (!error) return;
  throw Error(ExitStatus::usage,
              fmt::format("'{}' cannot be read: {}", course.string(), error.message()), help);
}

// setup.sh and what it installs.
std::vector<BundleFile> program_files(const BundleRequest& request) {
  std::vector<BundleFile> files = {{"setup.sh", with_options(setup_sh(), request), true}};
  if (request.archive.empty()) {
    files.push_back({"bin/gemm-tutor", contents_of(program_path(), name_an_archive), true});
    for (const std::string& path : own_libraries()) {
      files.push_back(
          {"lib/" + fs::path(path).filename().string(), contents_of(path, name_an_archive)});
    }
  } else {
    const char* help = "Give the file gemm-tutor-VERSION-linux-x86_64.tar.xz of a release.";
    const std::string name = request.archive.filename().string();
    std::string contents = contents_of(request.archive, help);
    if (!name.starts_with("gemm-tutor-") || !name.ends_with(".tar.xz") ||
        !contents.starts_with("\xfd"
                              "7zXZ")) {
      throw Error(ExitStatus::usage,
                  fmt::format("'{}' is no archive of gemm-tutor", request.archive.string()), help);
    }
    files.push_back({name, std::move(contents)});
  }
  if (request.course.empty()) return files;
  add_course(request.course, files);
  std::ranges::sort(files, {}, &BundleFile::path);
  return files;
}

// Of folders only what is empty then: nothing of another program is removed.
void remove_bundle(const fs::path& folder, const std::vector<BundleFile>& files) {
  for (const BundleFile& file : files) {
    std::error_code ignored;
    fs::path part = file.path;
    for (; !part.empty(); part = part.parent_path()) fs::remove(folder / part, ignored);
  }
}

}  // namespace

std::vector<BundleFile> gradescope_bundle(const BundleRequest& request) {
  std::vector<BundleFile> files = program_files(request);
  files.push_back({"run_autograder", with_options(run_autograder_sh(), request), true});
  std::vector<ZipEntry> entries;
  for (const BundleFile& file : files) {
    entries.push_back({file.path, file.contents, file.is_executable});
  }
  files.push_back({"autograder.zip", zip_of(entries)});
  return files;
}

std::vector<BundleFile> github_bundle(const BundleRequest& request) {
  std::vector<BundleFile> files = program_files(request);
  files.push_back({"autograder.py", with_options(autograder_py(), request)});
  for (BundleFile& file : files) file.path.insert(0, ".github/gemm-tutor/");
  files.push_back({".github/workflows/gemm-tutor.yml", with_options(workflow_yml(), request)});
  for (const Exercise* exercise : request.exercises) {
    files.push_back({exercise->file_name, exercise->handout});
  }
  return files;
}

void check_bundle_folder(const fs::path& folder) {
  std::error_code error;
  if (!fs::exists(fs::symlink_status(folder, error))) return;
  if (fs::is_directory(folder, error) && fs::is_empty(folder, error) && !error) return;
  throw Error(ExitStatus::usage,
              fmt::format("'{}' is there already, and not an empty folder", folder.string()),
              "Give the name of a new folder.");
}

void write_bundle(const fs::path& folder, const std::vector<BundleFile>& files) {
  for (const BundleFile& file : files) {
    std::error_code error;
    const fs::path path = folder / file.path;
    if (write_file_atomically(path, file.contents, error) && file.is_executable) {
      using fs::perms;
      fs::permissions(path, perms::owner_exec | perms::group_exec | perms::others_exec,
                      fs::perm_options::add, error);
    }
    if (!error) continue;
    remove_bundle(folder, files);
    throw Error(ExitStatus::unavailable,
                fmt::format("'{}' cannot be written: {}", path.string(), error.message()),
                "Give a folder that can be written.");
  }
}

}  // namespace gemm_tutor
