// Any bytes at all, read as PTX: they must be decoded, or refused with an Error. See
// docs/fuzzing.md.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "emulator/emulator.hpp"
#include "support/error.hpp"

using namespace gemm_tutor;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    for (const std::string& entry : emulator::entries(text)) {
      emulator::Program::decode(text, entry, "kernel.cu");
    }
  } catch (const Error&) {
  }
  return 0;
}
