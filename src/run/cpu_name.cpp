#include <string_view>

#include "run/cpu_run.hpp"
#include "support/file.hpp"
#include "support/text.hpp"

#ifdef __APPLE__
#include <sys/sysctl.h>
#endif

namespace gemm_tutor {
namespace {

constexpr const char* unnamed_cpu = "this CPU";

#ifdef __APPLE__
std::string name_from_system() {
  char name[256];
  std::size_t size = sizeof name;
  return sysctlbyname("machdep.cpu.brand_string", name, &size, nullptr, 0) == 0 ? name
                                                                                : unnamed_cpu;
}
#else
// A line of it is "model name	: AMD EPYC 9B14".
std::string name_from_system() {
  for (const std::string& line : split_lines(read_file("/proc/cpuinfo").value_or(""))) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != line.npos) return line.substr(colon + 2);
  }
  return unnamed_cpu;
}
#endif

}  // namespace

std::string cpu_name() { return name_from_system(); }

}  // namespace gemm_tutor
