#include "course/lesson.hpp"

#include "course/counted_float.hpp"
#include "kernel.cpp"

namespace gemm_tutor {
namespace {

double products(const Problem& p) { return 1.0 * p.m * p.n * p.k; }
double stored(const Problem& p) { return 1.0 * p.m * p.n; }

std::vector<Note> loop_notes() {
  return {
      {"float sum = 0.0f;",
       "`sum` stays in a register, the processor's own memory: adding to it loads and stores "
       "nothing."},
      {"sum += A[row * K + k] * B[k * N + column];",
       "One multiply-add: a float of A, the next in its row, times a float of B, the next one down "
       "its column."},
      {"C[row * N + column] = sum;",
       "Row after row in memory: to get to row `row`, skip `row` rows of N elements."},
  };
}

std::vector<Question> loop_questions() {
  return {
      {.id = "loads",
       .ask = "Your A is {M}×{K}, rows by columns, and your B {K}×{N}. How many "
              "floats does `cpu_loop` load from memory in all? (`sum` lives in a register and is "
              "never loaded.)",
       .unit = "floats",
       .work = "2·M·N·K",
       .count = "load_floats",
       .why = "The inner loop takes {K} steps for each of {M}·{N} elements of C, and every step "
              "loads two floats, one of A and one of B. If you said {M·K + K·N}, that is how many "
              "floats A and B hold; but each of them is loaded again and again."},
      {.id = "bytes-a-step",
       .ask = "A float has 4 bytes. How many bytes does the loop load for each multiply-add, that "
              "is, in each step of its inner loop?",
       .unit = "bytes",
       .work = "2·4",
       .count = "4·load_floats/(M·N·K)",
       .why = "One float of A and one of B, 4 bytes each. A multiply-add is two floating-point "
              "operations, so it is 2 operations for 8 bytes; the whole course is about getting "
              "more out of each byte."},
      {.id = "stores",
       .ask = "And how many floats does `cpu_loop` store?",
       .choices = {{"one for each step of the inner loop: {M·N·K}", "store_floats == M·N·K"},
                   {"one for each element of C: {M·N}", "store_floats == M·N"},
                   {"none, because `sum` is never stored", "store_floats == 0"}},
       .why = "The sum grows in a register for {K} steps and is stored once, when it is finished: "
              "once for each of {M}·{N} elements."},
  };
}

Kernel loop() {
  Kernel kernel;
  kernel.name = "cpu_loop";
  kernel.title = "the loops as the formula has them: row, column, k";
  kernel.cpu = cpu_loop<float>;
  kernel.cpu_counted = cpu_loop<CountedFloat>;
  kernel.notes = loop_notes();
  kernel.questions = loop_questions();
  kernel.traffic.loads = "2·M·N·K";
  kernel.traffic.stores = "M·N";
  kernel.traffic.load_floats = [](const Problem& p, const Settings&) { return 2 * products(p); };
  kernel.traffic.store_floats = [](const Problem& p, const Settings&) { return stored(p); };
  return kernel;
}

std::vector<Note> reordered_notes() {
  return {
      {"const float a = A[row * K + k];",
       "One float of A is loaded here, and used for a whole row of C."},
      {"C[row * N + column] += a * B[k * N + column];",
       "Along a row of B and a row of C, neighbour after neighbour; but there is no `sum` in a "
       "register any more."},
  };
}

std::vector<Question> reordered_questions() {
  return {
      {.id = "reordered-stores",
       .ask = "`cpu_loop_reordered` adds each product to C itself, after it has set all of C to "
              "zero. With M = {M}, N = {N} and K = {K}, how many floats does it store in all?",
       .unit = "floats",
       .work = "M·N + M·N·K",
       .count = "store_floats",
       .why = "First {M·N} zeros, then one store for each of {M·N·K} products, where `cpu_loop` "
              "stored {M·N} floats in all."},
      {.id = "reordered-loads",
       .ask = "`cpu_loop` loads {2·M·N·K} floats. And `cpu_loop_reordered`?",
       .choices = {{"fewer: a float of A is loaded once for a whole row of B",
                    "load_floats < 2·M·N·K"},
                   {"exactly as many", "load_floats == 2·M·N·K"},
                   {"more: what is saved on A is loaded from C, and a little besides",
                    "load_floats > 2·M·N·K"}},
       .why =
           "Every product needs a float of B and the element of C that it is added to: {2·M·N·K} "
           "loads. The {M·K} floats of A come on top. It may still be faster: look at the time."},
  };
}

Kernel reordered() {
  Kernel kernel;
  kernel.name = "cpu_loop_reordered";
  kernel.title = "the two inner loops exchanged: row, k, column";
  kernel.cpu = cpu_loop_reordered<float>;
  kernel.cpu_counted = cpu_loop_reordered<CountedFloat>;
  kernel.notes = reordered_notes();
  kernel.questions = reordered_questions();
  kernel.traffic.loads = "2·M·N·K + M·K";
  kernel.traffic.stores = "M·N·K + M·N";
  kernel.traffic.load_floats = [](const Problem& p, const Settings&) {
    return 2 * products(p) + 1.0 * p.m * p.k;
  };
  kernel.traffic.store_floats = [](const Problem& p, const Settings&) {
    return products(p) + stored(p);
  };
  return kernel;
}

}  // namespace

Lesson lesson_00_cpu_loop() {
  Lesson lesson;
  lesson.kernels = {loop(), reordered()};
  return lesson;
}

}  // namespace gemm_tutor
