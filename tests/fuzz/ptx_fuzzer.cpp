// Any bytes at all, read as PTX: they are decoded, or refused with an Error; what is decoded runs
// to its end, or to a finding. See docs/fuzzing.md.
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "simt/exec/program.hpp"
#include "simt/ptx/ptx.hpp"
#include "support/error.hpp"
#include "text_mutator.hpp"

using namespace gemm_tutor;

namespace {

constexpr auto ptx_words =
    std::to_array<std::string_view>({".version",
                                     ".target",
                                     ".address_size 64",
                                     ".visible",
                                     ".extern",
                                     ".entry",
                                     ".func",
                                     ".param",
                                     ".align",
                                     ".reg .pred %p<9>;",
                                     ".reg .b32 %r<9>;",
                                     ".reg .b64 %rd<9>;",
                                     ".shared .align 4 .b8",
                                     ".local",
                                     ".global",
                                     ".const",
                                     ".loc 1 2 3",
                                     ".file 1 \"kernel.cu\"",
                                     ", function_name $L__info_string0, inlined_at 1 2 3",
                                     ".pragma",
                                     ".section",
                                     "ld.global.v4.b32",
                                     "st.shared.v2.f32",
                                     "ld.param.u64",
                                     "cvta.to.global.u64",
                                     "cvta.param.u64",
                                     ".reg .b128 %q<9>;",
                                     "mov.b128 %q1, {%rd1, %rd2};",
                                     "isspacep.const %p1, %rd1;",
                                     "cvt.rn.satfinite.e4m3x2.f32 %rs1, %r1, %r2;",
                                     "cvt.rn.f16x2.e5m2x2 %r1, %rs1;",
                                     "fence.sc.sys;",
                                     "redux.sync.add.s32 %r1, %r2, -1;",
                                     "atom.global.add.f32 %r1, [%rd1], %r2;",
                                     "call.uni (%r1), vprintf, (%rd1, %rd2);",
                                     "mov.b64 {%r1, %r2}, %rd1;",
                                     "mul.wide.s32",
                                     "fma.rn.f32",
                                     "setp.lt.s32",
                                     "shfl.sync.bfly.b32 %r1|%p1, %r2, 1, 31, -1;",
                                     "bar.sync 0;",
                                     "cp.async.ca.shared.global",
                                     "cp.async.wait_group",
                                     "mbarrier.init.shared.b64",
                                     "mbarrier.try_wait.parity",
                                     "bra",
                                     "bra.uni",
                                     "ret;",
                                     "exit;",
                                     "call",
                                     "@%p1",
                                     "@!%p1",
                                     "0f3F800000",
                                     "0d3FF0000000000000",
                                     "0xFFFFFFFFFFFFFFFF",
                                     "-1",
                                     "%tid.x",
                                     "%ctaid.y",
                                     "WARP_SZ",
                                     "[%rd1+-4]",
                                     "b8",
                                     "b16",
                                     "b32",
                                     "b64",
                                     "u16",
                                     "u32",
                                     "s32",
                                     "u64",
                                     "s64",
                                     "f32",
                                     "f64",
                                     "v2",
                                     "v4",
                                     "hi",
                                     "lo",
                                     "wide",
                                     "rn",
                                     "add",
                                     "sub",
                                     "mul",
                                     "mad",
                                     "fma",
                                     "shl",
                                     "shr",
                                     "bfe",
                                     "bfi",
                                     "prmt",
                                     "selp",
                                     "setp",
                                     "cvt",
                                     "cvta",
                                     "mov",
                                     "ld",
                                     "st",
                                     "atom",
                                     "red",
                                     "shfl",
                                     "vote",
                                     "bar",
                                     "ret",
                                     "exit",
                                     "generic",
                                     "sync",
                                     "async",
                                     "mbarrier",
                                     "cp",
                                     "volatile",
                                     "div",
                                     "rem",
                                     "sqrt",
                                     "rcp",
                                     "popc",
                                     "brev",
                                     "uni",
                                     "maxntid",
                                     "reqntid",
                                     "tid",
                                     "ntid",
                                     "ctaid",
                                     "nctaid",
                                     "laneid",
                                     "reg"});

// Blocks with whole warps and parts of one, in two dimensions and three.
constexpr std::array<simt::Launch, 4> launches = {{{{2, 1, 1}, {32, 1, 1}, 0},
                                                   {{2, 2, 1}, {8, 8, 1}, 1024},
                                                   {{1, 3, 1}, {33, 2, 1}, 0},
                                                   {{3, 1, 2}, {5, 3, 3}, 64}}};

struct Size {
  int m, n, k;
};
constexpr std::array<Size, 3> sizes = {{{8, 8, 8}, {33, 17, 9}, {1, 1, 1}}};

// The matrices to the first parameters with room for a pointer, as often as needed; M, N and K to
// all others.
std::vector<simt::Argument> arguments_of(const simt::Program& program, const Size& size) {
  std::vector<simt::Argument> arguments;
  int pointers = 0, integers = 0;
  for (const simt::ptx::Parameter& parameter : program.impl().program.parameters) {
    arguments.push_back(parameter.bytes == 8 ? simt::Argument::pointer(pointers++ % 3)
                                             : simt::Argument::integer(std::array{
                                                   size.m, size.n, size.k}[integers++ % 3]));
  }
  return arguments;
}

void run(const simt::Program& program, std::size_t choice, const simt::Options& options) {
  const Size& size = sizes[choice % sizes.size()];
  // Of exactly these sizes, so that the sanitizer sees each access beyond them.
  std::vector<float> a(size.m * size.k, 1.5F), b(size.k * size.n, -2), c(size.m * size.n);
  const auto buffer = [](const char* name, std::vector<float>& matrix, int columns) {
    return simt::Buffer{.name = name,
                        .data = matrix.data(),
                        .bytes = matrix.size() * sizeof(float),
                        .read_only = *name != 'C',
                        .output = *name == 'C',
                        .columns = columns};
  };
  program.run(launches[choice % launches.size()],
              {buffer("A", a, size.k), buffer("B", b, size.n), buffer("C", c, size.n)},
              arguments_of(program, size), options);
}

void refuse_or(const std::function<void()>& work) try { work(); } catch (const Error&) {
}

void decode_and_run(std::string_view text, const std::string& entry) {
  const auto program = simt::Program::decode(text, entry, "kernel.cu");
  simt::Options options{.threads = 1, .max_instructions = 2000};
  refuse_or([&] { run(program, text.size(), options); });
  options.trace = simt::Dim3{0, 0, 0};
  options.only_traced = true;
  options.most_accesses = 1000;
  refuse_or([&] { run(program, text.size(), options); });
}

}  // namespace

const std::span<const std::string_view> fuzz::words = ptx_words;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  refuse_or([&] {
    for (const simt::ptx::Function& entry : simt::ptx::parse(text, "").entries) {
      refuse_or([&] { decode_and_run(text, entry.name); });
    }
  });
  return 0;
}
