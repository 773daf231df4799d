// A tuning that is filled in by hand.
#pragma once

#include "tune/tuning.hpp"

namespace gemm_tutor {

inline Settings tile_settings(int bm, int tm) {
  return {{"BM", bm}, {"BN", bm}, {"BK", 16}, {"TM", tm}, {"TN", tm}};
}

inline Candidate measured_candidate(const Settings& settings, double milliseconds) {
  Candidate candidate;
  candidate.settings = settings;
  simt::Estimate& estimate = candidate.estimate.emplace();
  estimate.median_ms = milliseconds * 0.9;
  estimate.low_ms = 0.88 * estimate.median_ms;
  estimate.high_ms = 1.2 * estimate.median_ms;
  candidate.measurements = {{milliseconds, 2.0}};
  return candidate;
}

// Of lesson 9's kernel, as if it had been measured.
inline Tuning sample_tuning() {
  const Lesson& lesson = find_lesson("9");
  Tuning tuning{.tunable = {lesson, lesson.kernels.front()}, .problem = {256, 256, 256}};
  tuning.gpu = simt::find_gpu("h200");
  tuning.measured = true;
  tuning.date = "2026-11-21";
  tuning.budget = 120;
  tuning.result.candidates = {measured_candidate(tile_settings(64, 4), 1.6),
                              measured_candidate(tile_settings(64, 8), 2.0),
                              measured_candidate(tile_settings(128, 8), 2.5)};
  tuning.result.candidates.back().is_default = true;
  Candidate failed;
  failed.settings = tile_settings(32, 2);
  failed.failure = "TM must be a multiple of 4\nand more";
  tuning.result.candidates.push_back(failed);
  tuning.result.seconds = 31;
  tuning.stored = {.done = true, .words = "Stored in /somewhere/tuning.json."};
  return tuning;
}

}  // namespace gemm_tutor
