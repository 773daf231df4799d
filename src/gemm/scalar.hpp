// The types of a matrix' elements, and the precisions by which a product is judged.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gemm/problem.hpp"

namespace gemm_tutor {

// In host memory, a matrix of any type is an array of floats, all of which its type has: see
// encoded() for the form that a kernel sees.
enum class Scalar : std::uint8_t { f32, f16, bf16, s8, u8, s32, f64, e4m3, e5m2 };

struct ScalarType {
  std::string_view name;  // "FP16"
  int bytes = 4;
};
const ScalarType& type_of(Scalar element);
inline int bytes_of(Scalar element) { return type_of(element).bytes; }
constexpr bool is_fp8(Scalar element) { return element == Scalar::e4m3 || element == Scalar::e5m2; }

// The C++ type that a pointer's names: "__half" for "__half const*". Empty for one of no pointer.
std::string_view pointed_type(std::string_view type);

// What a pointer of this C++ type points to: "__half2 const*" to FP16, "float4*" to FP32. Nothing
// for other types, among them those whose bits may be anything, such as int4.
std::optional<Scalar> pointed_scalar(std::string_view type);

// The type's bits of a number, rounded to nearest even (IEEE 754 for FP16; bfloat16 is the upper
// half of a float; the largest FP8 for what is larger). A number that an integer cannot hold has no
// bits. A double comes back rounded to a float.
std::uint64_t bits_of(float value, Scalar element);
float value_of(std::uint64_t bits, Scalar element);
inline float rounded(float value, Scalar element) {
  return value_of(bits_of(value, element), element);
}

// The bits that tell an element that nobody has written: a NaN, or an integer that no product is.
// As a value it is always the float of these bits of FP32.
std::uint64_t poison_of(Scalar element);

// A matrix as a kernel sees it, and back. Poison stays poison. Both use all cores.
std::vector<std::byte> encoded(std::span<const float> values, Scalar element);
void decode(std::span<const std::byte> bytes, Scalar element, std::span<float> values);

// By which a product is judged. A float is rounded to the type of a factor, products are exact or
// rounded as their sums are. The names are those of --precision.
enum class Precision : std::uint8_t {
  fp64,
  fp32,
  fp16_pairs,
  tf32,
  fp16,
  bf16,
  fp16_sums,
  bf16_sums,
  fp8,
  int8
};

// The numbers follow from the formats and from the rule by which tensor cores add:
// docs/precision.md.
struct PrecisionTerms {
  std::string_view name;   // "fp16-sums"
  std::string_view title;  // "FP16, with sums in FP16"
  double of_factor = 0;    // the largest relative error of a factor that was a float
  double of_product = 0;   // the largest relative error of a sum, for each of its products
  // A factor below the smallest normal number of its type has an absolute error of this size.
  double of_small_factor = 0;
  // If not 0: A and B are random whole numbers such that the sum of |a·b| is at most this. Then
  // every sum is exact in any order, and the result must be exact.
  double exact_to = 0;
  int most_whole = 16;  // the largest of these, at most
};
const PrecisionTerms& terms_of(Precision precision);
std::optional<Precision> precision_named(std::string_view name);
std::vector<std::string> precision_names();

// That of the library's product which a kernel is compared with: a float made of two halves stands
// for a float.
inline Precision library_precision(Precision precision) {
  return precision == Precision::fp16_pairs ? Precision::fp32 : precision;
}

// The types of the three matrices, and what their product is judged by.
struct Types {
  Scalar a = Scalar::f32, b = Scalar::f32, c = Scalar::f32;
  Precision precision = Precision::fp32;

  bool are_floats() const { return a == Scalar::f32 && b == Scalar::f32 && c == Scalar::f32; }
  bool operator==(const Types&) const = default;
};

// What follows from the matrices: products of halves whose C is FP16 may be summed in FP16.
Precision usual_precision(const Types& types);

// A kernel's parameters: their roles, their sizes and the values passed to them.

// Alpha and beta scale A·B and C, or what is read in C's place, an array of its own. The workspace
// is memory for partial results of a second pass. A struct whose members have roles of their own is
// `members`.
enum class Role { a, b, c, m, n, k, alpha, beta, read_c, number, workspace, members };

// The names that --args accepts.
inline constexpr std::pair<Role, std::string_view> role_names[] = {
    {Role::a, "A"},         {Role::b, "B"},       {Role::c, "C"},
    {Role::m, "M"},         {Role::n, "N"},       {Role::k, "K"},
    {Role::alpha, "alpha"}, {Role::beta, "beta"}, {Role::read_c, "Cin"}};

// The role must not be `number` or `members`, which have no name.
constexpr std::string_view name_of(Role role) {
  return role == Role::workspace ? "partial" : role_names[static_cast<std::size_t>(role)].second;
}

constexpr bool is_matrix(Role role) { return role <= Role::c; }
constexpr bool is_pointer(Role role) {
  return is_matrix(role) || role == Role::read_c || role == Role::workspace;
}
constexpr bool is_size(Role role) { return role >= Role::m && role <= Role::k; }
constexpr bool is_scale(Role role) { return role == Role::alpha || role == Role::beta; }
constexpr bool takes_number(Role role) { return is_scale(role) || role == Role::number; }

// The role must be m, n or k.
constexpr int size_of(Role role, const Problem& problem) {
  return role == Role::m ? problem.m : role == Role::n ? problem.n : problem.k;
}

// The value passed to a parameter.
struct Argument {
  Role role = Role::a;
  // If takes_number(role), as the user wrote it: "1.0", or an expression of M, N and K: "M * K".
  // For a struct, its members: "A,B,C,M,N,K".
  std::string number = {};

  // The argument in a call of the kernel: the number, or the role's name.
  std::string text() const {
    if (role == Role::members) return "{" + number + "}";
    return number.empty() ? std::string(name_of(role)) : number;
  }
  bool operator==(const Argument&) const = default;
};

inline const std::vector<Argument> usual_arguments = {{Role::a}, {Role::b}, {Role::c},
                                                      {Role::m}, {Role::n}, {Role::k}};

struct Parameter {
  Role role = Role::a;
  int bytes = 8;                // 8 for a pointer, 4 or 8 for a size
  std::uint64_t bits = 0;       // a number's bits as the kernel sees them
  double value = 0;             // the same number
  std::string expression = {};  // in place of these, for a number that depends on the size: "M * K"
  // For a struct, such as {int width; int height; float* elements;}: its members, with their
  // offsets in it.
  std::vector<Parameter> members = {};
  int offset = 0;
  Scalar element = Scalar::f32;  // of a matrix

  bool operator==(const Parameter&) const = default;
};

// (const float* A, const float* B, float* C, int M, int N, int K)
inline const std::vector<Parameter> usual_parameters = {{Role::a, 8}, {Role::b, 8}, {Role::c, 8},
                                                        {Role::m, 4}, {Role::n, 4}, {Role::k, 4}};

// What a kernel computes: C = alpha·A·B + beta·C, as in BLAS, and of which types.

// The contents of C before the kernel: poison, which must not be read (see matrices.hpp), zeros, or
// random numbers.
enum class InitialC { poison, zero, random };

inline constexpr std::pair<InitialC, std::string_view> initial_c_names[] = {
    {InitialC::poison, "poison"}, {InitialC::zero, "zero"}, {InitialC::random, "random"}};

constexpr std::string_view name_of(InitialC c) {
  return initial_c_names[static_cast<std::size_t>(c)].second;
}

struct Update {
  InitialC c = InitialC::poison;
  // The values of the kernel's parameters of these names; nothing if it has no such parameter.
  std::optional<double> alpha = std::nullopt, beta = std::nullopt;
  bool reads_another_c = false;  // it has a parameter for what C held before, beside C
  Types types = {};

  double scale_of_product() const { return alpha.value_or(1); }
  // A kernel without a beta is expected to add to C, unless C is poisoned.
  double scale_of_c() const { return beta.value_or(c == InitialC::poison ? 0 : 1); }

  bool operator==(const Update&) const = default;
};

}  // namespace gemm_tutor
