#include "simt/ptx/joining_rule.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "simt/ptx/register_allocation.hpp"

namespace gemm_tutor::simt {
namespace {

using Kind = ptx::Operand::Kind;

// --- The values of registers

constexpr int all_zeros = 64;

int trailing_zeros(std::int64_t value) {
  return value == 0 ? all_zeros : std::countr_zero(static_cast<std::uint64_t>(value));
}

// Only the low bits matter, and sums and products may overflow.
std::int64_t sum_of(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}
std::int64_t product_of(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}

// Some value, by number, and a constant. The value with number 0 is 0.
struct Value {
  int number = 0;
  std::int64_t constant = 0;

  bool is_constant() const { return number == 0; }
  bool operator==(const Value&) const = default;
};

// Equal values have the same number. A value is a register at the start, a variable's address, the
// sum of two values, or a multiple of one.
class Values {
 public:
  enum class Origin { unknown, reg, symbol, sum, multiple };

  Value unknown(int zeros) { return {number({Origin::unknown, numbers(), 0, ""}, zeros), 0}; }
  Value of_register(int reg, int zeros) { return {number({Origin::reg, reg, 0, ""}, zeros), 0}; }
  Value of_symbol(const std::string& symbol, int zeros) {
    return {number({Origin::symbol, 0, 0, symbol}, zeros), 0};
  }
  Value sum(const Value& a, const Value& b) {
    const std::int64_t constant = sum_of(a.constant, b.constant);
    if (a.is_constant()) return {b.number, constant};
    if (b.is_constant()) return {a.number, constant};
    const auto [first, second] = std::minmax(a.number, b.number);
    const int zeros = std::min(zeros_of(first), zeros_of(second));
    return {number({Origin::sum, first, second, ""}, zeros), constant};
  }
  Value multiple(const Value& a, std::int64_t factor) {
    const std::int64_t product = product_of(a.constant, factor);
    if (a.is_constant()) return {0, product};
    if (factor == 1) return a;
    const int zeros = std::min(all_zeros, zeros_of(a.number) + trailing_zeros(factor));
    return {number({Origin::multiple, a.number, factor, ""}, zeros), product};
  }
  // The number of low bits that are known to be 0.
  int zeros_of(int number) const { return zeros_[static_cast<std::size_t>(number)]; }

 private:
  using Key = std::tuple<Origin, std::int64_t, std::int64_t, std::string>;

  int numbers() const { return static_cast<int>(zeros_.size()); }
  int number(const Key& key, int zeros) {
    const auto [found, is_new] = numbers_.emplace(key, numbers());
    if (is_new) zeros_.push_back(zeros);
    return found->second;
  }

  std::map<Key, int> numbers_;
  std::vector<int> zeros_ = {all_zeros};
};

// "mul.wide.s32" as "mul" and its first modifier.
std::pair<std::string_view, std::string_view> parts_of(std::string_view opcode) {
  const std::size_t dot = opcode.find('.');
  if (dot == opcode.npos) return {opcode, ""};
  const std::string_view rest = opcode.substr(dot + 1);
  return {opcode.substr(0, dot), rest.substr(0, rest.find('.'))};
}

// Of 32 or 64 bits, of which addresses are made: the low 32 of them.
bool is_of_addresses(std::string_view opcode) {
  for (const std::string_view other :
       {".f", ".s16", ".u16", ".b16", ".s8", ".u8", ".pred", ".hi"}) {
    if (opcode.find(other) != opcode.npos) return false;
  }
  return true;
}

using KnownValues = std::map<int, Value>;

// The values of a function's registers, as far as addresses need them.
class Evaluation {
 public:
  Evaluation(const ptx::Function& function, const std::map<std::string, std::uint64_t>& addresses)
      : function_(function), addresses_(addresses), zeros_(function.registers.size(), all_zeros) {
    for (std::size_t s = 0; s < function.statements.size(); ++s) {
      for (const int reg : written_registers(function.statements[s])) writers_[reg].push_back(s);
    }
    find_zeros();
    find_lasting();
  }

  int zeros_of(int value) const { return values_.zeros_of(value); }

  // At a place where `registers` have these values, and others their values at its start.
  Value operand(const ptx::Operand& operand, const KnownValues& registers) {
    if (operand.kind == Kind::immediate) return {0, static_cast<std::int64_t>(operand.immediate)};
    if (operand.reg >= 0) {
      for (const KnownValues* known : {&registers, static_cast<const KnownValues*>(&lasting_)}) {
        if (const auto found = known->find(operand.reg); found != known->end()) {
          return found->second;
        }
      }
      return values_.of_register(operand.reg, zeros_[static_cast<std::size_t>(operand.reg)]);
    }
    if (operand.symbol.empty()) return {};
    return values_.of_symbol(operand.symbol, zeros_of_symbol(operand.symbol));
  }

  // Returns the value that the statement writes; nothing if it is not computed in a known way.
  std::optional<Value> result(const ptx::Statement& statement, const KnownValues& registers) {
    const auto& operands = statement.operands;
    const std::string_view name = parts_of(statement.opcode).first;
    if (statement.guard >= 0 || !is_of_addresses(statement.opcode)) return {};
    for (const ptx::Operand& each : operands) {
      if (each.kind != Kind::reg && each.kind != Kind::immediate && each.kind != Kind::symbol) {
        return {};
      }
    }
    const auto source = [&](std::size_t i) { return operand(operands[i], registers); };
    if (operands.size() == 2 && (name == "mov" || name == "cvt" || name == "cvta")) {
      // The assembler does not find a loop's number of iterations if its counter is converted.
      const bool is_counter = name == "cvt" && source(1).is_constant();
      return is_counter ? std::nullopt : std::optional(source(1));
    }
    if (operands.size() == 3 && name == "add") return values_.sum(source(1), source(2));
    if (operands.size() == 3 && name == "sub" && source(2).is_constant()) {
      return values_.sum(source(1), values_.multiple(source(2), -1));
    }
    if (operands.size() == 3 && name == "shl" && source(2).is_constant()) {
      return values_.multiple(source(1), std::int64_t{1} << (source(2).constant & 63));
    }
    if (operands.size() == 3 && name == "mul") return product(source(1), source(2));
    if (operands.size() == 4 && name == "mad") {
      const std::optional<Value> first = product(source(1), source(2));
      if (first) return values_.sum(*first, source(3));
    }
    return {};
  }

  void execute(const ptx::Statement& statement, KnownValues& registers) {
    const std::vector<int> written = written_registers(statement);
    const std::optional<Value> value =
        written.size() == 1 ? result(statement, registers) : std::nullopt;
    for (const int reg : written) {
      registers[reg] = value ? *value : values_.unknown(zeros_[static_cast<std::size_t>(reg)]);
    }
  }

  // Returns the register's value at the entry of a loop of these statements.
  Value on_entry(int reg, std::size_t begin, std::size_t end) {
    std::optional<Value> same;
    int zeros = all_zeros;
    bool is_same = true;
    for (const std::size_t s : writers_[reg]) {
      if (s >= begin && s < end) continue;
      const std::optional<Value> value = result(function_.statements[s], {});
      is_same = is_same && value && (!same || *same == *value);
      same = value;
      zeros = std::min(zeros, result_zeros(function_.statements[s]));
    }
    return same && is_same ? *same : values_.unknown(zeros);
  }

 private:
  std::optional<Value> product(const Value& a, const Value& b) {
    if (b.is_constant()) return values_.multiple(a, b.constant);
    if (a.is_constant()) return values_.multiple(b, a.constant);
    return {};
  }

  int zeros_of_symbol(const std::string& symbol) const {
    const auto found = addresses_.find(symbol);
    if (found == addresses_.end()) return 0;
    return trailing_zeros(static_cast<std::int64_t>(found->second));
  }

  int zeros_of(const ptx::Operand& operand) const {
    if (operand.kind == Kind::immediate) {
      return trailing_zeros(static_cast<std::int64_t>(operand.immediate));
    }
    if (operand.kind == Kind::reg) return zeros_[static_cast<std::size_t>(operand.reg)];
    return operand.kind == Kind::symbol ? zeros_of_symbol(operand.symbol) : 0;
  }

  int result_zeros(const ptx::Statement& statement) const {
    const auto& operands = statement.operands;
    const std::string_view name = parts_of(statement.opcode).first;
    if (!is_of_addresses(statement.opcode) || operands.size() < 2) return 0;
    const int first = zeros_of(operands[1]);
    for (const std::string_view same : {"mov", "cvt", "cvta", "neg"}) {
      if (name == same) return first;
    }
    if (operands.size() < 3) return 0;
    const int second = zeros_of(operands[2]);
    const bool has_shift = operands[2].kind == Kind::immediate;
    const int shift = has_shift ? static_cast<int>(operands[2].immediate & 63) : 0;
    if (name == "and") return std::max(first, second);
    if (name == "shl") return std::min(all_zeros, first + shift);
    if (name == "shr") return has_shift ? std::max(0, first - shift) : 0;
    const int product = std::min(all_zeros, first + second);
    if (name == "mul") return product;
    if (name == "mad" && operands.size() == 4) return std::min(product, zeros_of(operands[3]));
    for (const std::string_view least : {"add", "sub", "or", "xor", "min", "max", "selp"}) {
      if (name == least) return std::min(first, second);
    }
    return 0;
  }

  // For any path on which the registers were written.
  void find_zeros() {
    for (bool is_changed = true; is_changed;) {
      is_changed = false;
      for (const auto& [reg, writers] : writers_) {
        int& zeros = zeros_[static_cast<std::size_t>(reg)];
        for (const std::size_t s : writers) {
          const int these = result_zeros(function_.statements[s]);
          is_changed = is_changed || these < zeros;
          zeros = std::min(zeros, these);
        }
      }
    }
  }

  // Registers that are written once, from constants and other such registers.
  void find_lasting() {
    for (const ptx::Statement& statement : function_.statements) {
      const std::vector<int> written = written_registers(statement);
      if (written.size() != 1 || writers_[written[0]].size() != 1) continue;
      bool lasts = true;
      for (std::size_t i = 1; i < statement.operands.size(); ++i) {
        const int reg = statement.operands[i].reg;
        lasts = lasts && (reg < 0 || writers_[reg].size() == 1);
      }
      const std::optional<Value> value = lasts ? result(statement, {}) : std::nullopt;
      if (value) lasting_[written[0]] = *value;
    }
  }

  const ptx::Function& function_;
  const std::map<std::string, std::uint64_t>& addresses_;
  Values values_;
  std::map<int, std::vector<std::size_t>> writers_;  // statements, by register
  std::vector<int> zeros_;                           // of each register, at any time
  KnownValues lasting_;
};

// --- Which accesses may be joined with one another

// At a value and this many bytes.
struct AccessAtValue {
  std::size_t statement = 0;
  std::int64_t offset = 0;
  int bytes = 0;
};

// Loads or stores with the same value in their addresses; stores also with the same aligned bytes.
// What is between sections separates their groups.
struct Group {
  bool store = false;
  int value = 0, element_bytes = 0, section = 0;
  std::int64_t aligned = 0;

  auto operator<=>(const Group&) const = default;
};

using Groups = std::map<Group, std::vector<AccessAtValue>>;

struct Shape {
  bool store = false;
  int bytes = 0, element_bytes = 0;
};

// Of ld.shared.v2.f32 and its like; volatile accesses, narrow ones and those under a guard stay as
// they are.
std::optional<Shape> joinable(const ptx::Statement& statement) {
  std::string_view opcode = statement.opcode;
  const bool store = opcode.starts_with("st.shared.");
  const bool is_access = store || opcode.starts_with("ld.shared.");
  if (!is_access || statement.guard >= 0 || statement.operands.size() != 2) return {};
  opcode.remove_prefix(std::string_view("ld.shared.").size());
  int elements = 1;
  if (opcode.starts_with("v2.") || opcode.starts_with("v4.")) {
    elements = opcode[1] - '0';
    opcode.remove_prefix(3);
  }
  if (opcode.size() != 3) return {};
  const int bytes = opcode.ends_with("32") ? 4 : opcode.ends_with("64") ? 8 : 0;
  if (bytes == 0) return {};
  return Shape{store, elements * bytes, bytes};
}

enum class Effect { none, keeps_stores_apart, keeps_all_apart };

Effect effect_of(const ptx::Statement& statement) {
  const std::string_view opcode = statement.opcode;
  for (const std::string_view other : {"ld.global", "ld.param", "ld.const", "ld.local", "st.global",
                                       "st.local", "atom.global", "red.global"}) {
    if (opcode.starts_with(other)) return Effect::none;
  }
  if (opcode.starts_with("wmma.") && opcode.find(".global") != opcode.npos) return Effect::none;
  for (const std::string_view load : {"ld.", "ldmatrix.", "wmma.load."}) {
    if (opcode.starts_with(load)) return Effect::keeps_stores_apart;
  }
  if (statement.row->step == AsynchronousStep::end_group) return Effect::keeps_stores_apart;
  if (statement.row->form == Form::asynchronous) return Effect::keeps_all_apart;
  // The last of these are written out with branches.
  for (const std::string_view other :
       {"st.", "stmatrix.", "wmma.store.", "atom.", "red.", "bar.", "barrier.", "membar", "fence",
        "cp.", "sqrt.rn", "rcp.rn", "div.rn", "div.s64", "div.u64", "rem.s64", "rem.u64"}) {
    if (opcode.starts_with(other)) return Effect::keeps_all_apart;
  }
  return Effect::none;
}

std::optional<bool> comparison(std::string_view opcode, const Value& a, const Value& b) {
  if (!a.is_constant() || !b.is_constant()) return {};
  const std::string_view name = parts_of(opcode).second;
  if (name == "eq") return a.constant == b.constant;
  if (name == "ne") return a.constant != b.constant;
  if (name == "lt" || name == "lo") return a.constant < b.constant;
  if (name == "le" || name == "ls") return a.constant <= b.constant;
  if (name == "gt" || name == "hi") return a.constant > b.constant;
  if (name == "ge" || name == "hs") return a.constant >= b.constant;
  return {};
}

// Goes through the function's blocks and collects the groups.
class Collection {
 public:
  Collection(const ptx::Function& function, const std::vector<BasicBlock>& blocks,
             Evaluation& evaluation)
      : function_(function),
        blocks_(blocks),
        evaluation_(evaluation),
        is_target_(blocks.size(), false) {
    for (const BasicBlock& block : blocks) {
      if (block.target >= 0) is_target_[static_cast<std::size_t>(block.target)] = true;
    }
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      if (!continues(b)) {
        registers_.clear();
        ++section_;
      }
      last_store_ = {};  // a store that may be skipped does not join earlier ones
      const int times = iterations(b);
      if (times > 1) registers_ = on_entry(b);
      for (int i = 0; i < times; ++i) walk(b);
    }
  }

  Groups take() { return std::move(groups_); }

 private:
  // The limit for unrolled loops. Short loops are unrolled at least partially, which joins the same
  // accesses; longer ones only if all iterations together have no more statements than this.
  // Measured.
  static constexpr std::size_t short_loop = 70, most_statements = 360, most_iterations = 128;

  // True if it is reached only from the previous block, which may jump over it.
  bool continues(std::size_t b) const {
    if (b == 0 || is_target_[b]) return false;
    const BasicBlock& before = blocks_[b - 1];
    return before.next == static_cast<int>(b) && before.target > static_cast<int>(b);
  }

  KnownValues on_entry(std::size_t b) {
    KnownValues registers;
    for (std::size_t s = blocks_[b].begin; s < blocks_[b].end; ++s) {
      for (const int reg : written_registers(function_.statements[s])) {
        registers[reg] = evaluation_.on_entry(reg, blocks_[b].begin, blocks_[b].end);
      }
    }
    return registers;
  }

  // Returns the condition for repeating the block; nothing if it is not a loop of one block.
  std::optional<bool> repeats_on(std::size_t b) const {
    const BasicBlock& block = blocks_[b];
    if (block.target < 0 || block.next < 0) return {};
    const bool jumps_on = !function_.statements[block.end - 1].guard_negated;
    const auto number = static_cast<int>(b);
    if (block.target == number) return jumps_on;
    // Clang's loops may leave by that branch, and the next does nothing but jump back.
    const BasicBlock& after = blocks_[b + 1];
    const bool is_jump = after.end - after.begin == 1 && after.next < 0 && !is_target_[b + 1];
    return is_jump && after.target == number ? std::optional(!jumps_on) : std::nullopt;
  }

  // Returns the iterations for which the block is unrolled; 1 if it is not.
  int iterations(std::size_t b) {
    const std::optional<bool> repeats = repeats_on(b);
    if (!repeats || function_.rolled_loops.contains(blocks_[b].begin)) return 1;
    KnownValues registers = on_entry(b);
    const std::size_t statements = blocks_[b].end - blocks_[b].begin;
    const std::size_t most =
        statements <= short_loop ? most_iterations : most_statements / statements;
    for (std::size_t i = 1; i <= most; ++i) {
      const std::optional<bool> condition = condition_after(b, registers);
      if (!condition) return 1;
      if (condition != repeats) return static_cast<int>(i);
    }
    return 1;
  }

  // Returns the iterations from the condition of its branch, if known. Executes the block.
  std::optional<bool> condition_after(std::size_t b, KnownValues& registers) {
    const BasicBlock& block = blocks_[b];
    const int guard = function_.statements[block.end - 1].guard;
    std::optional<bool> condition;
    for (std::size_t s = block.begin; s < block.end; ++s) {
      const ptx::Statement& statement = function_.statements[s];
      const auto& operands = statement.operands;
      if (statement.opcode.starts_with("setp.") && operands.size() == 3 &&
          operands[0].reg == guard) {
        condition = comparison(statement.opcode, evaluation_.operand(operands[1], registers),
                               evaluation_.operand(operands[2], registers));
      }
      evaluation_.execute(statement, registers);
    }
    return condition;
  }

  void walk(std::size_t b) {
    for (std::size_t s = blocks_[b].begin; s < blocks_[b].end; ++s) {
      const ptx::Statement& statement = function_.statements[s];
      if (const std::optional<Shape> shape = joinable(statement)) {
        add(s, *shape);
      } else {
        const Effect effect = effect_of(statement);
        if (effect == Effect::keeps_all_apart) ++section_;
        if (effect != Effect::none) last_store_ = {};
      }
      evaluation_.execute(statement, registers_);
    }
  }

  void add(std::size_t s, const Shape& shape) {
    const ptx::Operand& address = function_.statements[s].operands[shape.store ? 0 : 1];
    const Value value = evaluation_.operand(address, registers_);
    const std::int64_t offset = sum_of(value.constant, address.offset);
    Group group{shape.store, value.number, shape.element_bytes, section_};
    if (shape.store) {
      const int zeros = std::min(evaluation_.zeros_of(value.number), 4);
      group.aligned = offset >> zeros;
      if (last_store_ != group) group.section = ++section_;
    }
    last_store_ = shape.store ? std::optional(group) : std::nullopt;
    groups_[group].push_back({s, offset, shape.bytes});
  }

  const ptx::Function& function_;
  const std::vector<BasicBlock>& blocks_;
  Evaluation& evaluation_;
  std::vector<bool> is_target_;  // of each block: some jump goes there
  KnownValues registers_;        // what is known of them where the walk is
  int section_ = 0;
  std::optional<Group> last_store_;  // with no access or other obstacle after it
  Groups groups_;
};

// --- The joined accesses

// Returns the bytes of the joined access, and the place of its first part.
struct Part {
  int bytes = 0, first_at = 0;

  auto operator<=>(const Part&) const = default;
};

// Of each access of a group.
class Joining {
 public:
  // `zeros` are the low bits of the group's value that are known to be 0.
  Joining(const std::vector<AccessAtValue>& accesses, bool store, int zeros) : accesses_(accesses) {
    for (const AccessAtValue& access : accesses) parts_.push_back({access.bytes});
    if (zeros >= 4) join(16, store);
    if (zeros >= 3) join(8, true);
  }

  const std::vector<Part>& parts() const { return parts_; }

 private:
  void join(int wide, bool needs_all) {
    const auto start = [&](std::size_t a) {
      return accesses_[a].offset & ~(std::int64_t{wide} - 1);
    };
    std::map<std::int64_t, unsigned> words;  // a bit for each that is accessed, by the start
    for (std::size_t a = 0; a < accesses_.size(); ++a) {
      if (parts_[a].bytes >= wide) continue;
      const auto first = static_cast<int>(accesses_[a].offset - start(a)) / 4;
      words[start(a)] |= ((1u << accesses_[a].bytes / 4) - 1) << first;
    }
    const int all = wide / 4;
    for (std::size_t a = 0; a < accesses_.size(); ++a) {
      if (parts_[a].bytes >= wide) continue;
      const unsigned here = words[start(a)];
      const bool is_enough =
          std::popcount(here) == all || (!needs_all && std::popcount(here) == all - 1);
      if (is_enough) parts_[a] = {wide, 4 * std::countr_zero(here)};
    }
  }

  const std::vector<AccessAtValue>& accesses_;
  std::vector<Part> parts_;
};

// A statement of an unrolled loop has many copies, which may differ. The most frequent result is
// used.
Part most_frequent(const std::map<Part, int>& times) {
  return std::ranges::max_element(times, {}, [](const auto& each) { return each.second; })->first;
}

}  // namespace

std::vector<MachineAccess> predicted_accesses(
    const ptx::Function& function, const std::vector<BasicBlock>& blocks,
    const std::map<std::string, std::uint64_t>& addresses) {
  Evaluation evaluation(function, addresses);
  std::vector<MachineAccess> result(function.statements.size());
  std::map<std::size_t, std::map<Part, int>> parts;  // how often, by statement
  int number = 0;
  for (const auto& [group, accesses] : Collection(function, blocks, evaluation).take()) {
    const Joining joining(accesses, group.store, evaluation.zeros_of(group.value));
    for (std::size_t a = 0; a < accesses.size(); ++a) {
      const Part& part = joining.parts()[a];
      MachineAccess& made = result[accesses[a].statement];
      ++parts[accesses[a].statement][part];
      made.group = number;
      made.may_be_joined = made.may_be_joined || part.bytes > accesses[a].bytes;
    }
    ++number;
  }
  for (const auto& [statement, times] : parts) {
    const Part part = most_frequent(times);
    result[statement].ptx_line = function.statements[statement].ptx_line;
    result[statement].bytes = part.bytes;
    result[statement].first_at = part.first_at;
  }
  return result;
}

}  // namespace gemm_tutor::simt
