// What findings usually come of, from what their messages say (src/emulator/faults.cpp,
// checks.cpp).
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "exercise/diagnosis.hpp"

namespace gemm_tutor {
namespace {

// What a message is searched for.
struct Message {
  std::string_view text;

  bool says(std::string_view part) const { return text.find(part) != std::string_view::npos; }
  // "reads A[16][0], outside A, which…": A, B or C, and no array of the kernel's own.
  bool is_about(char matrix) const {
    for (const char* verb : {"reads", "writes", "adds to", "copies from", "at"}) {
      if (says(fmt::format(" {} {}[", verb, matrix))) return true;
    }
    return false;
  }
  // Whose threads do one after the other what the program says.
  bool is_of_one_warp() const { return says("__syncwarp()"); }
  bool is_about_matrix() const { return is_about('A') || is_about('B') || is_about('C'); }
};

std::string cause_of_bounds(const Message& message) {
  if (message.says("which is an input")) {
    return "A and B are only read: store to C.";
  }
  if (message.says("[-")) {
    return "An index falls below 0: look at what is subtracted in it.";
  }
  if (message.is_about('A')) {
    return "This thread's row or k lies beyond the edge of A: read only where row < M and k < K, "
           "and take 0 elsewhere.";
  }
  if (message.is_about('B')) {
    return "This thread's k or column lies beyond the edge of B: read only where k < K and "
           "column < N, and take 0 elsewhere.";
  }
  if (message.is_about('C')) {
    return "This thread's row or column lies beyond the edge of C: it must not store there. Guard "
           "the "
           "store by row < M and column < N; or, where no barrier follows, let the thread return "
           "before it reads.";
  }
  return "The index goes beyond what the array is declared with: compare its extents, in their "
         "order, with the loop's end and the thread's indices.";
}

std::string cause_of_alignment(const Message& message) {
  if (message.is_about_matrix()) {
    return "A float4 or float2 must begin at a multiple of its own size, which a row does only "
           "where its length is a multiple of 4 or 2 floats: elsewhere read or write single "
           "floats.";
  }
  return "A float4 or float2 must begin at a multiple of its own size: declare the array with "
         "alignas(16), and make each row's length, padding included, a multiple of 4 floats.";
}

std::string cause_of_uninitialised(const Message& message) {
  if (message.is_about('C')) {
    return "C holds nothing before the kernel writes it: collect the sum in a register that begins "
           "with 0, and store it once, with = for +=.";
  }
  return "The array is not filled wholly before it is used: let the threads together write every "
         "element, a 0 where the matrix ends (and begin sums with 0).";
}

std::string cause_of_race(const Message& message) {
  if (message.says("asynchronous copy")) {
    return "An asynchronous copy is not there before it was waited for: wait for it "
           "(__pipeline_wait_prior, or cp.async's wait), then __syncthreads(), and only then read.";
  }
  if (message.says("at the same time")) {
    return "Several threads store to one element, and chance decides whose value stays: the index "
           "must be another for each thread, or one thread alone must store.";
  }
  if (message.says("wrote too")) {
    return "Two threads compute the same element of C: row and column need the block's index times "
           "its tile, and the thread's index times the elements that it computes.";
  }
  if (message.says(" writes ") && message.says(" wrote ") && !message.is_of_one_warp()) {
    return "Two threads write one element with no __syncthreads() between: their indices overlap "
           "where they fill the array, or a __syncthreads() at the end of the loop's step is "
           "missing.";
  }
  if (message.is_of_one_warp()) {
    return message.says(" reads ")
               ? "A __syncthreads() is missing between the write and the read: after the tiles are "
                 "filled and before they are read."
               : "A __syncthreads() is missing between the last read and the next write: at the "
                 "end "
                 "of the loop's step, before the tiles are filled again.";
  }
  // Which of the two it is the message does not tell: warps run ahead of each other, so that
  // without either the tile is seen read too early and filled too early.
  return "There must be a __syncthreads() between filling the tile and reading it, and another "
         "between reading it and the next step that fills it again: one of them is missing.";
}

std::string cause_of_barrier(const Message& message) {
  if (message.says("waits in two places")) {
    return "Threads wait at different __syncthreads(), in the branches of an if: all threads of "
           "the "
           "block must reach the same one, so put it behind the branches.";
  }
  if (message.says("takes the value of thread")) {
    return "A shuffle takes a value from a thread that has returned: let all threads of the warp "
           "stay until it is done.";
  }
  if (message.says("mask")) {
    return "The mask must name just the threads of the warp that execute this line: 0xffffffff "
           "where all do, outside of any branch.";
  }
  if (message.says("have returned")) {
    return "Threads beyond the edge must not return before a __syncthreads() that others wait at: "
           "let them take part in the loop, and guard only the loads and the store.";
  }
  return "All threads of the block must reach a __syncthreads(): take it out of the if, or of the "
         "loop that some leave earlier, and let no thread return before it.";
}

}  // namespace

std::string cause_of(const emulator::Finding& finding) {
  const Message message{finding.message};
  if (finding.kind == "bounds") return cause_of_bounds(message);
  if (finding.kind == "alignment") return cause_of_alignment(message);
  if (finding.kind == "uninitialised") return cause_of_uninitialised(message);
  if (finding.kind == "race") return cause_of_race(message);
  if (finding.kind == "barrier") return cause_of_barrier(message);
  if (finding.kind == "endless") {
    return "The loop's condition never becomes false: its variable must go on in every turn (k0 += "
           "BK), towards the value that it is compared with.";
  }
  if (finding.kind == "unreachable") {
    return "A function that has a result ends without a return, or __builtin_unreachable() is "
           "executed: give every way through the function a return.";
  }
  if (finding.kind == "unwritten") {
    return "No thread stores these elements: a condition before the store leaves them out, or the "
           "block's threads together compute less than its tile.";
  }
  return "";
}

std::string cause_of(const std::vector<emulator::Finding>& findings) {
  // Threads that wait at different barriers also race.
  const auto barrier = std::ranges::find(findings, "barrier", &emulator::Finding::kind);
  if (barrier != findings.end()) return cause_of(*barrier);
  // A thread that stores outside C should not have read outside A or B either.
  const auto outside_c = std::ranges::find_if(findings, [](const emulator::Finding& finding) {
    return finding.kind == "bounds" && Message{finding.message}.is_about('C');
  });
  if (outside_c != findings.end() && findings.front().kind == "bounds") {
    return cause_of(*outside_c);
  }
  // Where a barrier is missing, warps are found to read what others write and to write what others
  // read, whichever comes first in the program; within a warp only what does.
  const auto tells_order = [](const emulator::Finding& finding) {
    return finding.kind == "race" && Message{finding.message}.is_of_one_warp();
  };
  const auto found = findings.front().kind == "race" ? std::ranges::find_if(findings, tells_order)
                                                     : findings.end();
  return cause_of(found == findings.end() ? findings.front() : *found);
}

}  // namespace gemm_tutor
