#include "support/dynamic_library.hpp"

#include <dlfcn.h>
#if __has_include(<link.h>)
#include <link.h>
#endif

#include <fmt/format.h>

#include "support/text.hpp"

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
  std::string reason;
  for (const std::string& name : names) {
    if (void* handle = dlopen(name.c_str(), RTLD_LAZY | RTLD_LOCAL)) {
      return DynamicLibrary(handle, loaded_path(handle, name));
    }
    reason = dlerror();
  }
  problem = fmt::format("cannot load {} ({})", join(names, " or "), reason);
  return std::nullopt;
}

void* DynamicLibrary::address(const char* name) const { return dlsym(handle_, name); }

}  // namespace gemm_tutor
