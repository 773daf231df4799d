#include "simt/ptx/shown_addresses.hpp"

#include <algorithm>
#include <string_view>

#include "simt/isa/ptx_row.hpp"

namespace gemm_tutor::simt {
namespace {

using Kind = ptx::Operand::Kind;

bool begins_with_one_of(std::string_view opcode, std::initializer_list<std::string_view> begins) {
  return std::ranges::any_of(begins, [&](auto begin) { return opcode.starts_with(begin); });
}

// A conversion between integers that are wide enough: cvt.u32.u64.
bool keeps_addresses(std::string_view conversion) {
  const std::string_view to = conversion.substr(0, conversion.rfind('.'));
  return is_one_of(to.substr(to.rfind('.') + 1), {"u32", "s32", "u64", "s64"});
}

bool may_read_locals(const ptx::Statement& statement) {
  const ptx::Space space = ptx::space_of(statement.opcode);
  return statement.row->form == Form::load &&
         (space == ptx::Space::local || space == ptx::Space::generic);
}

}  // namespace

ShownAddresses::ShownAddresses(const ptx::Function& function,
                               const std::function<bool(const std::string&)>& is_shared)
    : addresses_(function.registers.size()),
      prints_locals_(std::ranges::none_of(function.statements, may_read_locals)) {
  const auto gives = [&](const ptx::Operand& operand) {
    return operand.kind == Kind::symbol ? is_shared(operand.symbol) : is_address(operand);
  };
  const auto makes_address = [&](const ptx::Statement& s) {
    const std::string_view op = s.opcode;
    if (s.row->form == Form::address_conversion) return op.starts_with("cvta.to.shared");
    if (op.starts_with("cvt.") && !keeps_addresses(op)) return false;
    const auto sources = std::count_if(s.operands.begin() + 1, s.operands.end(), gives);
    if (begins_with_one_of(op, {"mov.", "cvt.", "and.", "or.", "selp.", "mad."}))
      return sources > 0;
    // The distance of two addresses is none.
    return begins_with_one_of(op, {"add.", "sub.", "xor."}) && sources == 1;
  };
  for (bool found = true; found;) {
    found = false;
    for (const ptx::Statement& s : function.statements) {
      if (s.operands.size() < 2 || s.operands[0].kind != Kind::reg) continue;
      const auto result = static_cast<std::size_t>(s.operands[0].reg);
      if (addresses_[result] || !makes_address(s)) continue;
      addresses_[result] = found = true;
    }
  }
}

bool ShownAddresses::is_address(const ptx::Operand& operand) const {
  const auto reg = static_cast<std::size_t>(operand.reg);
  return operand.kind == Kind::reg && reg < addresses_.size() && addresses_[reg];
}

bool ShownAddresses::shows(const ptx::Statement& statement, const ptx::Operand& operand) const {
  if (!is_address(operand)) return false;
  const std::string_view op = statement.opcode;
  if (op.starts_with("st.local")) return prints_locals_;
  if (op.starts_with("cvt.")) return !keeps_addresses(op);
  return begins_with_one_of(op, {"st.global", "setp.", "set.", "mul.", "rem."});
}

}  // namespace gemm_tutor::simt
