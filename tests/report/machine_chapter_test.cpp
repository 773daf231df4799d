#include "report/chapters.hpp"

#include "catch.hpp"
#include "simt/gpus/gpu_details.hpp"
#include "view/terminal_text.hpp"
#include "view/text_checks.hpp"

namespace gemm_tutor {

TEST_CASE("the chapter on the machine has the GPU's own numbers, and the program") {
  const std::string h200 = terminal_text(machine_chapter(simt::find_gpu("h200")), Terminal{});
  INFO(h200);
  CHECK(contains(h200, "132 SMs × 128 FFMAs × 2 FLOP × 1.98 GHz = 66.9 TFLOP/s"));
  CHECK(contains(h200, "66.9 / 4.8 = 13.9 FLOP per byte"));
  CHECK(contains(h200, "281 cycles"));
  CHECK(contains(h200, "cudaEventElapsedTime(&milliseconds, start, stop)"));
  const std::string t4 = terminal_text(machine_chapter(simt::find_gpu("t4")), Terminal{});
  CHECK(contains(t4, "40 SMs × 64 FFMAs"));
}

TEST_CASE("the chapter on the machine can be shown for every known GPU") {
  for (const simt::GpuSpec& gpu : simt::known_gpus()) {
    INFO(gpu.name);
    CHECK(widest(terminal_text(machine_chapter(gpu), Terminal{})) <= 80);
  }
}

}  // namespace gemm_tutor
