// The roles of a user's kernel's parameters, from names, types and options.
#include "run/arguments.hpp"

#include <bit>

#include "run/run_checks.hpp"
#include "support/text.hpp"

namespace gemm_tutor {
namespace {

struct Declared {
  std::string type, name;
};

// As a compiler describes a kernel that declares them.
Signature signature(const std::vector<Declared>& parameters) {
  Signature result;
  result.kernel = "k";
  for (const auto& [type, name] : parameters) {
    const bool is_half = type == "__half" || type == "__nv_bfloat16";
    const bool is_wide = type.ends_with('*') || type == "double" || type == "unsigned long";
    result.bytes.push_back(is_half ? 2 : is_wide ? 8 : 4);
    result.ptx.push_back(is_half            ? ""
                         : type == "float"  ? "f32"
                         : type == "double" ? "f64"
                         : is_wide          ? "u64"
                                            : "u32");
    result.types.push_back(type);
    result.names.push_back(name);
  }
  return result;
}

std::string resolved(const std::vector<Declared>& parameters) {
  std::vector<std::string> roles;
  for (const Argument& argument : resolve({}, {}, signature(parameters))) {
    roles.emplace_back(name_of(argument.role));
  }
  return join(roles);
}

Parameter scaled_by(const std::string& type, const std::string& alpha) {
  const Signature of = signature({{type, "alpha"}, {"float*", "C"}});
  return match(resolve({}, {.alpha = alpha}, of), of).front();
}

const std::vector<Declared> sgemm = {
    {"int", "M"},          {"int", "N"},          {"int", "K"},      {"float", "alpha"},
    {"float const*", "A"}, {"float const*", "B"}, {"float", "beta"}, {"float*", "C"}};

}  // namespace

TEST_CASE("parameters are found by their names, in any order, in capitals or not") {
  CHECK(resolved(sgemm) == "M, N, K, alpha, A, B, beta, C");
  CHECK(resolved({{"float*", "c"},
                  {"double", "Beta"},
                  {"unsigned long", "k"},
                  {"float*", "b"},
                  {"float const*", "a"}}) == "C, beta, K, B, A");
  CHECK(resolved({{"float*", "A"}, {"float*", "B"}, {"float*", "C"}, {"int", "N"}}) ==
        "A, B, C, N");
}

TEST_CASE("pointers are known by their names also where these say whose memory it is") {
  CHECK(resolved({{"float*", "d_C"},
                  {"float const*", "dev_A"},
                  {"float const*", "B_gpu"},
                  {"int", "M"},
                  {"int", "N"},
                  {"int", "K"}}) == "C, A, B, M, N, K");
  CHECK(resolved({{"float*", "matC"},
                  {"float const*", "dB"},
                  {"float const*", "a_ptr"},
                  {"int", "M"},
                  {"int", "N"},
                  {"int", "K"}}) == "C, B, A, M, N, K");
}

TEST_CASE("six parameters of other names are A, B, C, M, N, K where their types allow it") {
  CHECK(resolved({{"float*", "left"},
                  {"float*", "right"},
                  {"float*", "out"},
                  {"int", "rows"},
                  {"int", "columns"},
                  {"int", "depth"}}) == "A, B, C, M, N, K");
  // M and N are no sizes there.
  CHECK(resolved({{"float*", "M"},
                  {"float*", "N"},
                  {"float*", "P"},
                  {"int", "m"},
                  {"int", "n"},
                  {"int", "k"}}) == "A, B, C, M, N, K");
  Signature unnamed = signature(sgemm);
  unnamed.names.clear();
  CHECK(contains(error_of([&] { match(resolve({}, {}, unnamed), unnamed); }).what(),
                 "k has 8 parameters, not the 6 of A, B, C, M, N, K"));
}

TEST_CASE("a parameter whose name says nothing is named, with --args as the way") {
  const auto message = [](const std::vector<Declared>& parameters) {
    const Error error = error_of([&] { resolved(parameters); });
    CHECK(error.status() == ExitStatus::usage);
    CHECK(contains(error.help(), "--args"));
    return std::string(error.what());
  };
  CHECK(message({{"float*", "A"}, {"float*", "B"}, {"float*", "C"}, {"int", "width"}}) ==
        "parameter 4 of k, 'width', does not say by its name and type which of A, B, C, M, N, K, "
        "alpha, beta it is");
  CHECK(contains(message({{"float*", "M"}, {"float*", "N"}, {"float*", "P"}, {"int", "n"}}),
                 "parameter 1 of k, 'M', does not"));
  CHECK(contains(message({{"float*", "C"}, {"float*", "c"}}), "parameter 2 of k, 'c'"));
  CHECK(contains(message({{"float*", "A"}, {"float*", "alpha"}}), "parameter 2 of k, 'alpha'"));
  CHECK(message({{"float*", "A"}, {"int", "N"}}) == "k has no parameter named C");
}

TEST_CASE("alpha and beta are 1 and 0, or what --alpha, --beta or --args say") {
  const auto values = [](const std::vector<Argument>& arguments) {
    std::string text;
    for (const Argument& argument : arguments) {
      if (is_scale(argument.role))
        text += std::string(name_of(argument.role)) + "=" + argument.number + " ";
    }
    return text;
  };
  const Signature of = signature(sgemm);
  CHECK(values(resolve({}, {}, of)) == "alpha=1 beta=0 ");
  CHECK(values(resolve({}, {"0.5", "-3"}, of)) == "alpha=0.5 beta=-3 ");
  CHECK(values(resolve(parse_arguments("M,N,K,2.0,A,B,beta,C"), {.beta = "7"}, of)) ==
        "alpha=2.0 beta=7 ");

  const auto message = [&](const std::string& list, const Scales& scales) {
    const Error error = error_of([&] {
      resolve(list.empty() ? std::vector<Argument>() : parse_arguments(list), scales, of);
    });
    CHECK(error.status() == ExitStatus::usage);
    return std::string(error.what());
  };
  CHECK(message("M,N,K,2.0,A,B,beta,C", {.alpha = "3"}) ==
        "--args gives alpha the value 2.0, and --alpha 3");
  CHECK(contains(error_of([] {
                   const Signature plain = signature({{"float*", "C"}});
                   resolve({}, {.beta = "2"}, plain);
                 }).what(),
                 "k has no parameter named beta, which --beta 2 is for"));
}

TEST_CASE("alpha arrives as its parameter takes it, and is known as the kernel sees it") {
  CHECK(scaled_by("float", "0.1").bits == std::bit_cast<std::uint32_t>(0.1f));
  CHECK(scaled_by("float", "0.1").value == 0.1f);
  CHECK(scaled_by("double", "0.1").bits == std::bit_cast<std::uint64_t>(0.1));
  CHECK(scaled_by("double", "0.1").value == 0.1);
  CHECK(scaled_by("int", "-2").value == -2);

  struct Half {
    const char *type, *text;
    std::uint64_t bits;
  };
  for (const Half& half :
       {Half{"__half", "1", 0x3c00}, Half{"__half", "-0.5", 0xb800}, Half{"__half", "0.1", 0x2e66},
        Half{"__half", "0", 0}, Half{"__half", "65504", 0x7bff}, Half{"__half", "2049", 0x6800},
        Half{"__half", "5.9604644775390625e-08", 1}, Half{"__half", "6.103515625e-05", 0x0400},
        Half{"__nv_bfloat16", "1", 0x3f80}, Half{"__nv_bfloat16", "-3", 0xc040},
        Half{"__nv_bfloat16", "0.1", 0x3dcd}}) {
    INFO(half.type << " " << half.text);
    CHECK(scaled_by(half.type, half.text).bits == half.bits);
  }
  CHECK(scaled_by("__half", "0.1").value == 0x666 * 0x1p-14);
  CHECK(contains(error_of([] { scaled_by("__half", "65520"); }).what(),
                 "'__half', which alpha = 65520 does not fit"));
  CHECK(contains(error_of([] { scaled_by("int", "1.5"); }).what(),
                 "'int', which alpha = 1.5 does not fit"));
  for (const char* bad : {"", "x", "1.0f", "nan", "0x2"}) {
    CHECK(error_of([&] { parse_number("--alpha", bad); }).status() == ExitStatus::usage);
  }
}

TEST_CASE("a kernel with a beta begins with a random C, and beta needs a C to scale") {
  const auto update = [](std::optional<double> beta, std::optional<InitialC> c) {
    std::vector<Parameter> parameters = usual_parameters;
    if (beta) parameters.push_back({.role = Role::beta, .value = *beta});
    return update_of(parameters, c);
  };
  CHECK(update({}, {}).c == InitialC::poison);
  CHECK(update(0, {}).c == InitialC::random);
  CHECK(update(0, InitialC::poison).c == InitialC::poison);
  CHECK(update(2, InitialC::zero).c == InitialC::zero);
  CHECK(update({}, {}).scale_of_c() == 0);
  CHECK(update({}, InitialC::random).scale_of_c() == 1);
  CHECK(update(0.5, {}).scale_of_c() == 0.5);
  const Error error = error_of([&] { update(0.5, InitialC::poison); });
  CHECK(std::string(error.what()) ==
        "beta is 0.5, and with --c poison C holds nothing that it could scale");
  CHECK(error.status() == ExitStatus::usage);
}

}  // namespace gemm_tutor
