#include "support/dynamic_library.hpp"

#include <dlfcn.h>
#if __has_include(<link.h>)
#include <link.h>
#endif

#include <fmt/format.h>

namespace gemm_tutor {
namespace {

std::string loaded_path([[maybe_unused]] void* handle, const std::string& name) {
#if __has_include(<link.h>)
  link_map* map = nullptr;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && map->l_name[0] != '\0') return map->l_name;
#endif
  return name;
}

}  // namespace

std::optional<DynamicLibrary> DynamicLibrary::open(const std::vector<std::string>& names,
                                                   std::string& problem) {
  problem.clear();
  for (const std::string& name : names) {
    if (void* handle = dlopen(name.c_str(), RTLD_LAZY | RTLD_LOCAL)) {
      problem.clear();
      return DynamicLibrary(handle, loaded_path(handle, name));
    }
    // The loader says of a library that is not there: "NAME: cannot open shared object file: No …".
    const std::string reason = dlerror();
    const bool is_missing = reason.starts_with(name + ": cannot open");
    if (problem.empty() && !is_missing) problem = fmt::format("cannot load {} ({})", name, reason);
  }
  return std::nullopt;
}

void* DynamicLibrary::address(const char* name) const { return dlsym(handle_, name); }

}  // namespace gemm_tutor
