// Kernels as people publish them: taken out of the notes in ../shared/seeds, where that folder is
// beside the project, and run like any file of the user's own. What is expected of each follows
// from its text.
#include <filesystem>
#include <ostream>

#include "course_checks.hpp"
#include "sample.hpp"
#include "simt/check/fault.hpp"
#include "simt/compiler.hpp"
#include "support/file.hpp"
#include "support/text.hpp"

namespace gemm_tutor {
namespace {

namespace fs = std::filesystem;

using simt::FindingKind;

// The findings of one kind about one array, over all lines.
struct Found {
  simt::FindingKind kind;
  std::string array;
  std::uint64_t count = 0;

  bool operator==(const Found&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Found& found) {
  return out << name_of(found.kind) << " " << found.array << " " << found.count;
}

struct Seed {
  std::string title;
  std::string note;         // the number that the note's file name starts with
  int example = 0;          // of the note's code blocks with a kernel, from 0
  std::string definitions;  // what the note leaves to the reader
  std::string entry;
  LaunchShape shape;
  std::vector<Found> at_100 = {};    // without the races
  bool writes_twice_at_100 = false;  // some elements of C
};

const fs::path notes = fs::path(PROJECT_SOURCE_DIR) / ".." / "shared" / "seeds";

LaunchShape shape(std::uint32_t x, std::uint32_t y, int tile, bool grid_x_along_rows = false) {
  LaunchShape result;
  result.block = {x, y};
  result.tile_rows = result.tile_columns = tile;
  result.grid_x_along_rows = grid_x_along_rows;
  return result;
}

std::string note_text(const std::string& number) {
  for (const auto& entry : fs::directory_iterator(notes)) {
    if (entry.path().filename().string().starts_with(number + "_")) {
      return read_file(entry.path()).value();
    }
  }
  throw std::runtime_error("no note " + number);
}

std::string code_of(const Seed& seed) {
  std::vector<std::string> blocks;
  bool inside = false;
  for (const std::string& line : split_lines(note_text(seed.note))) {
    const bool is_fence = line.starts_with("```");
    if (is_fence) inside = !inside;
    if (is_fence && inside) blocks.emplace_back();
    if (!is_fence && inside) blocks.back() += line + "\n";
  }
  std::erase_if(blocks, [](const std::string& block) { return !contains(block, "__global__"); });
  return seed.definitions + blocks.at(static_cast<std::size_t>(seed.example));
}

KernelRun run_at(const Seed& seed, int size) {
  KernelSource kernel;
  kernel.source = code_of(seed);
  kernel.file_name = "seed.cu";
  kernel.name_expression = seed.entry;
  kernel.shape = seed.shape;
  return run_kernel(kernel, on_emulator({size, size, size}));
}

std::vector<Found> without_races(const std::vector<simt::Finding>& findings) {
  std::vector<Found> result;
  for (const simt::Finding& finding : findings) {
    if (finding.kind() == FindingKind::race) continue;
    const Found found{finding.kind(), finding.array, finding.count};
    const auto same = std::ranges::find_if(result, [&](const Found& other) {
      return other.kind == found.kind && other.array == found.array;
    });
    if (same == result.end()) {
      result.push_back(found);
    } else {
      same->count += found.count;
    }
  }
  return result;
}

bool writes_twice(const std::vector<simt::Finding>& findings) {
  return std::ranges::any_of(findings, [](const simt::Finding& finding) {
    return finding.fault->fault == simt::Fault::written_twice && finding.array == "C";
  });
}

// 128×128×8 tiles by float4, with no guard at any edge. The last of 13 steps along K reads four
// columns too many. Of A, all reads of rows 100 to 127 are outside, 28 · 2 · 13, and one more at
// the end of row 99; of B, those of rows 100 to 103, 4 · 32, and the last 7 of row 99. What it
// stores to columns 100 to 127 is the next row's, and 28 rows of 32 float4 and 7 of row 99 are
// outside C.
const std::vector<Found> unguarded = {{FindingKind::bounds, "A", 729},
                                      {FindingKind::bounds, "B", 135},
                                      {FindingKind::bounds, "C", 903}};

// The tiles' rows of A beyond M, and columns of B beyond N, are never filled, and yet used: by 14
// of 16 rows (or columns) of threads, 2 elements per thread in each of 112 steps, in 4 of 16
// blocks.
constexpr std::uint64_t unfilled = 14 * 16 * 2 * 112 * 4;
// With 4 elements per thread and 64×64 tiles: by 7 of 16 rows of threads, in 2 of 4 blocks.
constexpr std::uint64_t unfilled_of_four = 7 * 16 * 4 * 112 * 2;
// The last step along K reads columns 100 to 111 of A, which are the next row's, outside behind row
// 99: 12 in each of 4 blocks. Of B it reads rows 100 to 111, 50 pairs in each, in 4 rows of blocks.
const std::vector<Found> double_buffered = {{FindingKind::bounds, "A", 12 * 4},
                                            {FindingKind::bounds, "B", 12 * 50 * 4},
                                            {FindingKind::uninitialised, "sA", unfilled},
                                            {FindingKind::uninitialised, "sB", unfilled}};

const std::string tile_32 = "constexpr int bm = 32, bn = 32, bk = 32;\n";
const std::string pairs = "constexpr int bm = 32, bn = 32, bk = 16, size = 2;\n";
const std::string fours = "constexpr int bm = 64, bn = 64, bk = 16, size = 4;\n";
const std::string macros =
    "#define OFFSET(row, col, ld) ((row) * (ld) + (col))\n"
    "#define FLOAT4(pointer) (reinterpret_cast<float4*>(&(pointer))[0])\n";

const std::vector<Seed> seeds = {
    {"naive", "000", 0, "", "", shape(32, 32, 32)},
    {"aligned float4 tiles", "000", 1, "", "", shape(16, 16, 128), unguarded, true},
    {"naive", "001", 0, "", "", shape(32, 32, 32)},
    {"shared tile", "001", 1, tile_32, "", shape(32, 32, 32)},
    {"2×2 per thread",
     "001",
     2,
     pairs,
     "",
     shape(16, 16, 32),
     {{FindingKind::uninitialised, "sA", unfilled}, {FindingKind::uninitialised, "sB", unfilled}}},
    {"4×4 per thread, float4 of B",
     "001",
     3,
     fours,
     "",
     shape(16, 16, 64),
     {{FindingKind::uninitialised, "sA", unfilled_of_four},
      {FindingKind::uninitialised, "sB", unfilled_of_four}}},
    {"double buffer", "001", 4, pairs, "", shape(16, 16, 32), double_buffered},
    {"padded", "001", 5, pairs, "matrixMulGPU", shape(16, 16, 32), double_buffered},
    {"padded, in registers", "001", 5, pairs, "matrixMulGPU_optimized", shape(16, 16, 32),
     double_buffered},
    {"rows along x", "003", 0, "", "", shape(32, 32, 32, true)},
    {"shared tile", "003", 1, "#define TILE_SIZE 32\n", "", shape(32, 32, 32)},
    {"thread tile", "003", 2,
     "#define TILE_SIZE 32\n#define TSIZE 8\n#define THREADS_PER_BLOCK 4\n", "", shape(4, 4, 32)},
    {"aligned float4 tiles", "004", 0, macros, "", shape(16, 16, 128), unguarded, true},
};

}  // namespace

TEST_CASE("the notes' kernels are right and clean at 256, a multiple of all their tiles",
          "[long]") {
  if (!fs::exists(notes)) SKIP_BECAUSE("there are no notes in " + notes.string());
  for (const Seed& seed : sample_of(seeds, 4)) {
    INFO(seed.note << " " << seed.title << " " << seed.entry);
    const KernelRun run = run_at(seed, 256);
    CHECK(run.verification.passed);
    CHECK(run.verification.elements_checked == 256 * 256);
    CHECK(run.emulation->findings.empty());
    CHECK(run.emulation->total.ffma == 256 * 256 * 256);
  }
}

TEST_CASE("the notes' kernels at 100, a multiple of none: what each does wrong, and how often") {
  if (!fs::exists(notes)) SKIP_BECAUSE("there are no notes in " + notes.string());
  if (!simt::compiler_status().has_assembler) {
    SKIP_BECAUSE("clang reads a float4 as four floats there, each of which is found by itself");
  }
  for (const Seed& seed : seeds) {
    INFO(seed.note << " " << seed.title << " " << seed.entry);
    const KernelRun run = run_at(seed, 100);
    CHECK(without_races(run.emulation->findings) == seed.at_100);
    CHECK(writes_twice(run.emulation->findings) == seed.writes_twice_at_100);
    CHECK_FALSE(run.wrong.unwritten);
    if (seed.at_100.empty()) CHECK(run.verification.passed);
  }
}

TEST_CASE("a missing zero fill leaves the step before's values in use: every element is wrong") {
  if (!fs::exists(notes)) SKIP_BECAUSE("there are no notes in " + notes.string());
  for (const std::size_t index : {4u, 5u}) {
    INFO(seeds[index].title);
    // The last of the steps of 16 along K fills 4 columns and adds 12 products too many.
    CHECK(run_at(seeds[index], 100).verification.wrong_elements == 100 * 100);
    CHECK(run_at(seeds[index], 96).verification.passed);  // whole steps
  }
}

}  // namespace gemm_tutor
