#include "course/lesson.hpp"

namespace gemm_tutor {
namespace {

std::vector<Note> notes() {
  return {
      {"const float one = 1.0f, zero = 0.0f;",
       "alpha and beta: once the product, and nothing of what C held before."},
      {"// Columns for rows makes a transpose of each",
       "The library takes our rows for columns, so we ask for the transpose of what we want."},
      {"return cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, N, M, K, &one, B, N, A, K, &zero, C, "
       "N);",
       "B before A and N before M; after each matrix, how far apart its rows begin."},
  };
}

std::vector<Question> questions() {
  return {
      {.id = "least-bytes",
       .ask = "However the library does it: at the very least each element of A ({M}×{K}) and of B "
              "({K}×{N}) must be read once from global memory, and each of C ({M}×{N}) written "
              "once. How many bytes is that?",
       .unit = "bytes",
       .work = "4·(M·K + K·N + M·N)",
       .count = "4·(a_floats + b_floats + c_floats)",
       .why = "4 bytes for every element of the three matrices. For them {2·M·N·K} floating-point "
              "operations are to be done, {2·M·N·K/(4·(M·K + K·N + M·N))} for each byte; the "
              "larger the matrices, the more. No tile of a fixed size gets there by itself: blocks "
              "load the same rows and columns again, and caches have to help."},
      {.id = "wrong-order",
       .ask = "All matrices are square and stored by rows. Someone calls cublasSgemm with A before "
              "B, as the formula has them. The library takes both for matrices stored by columns, "
              "and stores its result by columns. What does one find in C, read by rows?",
       .choices = {{"A·B: the two misunderstandings cancel out", "passed_a_first == a_times_b"},
                   {"B·A", "passed_a_first == b_times_a"},
                   {"the transpose of A·B", "passed_a_first == a_times_b_transposed"}},
       .why = "Taken by columns, A and B are their own transposes, so the library computes Aᵀ·Bᵀ, "
              "which is (B·A)ᵀ. It stores that by columns, which turns it over once more: by rows "
              "it reads B·A. Both misunderstandings do cancel out, but the order is changed; so B "
              "must be passed first."},
  };
}

}  // namespace

Lesson lesson_10_cublas() {
  Kernel kernel;
  kernel.name = "cublas";
  kernel.from_library = true;
  kernel.notes = notes();
  kernel.questions = questions();

  Lesson lesson;
  lesson.kernels = {kernel};
  lesson.change = "No kernel of one's own: the library has many, and knows when to take which.";
  return lesson;
}

}  // namespace gemm_tutor
