#include "support/confinement.hpp"

#if defined(__linux__) && __has_include(<linux/landlock.h>)
#include <fcntl.h>
#include <link.h>
#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#endif

namespace gemm_tutor {

#if defined(__linux__) && __has_include(<linux/landlock.h>) && defined(SYS_landlock_create_ruleset)

namespace {

// The access rights of the first version. Later kernels have more, and accept these.
constexpr std::uint64_t reading = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
constexpr std::uint64_t writing = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |
                                  LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_DIR |
                                  LANDLOCK_ACCESS_FS_MAKE_REG;
constexpr std::uint64_t everything = reading | writing | LANDLOCK_ACCESS_FS_EXECUTE |
                                     LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_SOCK |
                                     LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK |
                                     LANDLOCK_ACCESS_FS_MAKE_SYM;
// A rule for a file may have only these.
constexpr std::uint64_t of_files =
    LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_READ_FILE;

// Returns false if the file exists but no rule can be made for it.
bool allow(int rules, const std::filesystem::path& path, std::uint64_t access) {
  const int file = open(path.c_str(), O_PATH | O_CLOEXEC);
  if (file < 0) return true;
  struct stat about {};
  landlock_path_beneath_attr rule{};
  rule.parent_fd = file;
  const bool known = fstat(file, &about) == 0;
  rule.allowed_access = S_ISDIR(about.st_mode) ? access : access & of_files;
  const bool allowed =
      known && syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0;
  close(file);
  return allowed;
}

// Returns the loader that this program was started with. Empty if it has none.
std::filesystem::path loader() {
  std::filesystem::path path;
  dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* found) {
        for (int i = 0; i < object->dlpi_phnum; ++i) {
          const auto& header = object->dlpi_phdr[i];
          if (header.p_type != PT_INTERP) continue;
          *static_cast<std::filesystem::path*>(found) =
              reinterpret_cast<const char*>(object->dlpi_addr + header.p_vaddr);
        }
        return 1;  // only look at the first object, which is the program
      },
      &path);
  return path;
}

bool allow_all(int rules, const AllowedFiles& files) {
  for (const std::filesystem::path& path : files.to_read) {
    if (!allow(rules, path, reading)) return false;
  }
  for (const std::filesystem::path& path : files.to_write) {
    if (!allow(rules, path, reading | writing)) return false;
  }
  std::vector<std::filesystem::path> programs = files.to_execute;
  if (!programs.empty()) programs.push_back(loader());
  for (const std::filesystem::path& path : programs) {
    if (!allow(rules, path, LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_EXECUTE))
      return false;
  }
  return true;
}

}  // namespace

bool confine_to(const AllowedFiles& files) {
  landlock_ruleset_attr handled{};
  handled.handled_access_fs = everything;
  const auto rules = static_cast<int>(
      syscall(SYS_landlock_create_ruleset, &handled, sizeof handled.handled_access_fs, 0));
  if (rules < 0) return false;
  const bool confined = allow_all(rules, files) && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
                        syscall(SYS_landlock_restrict_self, rules, 0) == 0;
  close(rules);
  return confined;
}

#else

bool confine_to(const AllowedFiles&) { return false; }

#endif

}  // namespace gemm_tutor
