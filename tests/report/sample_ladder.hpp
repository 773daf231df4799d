#pragma once

#include <vector>

#include "course/ladder.hpp"
#include "sample_run.hpp"

namespace gemm_tutor {

// Two lessons at two sizes. The lessons live as long as the ladder.
struct SampleLadder {
  std::vector<Sample> samples;
  Ladder ladder;
};

inline void add(SampleLadder& sample, int lesson, int size, double milliseconds, bool measured) {
  sample.samples.push_back(emulated_sample());
  Sample& added = sample.samples.back();
  added.lesson->number = lesson;
  added.lesson->changes = find_lesson(std::to_string(lesson - 1)).slug;
  added.run.problem = {size, size, size};
  added.run.recorded.reset();
  if (measured) added.run.device = "NVIDIA H200";
  added.run.emulation->total.global_load_bytes = 4 * 536870912ULL;
  const double tflops = added.run.problem.flops() / (milliseconds * 1e9);
  const double percent = tflops / 51 * 100;
  if (measured) {
    added.run.timing =
        RunTiming{Backend::gpu, 50, milliseconds, milliseconds, tflops, 0.3, percent, 0.8};
  } else {
    added.run.recorded =
        RecordedTiming{"NVIDIA H200", "580.1", "2026-11-21", milliseconds, tflops, percent};
  }
  sample.ladder.runs.push_back(added.run);
}

inline SampleLadder sample_ladder(bool measured) {
  SampleLadder sample;
  Ladder& ladder = sample.ladder;
  ladder.device = measured ? "NVIDIA H200" : "emulator · H200 limits";
  ladder.backend = measured ? Backend::gpu : Backend::emulator;
  if (measured) ladder.driver = "580.159.04";
  if (measured) ladder.clocks = "as found; SM 1980 MHz at most";
  ladder.date = "2026-11-22";
  ladder.gpu = simt::find_gpu("h200");
  for (const int size : {1024, 2048}) {
    add(sample, 2, size, 2.0 * size / 1024, measured);
    add(sample, 3, size, 0.5 * size / 1024, measured);
  }
  return sample;
}

// Estimated to take 10 % longer than was recorded, or measured.
inline SampleLadder estimated_ladder(bool measured) {
  SampleLadder sample = sample_ladder(measured);
  for (LessonRun& run : sample.ladder.runs) {
    run.gpu = sample.ladder.gpu;
    run.estimate = sample_estimate();
    run.estimate->median_ms = 1.1 * time_of(run)->median_ms;
  }
  return sample;
}

}  // namespace gemm_tutor
