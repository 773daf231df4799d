// Most of the decoder, and how its parts come together.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "simt/exec/address_space.hpp"
#include "simt/exec/asynchronous.hpp"
#include "simt/exec/decoder.hpp"
#include "simt/isa/ptx_row.hpp"
#include "simt/isa/steps.hpp"
#include "simt/ptx/control_flow.hpp"
#include "simt/ptx/joining_rule.hpp"
#include "simt/ptx/register_allocation.hpp"
#include "simt/ptx/shown_addresses.hpp"
#include "support/error.hpp"
#include "support/text.hpp"

namespace gemm_tutor::simt {

// What a load or store says of itself: ld.global.nc.L1::no_allocate.v4.f32.
struct MemoryOpcode {
  bool store = false;
  ptx::Space space = ptx::Space::generic;
  int vector = 1;
  bool is_signed = false;
  bool may_synchronise = false;  // volatile, relaxed, acquire, release: as the access to a flag
  bool read_only = false;        // memory that the kernel does not write
  std::string type;  // "b32", "u8", …: floats and integers of 32 bits and more are bits alike
  bool known = true;

  int bits() const { return std::stoi(type.substr(1)); }
  int bytes() const { return vector * bits() / 8; }
  std::string key() const;
};

std::string MemoryOpcode::key() const {
  const std::string width = vector == 1 ? "" : fmt::format(".v{}", vector);
  return fmt::format("{}{}{}{}.{}", store ? "st" : "ld", space == ptx::Space::generic ? "" : ".",
                     ptx::name_of(space), width, type);
}

namespace {

using Kind = ptx::Operand::Kind;

constexpr std::pair<std::string_view, Special> special_registers[] = {
    {"%tid.x", Special::tid_x},
    {"%tid.y", Special::tid_y},
    {"%tid.z", Special::tid_z},
    {"%ntid.x", Special::ntid_x},
    {"%ntid.y", Special::ntid_y},
    {"%ntid.z", Special::ntid_z},
    {"%ctaid.x", Special::ctaid_x},
    {"%ctaid.y", Special::ctaid_y},
    {"%ctaid.z", Special::ctaid_z},
    {"%nctaid.x", Special::nctaid_x},
    {"%nctaid.y", Special::nctaid_y},
    {"%nctaid.z", Special::nctaid_z},
    {"%laneid", Special::laneid},
    {"%warpid", Special::warpid},
    {"%nwarpid", Special::nwarpid},
    {"%lanemask_eq", Special::lanemask_eq},
    {"%lanemask_le", Special::lanemask_le},
    {"%lanemask_lt", Special::lanemask_lt},
    {"%lanemask_ge", Special::lanemask_ge},
    {"%lanemask_gt", Special::lanemask_gt},
    {"%smid", Special::smid},
    {"%nsmid", Special::nsmid},
    {"%gridid", Special::gridid},
    {"%dynamic_smem_size", Special::dynamic_smem_size},
    {"%total_smem_size", Special::total_smem_size}};

bool is_within(std::int64_t offset, std::int64_t bytes, std::int64_t size) {
  return offset >= 0 && offset <= size - bytes;
}

bool is_order(std::string_view part) {
  return is_one_of(part, {"volatile", "relaxed", "acquire", "release", "acq_rel"});
}

// Caching hints and scopes do not change what a single kernel reads here.
bool is_hint(std::string_view part) {
  if (is_one_of(part, {"ca", "cg", "cs", "cv", "lu", "wb", "wt", "weak", "cta", "gpu", "sys"}))
    return true;
  return part.starts_with("L1::") || part.starts_with("L2::");
}

MemoryOpcode memory_opcode(std::string_view opcode) {
  MemoryOpcode result;
  const std::vector<std::string> parts = split_opcode(opcode);
  result.store = parts[0] == "st";
  result.space = ptx::space_of(opcode);
  for (std::size_t i = 1; i + 1 < parts.size(); ++i) {
    const std::string& part = parts[i];
    if (part == "v2" || part == "v4")
      result.vector = part[1] - '0';
    else if (part == "nc")
      result.read_only = true;
    else if (is_order(part))
      result.may_synchronise = true;
    else if (!is_hint(part) && !ptx::space_named(part))
      result.known = false;
  }
  std::string type = parts.back();
  // A volatile float of a block is data, not a flag: without a barrier it is a race. Where the
  // compiler does not know the pointer's space, it may be of a block.
  const bool may_be_of_block =
      result.space == ptx::Space::shared || result.space == ptx::Space::generic;
  if (type.starts_with("f") && may_be_of_block && std::ranges::count(parts, "volatile") > 0) {
    result.may_synchronise = false;
  }
  if (type == "b128" && result.vector == 1) {
    result.vector = 2;
    type = "b64";
  }
  const std::string_view bits =
      std::string_view(type).substr(std::min<std::size_t>(type.size(), 1));
  const bool wide = bits == "32" || bits == "64";
  const bool narrow = bits == "8" || bits == "16";
  result.known = result.known && parts.size() > 1 && (wide || narrow) &&
                 std::string_view("bsuf").find(type[0]) != std::string_view::npos;
  if (result.known) {
    result.is_signed = type[0] == 's';
    const bool keep = narrow && !result.store && type[0] == 's';
    result.type = (keep ? "s" : narrow && !result.store ? "u" : "b") + type.substr(1);
  }
  return result;
}

// "_ZZ18shared_memory_tileILi32EEvPKfE6a_tile" -> "a_tile": the entity's name in the mangled name
// of one that is local to a function, after the E that ends the function's (Itanium C++
// ABI, 5.1.7), or of a static one ("_ZL4tile"). A number may follow: "_0" for another local entity
// of the same name, and "1" from clang, whose back end makes names unique. Any other stays as it
// is.
std::string source_name(const std::string& mangled) {
  if (!mangled.starts_with("_Z")) return mangled;
  for (std::size_t i = 3; i < mangled.size(); ++i) {
    const char* const end = mangled.data() + mangled.size();
    std::size_t length = 0;
    const auto [name, error] = std::from_chars(mangled.data() + i, end, length);
    const bool begins = mangled[i - 1] == 'E' || (i == 3 && mangled[2] == 'L');
    if (!begins || error != std::errc() || length > static_cast<std::size_t>(end - name)) continue;
    const std::string_view rest(name + length, end);
    if (rest.find_first_not_of("_0123456789") == rest.npos) return {name, length};
  }
  return mangled;
}

std::set<std::string> symbols_of(const ptx::Function& function) {
  std::set<std::string> symbols;
  for (const ptx::Statement& statement : function.statements) {
    for (const ptx::Operand& operand : statement.operands) {
      symbols.insert(operand.symbol);
      for (const ptx::Operand& element : operand.elements) symbols.insert(element.symbol);
    }
  }
  return symbols;
}

Reachable reachable_from(const ptx::Module& module, const ptx::Function& entry) {
  Reachable result{{&entry}, {}};
  std::set<std::string> known, next = symbols_of(entry);
  while (!next.empty()) {
    std::set<std::string> found;
    for (const ptx::Function& function : module.functions) {
      if (!next.contains(function.name)) continue;
      result.functions.push_back(&function);
      found.merge(symbols_of(function));
    }
    for (const ptx::Variable& variable : module.variables) {
      if (!next.contains(variable.name)) continue;
      result.variables.push_back(&variable);
      for (const ptx::Initial& initial : variable.initial) found.insert(initial.symbol);
    }
    known.merge(next);
    std::erase_if(found, [&](const std::string& symbol) { return known.contains(symbol); });
    next = std::move(found);
  }
  return result;
}

// True if threads may synchronise with accesses to memory.
bool has_fences(const ptx::Function& function) {
  return std::ranges::any_of(function.statements, [](const ptx::Statement& s) {
    return s.row->is_fence || s.opcode.find(".acq") != std::string::npos ||
           s.opcode.find(".release") != std::string::npos;
  });
}

// Describes an unknown instruction with the terms of CUDA C++.
std::string_view purpose(std::string_view opcode) {
  struct Purpose {
    std::string_view part, words;
  };
  constexpr Purpose purposes[] = {{"atom.", "such atomic operations"},
                                  {"red.", "such atomic operations"},
                                  {".e2m", "numbers of 4 or 6 bits"},
                                  {".e3m2", "numbers of 6 bits"}};
  for (const auto& [part, words] : purposes) {
    const bool begins = !part.starts_with('.') && opcode.starts_with(part);
    const bool inside = part.starts_with('.') && opcode.find(part) != std::string_view::npos;
    if (begins || inside) return words;
  }
  return "";
}

const Refusal* refusal_of(const ptx::Statement& s) {
  if (s.row->refusal != nullptr) return s.row->refusal;
  for (const ptx::Operand& operand : s.operands) {
    if (const Refusal* refusal = refusal_of_name(operand.symbol)) return refusal;
  }
  return nullptr;
}

}  // namespace

std::vector<std::string> split_opcode(std::string_view opcode) {
  std::vector<std::string> parts;
  while (!opcode.empty()) {
    const std::size_t dot = opcode.find('.');
    parts.emplace_back(opcode.substr(0, dot));
    opcode.remove_prefix(dot == std::string_view::npos ? opcode.size() : dot + 1);
  }
  return parts;
}

std::vector<ptx::Operand> elements_of(const ptx::Operand& operand) {
  if (operand.kind == Kind::vector) return operand.elements;
  return {operand};
}

Decoder::Decoder(const ptx::Module& module, const ptx::Function& entry,
                 std::optional<machine::Code> code)
    : reachable_(reachable_from(module, entry)), architecture_(module.architecture) {
  program_.first_shared = first_shared_address(module.architecture);
  program_.name = entry.name;
  program_.parameters = entry.parameters;
  program_.machine = std::move(code);
  for (const ptx::Function* function : reachable_.functions) fences_ |= has_fences(*function);
  lay_out_variables(entry);
  keep_module_variables();
  reserve_special_registers();
}

DecodedProgram Decoder::decode() {
  for (const ptx::Function* function : reachable_.functions) decode(*function);
  reserve_stack();
  keep_operands();
  return std::move(program_);
}

void Decoder::unsupported(const ptx::Statement& s, const std::string& why) const {
  if (const Refusal* refusal = refusal_of(s)) {
    const std::string at = s.line > 0 ? fmt::format("line {}: ", s.line) : "";
    throw Error(ExitStatus::unavailable,
                fmt::format("{}the emulator does not know {} ('{}')", at, refusal->what, s.opcode),
                std::string(refusal->instead));
  }
  const std::string_view words = purpose(s.opcode);
  const std::string of = words.empty() ? why : fmt::format(", of {}", words);
  const std::string where = s.line > 0 ? fmt::format("line {}: ", s.line) : "";
  throw Error(
      ExitStatus::unavailable,
      fmt::format("{}the emulator does not know the instruction '{}'{}", where, s.opcode, of),
      "docs/emulator.md says which instructions it runs.");
}

// --- Variables and registers
// ------------------------------------------------------------------------

void Decoder::lay_out_variables(const ptx::Function& entry) {
  // Variables of dynamic size share the memory after the others, as on the hardware.
  for (const bool external : {false, true}) {
    const auto lay_out_here = [&](const ptx::Variable& variable, ptx::Space space) {
      if (variable.external == external && variable.space == space) lay_out(variable);
    };
    for (const ptx::Variable* variable : reachable_.variables) {
      lay_out_here(*variable, ptx::Space::shared);
    }
    for (const ptx::Function* function : reachable_.functions) {
      for (const ptx::Variable& variable : function->variables) {
        lay_out_here(variable, ptx::Space::shared);
      }
    }
    for (const ptx::Variable& variable : entry.variables) lay_out_here(variable, ptx::Space::local);
  }
}

void Decoder::lay_out(const ptx::Variable& variable) {
  const bool shared = variable.space == ptx::Space::shared;
  std::uint32_t& used = shared ? program_.static_shared_bytes : program_.local_bytes;
  std::vector<SharedVariable>& variables = shared ? program_.shared : program_.local;
  // NVRTC aligns arrays of dynamic size to 16 bytes at least, where clang does not.
  const std::uint32_t least = shared && variable.external ? 16 : 1;
  const std::uint32_t alignment =
      std::bit_ceil(std::clamp<std::uint32_t>(variable.alignment, least, 1u << 20));
  const std::uint32_t offset = (used + alignment - 1) / alignment * alignment;
  const std::uint32_t begin = offset + (shared ? program_.first_shared : 0);
  if (variable.bytes > (1u << 20) || offset > (1u << 20) || variables.size() > 100) {
    throw Error(
        ExitStatus::usage,
        fmt::format("'{}' has {} in {} memory", source_name(variable.name),
                    human_bytes(static_cast<double>(variable.bytes)), shared ? "shared" : "local"),
        "No GPU has as much: make the array smaller.");
  }
  addresses_[variable.name] = window_address(static_cast<std::uint32_t>(variables.size()), begin);
  variables.push_back({source_name(variable.name), begin,
                       static_cast<std::uint32_t>(variable.bytes), alignment, variable.external});
  if (!variable.external) used = offset + static_cast<std::uint32_t>(variable.bytes);
}

void Decoder::reserve_special_registers() {
  std::set<std::string> symbols;
  for (const ptx::Function* function : reachable_.functions) symbols.merge(symbols_of(*function));
  for (const auto& [name, special] : special_registers) {
    if (!symbols.contains(std::string(name))) continue;
    specials_[std::string(name)] = Operand::reg(program_.special_words);
    program_.specials.push_back({special, program_.special_words});
    program_.special_words += lanes;
  }
}

int Decoder::function_number(const std::string& name) const {
  const auto& functions = reachable_.functions;
  const auto found =
      std::find_if(functions.begin() + 1, functions.end(),
                   [&](const ptx::Function* function) { return function->name == name; });
  return found == functions.end() ? -1 : static_cast<int>(found - functions.begin());
}

// The module's variables in global and in constant memory.
int Decoder::variable_number(const std::string& name) const {
  int number = 0;
  for (const ptx::Variable* variable : reachable_.variables) {
    if (variable->space == ptx::Space::shared) continue;
    if (variable->name == name) return number;
    ++number;
  }
  return -1;
}

// Returns the operand with the address of a variable or a function, in `bits` bits.
std::optional<Operand> Decoder::symbol_address(const std::string& symbol, int bits) {
  if (const auto found = addresses_.find(symbol); found != addresses_.end())
    return immediate(found->second, bits);
  if (bits != 64) return {};
  if (const auto found = body_.locals.find(symbol); found != body_.locals.end())
    return found->second;
  if (const int variable = variable_number(symbol); variable >= 0) {
    Constant address;
    address.kind = Constant::Kind::variable;
    address.bits = 64;
    address.parameter = variable;
    return constant(address);
  }
  if (const int function = function_number(symbol); function >= 0)
    return immediate(function_window + static_cast<std::uint64_t>(function), 64);
  return parameter_address(symbol);
}

// A parameter of the kernel whose address is taken is kept in constant memory, as a variable.
std::optional<Operand> Decoder::parameter_address(const std::string& symbol) {
  const std::vector<ptx::Parameter>& parameters = program_.parameters;
  const auto parameter = std::ranges::find(parameters, symbol, &ptx::Parameter::name);
  if (!body_.function->is_entry || parameter == parameters.end()) return {};
  const auto number = static_cast<int>(parameter - parameters.begin());
  std::vector<ModuleVariable>& variables = program_.variables;
  auto kept = std::ranges::find(variables, number, &ModuleVariable::parameter);
  if (kept == variables.end()) {
    kept = variables.insert(kept, ModuleVariable{.name = fmt::format("parameter {}", number + 1),
                                                 .constant = true,
                                                 .bytes = parameter->bytes,
                                                 .parameter = number});
  }
  Constant address;
  address.kind = Constant::Kind::variable;
  address.bits = 64;
  address.parameter = static_cast<int>(kept - variables.begin());
  return constant(address);
}

// --- Functions and the module's variables
// -----------------------------------------------------------

ModuleVariable Decoder::module_variable(const ptx::Variable& variable) const {
  ModuleVariable result{.name = source_name(variable.name),
                        .constant = variable.space == ptx::Space::constant,
                        .bytes = variable.bytes};
  if (variable.external) {
    throw Error(ExitStatus::unavailable,
                fmt::format("the variable '{}' is defined in another file", result.name),
                "Define it in the kernel's file.");
  }
  result.initial.resize(variable.initial.size() * variable.element_bytes);
  for (std::size_t e = 0; e < variable.initial.size(); ++e) {
    const ptx::Initial& initial = variable.initial[e];
    std::uint64_t value = initial.value;
    const std::size_t at = e * variable.element_bytes;
    const int function = function_number(initial.symbol);
    const int other = variable_number(initial.symbol);
    if (function >= 0) value += function_window + static_cast<std::uint64_t>(function);
    if (other >= 0) result.addresses.push_back({at, other, initial.value});
    const bool is_address = !initial.symbol.empty();
    if (is_address && ((function < 0 && other < 0) || variable.element_bytes != 8)) {
      throw Error(ExitStatus::unavailable,
                  fmt::format("the emulator does not know the initial value of '{}', which is an "
                              "address of '{}'",
                              result.name, source_name(initial.symbol)),
                  "Set it in the kernel.");
    }
    std::memcpy(result.initial.data() + at, &value, variable.element_bytes);
  }
  return result;
}

void Decoder::keep_module_variables() {
  constexpr std::uint64_t most = std::uint64_t{1} << 30;
  std::uint64_t bytes = 0;
  for (const ptx::Variable* variable : reachable_.variables) {
    if (variable->space == ptx::Space::shared) continue;
    bytes += variable->bytes;
    if (bytes > most) {
      throw Error(ExitStatus::unavailable,
                  fmt::format("with '{}' the kernel's variables have {}",
                              source_name(variable->name), human_bytes(static_cast<double>(bytes))),
                  "The emulator has room for 1 GiB of them: make arrays smaller.");
    }
    program_.variables.push_back(module_variable(*variable));
  }
}

void Decoder::decode(const ptx::Function& function) {
  body_ = {};
  body_.function = &function;
  body_.blocks = basic_blocks(function);
  body_.frame_words = program_.special_words;
  DecodedFunction made;
  made.name = function.name;
  made.begin = static_cast<std::uint32_t>(program_.instructions.size());
  lay_out_frame(made);
  find_machine_accesses();
  body_.allocation = allocate_registers(function, body_.blocks, body_.frame_words);
  body_.frame_words = body_.allocation.words;
  body_.readers = reading_statements(function);
  body_.loaded = loaded_registers(function, static_cast<int>(program_.loaded_register_count));
  program_.loaded_register_count += static_cast<std::uint32_t>(
      std::ranges::count_if(body_.loaded, [](int number) { return number >= 0; }));
  if (program_.shared.size() > 1) {  // the first one's addresses are the hardware's
    body_.shown_addresses = ShownAddresses(
        function, [&](const std::string& symbol) { return addresses_.contains(symbol); });
  }
  made.unset_registers = body_.allocation.unset;
  for (std::size_t b = 0; b < body_.blocks.size(); ++b) block(b);
  set_jumps();
  for (std::size_t b = 0; b < body_.blocks.size(); ++b) {
    DecodedFunction::Block block{body_.block_begin[b], {}};
    for (const int next : {body_.blocks[b].next, body_.blocks[b].target}) {
      if (next >= 0) block.next.push_back(next);
    }
    made.blocks.push_back(std::move(block));
  }
  made.frame_words = body_.frame_words;
  program_.functions.push_back(std::move(made));
}

CallValue Decoder::reserve_call_value(const std::string& name, std::uint64_t bytes) {
  constexpr std::uint64_t most = 1 << 12;  // a GPU has no more for all parameters
  if (bytes > most) {
    throw Error(ExitStatus::unavailable,
                fmt::format("an argument or a result of a function has {}",
                            human_bytes(static_cast<double>(bytes))),
                "Pass a pointer to it.");
  }
  const CallValue value{body_.frame_words, static_cast<std::uint32_t>(bytes)};
  body_.frame_words += value.words();
  return body_.call_values[name] = value;
}

void Decoder::lay_out_frame(DecodedFunction& made) {
  for (const ptx::Variable& variable : body_.function->variables) {
    if (variable.space == ptx::Space::parameter) reserve_call_value(variable.name, variable.bytes);
  }
  if (body_.function->is_entry) return;
  for (const ptx::Parameter& parameter : body_.function->parameters) {
    made.parameters.push_back(reserve_call_value(parameter.name, parameter.bytes));
  }
  for (const ptx::Parameter& result : body_.function->results) {
    made.results.push_back(reserve_call_value(result.name, result.bytes));
  }
  for (const ptx::Variable& variable : body_.function->variables) {
    if (variable.space != ptx::Space::local) continue;
    made.locals.push_back({body_.frame_words, made.local_bytes});
    body_.locals[variable.name] = Operand::reg(body_.frame_words);
    body_.frame_words += 2 * lanes;
    made.local_bytes += static_cast<std::uint32_t>((variable.bytes + 15) / 16 * 16);
  }
}

void Decoder::find_machine_accesses() {
  body_.machine_accesses = program_.machine
                               ? machine_accesses(*body_.function, body_.blocks, *program_.machine)
                               : predicted_accesses(*body_.function, body_.blocks, addresses_);
  int last = groups_ - 1;
  for (MachineAccess& access : body_.machine_accesses) {
    if (access.group < 0) continue;
    access.group += groups_;
    last = std::max(last, access.group);
  }
  groups_ = last + 1;
}

void Decoder::set_jumps() {
  for (const auto& [instruction, b] : body_.jumps) {
    const auto begin = [&](int block_index) {
      return block_index < 0 ? no_instruction
                             : body_.block_begin[static_cast<std::size_t>(block_index)];
    };
    const std::uint32_t target = begin(body_.blocks[b].target);
    program_.instructions[instruction].target = target;
    if (target <= instruction) jump_back(program_.instructions[instruction], instruction, b);
    program_.instructions[instruction].reconvergence = begin(body_.blocks[b].reconvergence);
  }
}

// Returns the words of the frames of a function and all that it calls; nothing for recursion.
struct StackNeed {
  std::uint64_t words = 0, local_bytes = 0;
};

class StackNeeds {
 public:
  explicit StackNeeds(const DecodedProgram& program)
      : program_(program), known_(program.functions.size()), is_open_(program.functions.size()) {}

  std::optional<StackNeed> of(std::size_t function) {
    if (known_[function]) return known_[function];
    if (is_open_[function]) return {};
    is_open_[function] = true;
    StackNeed deepest;
    for (const Call& call : program_.function_calls) {
      if (call.caller != function) continue;
      const bool is_known = call.function >= 0;
      const std::size_t first = is_known ? static_cast<std::size_t>(call.function) : 1;
      const std::size_t last = is_known ? first : program_.functions.size() - 1;
      for (std::size_t callee = first; callee <= last; ++callee) {
        const std::optional<StackNeed> need = of(callee);
        if (!need) return {};
        deepest.words = std::max(deepest.words, need->words);
        deepest.local_bytes = std::max(deepest.local_bytes, need->local_bytes);
      }
    }
    is_open_[function] = false;
    deepest.words += program_.functions[function].frame_words;
    deepest.local_bytes += program_.functions[function].local_bytes;
    return known_[function] = deepest;
  }

 private:
  const DecodedProgram& program_;
  std::vector<std::optional<StackNeed>> known_;
  std::vector<bool> is_open_;
};

void Decoder::reserve_stack() {
  std::optional<StackNeed> need = StackNeeds(program_).of(0);
  if (!need) {
    need.emplace();
    for (const DecodedFunction& function : program_.functions) {
      need->words = std::max<std::uint64_t>(need->words, function.frame_words);
      need->local_bytes = std::max<std::uint64_t>(need->local_bytes, function.local_bytes);
    }
    need->words *= most_calls + 1;
    need->local_bytes *= most_calls + 1;
  }
  program_.register_words = static_cast<std::uint32_t>(need->words);
  if (need->local_bytes == 0) return;
  program_.stack = static_cast<std::int32_t>(program_.local.size());
  lay_out({.name = "the stack of called functions",
           .space = ptx::Space::local,
           .alignment = 16,
           .bytes = need->local_bytes});
}

void Decoder::keep_operands() {
  program_.operands = std::make_unique<Operand[]>(operands_.size());
  std::ranges::copy(operands_, program_.operands.get());
  for (std::size_t i = 0; i < program_.instructions.size(); ++i) {
    program_.instructions[i].operands = program_.operands.get() + first_operand_[i];
  }
}

Operand Decoder::constant(Constant value) {
  for (const Constant& known : program_.constants) {
    if (known.same_as(value)) return Operand::constant(known.word);
  }
  value.word = program_.constant_words;
  program_.constant_words += lanes * (value.bits == 64 ? 2 : 1);
  program_.constants.push_back(value);
  return Operand::constant(value.word);
}

// Returns the place of a source operand of `bits` bits (1 for a predicate).
Operand Decoder::place(const ptx::Statement& s, const ptx::Operand& operand, int bits) {
  if (operand.kind == Kind::immediate) {
    if (bits == 1) return immediate(operand.immediate & 1 ? all_lanes : 0, 32);
    if (operand.is_double && bits == 32) {  // of an FP32 instruction
      const auto value = static_cast<float>(std::bit_cast<double>(operand.immediate));
      return immediate(std::bit_cast<std::uint32_t>(value), 32);
    }
    return immediate(operand.immediate, bits);
  }
  if (operand.kind == Kind::symbol) {
    if (operand.symbol == "%gridid" && bits == 64) return immediate(0, 64);
    if (const auto special = specials_.find(operand.symbol);
        special != specials_.end() && bits == 32)
      return special->second;
    if (operand.symbol == "WARP_SZ") return immediate(lanes, bits);
    if (const auto address = symbol_address(operand.symbol, bits)) return *address;
    if (operand.symbol.starts_with('%')) unsupported(s, fmt::format(" with '{}'", operand.symbol));
    unsupported(s, fmt::format(" with '{}'", source_name(operand.symbol)));
  }
  if (operand.kind != Kind::reg || operand.negated) unsupported(s, " with such an operand");
  const bool may_be_wider = s.opcode.starts_with("st.") || s.opcode.starts_with("cvt.");
  const bool is_wider = may_be_wider && bits == 32 && register_bits(operand) == 64;
  const Operand value = is_wider ? low_half(s, operand) : destination(s, operand, bits);
  return body_.shown_addresses.shows(s, operand) ? hardware_address(s, value, bits) : value;
}

int Decoder::register_bits(const ptx::Operand& operand) const {
  return operand.kind == Kind::reg
             ? body_.function->registers[static_cast<std::size_t>(operand.reg)].bits
             : 0;
}

// A value may be in a wider register than the instruction reads. Then the part that it reads is
// first copied to a temporary.
Operand Decoder::low_half(const ptx::Statement& s, const ptx::Operand& operand) {
  Draft narrow = at_line(s);
  narrow.places[0] = scratch(32);
  narrow.places[1] = destination(s, operand, 64);
  emit(narrow, "low.b64", s);
  return narrow.places[0];
}

// Copies an address in shared memory to a temporary, without what tells the variables apart.
Operand Decoder::hardware_address(const ptx::Statement& s, Operand address, int bits) {
  Draft copy = at_line(s);
  copy.places[0] = scratch(bits);
  copy.places[1] = address;
  copy.places[2] = immediate(window_offset_mask, bits);
  emit(copy, bits == 64 ? "and.b64" : "and.b32", s);
  return copy.places[0];
}

// A temporary register.
Operand Decoder::scratch(int bits) {
  const Operand result = Operand::reg(body_.frame_words);
  body_.frame_words += bits == 64 ? 2 * lanes : lanes;
  return result;
}

// Registers of 16 and of 32 bits are both kept in a 32-bit word.
Operand Decoder::destination(const ptx::Statement& s, const ptx::Operand& operand, int bits) {
  if (operand.kind != Kind::reg) unsupported(s, " with such an operand");
  const ptx::Register& reg = body_.function->registers[static_cast<std::size_t>(operand.reg)];
  const bool fits = bits == 1    ? reg.bits == 1
                    : bits == 64 ? reg.bits == 64
                                 : reg.bits == 16 || reg.bits == 32 || reg.bits == 8;
  if (!fits) unsupported(s, fmt::format(" with the register {}", reg.name));
  return Operand::reg(body_.allocation.offset[static_cast<std::size_t>(operand.reg)]);
}

// --- Instructions
// -------------------------------------------------------------------------------------

Draft Decoder::at_line(const ptx::Statement& s) {
  Draft result;
  result.line = s.line;
  if (s.calls.empty()) return result;
  std::vector<std::vector<int>>& known = program_.calls;
  const auto found = std::ranges::find(known, s.calls);
  result.calls = static_cast<std::uint32_t>(found - known.begin());
  if (found == known.end()) known.push_back(s.calls);
  return result;
}

std::uint32_t Decoder::counted(CountedAccess access) {
  access.ptx_line = ptx_line_;
  access.instruction = static_cast<std::uint32_t>(program_.instructions.size());
  program_.accesses.push_back(access);
  return static_cast<std::uint32_t>(program_.accesses.size() - 1);
}

// Of an instruction that has a block of its own in the counters.
std::uint32_t Decoder::counted_apart(const BlockCost::Line& line) {
  program_.blocks.push_back({.lines = {line}});
  return static_cast<std::uint32_t>(program_.blocks.size() - 1);
}

// Of a load or store. `made` is the machine access that it becomes in shared memory. A generic one
// is counted in global, shared or local memory, next to each other.
std::uint32_t Decoder::counted_request(CountedAccess access, const MachineAccess& made) {
  const bool is_generic = access.space == ptx::Space::generic;
  const bool may_be_shared = is_generic || access.space == ptx::Space::shared;
  if (may_be_shared && access.element_bytes < 4) program_.narrow_shared_accesses = true;
  const auto counted_in = [&](ptx::Space space) {
    access.space = space;
    access.machine = space == ptx::Space::shared ? made : MachineAccess{};
    return counted(access);
  };
  if (!is_generic) return counted_in(access.space);
  const std::uint32_t first = counted_in(ptx::Space::global);
  counted_in(ptx::Space::shared);
  counted_in(ptx::Space::local);
  return first;
}

// Caches look-ups, because a kernel has few different instructions and the interpreter's table is
// long.
Handlers Decoder::handlers_of(std::string_view key) {
  auto known = handlers_.find(key);
  if (known == handlers_.end()) {
    Handlers found = asynchronous_handlers(key);
    if (found.full == nullptr) found = instruction_set().find(key.data(), key.size());
    known = handlers_.emplace(key, found).first;
  }
  return known->second;
}

// Of a statement under @%p.
void Decoder::set_guard(Instruction& instruction, const ptx::Statement& s) {
  if (s.guard < 0) return;
  ptx::Operand guard;
  guard.kind = Kind::reg;
  guard.reg = s.guard;
  instruction.guard = destination(s, guard, 1);
  instruction.guard_negated = s.guard_negated;
}

void Decoder::emit(Draft draft, std::string_view key, const ptx::Statement& s) {
  Instruction& instruction = draft;
  instruction.run = handlers_of(key);
  if (instruction.run.full == nullptr) unsupported(s);
  if (s.guard >= 0 && !key.ends_with("_if")) {
    set_guard(instruction, s);
    instruction.guarded = instruction.run;
    const bool ffma =
        instruction_kind(s.opcode) == InstructionKind::ffma && key.starts_with("fma.");
    const bool product = key == "multiply_matrices";
    if (ffma) instruction.index = counted_apart({.line = s.line, .ffma = 1});
    if (product) {
      const auto all = multiply_adds(program_.products[static_cast<std::size_t>(draft.setting)]);
      instruction.index = counted_apart(
          {.line = s.line, .tensor_multiply_adds = static_cast<std::uint32_t>(all / lanes)});
    }
    instruction.run = handlers_of(ffma ? "guarded_ffma" : product ? "guarded_matrices" : "guarded");
  }
  first_operand_.push_back(operands_.size());
  operands_.insert(operands_.end(), draft.places.all().begin(), draft.places.all().end());
  program_.instructions.push_back(instruction);
}

// True if lanes that reach the block do nothing more.
bool Decoder::only_exits(std::size_t b) const {
  const BasicBlock& block = body_.blocks[b];
  if (!body_.function->is_entry || block.begin == block.end) return false;
  const ptx::Statement& first = body_.function->statements[block.begin];
  const Form form = first.row->form;
  return (form == Form::exit || form == Form::returning) && first.guard < 0;
}

void Decoder::block(std::size_t b) {
  body_.block_begin.push_back(static_cast<std::uint32_t>(program_.instructions.size()));
  const auto block_number = static_cast<std::uint32_t>(program_.blocks.size());
  program_.blocks.emplace_back();
  Draft begin;
  begin.index = block_number;
  begin.setting = only_exits(b);
  emit(begin, "begin_block", {});
  std::map<int, BlockCost::Line> lines;
  std::uint32_t work = 0;  // BlockCost::half_multiply_adds up to here
  std::vector<std::size_t> timed;
  for (std::size_t i = body_.blocks[b].begin; i < body_.blocks[b].end; ++i) {
    const ptx::Statement& s = body_.function->statements[i];
    ptx_line_ = s.ptx_line;
    const std::size_t begun = program_.instructions.size();
    bool is_timed = s.row->form == Form::asynchronous;
    is_timed |= end_loads(s);
    statement(s, b);
    is_timed |= begin_loads(s);
    for (std::size_t made = begun; is_timed && made < program_.instructions.size(); ++made) {
      program_.instructions[made].target = work;
      timed.push_back(made);
    }
    BlockCost::Line& line = lines[s.line];
    line.line = s.line;
    const InstructionKind kind = instruction_kind(s.opcode);
    ++line.instructions[static_cast<std::size_t>(kind)];
    const std::optional<int> of_matrices = matrix_fmas(s.opcode);
    const auto of_lane = static_cast<std::uint32_t>(of_matrices.value_or(0) / lanes);
    if (s.guard < 0) {
      if (kind == InstructionKind::ffma) ++line.ffma;
      line.tensor_multiply_adds += of_lane;
      work += kind == InstructionKind::ffma ? 2 : 2 * of_lane;
    }
    if (kind == InstructionKind::floating_point) ++work;
    program_.ptx.push_back({s.ptx_line, s.line, block_number, of_matrices});
  }
  BlockCost& cost = program_.blocks[block_number];
  for (const auto& [number, line] : lines) cost.lines.push_back(line);
  cost.instructions = static_cast<std::uint32_t>(body_.blocks[b].end - body_.blocks[b].begin);
  cost.half_multiply_adds = work;
  for (const std::size_t made : timed)
    program_.instructions[made].target = work - program_.instructions[made].target;
  if (b + 1 < body_.blocks.size()) return;
  emit(end_of_body(b), body_.function->is_entry ? "run_off_the_end" : "return_to_caller", {});
}

// Before the statement: the warp waits for what it reads, unless it only moves it. Returns whether
// it reads something that was loaded.
bool Decoder::end_loads(const ptx::Statement& s) {
  if (program_.loaded_register_count == 0 || is_move(s)) return false;
  const std::size_t begun = program_.instructions.size();
  for (const int reg : read_registers(s)) {
    Draft end = at_line(s);
    const int number = body_.loaded[static_cast<std::size_t>(reg)];
    end.index = static_cast<std::uint32_t>(number);
    if (number >= 0) emit(end, "end_load", s);
  }
  return program_.instructions.size() > begun;
}

// After the statement: what it has loaded, or moved. Returns whether there is something.
bool Decoder::begin_loads(const ptx::Statement& s) {
  if (program_.loaded_register_count == 0) return false;
  const std::size_t begun = program_.instructions.size();
  for (const int reg : written_registers(s)) {
    const int number = body_.loaded[static_cast<std::size_t>(reg)];
    if (number < 0) continue;
    Draft begin = at_line(s);
    begin.index = static_cast<std::uint32_t>(number);
    if (is_global_load(s)) begin.setting = memory_opcode(s.opcode).bits() / 8;
    if (is_fragment_load(s)) begin.setting = 4;
    emit(begin, is_fragment_load(s) ? "begin_fragment" : "begin_load", s);
    for (const int source : is_move(s) ? read_registers(s) : std::vector<int>{}) {
      begin.setting = body_.loaded[static_cast<std::size_t>(source)];
      if (begin.setting >= 0) emit(begin, "move_load", s);
    }
  }
  return program_.instructions.size() > begun;
}

// Its line is that of a statement before it.
Draft Decoder::end_of_body(std::size_t end) {
  for (std::size_t b = 0; b < end; ++b) {
    const bool leads_there =
        std::max(body_.blocks[b].next, body_.blocks[b].target) == static_cast<int>(end);
    if (leads_there) return at_line(body_.function->statements[body_.blocks[b].end - 1]);
  }
  return {};
}

void Decoder::jump_back(Instruction& jump, std::size_t place, std::size_t b) {
  const auto first_block = static_cast<std::size_t>(body_.blocks[b].target);
  const auto& statements = body_.function->statements;
  jump.setting = static_cast<std::int32_t>(place - jump.target);
  jump.line = loop_line(first_block, b);
  jump.index = static_cast<std::uint32_t>(program_.loops.size());
  program_.loops.push_back({statements[body_.blocks[first_block].begin].ptx_line,
                            statements[body_.blocks[b].end - 1].ptx_line});
}

int Decoder::loop_line(std::size_t first_block, std::size_t last_block) const {
  int first = 0;
  for (std::size_t i = body_.blocks[first_block].begin; i < body_.blocks[last_block].end; ++i) {
    const ptx::Statement& s = body_.function->statements[i];
    const InstructionKind kind = instruction_kind(s.opcode);
    const bool stays = kind == InstructionKind::memory || kind == InstructionKind::synchronisation;
    if (stays && s.stands_there) first = first == 0 ? s.line : std::min(first, s.line);
  }
  return first > 0 ? first : body_.function->statements[body_.blocks[last_block].end - 1].line;
}

void Decoder::statement(const ptx::Statement& s, std::size_t b) {
  switch (s.row->form) {
    case Form::branch:
    case Form::exit:
    case Form::returning:
      return leave(s, b);
    case Form::call:
      return call(s);
    case Form::barrier:
      return barrier(s);
    case Form::load:
    case Form::store:
      return memory(s);
    case Form::address_conversion:
      return address_conversion(s);
    case Form::shuffle:
      return shuffle(s);
    case Form::matrix:
      return matrix(s);
    case Form::asynchronous:
      return asynchronous(s);
    case Form::atomic:
      return atomic(s);
    case Form::nothing:
      return emit(at_line(s), "nothing", s);
    case Form::as_named:
      return emit(at_line(s), s.opcode, s);
    case Form::lanewise:
      break;
  }
  const bool vector = std::any_of(s.operands.begin(), s.operands.end(),
                                  [](const ptx::Operand& o) { return o.kind == Kind::vector; });
  const bool reads_clock =
      s.operands.size() == 2 && (s.operands[1].symbol.starts_with("%clock") ||
                                 s.operands[1].symbol.starts_with("%globaltimer"));
  if (vector || reads_clock) return emit_steps(s);
  emit_lanewise(s, s.opcode);
}

// The interpreter's table says how wide each operand is.
void Decoder::emit_lanewise(const ptx::Statement& s, const std::string& key) {
  const Handlers handlers = handlers_of(key);
  if (handlers.full == nullptr) return emit_steps(s);
  Draft result = at_line(s);
  if (s.operands.empty()) unsupported(s);
  if (handlers.sources >= 0 && handlers.sources + 1 != static_cast<int>(s.operands.size())) {
    unsupported(s, fmt::format(" with {} operands", s.operands.size()));
  }
  result.places[0] = destination(s, s.operands[0], handlers.operand_bits(0));
  for (std::size_t i = 1; i < s.operands.size(); ++i)
    result.places[i] = place(s, s.operands[i], handlers.operand_bits(i));
  emit(result, key, s);
}

void Decoder::emit_steps(const ptx::Statement& s) {
  const std::vector<Step> steps = steps_of(s);
  if (steps.empty()) unsupported(s);
  std::map<int, Operand> temporaries;
  std::map<int, std::size_t> used;  // of each width
  const auto place_of = [&](const StepOperand& operand, int bits, bool is_result) {
    switch (operand.kind) {
      case StepOperand::Kind::statement:
        return is_result ? destination(s, *operand.operand, bits)
                         : place(s, *operand.operand, bits);
      case StepOperand::Kind::immediate:
        return bits == 1 ? immediate(operand.immediate & 1 ? all_lanes : 0, 32)
                         : immediate(operand.immediate, bits);
      case StepOperand::Kind::carry:
        if (!body_.carry) body_.carry = scratch(1);
        return *body_.carry;
      case StepOperand::Kind::temporary:
        break;
    }
    const auto known = temporaries.find(operand.number);
    if (known != temporaries.end()) return known->second;
    std::vector<Operand>& pool = body_.temporaries[bits];
    const std::size_t next = used[bits]++;
    if (next == pool.size()) pool.push_back(scratch(bits));
    return temporaries[operand.number] = pool[next];
  };
  for (const Step& step : steps) {
    const Handlers handlers = handlers_of(step.key);
    Draft result = at_line(s);
    result.setting = step.setting;
    for (std::size_t i = step.operands.size(); i-- > 0;)
      result.places[i] = place_of(step.operands[i], handlers.operand_bits(i), i == 0);
    emit(result, step.key, s);
  }
}

void Decoder::memory(const ptx::Statement& s) {
  MemoryOpcode opcode = memory_opcode(s.opcode);
  const std::size_t address_place = opcode.store ? 0 : 1;
  const std::size_t operands = s.opcode.find("L2::cache_hint") == std::string::npos ? 2 : 3;
  if (!opcode.known || s.operands.size() != operands ||
      s.operands[address_place].kind != Kind::address) {
    unsupported(s);
  }
  const bool by_pointer = opcode.known && s.operands[address_place].reg >= 0;
  if (opcode.space == ptx::Space::parameter && by_pointer && !opcode.store) {
    opcode.space = ptx::Space::constant;
  }
  if (opcode.space == ptx::Space::parameter) {
    const auto value = body_.call_values.find(s.operands[address_place].symbol);
    return value == body_.call_values.end() ? parameter_load(s, opcode)
                                            : call_value_access(s, opcode, value->second);
  }

  const ptx::Operand& address = s.operands[address_place];
  const ptx::Operand& data = s.operands[1 - address_place];
  const bool window = opcode.space == ptx::Space::shared || opcode.space == ptx::Space::local;
  Draft result = at_line(s);
  result.offset = address.offset;
  result.places[opcode.store ? 0 : 5] = address_base(s, address, window ? 32 : 64, result);

  const int bits = opcode.bits();
  const bool widened = !opcode.store && bits <= 32 && register_bits(data) == 64;
  if (widened) {
    result.places[0] = scratch(32);
  } else if (opcode.vector == 1) {
    result.places[opcode.store ? 1 : 0] = opcode.store ? place(s, data, std::max(bits, 32))
                                                       : destination(s, data, std::max(bits, 32));
  } else {
    if (data.kind != Kind::vector || static_cast<int>(data.elements.size()) != opcode.vector)
      unsupported(s);
    for (std::size_t v = 0; v < data.elements.size(); ++v) {
      result.places[opcode.store ? 1 + v : v] =
          opcode.store ? place(s, data.elements[v], bits) : destination(s, data.elements[v], bits);
    }
  }
  if (!opcode.store) {
    const auto load = static_cast<std::size_t>(&s - body_.function->statements.data());
    result.unused_words = unused_words(data, opcode.bits(), [&](int reg) {
      return reg < 0 || body_.readers[static_cast<std::size_t>(reg)].empty();
    });
    if (opcode.vector > 1) {
      result.maybe_unused_words = unused_words(data, opcode.bits(), [&](int reg) {
        return reg < 0 || is_read_under_a_condition(load, reg);
      });
    }
  }
  result.is_read_only = opcode.read_only;
  result.is_volatile = opcode.may_synchronise && opcode.space != ptx::Space::local;
  std::optional<Draft> order;
  if (result.is_volatile) {
    if (opcode.space != ptx::Space::global) program_.shared_atomics = true;
    order = released_by_memory(s, result, opcode.space, result.places[opcode.store ? 0 : 5],
                               opcode.store ? Use::store : Use::load);
  }
  const MachineAccess& made =
      body_.machine_accesses[static_cast<std::size_t>(&s - body_.function->statements.data())];
  result.may_be_joined = made.may_be_joined;
  result.first_at = static_cast<std::uint8_t>(made.first_at);
  result.index =
      counted_request({opcode.store ? CountedAccess::Kind::store : CountedAccess::Kind::load,
                       opcode.space, s.line, opcode.bytes(), opcode.bits() / 8},
                      made);
  emit(result, opcode.key(), s);
  if (order && !opcode.store) emit(*order, "acquire_by_memory", s);
  if (widened) widen(s, data, result.places[0], opcode.is_signed);
}

// Of a load of a vector, as Instruction has them: a float4 may cover padding.
template <typename IsUnused>
std::uint8_t Decoder::unused_words(const ptx::Operand& loaded, int bits, IsUnused is_unused) {
  const int words = bits / 32;
  unsigned result = 0;
  for (std::size_t e = 0; words > 0 && e < loaded.elements.size(); ++e) {
    if (is_unused(loaded.elements[e].reg))
      result |= ((1u << words) - 1) << (words * static_cast<int>(e));
  }
  return static_cast<std::uint8_t>(result);
}

// True if each statement that reads the register may be left out on some path from the load.
bool Decoder::is_read_under_a_condition(std::size_t load, int reg) const {
  const auto block_of = [&](std::size_t statement) {
    int b = 0;
    while (body_.blocks[static_cast<std::size_t>(b)].end <= statement) ++b;
    return b;
  };
  std::set<int> always;  // the blocks on every path from the load
  for (int b = block_of(load); b >= 0;
       b = body_.blocks[static_cast<std::size_t>(b)].reconvergence) {
    always.insert(b);
  }
  const std::vector<std::size_t>& readers = body_.readers[static_cast<std::size_t>(reg)];
  return std::ranges::none_of(readers, [&](std::size_t reader) {
    return body_.function->statements[reader].guard < 0 && always.contains(block_of(reader));
  });
}

// Copies a 32-bit value to a wider register.
void Decoder::widen(const ptx::Statement& s, const ptx::Operand& to, Operand value,
                    bool is_signed) {
  Draft result = at_line(s);
  result.places[0] = destination(s, to, 64);
  result.places[1] = value;
  emit(result, is_signed ? "cvt.s64.s32" : "cvt.u64.u32", s);
}

// Returns the place of an address's base. `bits` is the width of addresses in its space. Notes in
// the instruction if a 32-bit address is in a 64-bit register.
Operand Decoder::address_base(const ptx::Statement& s, const ptx::Operand& address, int bits,
                              Instruction& instruction) {
  if (address.kind != Kind::address) unsupported(s, " without an address");
  if (address.reg >= 0) {
    ptx::Operand reg;
    reg.kind = Kind::reg;
    reg.reg = address.reg;
    const int register_bits = body_.function->registers[static_cast<std::size_t>(address.reg)].bits;
    if (register_bits < bits) unsupported(s, " with so short an address");
    instruction.wide_address = register_bits == 64;
    return destination(s, reg, register_bits);
  }
  instruction.wide_address = body_.locals.contains(address.symbol);
  if (instruction.wide_address) bits = 64;
  if (const auto symbol = symbol_address(address.symbol, bits)) return *symbol;
  unsupported(s,
              address.symbol.empty() ? "" : fmt::format(" with '{}'", source_name(address.symbol)));
}

void Decoder::parameter_load(const ptx::Statement& s, const MemoryOpcode& opcode) {
  const ptx::Operand& address = s.operands[1];
  int parameter = 0;
  const std::vector<ptx::Parameter>& parameters = program_.parameters;
  while (parameter < static_cast<int>(parameters.size()) &&
         parameters[static_cast<std::size_t>(parameter)].name != address.symbol)
    ++parameter;
  const ptx::Operand& data = s.operands[0];
  const std::size_t elements = data.kind == Kind::vector ? data.elements.size() : 1;
  if (opcode.store || opcode.vector != static_cast<int>(elements) ||
      parameter == static_cast<int>(parameters.size()))
    unsupported(s);
  const std::uint32_t size = parameters[static_cast<std::size_t>(parameter)].bytes;
  if (!is_within(address.offset, opcode.bytes(), size)) unsupported(s, " beyond its parameter");

  for (std::size_t e = 0; e < elements; ++e) {
    const ptx::Operand& to = data.kind == Kind::vector ? data.elements[e] : data;
    Constant value;
    value.kind = Constant::Kind::parameter;
    value.parameter_bits = opcode.bits();
    value.is_signed = opcode.is_signed;
    value.bits = register_bits(to) == 64 ? 64 : 32;
    value.parameter = parameter;
    value.byte = static_cast<std::uint32_t>(address.offset) +
                 static_cast<std::uint32_t>(e) * static_cast<std::uint32_t>(opcode.bits() / 8);
    Draft result = at_line(s);
    result.places[0] = destination(s, to, value.bits);
    result.places[1] = constant(value);
    emit(result, value.bits == 64 ? "mov.b64" : "mov.b32", s);
  }
}

void Decoder::call_value_access(const ptx::Statement& s, const MemoryOpcode& opcode,
                                const CallValue& value) {
  const ptx::Operand& address = s.operands[opcode.store ? 0 : 1];
  const ptx::Operand& data = s.operands[opcode.store ? 1 : 0];
  if (!is_within(address.offset, opcode.bytes(), value.stride()))
    unsupported(s, " beyond its parameter");
  const bool vector = data.kind == Kind::vector;
  const std::size_t count = vector ? data.elements.size() : 1;
  if (static_cast<int>(count) != opcode.vector) unsupported(s);
  for (std::size_t e = 0; e < count; ++e) {
    const ptx::Operand& element = vector ? data.elements[e] : data;
    const int bits = std::max(opcode.bits(), 32);
    const bool widened = !opcode.store && bits == 32 && register_bits(element) == 64;
    Draft result = at_line(s);
    result.places[0] = opcode.store ? place(s, element, bits)
                       : widened    ? scratch(32)
                                    : destination(s, element, bits);
    result.places[1] = Operand::reg(value.word);
    result.offset = address.offset + static_cast<std::int64_t>(e) * opcode.bits() / 8;
    result.setting = static_cast<std::int32_t>(value.stride());
    emit(result, fmt::format("{}.argument.{}", opcode.store ? "st" : "ld", opcode.type), s);
    if (widened) widen(s, element, result.places[0], opcode.is_signed);
  }
}

// cvta.shared.u64 makes a generic address of a shared one, cvta.to.shared.u64 the way back.
void Decoder::address_conversion(const ptx::Statement& s) {
  const std::vector<std::string> parts = split_opcode(s.opcode);
  const bool back = parts.size() > 2 && parts[1] == "to";
  const std::string space = parts.size() > (back ? 2u : 1u) ? parts[back ? 2 : 1] : "";
  if (parts.back() != "u64" || s.operands.size() != 2) unsupported(s);
  std::uint64_t window = 0;
  if (space == "shared")
    window = shared_window;
  else if (space == "local")
    window = local_window;
  else if (!is_one_of(space, {"global", "const", "param"}))
    unsupported(s);

  Draft result = at_line(s);
  result.places[0] = destination(s, s.operands[0], 64);
  result.places[1] = place(s, s.operands[1], 64);
  result.places[2] = immediate(back ? 0 - window : window, 64);
  emit(result, window == 0 ? "mov.b64" : "add.s64", s);
}

void Decoder::shuffle(const ptx::Statement& s) {
  if (s.operands.size() != 5) unsupported(s);
  Draft result = at_line(s);
  const ptx::Operand& to = s.operands[0];
  const bool pair = to.kind == Kind::vector && to.elements.size() == 2;
  result.places[0] = destination(s, pair ? to.elements[0] : to, 32);
  if (pair) result.places[1] = destination(s, to.elements[1], 1);
  for (std::size_t i = 1; i < 5; ++i) result.places[i + 1] = place(s, s.operands[i], 32);
  result.setting = pair;
  emit(result, s.opcode, s);
}

// atom and red, of any memory order and scope: atom.acq_rel.gpu.shared.cas.b32 is "atom.cas.b32".
void Decoder::atomic(const ptx::Statement& s) {
  const std::vector<std::string> parts = split_opcode(s.opcode);
  const bool has_result = parts[0] == "atom";
  ptx::Space space = ptx::Space::generic;
  std::string operation;
  for (std::size_t p = 1; p + 1 < parts.size(); ++p) {
    const std::string& part = parts[p];
    if (part == "global") {
      space = ptx::Space::global;
    } else if (part == "shared" || part == "shared::cta") {
      space = ptx::Space::shared;
    } else if (!is_hint(part) && !is_order(part) && !is_one_of(part, {"noftz", "v2", "v4", "v8"})) {
      operation += "." + part;
    }
  }
  const std::size_t first = has_result ? 1 : 0;
  const std::size_t values = operation == ".cas" ? 2 : 1;
  if (s.operands.size() != first + 1 + values) unsupported(s);
  const std::string& type = parts.back();
  const int bits = type.ends_with("64") ? 64 : type.ends_with("16") ? 16 : 32;
  const bool is_shared = space == ptx::Space::shared;
  Draft result = at_line(s);
  result.offset = s.operands[first].offset;
  result.places[0] = address_base(s, s.operands[first], is_shared ? 32 : 64, result);
  result.in_window = is_shared;
  if (space != ptx::Space::global) program_.shared_atomics = true;
  if (space != ptx::Space::global && bits < 32) program_.narrow_shared_accesses = true;
  std::optional<Draft> order;
  if (fences_) order = released_by_memory(s, result, space, result.places[0], Use::atomic);
  result.index = counted({CountedAccess::Kind::atomic, space, s.line, bits / 8});

  // Element by element. A result may overwrite a later value.
  const std::vector<ptx::Operand> data = elements_of(s.operands[first + 1]);
  const std::vector<ptx::Operand> results =
      has_result ? elements_of(s.operands[0]) : std::vector<ptx::Operand>(data.size());
  if (results.size() != data.size() || data.size() > 8) unsupported(s);
  std::vector<Operand> sources;
  for (const ptx::Operand& element : data) {
    sources.push_back(place(s, element, std::max(bits, 32)));
    if (data.size() > 1) sources.back() = copy_of(s, sources.back());
  }
  for (std::size_t e = 0; e < data.size(); ++e) {
    result.places[1] = sources[e];
    if (values == 2) result.places[2] = place(s, s.operands[first + 2], std::max(bits, 32));
    result.setting = has_result && results[e].symbol != "_";
    if (result.setting != 0) result.places[3] = destination(s, results[e], std::max(bits, 32));
    emit(result, fmt::format("atom{}.{}", operation, type), s);
    result.offset = static_cast<std::int64_t>(static_cast<std::uint64_t>(result.offset) +
                                              static_cast<std::uint64_t>(bits / 8));
  }
  if (order) emit(*order, "acquire_by_memory", s);
}

// Copies a 32-bit value to a temporary register.
Operand Decoder::copy_of(const ptx::Statement& s, Operand value) {
  Draft copy = at_line(s);
  copy.places[0] = scratch(32);
  copy.places[1] = value;
  emit(copy, "mov.b32", s);
  return copy.places[0];
}

// What must come before an access by which threads are ordered. Returns the instruction, which
// after an access that reads is emitted again as "acquire_by_memory".
Draft Decoder::released_by_memory(const ptx::Statement& s, const Instruction& access,
                                  ptx::Space space, Operand address, Use use) {
  program_.partial_synchronisation = true;
  Draft order = at_line(s);
  order.places[0] = address;
  order.offset = access.offset;
  order.wide_address =
      access.wide_address || space == ptx::Space::global || space == ptx::Space::generic;
  order.setting = static_cast<std::int32_t>(space);
  emit(order, use == Use::load ? "keep_addresses" : "release_by_memory", s);
  return order;
}

void Decoder::leave(const ptx::Statement& s, std::size_t b) {
  const bool is_return = s.row->form == Form::returning && !body_.function->is_entry;
  Draft result = at_line(s);
  set_guard(result, s);
  if (s.row->form == Form::branch || is_return) {
    body_.jumps.emplace_back(program_.instructions.size(), b);
    return emit(result, s.guard >= 0 ? "branch_if" : "branch", s);
  }
  emit(result, s.guard >= 0 ? "leave_if" : "leave", s);
}

// bar.warp.sync of a mask; bar.sync, .arrive and .red of a number and a count, which may be
// missing.
void Decoder::barrier(const ptx::Statement& s) {
  const std::vector<std::string> parts = split_opcode(s.opcode);
  const auto has = [&](std::string_view part) { return std::ranges::count(parts, part) > 0; };
  if (s.operands.empty() || has("cluster")) unsupported(s);
  Draft result = at_line(s);
  if (has("warp")) {
    const ptx::Operand& mask = s.operands[0];
    const bool is_whole =
        mask.kind == Kind::immediate && ~static_cast<std::uint32_t>(mask.immediate) == 0;
    if (!is_whole) program_.partial_synchronisation = true;
    result.places[0] = place(s, mask, 32);
    program_.warp_barriers.push_back(static_cast<std::uint32_t>(program_.instructions.size()));
    return emit(result, s.opcode, s);
  }
  result.index = counted_apart({.line = s.line, .barriers = 1});
  program_.barriers.push_back(static_cast<std::uint32_t>(program_.instructions.size()));
  const ptx::Operand& first = s.operands[0];
  const bool is_plain = has("sync") && s.operands.size() == 1 && first.kind == Kind::immediate &&
                        first.immediate == 0;
  if (is_plain) return emit(result, "barrier", s);

  program_.partial_synchronisation = true;
  const bool reduces = has("red");
  constexpr std::string_view kinds[] = {"sync", "arrive", "popc", "and", "or"};
  const auto kind = std::ranges::find_if(kinds, has);
  const std::size_t at = reduces ? 1 : 0;
  const std::size_t most = reduces ? 4 : 2;
  if (kind == std::end(kinds) || s.operands.size() <= at + at || s.operands.size() > most)
    unsupported(s);
  result.setting = static_cast<std::int32_t>(kind - kinds);
  result.places[1] = place(s, s.operands[at], 32);
  const bool has_count = s.operands.size() > at + 1 + at;
  result.places[2] = has_count ? place(s, s.operands[at + 1], 32) : immediate(0, 32);
  if (reduces) {
    ptx::Operand predicate = s.operands.back();
    result.places[4] = immediate(std::exchange(predicate.negated, false) ? all_lanes : 0, 32);
    result.places[0] = destination(s, s.operands[0], has("popc") ? 32 : 1);
    result.places[3] = place(s, predicate, 1);
  }
  emit(result, "named_barrier", s);
}

std::vector<CallValue> Decoder::call_values(const ptx::Statement& s,
                                            const ptx::Operand& list) const {
  std::vector<CallValue> values;
  for (const ptx::Operand& element : list.elements) {
    const auto found = body_.call_values.find(element.symbol);
    if (found == body_.call_values.end()) unsupported(s, " with such an argument");
    values.push_back(found->second);
  }
  return values;
}

// call (results), function, (arguments), prototype; all but the function may be missing.
void Decoder::call(const ptx::Statement& s) {
  const auto list = [&](std::size_t at) {
    const bool is_list = at < s.operands.size() && s.operands[at].kind == Kind::vector;
    return is_list ? s.operands[at] : ptx::Operand{};
  };
  const std::size_t at = list(0).kind == Kind::vector ? 1 : 0;
  if (at >= s.operands.size()) unsupported(s);
  const ptx::Operand& function = s.operands[at];
  Call call;
  call.caller = static_cast<std::uint32_t>(program_.functions.size());
  call.arguments = call_values(s, list(at + 1));
  call.results = call_values(s, list(0));

  Draft result = at_line(s);
  const bool prints = function.symbol == "vprintf" && call.arguments.size() == 2;
  const bool asserts = function.symbol == "__assertfail" && call.arguments.size() == 5;
  if (prints || asserts) {
    for (std::size_t a = 0; a < 2; ++a) result.places[a] = Operand::reg(call.arguments[a].word);
    return emit(result, prints ? "print" : "fail_assertion", s);
  }
  call.function = function.kind == Kind::reg ? -1 : function_number(function.symbol);
  if (call.function >= 0) {
    const auto number = static_cast<std::size_t>(call.function);
    if (!fits(call, *reachable_.functions[number])) unsupported(s, " with such arguments");
  } else if (function.kind == Kind::reg) {
    result.places[0] = place(s, function, 64);
  } else {
    unsupported(s, fmt::format(" of the function '{}'", source_name(function.symbol)));
  }
  set_guard(result, s);
  result.index = static_cast<std::uint32_t>(program_.function_calls.size());
  program_.function_calls.push_back(std::move(call));
  emit(result, s.guard >= 0 ? "call_if" : "call", s);
}

DecodedProgram decode(const ptx::Module& module, const ptx::Function& function,
                      std::optional<machine::Code> code) {
  DecodedProgram program = Decoder(module, function, std::move(code)).decode();
  program.has_loop_by_data = has_loop_by_data(function);
  return program;
}

}  // namespace gemm_tutor::simt
