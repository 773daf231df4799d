#include "random_kernel.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <random>

namespace gemm_tutor::simt {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s32 = std::int32_t;

constexpr int variables = 4;
using Values = std::array<u32, variables>;

// An operator as CUDA C++ and as a function, of up to three operands.
struct Operator {
  const char* text;
  u32 (*value)(u32 a, u32 b, u32 c);
};

constexpr u64 wide(u32 high, u32 low) { return u64{high} << 32 | low; }

constexpr Operator operators[] = {
    {"({0} + {1})", [](u32 a, u32 b, u32) { return a + b; }},
    {"({0} - {1})", [](u32 a, u32 b, u32) { return a - b; }},
    {"({0} * {1})", [](u32 a, u32 b, u32) { return a * b; }},
    {"({0} * {1} + {2})", [](u32 a, u32 b, u32 c) { return a * b + c; }},
    {"({0} & {1})", [](u32 a, u32 b, u32) { return a & b; }},
    {"({0} | {1})", [](u32 a, u32 b, u32) { return a | b; }},
    {"({0} ^ {1} ^ {2})", [](u32 a, u32 b, u32 c) { return a ^ b ^ c; }},
    {"({0} & {1} | ~{0} & {2})", [](u32 a, u32 b, u32 c) { return (a & b) | (~a & c); }},
    {"({0} << ({1} & 31))", [](u32 a, u32 b, u32) { return a << (b & 31); }},
    {"({0} >> ({1} & 31))", [](u32 a, u32 b, u32) { return a >> (b & 31); }},
    {"(unsigned)((int){0} >> ({1} & 31))",
     [](u32 a, u32 b, u32) { return static_cast<u32>(static_cast<s32>(a) >> (b & 31)); }},
    {"({0} / ({1} | 1))", [](u32 a, u32 b, u32) { return a / (b | 1); }},
    {"({0} % ({1} | 1))", [](u32 a, u32 b, u32) { return a % (b | 1); }},
    {"({0} / 7)", [](u32 a, u32, u32) { return a / 7; }},
    {"(unsigned)((int){0} % 10)",
     [](u32 a, u32, u32) { return static_cast<u32>(static_cast<s32>(a) % 10); }},
    {"(unsigned)((int){0} / (int)({1} & 1023 | 1))",
     [](u32 a, u32 b, u32) {
       return static_cast<u32>(static_cast<s32>(a) / static_cast<s32>((b & 1023) | 1));
     }},
    {"(unsigned)({0} < {1})", [](u32 a, u32 b, u32) { return u32{a < b}; }},
    {"(unsigned)((int){0} < (int){1})",
     [](u32 a, u32 b, u32) { return u32{static_cast<s32>(a) < static_cast<s32>(b)}; }},
    {"({0} & 4 ? {1} : {2})", [](u32 a, u32 b, u32 c) { return a & 4 ? b : c; }},
    {"(unsigned)((unsigned long long){0} * {1} >> 32)",
     [](u32 a, u32 b, u32) { return static_cast<u32>(u64{a} * b >> 32); }},
    {"(unsigned)__mulhi((int){0}, (int){1})",
     [](u32 a, u32 b, u32) {
       return static_cast<u32>(std::int64_t{static_cast<s32>(a)} * static_cast<s32>(b) >> 32);
     }},
    {"(unsigned)(short){0}",
     [](u32 a, u32, u32) { return static_cast<u32>(static_cast<std::int16_t>(a)); }},
    {"(unsigned)(unsigned char){0}",
     [](u32 a, u32, u32) { return u32{static_cast<std::uint8_t>(a)}; }},
    {"(unsigned)(((unsigned long long){0} << 32 | {1}) / ({2} | 1))",
     [](u32 a, u32 b, u32 c) { return static_cast<u32>(wide(a, b) / (c | 1)); }},
    {"(unsigned)(((unsigned long long){0} << 32 | {1}) % ({2} | 1))",
     [](u32 a, u32 b, u32 c) { return static_cast<u32>(wide(a, b) % (c | 1)); }},
    {"(unsigned)(((unsigned long long){0} << 32 | {1}) >> ({2} & 63))",
     [](u32 a, u32 b, u32 c) { return static_cast<u32>(wide(a, b) >> (c & 63)); }},
    {"min({0}, {1})", [](u32 a, u32 b, u32) { return a < b ? a : b; }},
    {"(unsigned)max((int){0}, (int){1})",
     [](u32 a, u32 b, u32) {
       return static_cast<u32>(std::max(static_cast<s32>(a), static_cast<s32>(b)));
     }},
    {"(unsigned)abs((int)({0} | 1))",
     [](u32 a, u32, u32) { return a >> 31 ? 0 - (a | 1) : a | 1; }},
    {"(unsigned)__popc({0})", [](u32 a, u32, u32) { return static_cast<u32>(std::popcount(a)); }},
    {"(unsigned)__clz((int){0})",
     [](u32 a, u32, u32) { return static_cast<u32>(std::countl_zero(a)); }},
    {"__funnelshift_l({0}, {1}, {2})",
     [](u32 a, u32 b, u32 c) { return static_cast<u32>(wide(b, a) << (c & 31) >> 32); }},
};

struct Expression {
  const Operator* operation = nullptr;  // null: a variable or a constant
  int variable = -1;
  u32 constant = 0;
  std::vector<Expression> operands;

  std::string text() const {
    if (operation != nullptr)
      return fmt::format(fmt::runtime(operation->text), operands[0].text(), operands[1].text(),
                         operands[2].text());
    return variable >= 0 ? fmt::format("v{}", variable) : fmt::format("{}u", constant);
  }

  u32 value(const Values& values) const {
    if (operation != nullptr)
      return operation->value(operands[0].value(values), operands[1].value(values),
                              operands[2].value(values));
    return variable >= 0 ? values[static_cast<std::size_t>(variable)] : constant;
  }
};

enum class Leaving { no, break_loop, continue_loop, function };

struct Statement {
  enum class Kind { assign, branch, loop, break_if, continue_if, return_if } kind = Kind::assign;
  int variable = 0;
  Expression expression;
  std::vector<Statement> body, otherwise;
};

std::string text(const std::vector<Statement>& statements, int depth);

std::string text(const Statement& s, int depth) {
  const std::string indent(static_cast<std::size_t>(2 * depth), ' ');
  const std::string e = s.expression.text();
  switch (s.kind) {
    case Statement::Kind::assign:
      return fmt::format("{}v{} = {};\n", indent, s.variable, e);
    case Statement::Kind::branch:
      return fmt::format("{0}if ({1} & 1) {{\n{2}{0}}} else {{\n{3}{0}}}\n", indent, e,
                         text(s.body, depth + 1), text(s.otherwise, depth + 1));
    case Statement::Kind::loop:
      return fmt::format(
          "#pragma unroll 1\n"
          "{0}for (unsigned i{1} = 0, end{1} = {2} & 7; i{1} < end{1}; ++i{1}) {{\n{3}{0}}}\n",
          indent, depth, e, text(s.body, depth + 1));
    case Statement::Kind::break_if:
      return fmt::format("{}if (({} & 3) == 0) break;\n", indent, e);
    case Statement::Kind::continue_if:
      return fmt::format("{}if (({} & 3) == 0) continue;\n", indent, e);
    case Statement::Kind::return_if:
      return fmt::format("{}if (({} & 15) == 0) return v{};\n", indent, e, s.variable);
  }
  return "";
}

std::string text(const std::vector<Statement>& statements, int depth) {
  std::string result;
  for (const Statement& s : statements) result += text(s, depth);
  return result;
}

Leaving execute(const std::vector<Statement>& statements, Values& values, u32& returned);

Leaving execute_loop(const Statement& s, u32 count, Values& values, u32& returned) {
  for (u32 i = 0; i < count; ++i) {
    const Leaving leaving = execute(s.body, values, returned);
    if (leaving == Leaving::break_loop) break;
    if (leaving == Leaving::function) return leaving;
  }
  return Leaving::no;
}

Leaving execute(const Statement& s, Values& values, u32& returned) {
  const u32 value = s.expression.value(values);
  switch (s.kind) {
    case Statement::Kind::assign:
      values[static_cast<std::size_t>(s.variable)] = value;
      return Leaving::no;
    case Statement::Kind::branch:
      return execute(value & 1 ? s.body : s.otherwise, values, returned);
    case Statement::Kind::loop:
      return execute_loop(s, value & 7, values, returned);
    case Statement::Kind::break_if:
      return (value & 3) == 0 ? Leaving::break_loop : Leaving::no;
    case Statement::Kind::continue_if:
      return (value & 3) == 0 ? Leaving::continue_loop : Leaving::no;
    case Statement::Kind::return_if:
      returned = values[static_cast<std::size_t>(s.variable)];
      return (value & 15) == 0 ? Leaving::function : Leaving::no;
  }
  return Leaving::no;
}

Leaving execute(const std::vector<Statement>& statements, Values& values, u32& returned) {
  for (const Statement& s : statements) {
    const Leaving leaving = execute(s, values, returned);
    if (leaving != Leaving::no) return leaving;
  }
  return Leaving::no;
}

class Generator {
 public:
  explicit Generator(u64 seed) : random_(seed) {}

  std::vector<Statement> statements(int depth, bool in_loop) {
    std::vector<Statement> result;
    const u32 count = 2 + below(3);
    for (u32 i = 0; i < count; ++i) result.push_back(statement(depth, in_loop));
    return result;
  }

 private:
  u32 below(u32 end) { return static_cast<u32>(random_() % end); }

  Expression expression(int depth) {
    Expression e;
    if (depth == 0 || below(4) == 0) {
      if (below(4) == 0) {
        e.constant = below(2) == 0 ? below(100) : static_cast<u32>(random_());
      } else {
        e.variable = static_cast<int>(below(variables));
      }
      return e;
    }
    e.operation = &operators[below(std::size(operators))];
    for (int i = 0; i < 3; ++i) e.operands.push_back(expression(depth - 1));
    return e;
  }

  Statement statement(int depth, bool in_loop) {
    using Kind = Statement::Kind;
    Statement s;
    s.variable = static_cast<int>(below(variables));
    s.expression = expression(2);
    const u32 choice = below(10);
    if (choice < 2 && depth < 3) {
      s.kind = Kind::branch;
      s.body = statements(depth + 1, in_loop);
      s.otherwise = statements(depth + 1, in_loop);
    } else if (choice < 4 && depth < 3) {
      s.kind = Kind::loop;
      s.body = statements(depth + 1, true);
    } else if (choice < 6 && in_loop) {
      s.kind = choice == 4 ? Kind::break_if : Kind::continue_if;
    } else if (choice == 6) {
      s.kind = Kind::return_if;
    }
    return s;
  }

  std::mt19937_64 random_;
};

}  // namespace

struct RandomFunction::Body {
  std::vector<Statement> statements;
};

RandomFunction::RandomFunction(std::uint64_t seed)
    : body_(std::make_unique<Body>(Body{Generator(seed).statements(0, false)})) {}
RandomFunction::RandomFunction(RandomFunction&&) noexcept = default;
RandomFunction::~RandomFunction() = default;

std::string RandomFunction::text(const std::string& name) const {
  return fmt::format(
      "__device__ unsigned {}(unsigned v0) {{\n"
      "  unsigned v1 = v0 * 0x9e3779b9u, v2 = v1 >> 7, v3 = 0;\n{}"
      "  return v0 ^ v1 ^ v2 ^ v3;\n}}\n",
      name, simt::text(body_->statements, 1));
}

std::uint32_t RandomFunction::value(std::uint32_t thread) const {
  const u32 mixed = thread * 0x9e3779b9u;
  Values values = {thread, mixed, mixed >> 7, 0};
  u32 returned = 0;
  if (execute(body_->statements, values, returned) == Leaving::function) return returned;
  return values[0] ^ values[1] ^ values[2] ^ values[3];
}

}  // namespace gemm_tutor::simt
