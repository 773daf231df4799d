// What is recorded, and what is drawn of it, adds up to what the emulator counts, for every line of
// every kernel of every lesson.
#include <fmt/format.h>

#include <bit>
#include <map>

#include "catch.hpp"
#include "course/lesson_run.hpp"
#include "sample.hpp"
#include "trace/picture.hpp"
#include "traces.hpp"

namespace gemm_tutor {
namespace {

using simt::Access;
using simt::Counters;

// Of one request, as the counters have it.
struct Cost {
  std::uint64_t cost = 0, conflicts = 0;
};

void add(Counters& c, const Access& access, const Cost& cost) {
  const auto bytes = static_cast<std::uint64_t>(std::popcount(access.active)) *
                     static_cast<std::uint64_t>(access.bytes);
  const bool shared = access.space == simt::MemorySpace::shared;
  if (shared && access.asynchronous) return;  // which no counter counts
  if (shared) {
    (access.store ? c.shared_store_requests : c.shared_load_requests) += 1;
    (access.store ? c.shared_store_wavefronts : c.shared_load_wavefronts) += cost.cost;
    (access.store ? c.shared_store_conflicts : c.shared_load_conflicts) += cost.conflicts;
    (access.store ? c.shared_store_bytes : c.shared_load_bytes) += bytes;
  } else {
    (access.store ? c.global_store_requests : c.global_load_requests) += 1;
    (access.store ? c.global_store_sectors : c.global_load_sectors) += cost.cost;
    (access.store ? c.global_store_bytes : c.global_load_bytes) += bytes;
  }
}

Cost drawn_cost(const AccessPicture& picture) {
  if (const GlobalPicture* global = picture.global()) return {global->sectors.size(), 0};
  Cost cost;
  for (const GroupPicture& group : picture.shared()->groups) {
    cost.cost += group.passes.size();
    cost.conflicts += group.passes.size() - 1;
  }
  CHECK(static_cast<int>(cost.cost) == picture.shared()->wavefronts);
  CHECK(static_cast<int>(cost.conflicts) == picture.shared()->conflicts);
  return cost;
}

using ByLine = std::map<int, Counters>;

// Of memory alone.
ByLine counted(const std::vector<simt::LineCounters>& lines) {
  ByLine result;
  for (const simt::LineCounters& line : lines) {
    const Counters& c = line.counters;
    Counters memory;
    memory.global_load_requests = c.global_load_requests;
    memory.global_load_sectors = c.global_load_sectors;
    if (c.global_load_requests > 0) memory.global_load_bytes = c.global_load_bytes;  // else in bulk
    memory.global_store_requests = c.global_store_requests;
    memory.global_store_sectors = c.global_store_sectors;
    memory.global_store_bytes = c.global_store_bytes;
    memory.shared_load_requests = c.shared_load_requests;
    memory.shared_load_wavefronts = c.shared_load_wavefronts;
    memory.shared_load_conflicts = c.shared_load_conflicts;
    memory.shared_load_bytes = c.shared_load_bytes;
    memory.shared_store_requests = c.shared_store_requests;
    memory.shared_store_wavefronts = c.shared_store_wavefronts;
    memory.shared_store_conflicts = c.shared_store_conflicts;
    memory.shared_store_bytes = c.shared_store_bytes;
    if (memory != Counters{}) result[line.line] = memory;
  }
  return result;
}

// Of an element of the picture, once for all lanes of it.
std::uint64_t words_of_lanes(const GroupPicture& group) {
  std::uint64_t words = 0;
  for (const PassPicture& pass : group.passes) {
    for (const BankWord& word : pass.words)
      words += static_cast<std::uint64_t>(std::popcount(word.lanes));
  }
  return words;
}

// Every lane is drawn, and as often as it has words or sectors.
void check_lanes(const AccessPicture& picture) {
  std::uint32_t lanes = 0;
  if (const GlobalPicture* global = picture.global()) {
    int bytes = 0;
    for (const SectorPicture& sector : global->sectors) {
      CHECK((lanes & sector.lanes) == 0);
      lanes |= sector.lanes;
      bytes += sector.bytes_used;
    }
    CHECK(bytes == global->bytes_used);
  } else {
    std::uint64_t words = 0;
    for (const GroupPicture& group : picture.shared()->groups) {
      lanes |= group.lanes;
      words += words_of_lanes(group);
      for (const PassPicture& pass : group.passes) {
        for (std::size_t i = 1; i < pass.words.size(); ++i)
          CHECK(pass.words[i - 1].bank < pass.words[i].bank);
      }
    }
    const int words_of_lane = std::max(picture.access.bytes, 4) / 4;
    CHECK(words == static_cast<std::uint64_t>(std::popcount(picture.access.active)) *
                       static_cast<std::uint64_t>(words_of_lane));
  }
  CHECK(lanes == picture.access.active);
}

void check(const Lesson& lesson, const Kernel& kernel, const Problem& problem) {
  INFO(kernel.name << " at " << problem.m << "x" << problem.n << "x" << problem.k);
  RunOptions run_options = emulated(problem);
  run_options.blocks = AllBlocks{};
  const Settings settings = a_tile_for_each_block(kernel, problem);
  const LessonRun run = run_kernel(lesson, kernel, settings, run_options);

  ByLine recorded, drawn;
  const simt::Dim3 grid = run.launch->grid;
  for (std::uint32_t y = 0; y < grid.y; ++y) {
    for (std::uint32_t x = 0; x < grid.x; ++x) {
      const simt::Dim3 block{x, y, 0};
      const Trace trace = trace_kernel(lesson, kernel, settings, options_of(problem, block));
      CHECK(trace.result.all_accesses);
      CHECK(trace.findings.empty());
      CHECK(trace.block == block);
      Paddings paddings(trace);
      for (const Access& access : trace.result.accesses) {
        const AccessPicture picture = draw(trace, access, paddings);
        check_lanes(picture);
        add(recorded[access.line], access, {access.cost, access.conflicts});
        add(drawn[access.line], access, drawn_cost(picture));
      }
    }
  }
  const ByLine expected = counted(run.emulation->lines);
  CHECK(recorded == expected);
  CHECK(drawn == expected);
  CHECK(expected.size() > 1);
}

}  // namespace

TEST_CASE("recorded and drawn accesses add up to the counters of every line of every lesson",
          "[long]") {
  for (const Lesson& lesson : sample_of(lessons(), 11)) {
    for (const Kernel& kernel : lesson.kernels) {
      // Only the last launch is recorded, and all are counted.
      if (!kernel.is_cuda() || !kernel.before.empty()) continue;
      check(lesson, kernel, {37, 45, 9});
      check(lesson, kernel, {128, 256, 16});
    }
  }
}

}  // namespace gemm_tutor
