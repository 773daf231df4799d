#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "simt/exec/decoder.hpp"

namespace gemm_tutor::simt {

using Kind = ptx::Operand::Kind;

// Such an instruction has a policy of the cache as its last operand, which changes no result.
constexpr std::string_view cache_hint = "L2::cache_hint";

void Decoder::asynchronous(const ptx::Statement& s) {
  const std::vector<std::string> parts = split_opcode(s.opcode);
  const bool is_exact = s.opcode == s.row->words;  // without further words
  Draft result = at_line(s);
  switch (s.row->step) {
    case AsynchronousStep::copy:
      if (parts.size() > 2 && (parts[2] == "ca" || parts[2] == "cg")) return start_copies(s, parts);
      break;
    case AsynchronousStep::bulk_copy:
      if (is_exact || parts.back() == cache_hint) return bulk_copy(s);
      break;
    case AsynchronousStep::end_group:
      if (is_exact) return emit(result, "commit_copies", s);
      break;
    case AsynchronousStep::wait_for_groups:
      if (!is_exact || s.operands.size() != 1 || s.operands[0].kind != Kind::immediate ||
          s.operands[0].immediate >= 1u << 31)
        break;
      result.setting = static_cast<std::int32_t>(s.operands[0].immediate);
      return emit(result, "wait_for_copies", s);
    case AsynchronousStep::wait_for_all:
      if (!is_exact) break;
      result.setting = -1;
      return emit(result, "wait_for_copies", s);
    case AsynchronousStep::arrive:
      if (parts.size() <= 4 || s.operands.size() != 1) break;
      result.setting = parts[4] == "noinc";
      result.offset = s.operands[0].offset;
      result.places[0] = address_base(s, s.operands[0], 32, result);
      result.index = counted({CountedAccess::Kind::arrival, ptx::Space::shared, s.line, 8});
      return emit(result, "arrive_after_copies", s);
    case AsynchronousStep::barrier:
      return arrival_or_test(s, parts);
    case AsynchronousStep::none:
      break;
  }
  unsupported(s);
}

void Decoder::start_copies(const ptx::Statement& s, const std::vector<std::string>& parts) {
  const bool plain = parts.size() >= 5 && (parts[3] == "shared" || parts[3] == "shared::cta") &&
                     parts[4] == "global" &&
                     std::all_of(parts.begin() + 5, parts.end(),
                                 [](const std::string& part) { return part.starts_with("L2::"); });
  const bool has_policy = std::ranges::count(parts, cache_hint) > 0;
  const std::size_t operands = s.operands.size() - (has_policy ? 1 : 0);
  if (!plain || operands < 3 || operands > 4 || s.operands[2].kind != Kind::immediate) {
    unsupported(s);
  }
  Draft result = at_line(s);
  const auto bytes = static_cast<std::uint32_t>(s.operands[2].immediate);
  if (bytes != 4 && bytes != 8 && bytes != 16) unsupported(s, fmt::format(" of {} bytes", bytes));
  result.setting = static_cast<std::int32_t>(bytes);
  result.offset = s.operands[0].offset;
  result.places[0] = address_base(s, s.operands[0], 32, result);
  Instruction source;
  result.places[1] = address_base(s, s.operands[1], 64, source);
  result.places[2] = operands == 4 ? copied_bytes(s, bytes) : immediate(bytes, 32);
  result.places[3] = immediate(static_cast<std::uint64_t>(s.operands[1].offset), 64);
  result.index =
      counted({CountedAccess::Kind::copy, ptx::Space::global, s.line, static_cast<int>(bytes)});
  emit(result, "start_copies", s);
}

// How many bytes of the source a copy reads: its last operand is their number, or a predicate
// that is true where the source is ignored.
Operand Decoder::copied_bytes(const ptx::Statement& s, std::uint32_t bytes) {
  ptx::Operand last = s.operands[3];
  if (register_bits(last) != 1) return place(s, last, 32);
  const bool reads_where_true = std::exchange(last.negated, false);
  Draft choice = at_line(s);
  choice.places[0] = scratch(32);
  choice.places[1] = immediate(reads_where_true ? bytes : 0, 32);
  choice.places[2] = immediate(reads_where_true ? 0 : bytes, 32);
  choice.places[3] = place(s, last, 1);
  emit(choice, "selp.b32", s);
  return choice.places[0];
}

// [target], [source], size, [barrier]: within the block's own shared memory.
void Decoder::bulk_copy(const ptx::Statement& s) {
  if (s.operands.size() != (s.opcode.ends_with(cache_hint) ? 5 : 4) || s.operands[3].offset != 0)
    unsupported(s);
  Draft result = at_line(s);
  result.offset = s.operands[0].offset;
  result.places[0] = address_base(s, s.operands[0], 32, result);
  Instruction other;
  result.places[1] = address_base(s, s.operands[1], 64, other);
  result.places[2] = place(s, s.operands[2], 32);
  result.places[3] = address_base(s, s.operands[3], 32, other);
  if (other.wide_address) unsupported(s, " with a wide address of its barrier");
  result.places[4] = immediate(static_cast<std::uint64_t>(s.operands[1].offset), 64);
  result.index = counted({CountedAccess::Kind::bulk_copy, ptx::Space::global, s.line, 1});
  emit(result, "start_bulk_copy", s);
}

// .init, .inval, .arrive, .test_wait and .try_wait, in a block's own shared memory.
void Decoder::arrival_or_test(const ptx::Statement& s, const std::vector<std::string>& parts) {
  program_.partial_synchronisation = true;
  const auto has = [&](std::string_view part) {
    return std::find(parts.begin(), parts.end(), part) != parts.end();
  };
  const bool expects = has("expect_tx");
  if (has("shared::cluster") || has("noComplete") || s.operands.empty() || parts.size() < 2) {
    unsupported(s);
  }
  Draft result = at_line(s);
  const std::string& operation = parts[1];
  const bool waits = operation == "test_wait" || operation == "try_wait";
  const bool has_result = waits || operation == "arrive";
  const std::size_t address_at = has_result ? 1 : 0;
  if (s.operands.size() <= address_at) unsupported(s);
  const ptx::Operand& address = s.operands[address_at];
  result.offset = address.offset;
  result.places[0] = address_base(s, address, 32, result);
  result.index = counted({CountedAccess::Kind::arrival, ptx::Space::shared, s.line, 8});
  if (operation == "inval") return;
  if (expects && s.operands.size() == address_at + 2) {
    Draft expect = result;
    expect.places[1] = place(s, s.operands[address_at + 1], 32);
    emit(expect, "expect_bytes", s);
    if (operation == "expect_tx") return;
  }
  if (operation == "init" && s.operands.size() == 2) {
    result.places[1] = place(s, s.operands[1], 32);
    return emit(result, "init_barrier", s);
  }
  if (operation == "arrive") {
    const bool sink = s.operands[0].kind == Kind::symbol && s.operands[0].symbol == "_";
    result.setting = !sink;
    if (!sink) result.places[2] = destination(s, s.operands[0], 64);
    const bool has_count = s.operands.size() > 2 && !expects;
    result.places[1] = has_count ? place(s, s.operands[2], 32) : immediate(1, 32);
    return emit(result, "arrive_at_barrier", s);
  }
  if (waits && s.operands.size() >= 3) {
    result.setting = has("parity");
    result.places[1] = place(s, s.operands[2], has("parity") ? 32 : 64);
    result.places[2] = destination(s, s.operands[0], 1);
    return emit(result, "wait_for_phase", s);
  }
  unsupported(s);
}

}  // namespace gemm_tutor::simt
