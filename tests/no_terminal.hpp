// Where tests of terminals cannot run.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

namespace gemm_tutor {

// Returns why this system has no pseudo terminal, as in a container without /dev/pts. Empty if it
// has one.
inline std::string no_terminal() {
  const int controller = posix_openpt(O_RDWR | O_NOCTTY);
  const bool is_unlocked = controller >= 0 && grantpt(controller) == 0 && unlockpt(controller) == 0;
  const char* const name = is_unlocked ? ptsname(controller) : nullptr;
  const int terminal = name ? open(name, O_RDWR | O_NOCTTY) : -1;
  const std::string reason = std::strerror(errno);
  for (const int descriptor : {terminal, controller}) {
    if (descriptor >= 0) close(descriptor);
  }
  return terminal >= 0 ? "" : "there is no pseudo terminal, see /dev/pts: " + reason;
}

}  // namespace gemm_tutor
