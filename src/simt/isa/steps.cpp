#include "simt/isa/steps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cfenv>
#include <optional>

#include "simt/exec/machine.hpp"
#include "simt/isa/ptx_row.hpp"
#include "support/text.hpp"

namespace gemm_tutor::simt {
namespace {

using Value = StepOperand;
using Words = std::vector<std::string>;

bool is_known(std::string_view key) {
  return instruction_set().find(key.data(), key.size()).full != nullptr;
}

std::string key_of(const Words& words) {
  std::string key;
  for (const std::string& word : words) key += (key.empty() ? "" : ".") + word;
  return key;
}

bool take(Words& words, std::string_view word) {
  const auto found = std::find(words.begin() + 1, words.end(), word);
  if (found == words.end()) return false;
  words.erase(found);
  return true;
}

Value immediate(std::uint64_t value) { return {Value::Kind::immediate, nullptr, 0, value}; }
Value element(const ptx::Operand& operand) { return {Value::Kind::statement, &operand, 0, 0}; }
const Value carry = {Value::Kind::carry, nullptr, 0, 0};

// Removes a rounding direction `.rz`, `.rm` or `.rp` from the opcode and returns it. Keeps `.rn`.
std::optional<int> take_direction(Words& words) {
  constexpr std::pair<std::string_view, int> directions[] = {
      {"rz", FE_TOWARDZERO}, {"rm", FE_DOWNWARD}, {"rp", FE_UPWARD}};
  for (const auto& [name, direction] : directions) {
    const auto found = std::find(words.begin() + 1, words.end(), name);
    if (found == words.end()) continue;
    *found = "rn";
    return direction;
  }
  return std::nullopt;
}

// The results for which a comparison is true, one bit each: less (lowest bit), equal, greater,
// unordered.
std::optional<std::uint64_t> relation(std::string_view name) {
  constexpr std::pair<std::string_view, std::uint64_t> relations[] = {
      {"lt", 1},  {"eq", 2},  {"le", 3},   {"gt", 4},   {"ne", 5},   {"ge", 6},   {"num", 7},
      {"nan", 8}, {"ltu", 9}, {"equ", 10}, {"leu", 11}, {"gtu", 12}, {"neu", 13}, {"geu", 14}};
  for (const auto& [known, bits] : relations) {
    if (known == name) return bits;
  }
  return std::nullopt;
}

struct NumberType {
  std::string name;
  explicit NumberType(std::string text) : name(std::move(text)) {}
  bool is_integer() const { return name[0] == 's' || name[0] == 'u'; }
  bool is_signed() const { return name[0] == 's'; }
  int bits() const { return std::stoi(name.substr(name.find_first_of("0123456789"))); }
  bool is_narrow() const { return name == "f16" || name == "bf16"; }
  bool is_number() const {
    return is_one_of(
        name, {"s8", "u8", "s16", "u16", "s32", "u32", "s64", "u64", "f16", "bf16", "f32", "f64"});
  }
};

class Maker {
 public:
  explicit Maker(const ptx::Statement& statement) : s_(statement) {}

  std::vector<Step> make();

 private:
  Value source(std::size_t operand) const { return element(s_.operands[operand]); }
  Value destination() const { return element(s_.operands[0]); }
  Value temporary() { return {Value::Kind::temporary, nullptr, temporaries_++, 0}; }
  Value step(const std::string& key, Value result, const std::vector<Value>& sources) {
    steps_.push_back({key, {result}, 0});
    steps_.back().operands.insert(steps_.back().operands.end(), sources.begin(), sources.end());
    return result;
  }
  Value step(const std::string& key, const std::vector<Value>& sources) {
    return step(key, temporary(), sources);
  }
  // The step that makes the result writes it where the statement wants it.
  void finish(const Value& result);
  void round(int direction) { steps_.push_back({"set_rounding", {}, direction}); }

  bool make(Words words);
  bool with_modifiers(Words words);
  bool convert(Words words);
  Value converted(Value value, const NumberType& from, const NumberType& to, const std::string& how,
                  bool clamped);
  Value integer(Value value, const NumberType& from, const NumberType& to, bool clamped);
  bool set_predicate(Words words);
  bool set(Words words);
  Value compared(const Words& words, const std::string& type, Value a, Value b,
                 std::optional<Value> with);
  bool with_carry(Words words);
  bool logic_with_predicate(const Words& words);
  bool move_both_halves();
  bool move_vector(const Words& words);
  Value packed(const std::vector<ptx::Operand>& pieces, std::size_t begin, std::size_t count,
               int bits);
  void unpack(Value value, const std::vector<ptx::Operand>& pieces, std::size_t begin,
              std::size_t count, int bits);
  bool read_clock(const std::string& name);
  bool agree(const Words& words);
  bool elect();

  const ptx::Statement& s_;
  std::vector<Step> steps_;
  int temporaries_ = 0;
};

bool is_sink(const ptx::Operand& operand) {
  return operand.kind == ptx::Operand::Kind::symbol && operand.symbol == "_";
}

bool is_vector(const ptx::Operand& operand) { return operand.kind == ptx::Operand::Kind::vector; }

std::vector<Step> Maker::make() {
  if (s_.operands.empty() || !make(split(s_.opcode, '.'))) return {};
  return std::move(steps_);
}

void Maker::finish(const Value& result) {
  for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
    if (step->operands.empty() || result.kind != Value::Kind::temporary) continue;
    if (step->operands[0].number != result.number) continue;
    step->operands[0] = destination();
    return;
  }
  step("mov.b64", destination(), {result});  // from 64 bits to 64, of the other sign
}

bool Maker::make(Words words) {
  const std::string& operation = words[0];
  if (operation == "mov" && s_.operands.size() == 2) {
    if (read_clock(s_.operands[1].symbol)) return true;
    return move_vector(words);
  }
  if (operation == "cvt") return convert(std::move(words));
  if (operation == "setp") return set_predicate(std::move(words));
  if (operation == "set") return set(std::move(words));
  if (operation == "lop3") return logic_with_predicate(words);
  if (operation == "match") return agree(words);
  if (operation == "elect") return elect();
  if (operation == "createpolicy") {
    step("mov.b64", destination(), {immediate(0)});  // caches are not modelled
    return true;
  }
  const bool carries = is_one_of(operation, {"addc", "subc", "madc"}) ||
                       (words.size() > 2 && std::count(words.begin(), words.end(), "cc") > 0);
  return carries ? with_carry(std::move(words)) : with_modifiers(std::move(words));
}

// --- Arithmetic: rounded in a direction, with denormals flushed, clamped

bool Maker::with_modifiers(Words words) {
  const std::optional<int> direction = take_direction(words);
  take(words, "noftz");
  const bool flushed = take(words, "ftz"), clamped = take(words, "sat"), relu = take(words, "relu");
  const std::string type = words.back();
  if (!is_known(key_of(words))) return false;
  std::vector<Value> sources;
  for (std::size_t i = 1; i < s_.operands.size(); ++i) {
    sources.push_back(flushed ? step("flush." + type, {source(i)}) : source(i));
  }
  if (direction) round(*direction);
  Value result = step(key_of(words), sources);
  if (direction) round(FE_TONEAREST);
  if (flushed) result = step("flush." + type, {result});
  if (clamped) result = step("sat." + type, {result});
  if (relu) result = step("relu." + type, {result});
  finish(result);
  return true;
}

// --- Conversions

bool Maker::convert(Words words) {
  const std::optional<int> direction = take_direction(words);
  const bool flushed = take(words, "ftz"), clamped = take(words, "sat"), relu = take(words, "relu");
  if (words.size() < 3) return false;
  const std::string from = words.back(), to = words[words.size() - 2];
  std::vector<Value> sources;
  for (std::size_t i = 1; i < s_.operands.size(); ++i) {
    sources.push_back(flushed && from == "f32" ? step("flush.f32", {source(i)}) : source(i));
  }
  if (direction) round(*direction);
  Value result;
  if (is_known(key_of(words)) && (!clamped || to.find('f') != to.npos)) {
    result = step(key_of(words), sources);
  } else {
    const NumberType source_type(from), result_type(to);
    if (!source_type.is_number() || !result_type.is_number() || sources.size() != 1) return false;
    const std::string how = words.size() == 4 ? words[1] : "";
    if (words.size() > 4 || !is_one_of(how, {"", "rn", "rni", "rzi", "rmi", "rpi"})) return false;
    result = converted(sources[0], source_type, result_type, how, clamped);
  }
  if (direction) round(FE_TONEAREST);
  const bool to_float = to.find('f') != to.npos;
  if (flushed && to == "f32") result = step("flush.f32", {result});
  if (clamped && to_float) result = step("sat." + to, {result});
  if (relu) result = step("relu." + to, {result});
  finish(result);
  return true;
}

// Converts through types that hold every value of both.
Value Maker::converted(Value value, const NumberType& from, const NumberType& to,
                       const std::string& how, bool clamped) {
  if (from.is_integer() && to.is_integer()) return integer(value, from, to, clamped);
  if (from.is_integer()) {
    const NumberType wide(from.is_signed() ? "s64" : "u64");
    value = integer(value, from, wide, false);
    if (to.name == "f64") return step("cvt.rn.f64." + wide.name, {value});
    return step("cvt.rn." + to.name + ".f64", {step("to_odd.f64." + wide.name, {value})});
  }
  if (from.is_narrow()) value = step("cvt.f32." + from.name, {value});
  if (to.is_integer()) {
    const std::string type = from.name == "f64" ? "f64" : "f32";
    if (how != "rzi") value = step(fmt::format("cvt.{}.{}.{}", how, type, type), {value});
    return step(fmt::format("cvt.rzi.{}.{}", to.name, type), {value});
  }
  if (from.name != "f64") value = step("cvt.f64.f32", {value});
  if (how.ends_with('i')) value = step(fmt::format("cvt.{}.f64.f64", how), {value});
  return to.name == "f64" ? value : step("cvt.rn." + to.name + ".f64", {value});
}

Value Maker::integer(Value value, const NumberType& from, const NumberType& to, bool clamped) {
  const std::string wide = from.is_signed() ? "s64" : "u64";
  if (from.bits() < 64) value = step("cvt." + wide + "." + from.name, {value});
  if (clamped) {
    const int bits = to.bits() - to.is_signed();
    const std::uint64_t ones = ~std::uint64_t{0};
    const std::uint64_t most =
        std::min(bits == 64 ? ones : ~(ones << bits), from.is_signed() ? ones >> 1 : ones);
    const std::uint64_t least = from.is_signed() && to.is_signed() ? ones << bits : 0;
    value = step("max." + wide, {value, immediate(least)});
    value = step("min." + wide, {value, immediate(most)});
  }
  return to.bits() == 64 ? value : step("cvt." + to.name + "." + wide, {value});
}

// --- Comparisons

// setp.eq.and.f32: `words` are without type and modifiers, `with` is the predicate it is joined to.
Value Maker::compared(const Words& words, const std::string& type, Value a, Value b,
                      std::optional<Value> with) {
  const std::string key = fmt::format("setp.{}.{}", words[1], type);
  const auto holds = relation(words[1]);
  Value result = is_known(key) ? step(key, {a, b})
                               : step("setp." + type, {a, b, immediate(holds.value_or(0))});
  if (with) result = step(words[2] + ".pred", {result, *with});
  return result;
}

bool Maker::set_predicate(Words words) {
  const std::string type = words.back();
  words.pop_back();
  const bool flushed = take(words, "ftz"), joined = words.size() == 3;
  const bool pairs = type.ends_with("x2");
  const std::string single = type.substr(0, type.size() - (pairs ? 2 : 0));
  if (words.size() < 2 || s_.operands.size() != (joined ? 4u : 3u)) return false;
  if (!relation(words[1]) && !is_known(fmt::format("setp.{}.{}", words[1], type))) return false;
  if (!is_known("setp." + single) && !is_known(fmt::format("setp.{}.{}", words[1], single)))
    return false;
  const auto with = joined ? std::optional(source(3)) : std::nullopt;
  Value a = source(1), b = source(2);
  if (flushed) {
    a = step("flush." + type, {a});
    b = step("flush." + type, {b});
  }
  const bool two = is_vector(s_.operands[0]);
  if (two && s_.operands[0].elements.size() != 2) return false;
  const Value first = two ? element(s_.operands[0].elements[0]) : destination();
  std::optional<Value> second;
  if (two) second = element(s_.operands[0].elements[1]);
  Value low, high;
  if (pairs) {
    low = compared(words, single, step("low.b32", {a}), step("low.b32", {b}), with);
    high = compared(words, single, step("high.b32", {a}), step("high.b32", {b}), with);
  } else {
    low = compared({words[0], words[1]}, single, a, b, std::nullopt);
    if (two) high = step("not.pred", {low});
    if (two && with) high = step(words[2] + ".pred", {high, *with});
    if (with) low = step(words[2] + ".pred", {low, *with});
  }
  if (!is_sink(two ? s_.operands[0].elements[0] : s_.operands[0])) step("mov.pred", first, {low});
  if (second && !is_sink(s_.operands[0].elements[1])) step("mov.pred", *second, {high});
  return true;
}

// set.lt.u32.f32: a comparison whose result is a number, of all ones or 1.0.
bool Maker::set(Words words) {
  if (words.size() < 4) return false;
  const std::string type = words.back(), result_type = words[words.size() - 2];
  words.resize(words.size() - 2);
  const bool flushed = take(words, "ftz"), joined = words.size() == 3;
  if (words.size() < 2 || !relation(words[1])) return false;
  if (s_.operands.size() != (joined ? 4u : 3u)) return false;
  const auto with = joined ? std::optional(source(3)) : std::nullopt;
  const bool pairs = type.ends_with("x2");
  const std::string single = type.substr(0, type.size() - (pairs ? 2 : 0));
  if (!is_known("setp." + single) && !is_known(fmt::format("setp.{}.{}", words[1], single)))
    return false;
  const std::uint64_t yes = result_type == "f32"              ? 0x3f800000
                            : result_type.starts_with("f16")  ? 0x3c00
                            : result_type.starts_with("bf16") ? 0x3f80
                            : pairs                           ? 0xffff
                                                              : 0xffffffff;
  Value a = source(1), b = source(2);
  if (flushed) {
    a = step("flush." + type, {a});
    b = step("flush." + type, {b});
  }
  const auto chosen = [&](Value x, Value y) {
    return step("selp.b32", {immediate(yes), immediate(0), compared(words, single, x, y, with)});
  };
  if (!pairs) {
    step("mov.b32", destination(), {chosen(a, b)});
    return true;
  }
  const Value low = chosen(step("low.b32", {a}), step("low.b32", {b}));
  const Value high = chosen(step("high.b32", {a}), step("high.b32", {b}));
  step("pack.b32", destination(), {low, high});
  return true;
}

// --- Others

bool Maker::with_carry(Words words) {
  const bool leaves = take(words, "cc");
  const bool reads = words[0].ends_with('c');
  const std::string operation = words[0].substr(0, 3), bits = words.back().substr(1);
  const bool product = operation == "mad";
  if (s_.operands.size() != (product ? 4u : 3u) || !is_one_of(bits, {"32", "64"})) return false;
  Value a = source(1), b = source(2);
  if (product) {
    if (words.size() != 3) return false;
    a = step(fmt::format("mul.{}.{}", words[1], words[2]), {a, b});
    b = source(3);
  }
  const Value before = reads ? carry : immediate(0);
  const std::string name = (operation == "sub" ? "subtract_b" : "add_b") + bits;
  const Value result = step(name, {a, b, before});
  if (leaves) step("carry_of_" + name, carry, {a, b, before});
  step("mov.b" + bits, destination(), {result});
  return true;
}

// lop3.or.b32 d|p, a, b, c, table, q: whether any bit of the result is set, joined to q.
bool Maker::logic_with_predicate(const Words& words) {
  const ptx::Operand& results = s_.operands[0];
  if (words.size() != 3 || s_.operands.size() != 6 || results.elements.size() != 2) return false;
  const Value result = step("lop3.b32", {source(1), source(2), source(3), source(4)});
  const Value any = step("setp.ne.u32", {result, immediate(0)});
  const Value joined = step(words[1] + ".pred", {any, source(5)});
  if (!is_sink(results.elements[0])) step("mov.b32", element(results.elements[0]), {result});
  step("mov.pred", element(results.elements[1]), {joined});
  return true;
}

// A register of 128 bits is two of 64 bits here.
bool Maker::move_both_halves() {
  if (!is_vector(s_.operands[0]) || !is_vector(s_.operands[1])) return false;
  const std::vector<ptx::Operand>& to = s_.operands[0].elements;
  const std::vector<ptx::Operand>& from = s_.operands[1].elements;
  if (to.size() != 2 || from.size() != 2) return false;
  const Value low = step("mov.b64", {element(from[0])}), high = step("mov.b64", {element(from[1])});
  if (!is_sink(to[0])) step("mov.b64", element(to[0]), {low});
  if (!is_sink(to[1])) step("mov.b64", element(to[1]), {high});
  return true;
}

bool Maker::move_vector(const Words& words) {
  if (words.size() == 2 && words[1] == "b128") return move_both_halves();
  const bool pack = is_vector(s_.operands[1]);
  if (pack == is_vector(s_.operands[0])) return false;
  const std::vector<ptx::Operand>& pieces = s_.operands[pack ? 1 : 0].elements;
  const bool known = words.size() == 2 && is_one_of(words[1], {"b16", "b32", "b64"});
  if (!known || (pieces.size() != 2 && pieces.size() != 4)) return false;
  const int bits = std::stoi(words[1].substr(1));
  if (pack) {
    finish(packed(pieces, 0, pieces.size(), bits));
  } else {
    // The pieces may take the source's place in memory while it is still read.
    const Value whole = step(bits == 64 ? "mov.b64" : "mov.b32", {source(1)});
    unpack(whole, pieces, 0, pieces.size(), bits);
  }
  return true;
}

Value Maker::packed(const std::vector<ptx::Operand>& pieces, std::size_t begin, std::size_t count,
                    int bits) {
  if (count == 1) return element(pieces[begin]);
  const Value low = packed(pieces, begin, count / 2, bits / 2);
  const Value high = packed(pieces, begin + count / 2, count / 2, bits / 2);
  return step(fmt::format("pack.b{}", bits), {low, high});
}

void Maker::unpack(Value value, const std::vector<ptx::Operand>& pieces, std::size_t begin,
                   std::size_t count, int bits) {
  for (const bool high : {false, true}) {
    const std::size_t first = begin + (high ? count / 2 : 0);
    const std::string key = fmt::format("{}.b{}", high ? "high" : "low", bits);
    if (count > 2) {
      unpack(step(key, {value}), pieces, first, count / 2, bits / 2);
    } else if (!is_sink(pieces[first])) {
      step(key, element(pieces[first]), {value});
    }
  }
}

bool Maker::read_clock(const std::string& name) {
  if (name == "%clock64" || name == "%globaltimer") {
    step("read_timer", destination(), {});
  } else if (name == "%clock" || name == "%globaltimer_lo") {
    step("low.b64", destination(), {step("read_timer", {})});
  } else if (name == "%clock_hi" || name == "%globaltimer_hi") {
    step("high.b64", destination(), {step("read_timer", {})});
  } else {
    return false;
  }
  return true;
}

// match.all.sync.b32 d|p, a, mask
bool Maker::agree(const Words& words) {
  const bool two = is_vector(s_.operands[0]) && s_.operands[0].elements.size() == 2;
  if (words.size() < 3 || words[1] != "all" || s_.operands.size() != 3 ||
      (!two && is_vector(s_.operands[0])))
    return false;
  const std::string key = "agreeing_lanes." + words.back();
  if (!is_known(key)) return false;
  const Value result = step(key, {source(1), source(2)});
  const ptx::Operand& lanes_to = two ? s_.operands[0].elements[0] : s_.operands[0];
  const Value all = step("setp.ne.u32", {result, immediate(0)});
  if (!is_sink(lanes_to)) step("mov.b32", element(lanes_to), {result});
  if (two) step("mov.pred", element(s_.operands[0].elements[1]), {all});
  return true;
}

// elect.sync d|p, mask
bool Maker::elect() {
  const ptx::Operand& results = s_.operands[0];
  if (s_.operands.size() != 2 || results.elements.size() != 2) return false;
  const Value leader = step("elected_lane", {source(1)});
  const Value is_leader = step("is_elected", {source(1)});
  if (!is_sink(results.elements[0])) step("mov.b32", element(results.elements[0]), {leader});
  if (!is_sink(results.elements[1])) step("mov.pred", element(results.elements[1]), {is_leader});
  return true;
}

}  // namespace

std::vector<Step> steps_of(const ptx::Statement& statement) { return Maker(statement).make(); }

}  // namespace gemm_tutor::simt
