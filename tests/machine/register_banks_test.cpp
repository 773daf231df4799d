#include "simt/machine/code.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "catch.hpp"
#include "simt/compiler.hpp"

namespace gemm_tutor::simt::machine {
namespace {

// Of R`a`, R`b` and R`c`; RZ for no_register.
Instruction reading(Kind kind, std::array<int, 3> registers, int reuse = 0) {
  Instruction result;
  result.kind = kind;
  for (std::size_t slot = 0; slot < registers.size(); ++slot) {
    if (registers[slot] != no_register) result.sources[slot] = {registers[slot], 1};
  }
  result.reuse = reuse;
  return result;
}

Instruction ffma(std::array<int, 3> registers, int reuse = 0) {
  return reading(Kind::ffma, registers, reuse);
}

std::vector<int> conflicts(std::vector<Instruction> instructions) {
  for (std::size_t i = 0; i < instructions.size(); ++i) {
    instructions[i].address = static_cast<std::uint32_t>(16 * i);
  }
  std::vector<int> result;
  for (const BankReads& reads : bank_reads(structured(90, std::move(instructions)))) {
    result.push_back(reads.conflicts());
  }
  return result;
}

using Conflicts = std::vector<int>;

std::string file_text(const std::string& path) {
  std::ifstream file(PROJECT_SOURCE_DIR "/" + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

CompiledKernel compiled_lesson(const std::string& lesson, const std::string& kernel,
                               const std::string& architecture) {
  CompileRequest request;
  request.source = file_text("lessons/" + lesson + "/kernel.cu");
  request.file_name = "kernel.cu";
  request.architecture = architecture;
  request.name_expression = kernel;
  return compile(request, {});
}

struct LoopConflicts {
  int ffma = 0, conflicts = 0;
  int with_conflict = 0;  // FFMAs that have one or two
};

// Of the loop with the most FFMAs.
LoopConflicts hot_loop_conflicts(const Code& code) {
  const std::vector<BankReads> reads = bank_reads(code);
  std::vector<LoopConflicts> loops(code.loops.size());
  for (const Block& block : code.blocks) {
    if (block.loop < 0) continue;
    LoopConflicts& loop = loops[static_cast<std::size_t>(block.loop)];
    for (std::size_t i = block.begin; i < block.end; ++i) {
      if (code.instructions[i].kind != Kind::ffma) continue;
      ++loop.ffma;
      loop.conflicts += reads[i].conflicts();
      loop.with_conflict += reads[i].conflicts() > 0;
    }
  }
  return *std::ranges::max_element(loops, {}, &LoopConflicts::ffma);
}

}  // namespace

TEST_CASE("registers of one bank wait for each other, those of two do not") {
  constexpr int none = no_register;
  CHECK(conflicts({ffma({1, 2, 4})}) == Conflicts{1});
  CHECK(conflicts({ffma({2, 4, 6})}) == Conflicts{2});
  CHECK(conflicts({ffma({1, 3, 5})}) == Conflicts{2});
  CHECK(conflicts({ffma({1, 2, none})}) == Conflicts{0});
  CHECK(conflicts({ffma({none, none, none})}) == Conflicts{0});
  CHECK(conflicts({ffma({2, 2, 3})}) == Conflicts{0});  // R2 is read once
  CHECK(conflicts({reading(Kind::integer, {2, 4, none})}) == Conflicts{1});
  CHECK(conflicts({reading(Kind::shared_store, {2, 4, none})}) == Conflicts{0});
}

TEST_CASE("a pair of registers is read from both banks") {
  Instruction wide = reading(Kind::integer, {1, no_register, 2});
  wide.sources[2].count = 2;
  CHECK(conflicts({wide}) == Conflicts{1});
  wide.sources[0] = {};
  CHECK(conflicts({wide}) == Conflicts{0});
}

TEST_CASE("a register with the reuse bit is not read again in the same slot") {
  constexpr int a = 1, b = 2;
  CHECK(conflicts({ffma({2, 4, 1}), ffma({2, 6, 1})}) == Conflicts{1, 1});
  CHECK(conflicts({ffma({2, 4, 1}, a), ffma({2, 6, 1})}) == Conflicts{1, 0});
  CHECK(conflicts({ffma({2, 4, 1}, b), ffma({2, 6, 1})}) == Conflicts{1, 1});
  CHECK(conflicts({ffma({2, 1, 4}, a), ffma({6, 2, 1})}) == Conflicts{1, 1});  // in another slot
  // The second reads it without the bit.
  CHECK(conflicts({ffma({2, 4, 1}, a), ffma({2, 6, 1}), ffma({2, 8, 1})}) == Conflicts{1, 0, 1});
}

TEST_CASE("the reuse cache keeps a register until its slot reads another of the same bank") {
  constexpr int a = 1;
  const Instruction first = ffma({2, 4, 1}, a), last = ffma({2, 8, 1});
  CHECK(conflicts({first, ffma({3, 6, 8}), last}) == Conflicts{1, 1, 0});
  CHECK(conflicts({first, ffma({6, 3, 8}), last}) == Conflicts{1, 1, 1});
  CHECK(conflicts({first, reading(Kind::shared_load, {6, no_register, no_register}), last}) ==
        Conflicts{1, 0, 0});
}

TEST_CASE("the reuse cache is empty at the beginning of a basic block") {
  Instruction jump;
  jump.kind = Kind::control;
  jump.target = 32;
  CHECK(conflicts({ffma({2, 4, 1}, 1), jump, ffma({2, 4, 1})}) == Conflicts{1, 0, 1});
}

// The assembler sets the bit where it saves a read, so that each bit that is not used is a mistake
// in the rule or in the decoding.
TEST_CASE("each reuse bit of the lessons' kernels is used") {
  if (!compiler_status().has_assembler) SKIP_BECAUSE("this compiler makes no machine code");
  for (const std::string architecture : {"sm_75", "sm_80", "sm_86", "sm_90", "sm_100", "sm_120"}) {
    INFO(architecture);
    const CompiledKernel kernel = compiled_lesson(
        "08-bank-conflicts", "conflict_free_reads<128, 128, 16, 8, 8, true>", architecture);
    const Code code = read_code(kernel.cubin, kernel.lowered_name);
    int set = 0, used = 0;
    for (const Instruction& instruction : code.instructions) {
      for (std::size_t slot = 0; slot < instruction.sources.size(); ++slot) {
        if ((instruction.reuse >> slot & 1) != 0) set += instruction.sources[slot].count;
      }
    }
    for (const BankReads& reads : bank_reads(code)) used += reads.reused;
    CHECK(set > 500);
    CHECK(used == set);
  }
}

// The latency of an FFMA, which no document gives: the chapter on the machine has it from here.
TEST_CASE("between an FFMA and one that adds to its sum the assembler waits four cycles") {
  if (!compiler_status().has_assembler) SKIP_BECAUSE("this compiler makes no machine code");
  for (const std::string architecture : {"sm_75", "sm_80", "sm_86", "sm_90", "sm_100", "sm_120"}) {
    INFO(architecture);
    const CompiledKernel kernel =
        compiled_lesson("03-shared-memory-tile", "shared_memory_tile<32, 32, 32>", architecture);
    const Code code = read_code(kernel.cubin, kernel.lowered_name);
    std::set<int> waits;
    int waited = 0, sum = no_register;
    for (const Instruction& instruction : code.instructions) {
      if (instruction.kind == Kind::ffma) {
        if (instruction.sources[2].first == sum) waits.insert(waited);
        sum = instruction.destination.first;
        waited = 0;
      }
      waited += std::max(1, instruction.stall);
    }
    REQUIRE_FALSE(waits.empty());
    CHECK(*waits.begin() == 4);
  }
}

// How the order of the sums in the source decides about conflicts. The texts name the number of
// FFMAs that have one.
TEST_CASE("the hot loops of the lessons have these conflicts of registers") {
  struct Sample {
    std::string lesson, kernel;
    int ffma, conflicts, with_conflict;
    std::string text, words;  // the lesson that has the number with these words, if any
  };
  const std::string order = "order-of-sums", warp_tile = "11-warp-tile", ahead = "13-larger-tile";
  for (const Sample& sample :
       {Sample{"07-vectorized-loads", "vectorized_loads<128, 128, 8, 8, 8, true>", 512, 377, 347,
               order, " | {ncu vectorized_loads registers} |"},
        Sample{order, "snake_order<128, 128, 8, 8, 8, true>", 512, 378, 348, order,
               " | {ncu snake_order registers} |"},
        Sample{"08-bank-conflicts", "conflict_free_reads<128, 128, 8, 8, 8, true>", 512, 367, 340,
               "", ""},
        Sample{"09-double-buffer", "double_buffer<128, 128, 8, 8, 8, true>", 1024, 495, 461, order,
               " of 1,024 multiply-adds have one"},
        Sample{warp_tile, "warp_tile<128, 128, 8, 32, 64, 8, 8, true>", 1024, 122, 122, order,
               "; but these two kernels differ"},
        Sample{"12-async-copy", "async_copy<128, 128, 8, 32, 64, 8, 8, 2, true>", 1024, 94, 94, "",
               ""},
        Sample{ahead, "wide_thread_tile<128, 128, 8, 32, 64, 8, 8, 2, true>", 1024, 112, 112, "",
               ""},
        Sample{ahead, "wide_thread_tile<128, 256, 8, 64, 64, 8, 16, 2, true>", 2048, 137, 137, "",
               ""},
        Sample{ahead, "wide_thread_tile<128, 256, 4, 64, 64, 8, 16, 4, true>", 2048, 115, 115, "",
               ""},
        Sample{"bulk-copies", "async_copy_bulk<128, 256, 8, 64, 64, 8, 16, 3, true>", 1024, 462,
               434, "", ""},
        Sample{"edges", "tiles_inside<128, 256, 4, 64, 64, 8, 16, 3, true, true>", 1536, 147, 147,
               "", ""}}) {
    const CompiledKernel kernel = compiled_lesson(sample.lesson, sample.kernel, "sm_90");
    if (kernel.compiler != "NVRTC 13.0") SKIP_BECAUSE("the numbers are those of NVRTC 13.0");
    INFO(sample.kernel);
    const LoopConflicts found = hot_loop_conflicts(read_code(kernel.cubin, kernel.lowered_name));
    CHECK(found.ffma == sample.ffma);
    CHECK(found.conflicts == sample.conflicts);
    CHECK(found.with_conflict == sample.with_conflict);
    if (sample.text.empty()) continue;
    CHECK_THAT(file_text("lessons/" + sample.text + "/lesson.md"),
               Catch::Contains(std::to_string(sample.with_conflict) + sample.words));
  }
}

}  // namespace gemm_tutor::simt::machine
