#include "run/prepared_kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <span>

#include "run/arguments.hpp"
#include "run/block_trace.hpp"
#include "run/run.hpp"
#include "run/stream_k_schedule.hpp"
#include "run/target.hpp"
#include "simt/compiler.hpp"
#include "source/array_overruns.hpp"
#include "source/branches.hpp"
#include "source/declarations.hpp"
#include "source/definitions.hpp"
#include "source/host_launch.hpp"
#include "source/kernel.hpp"
#include "support/error.hpp"
#include "support/text.hpp"

namespace gemm_tutor {
namespace {

constexpr int workspace_buffer = 3;  // after A, B and C
constexpr int read_c_buffer = 3;     // where there is no workspace

// The resources that are known before compiling. An impossible launch is reported early, because
// the assembler's message about too much shared memory would not name the launch.
simt::KernelResources declared_resources(const LaunchShape& shape) {
  constexpr std::int64_t most = std::numeric_limits<int>::max() / sizeof(float);
  simt::KernelResources resources;
  resources.static_shared_bytes =
      static_cast<int>(std::min(shape.static_shared_floats, most) * sizeof(float));
  return resources;
}

void check_cluster(const std::string& name, const simt::Dim3& cluster, const simt::Dim3& grid) {
  const auto divides = [](std::uint32_t part, std::uint32_t all) {
    return part > 0 && all % part == 0;
  };
  if (divides(cluster.x, grid.x) && divides(cluster.y, grid.y) && divides(cluster.z, grid.z))
    return;
  throw WrongLaunch(
      ExitStatus::usage,
      fmt::format("the grid of {}×{}×{} blocks is no multiple of {}'s clusters of {}×{}×{}", grid.x,
                  grid.y, grid.z, name, cluster.x, cluster.y, cluster.z),
      "Change __cluster_dims__, or round the grid up: no GPU launches a part of a cluster.");
}

// Checks what the kernel's source requires of its launch. A GPU would reject it without a reason.
void check_demands(const std::string& name, const simt::PtxEntry& entry,
                   const simt::Launch& launch) {
  const auto threads = static_cast<std::int64_t>(launch.block.count());
  if (entry.most_threads > 0 && threads > entry.most_threads) {
    throw WrongLaunch(
        ExitStatus::usage,
        fmt::format("the __launch_bounds__ of {} allow {} threads per block, not {}", name,
                    with_thousands(entry.most_threads), with_thousands(threads)),
        "Launch it with fewer threads, or raise the bounds in the source.");
  }
  if (entry.exact_threads > 0 && threads != entry.exact_threads) {
    throw WrongLaunch(ExitStatus::usage,
                      fmt::format("{} requires {} threads per block, not {}", name,
                                  with_thousands(entry.exact_threads), with_thousands(threads)),
                      "Launch it with as many, or change what the source requires.");
  }
  constexpr std::int64_t most_blocks_of_cluster = 8;  // that each GPU with clusters launches
  if (const auto blocks = static_cast<std::int64_t>(entry.cluster.count());
      blocks > most_blocks_of_cluster) {
    throw WrongLaunch(
        ExitStatus::usage,
        fmt::format("{} requires clusters of {} blocks, and a GPU launches {} at most", name,
                    with_thousands(blocks), most_blocks_of_cluster),
        "Make its __cluster_dims__ smaller.");
  }
  check_cluster(name, entry.cluster, launch.grid);
  if (entry.uses_dynamic_shared && launch.dynamic_shared_bytes == 0) {
    throw WrongLaunch(
        ExitStatus::usage,
        fmt::format("{} uses extern __shared__ memory, and its launch gives it none", name),
        "Give the bytes of a block with --shared, as the kernel's launch does: --shared 8192 for "
        "2,048 floats.");
  }
}

std::int64_t value_of(const Parameter& parameter, const Problem& problem) {
  return grid_extent(parameter.expression, problem, 0).value_or(0);
}

simt::Argument argument_of(const Parameter& parameter, const Problem& problem) {
  const Role role = parameter.role;
  if (!parameter.members.empty()) {
    simt::Argument result;
    for (const Parameter& member : parameter.members) {
      simt::Argument one = argument_of(member, problem);
      one.offset = static_cast<std::size_t>(member.offset);
      one.bytes = static_cast<std::size_t>(member.bytes);
      result.members.push_back(std::move(one));
    }
    return result;
  }
  if (role == Role::workspace) return simt::Argument::pointer(workspace_buffer);
  if (role == Role::read_c) return simt::Argument::pointer(read_c_buffer);
  if (is_matrix(role)) return simt::Argument::pointer(static_cast<std::size_t>(role));
  if (!parameter.expression.empty()) return simt::Argument::integer(value_of(parameter, problem));
  if (!is_size(role)) return {.value = parameter.bits};
  return simt::Argument::integer(size_of(role, problem));
}

// The kernel's parameters in its definition, in the file or in one that it includes.
struct Defined {
  std::optional<source::File> file;  // which the parameters point into
  std::vector<source::Parameter> parameters;
};

Defined definition_of(const KernelSource& kernel, const std::string& name) {
  Defined result;
  for (const std::string_view text : texts_of(kernel)) {
    result.file.emplace(text);
    const source::Function* function = result.file->find_kernel(name);
    if (!function) continue;
    result.parameters = function->parameters;
    break;
  }
  // "k(PARAMETERS)", with a macro.
  if (result.parameters.size() != 1 || result.parameters[0].tokens.size() != 1) return result;
  const std::string macro = result.parameters[0].name;
  for (const source::Macro& one : result.file->macros) {
    if (one.name == macro) result.parameters = source::parameters_of(one.text);
  }
  return result;
}

// CUDA's own structs of whole numbers.
std::vector<source::Member> members_of_vector(const std::string& name) {
  static const std::map<std::string, int, std::less<>> counts = {
      {"int2", 2}, {"int3", 3}, {"int4", 4}, {"uint2", 2}, {"uint3", 3}, {"uint4", 4}, {"dim3", 3}};
  const auto count = counts.find(name);
  if (count == counts.end()) return {};
  std::vector<source::Member> result;
  for (int i = 0; i < count->second; ++i)
    result.push_back({.name = std::string(1, "xyzw"[i]), .bytes = 4, .offset = 4 * i});
  return result;
}

// What a member points to, as names of instances have it: "__half" for "half". A template's T is
// its argument: "Matrix<half>" has "__half".
std::string element_type(const std::string& written, const source::Parameter& parameter) {
  static const std::map<std::string, std::string, std::less<>> known = {
      {"half", "__half"},
      {"nv_bfloat16", "__nv_bfloat16"},
      {"int8_t", "signed char"},
      {"uint8_t", "unsigned char"},
      {"int32_t", "int"}};
  const auto found = known.find(written);
  const std::string type = found == known.end() ? written : found->second;
  const std::size_t open = source::find(parameter.tokens, "<");
  if (pointed_scalar(type + "*") || open == parameter.tokens.size()) return type;
  const std::size_t close = source::closing_angle(parameter.tokens, open);
  std::vector<source::Token> argument;
  for (const source::Token& token : parameter.tokens.first(close).subspan(open + 1)) {
    if (!token.is("const")) argument.push_back(token);
  }
  const bool is_one = !argument.empty() && !source::has(argument, ",");
  return is_one ? element_type(source::text_of(argument), {}) : type;
}

// The members of the struct of that parameter, if all their types are known, and all its pointers
// are to numbers of matrices.
std::vector<source::Member> members_of(const KernelSource& kernel,
                                       const source::Parameter& parameter, int bytes) {
  for (const source::Token& token : parameter.tokens) {
    auto members = members_of_vector(std::string(token.text));
    if (!members.empty() && bytes == 4 * static_cast<int>(members.size())) return members;
  }
  for (const std::string_view text : texts_of(kernel)) {
    const source::File file(text);
    for (const source::Struct& one : source::structs_in(file.code)) {
      if (one.bytes != bytes) continue;
      if (!std::ranges::count(parameter.tokens, one.name, &source::Token::text)) continue;
      std::vector<source::Member> layout = one.layout;
      for (source::Member& member : layout) {
        if (member.is_pointer) member.element = element_type(member.element, parameter);
      }
      const bool has_others = std::ranges::any_of(layout, [](const source::Member& member) {
        return member.is_pointer && !pointed_scalar(member.element + "*");
      });
      if (!has_others) return layout;
    }
  }
  return {};
}

// As messages name it: with its place, if an included file defines it.
std::string name_and_place(const KernelSource& kernel, const std::string& name) {
  const KernelSource defining = in_its_file(kernel, name);
  if (defining.file_name == kernel.file_name) return name;
  const int line = source::File(defining.source).find_kernel(name)->first_line;
  return fmt::format("{} ({}, line {})", name, defining.file_name, line);
}

// A kernel may take pointers to 16 bits, or to void, for halves. They are what the PTX computes
// with, if that is one type alone.
void name_elements(std::vector<std::string>& types, const std::string& ptx) {
  const bool has_half = ptx.find(".f16") != ptx.npos, has_brain = ptx.find(".bf16") != ptx.npos;
  if (has_half == has_brain) return;
  for (std::string& type : types) {
    const std::string pointed(pointed_type(type));
    const bool is_input = pointed == "void" && type.find("const") != type.npos;
    if (is_input || pointed == "unsigned short" || pointed == "short")
      type.replace(type.find(pointed), pointed.size(), has_half ? "__half" : "__nv_bfloat16");
  }
}

Signature signature_of(const KernelSource& kernel, const std::string& name,
                       const simt::PtxEntry& ptx, const std::string& text) {
  Signature signature{.kernel = name_and_place(kernel, name),
                      .bytes = ptx.parameter_bytes,
                      .ptx = ptx.parameter_types,
                      .types = ptx.cpp_types,
                      .names = {}};
  name_elements(signature.types, text);
  const Defined defined = definition_of(kernel, name);
  if (defined.parameters.size() != signature.bytes.size()) return signature;
  for (std::size_t i = 0; i < signature.bytes.size(); ++i) {
    const source::Parameter& parameter = defined.parameters[i];
    signature.names.push_back(parameter.name);
    const bool is_struct = signature.ptx[i].empty();
    signature.members.push_back(is_struct ? members_of(kernel, parameter, signature.bytes[i])
                                          : std::vector<source::Member>());
  }
  return signature;
}

// Those of expressions, for a launch on a GPU.
void set_values(std::vector<Parameter>& parameters, const Problem& problem) {
  for (Parameter& one : parameters) {
    if (!one.expression.empty()) one.bits = static_cast<std::uint64_t>(value_of(one, problem));
    set_values(one.members, problem);
  }
}

const simt::Program& require_program(const Pass& pass) {
  if (pass.refusal) throw *pass.refusal;
  return *pass.program;
}

// Sets its program, or the reason why there is none.
void decode(Pass& pass, const std::string& file_name) try {
  pass.program = simt::Program::decode(pass.compiled.ptx, pass.compiled.lowered_name, file_name,
                                       pass.compiled.cubin);
} catch (const Error& error) {
  if (error.status() != ExitStatus::unavailable) throw;
  pass.refusal = error;
}

// Checks the launch, and makes the arguments.
void complete(Pass& pass, const KernelSource& kernel, const simt::Launch& launch,
              const simt::GpuSpec& gpu) {
  if (kernel.for_gpu) simt::check_launch(gpu, pass.compiled.resources, launch);
  check_demands(pass.name, pass.entry, launch);
  pass.arguments = resolve(kernel.arguments, kernel.scales, pass.signature);
  pass.parameters = match(pass.arguments, pass.signature);
}

// The lowest precision of the kernel's tensor instructions, such as mma….f32.tf32.tf32.f32; nothing
// if it has none.
std::optional<Precision> precision_of_tensor_instructions(std::string_view ptx) {
  std::optional<Precision> result;
  for (std::size_t at = ptx.find("mma.sync"); at != ptx.npos; at = ptx.find("mma.sync", at + 1)) {
    const std::string_view name = ptx.substr(at, ptx.find_first_of(" \t\n", at) - at);
    const auto has = [&](std::string_view part) { return name.find(part) != name.npos; };
    // wmma names two sums where the factors are FP16, mma all four types.
    const bool is_fp8 = has(".e4m3") || has(".e5m2");
    const bool is_integer = has(".s8") || has(".u8") || has(".s4") || has(".u4");
    const bool sums_in_half = !is_fp8 && (name.ends_with(".f16") || has(".f16.f16.f16"));
    const Precision precision = has(".f64")    ? Precision::fp64
                                : has(".tf32") ? Precision::tf32
                                : has(".bf16") ? Precision::bf16
                                : is_integer   ? Precision::int8
                                : is_fp8       ? Precision::fp8
                                               : Precision::fp16;
    result = sums_in_half ? Precision::fp16_sums : std::max(result.value_or(precision), precision);
    if (sums_in_half) break;
  }
  return result;
}

// With the types of its parameters, and what its result is judged by.
Update update_of(const Pass& pass, const KernelSource& kernel) {
  Update update = update_of(pass.parameters, kernel.c_before);
  Types& types = update.types;
  const auto of_instructions = precision_of_tensor_instructions(pass.compiled.ptx);
  // CUDA's type of the bits of an FP8, __nv_fp8_storage_t, is that of a byte. A product names A's
  // type before B's.
  if (of_instructions == Precision::fp8) {
    const std::string& ptx = pass.compiled.ptx;
    const auto has = [&](const char* product) { return ptx.find(product) != ptx.npos; };
    const bool are_e4m3 = has(".e4m3.e4m3.");
    if (types.a == Scalar::u8)
      types.a = are_e4m3 || has(".e4m3.e5m2.") ? Scalar::e4m3 : Scalar::e5m2;
    if (types.b == Scalar::u8)
      types.b = are_e4m3 || has(".e5m2.e4m3.") ? Scalar::e4m3 : Scalar::e5m2;
  }
  types.precision = kernel.precision.value_or(of_instructions.value_or(usual_precision(types)));
  return update;
}

Pass prepare_pass(const KernelSource& kernel, const simt::Launch& launch, const simt::GpuSpec& gpu,
                  Emulation emulation, Activity* activity) {
  simt::check_launch(gpu, declared_resources(kernel.shape), launch);
  Pass pass = compile_pass(kernel, gpu, Emulation::if_possible, activity);
  complete(pass, kernel, launch, gpu);
  if (emulation == Emulation::required) require_program(pass);
  return pass;
}

// Prepared even if this problem does not need it, because another problem may.
Pass prepare_second_pass(const KernelSource& first, const Problem& problem,
                         const simt::GpuSpec& gpu, Activity* activity) {
  KernelSource source = first;
  source.name_expression = first.second_name_expression;
  source.shape.static_shared_floats = 0;
  const std::optional<simt::Launch> launch = StreamKSchedule(first.shape, problem).second_launch();
  return prepare_pass(source, launch.value_or(simt::Launch{{1}, {1}}), gpu, Emulation::required,
                      activity);
}

EarlierPass prepare_earlier(const KernelSource& main, const EarlierLaunch& earlier,
                            const Problem& problem, const simt::GpuSpec& gpu, Activity* activity) {
  KernelSource source = main;
  source.name_expression = earlier.name_expression;
  source.shape = earlier.shape;
  source.shape.multiprocessors = gpu.multiprocessors;
  const simt::Launch launch = launch_for(source.shape, problem);
  return {prepare_pass(source, launch, gpu, Emulation::required, activity), source.shape, launch};
}

// Returns the cubin, otherwise the zero-terminated PTX.
std::span<const char> device_code(const simt::CompiledKernel& kernel) {
  if (!kernel.cubin.empty()) return kernel.cubin;
  return {kernel.ptx.c_str(), kernel.ptx.size() + 1};
}

// Adds those of another launch, whose warnings are of the same file.
void add(simt::Result& result, simt::Result&& other) {
  std::map<int, simt::LineCounters> lines;
  for (const auto* part : {&result.lines, &other.lines}) {
    for (const simt::LineCounters& line : *part) {
      lines.try_emplace(line.line, simt::LineCounters{line.line, {}}).first->second += line;
    }
  }
  result.lines.clear();
  for (auto& [number, line] : lines) result.lines.push_back(std::move(line));
  result.total += other.total;
  std::ranges::move(other.findings, std::back_inserter(result.findings));
  std::ranges::move(other.notes, std::back_inserter(result.notes));
  std::ranges::move(other.printed, std::back_inserter(result.printed));
  result.printed_left_out += other.printed_left_out;
  result.exact = result.exact && other.exact;
  result.stopped = result.stopped || other.stopped;
  result.seconds += other.seconds;
}

// A sample of blocks can be verified only if they compute a whole tile together.
std::vector<simt::Dim3> blocks_to_verify(const PreparedKernel& kernel, const Problem& problem) {
  if (kernel.source.shape.stream_k) {
    return StreamKSchedule(kernel.source.shape, problem).blocks_of_a_tile();
  }
  const simt::Dim3& grid = kernel.launch.grid;
  std::vector<simt::Dim3> blocks;
  if (grid.z == 1) return blocks;
  for (const std::uint32_t y : std::set{0u, grid.y - 1}) {
    for (const std::uint32_t x : std::set{0u, grid.x - 1}) {
      for (std::uint32_t z = 0; z < grid.z; ++z) blocks.push_back({x, y, z});
    }
  }
  return blocks;
}

// PTX knows only the bytes of shared arrays, and a finding should say a_tile[3][7].
std::vector<simt::ArrayShape> array_shapes(const KernelSource& kernel) {
  std::vector<simt::ArrayShape> shapes;
  for (source::SharedArray& array : shared_arrays_of(kernel)) {
    shapes.push_back({std::move(array.name), std::move(array.extents), array.element_bytes});
  }
  return shapes;
}

// The PTX does not show them.
std::vector<simt::Finding> overruns_of(const KernelSource& kernel, const std::string& name) {
  const source::Kernel parsed(kernel.source, name);
  std::vector<simt::Finding> findings;
  for (const source::ArrayOverrun& one : source::array_overruns(parsed, name)) {
    findings.push_back(simt::beyond_array(
        one.line, one.is_written ? simt::AccessKind::store : simt::AccessKind::load,
        {one.array, one.extents, one.is_float ? static_cast<int>(sizeof(float)) : 0}, one.index));
  }
  return findings;
}

}  // namespace

Pass compile_pass(const KernelSource& kernel, const simt::GpuSpec& gpu, Emulation emulation,
                  Activity* activity) {
  or_unwatched(activity).begin("compiling");
  Pass pass;
  pass.compiled = compile_entry(kernel, gpu);
  or_unwatched(activity).check();
  pass.name = name_of(kernel, pass.compiled);
  pass.entry = simt::ptx_entry(pass.compiled.ptx, pass.compiled.lowered_name);
  pass.signature = signature_of(kernel, pass.name, pass.entry, pass.compiled.ptx);
  decode(pass, in_its_file(kernel, pass.name).file_name);
  if (emulation == Emulation::required) require_program(pass);
  return pass;
}

void set_launch(PreparedKernel& kernel, const LaunchShape& shape,
                const std::vector<Argument>& arguments, const Problem& problem) {
  kernel.source.shape = shape;
  kernel.source.shape.multiprocessors = kernel.gpu.multiprocessors;
  kernel.source.arguments = arguments;
  kernel.launch = launch_for(kernel.source.shape, problem);
  complete(kernel, kernel.source, kernel.launch, kernel.gpu);
  kernel.update = update_of(kernel, kernel.source);
  set_values(kernel.parameters, problem);
}

PreparedKernel prepare(const KernelSource& source, const Problem& problem, const simt::GpuSpec& gpu,
                       Activity* activity, Emulation emulation) {
  simt::require_capability(gpu, source.compute_capability, source.name_expression);
  KernelSource kernel = source;
  kernel.shape.multiprocessors = gpu.multiprocessors;
  const simt::Launch launch = launch_for(kernel.shape, problem);
  PreparedKernel result{prepare_pass(kernel, launch, gpu, emulation, activity), kernel, gpu};
  result.update = update_of(result, kernel);
  result.arrays = array_shapes(kernel);
  result.source = in_its_file(std::move(result.source), result.name);
  result.overruns = overruns_of(result.source, result.name);
  if (!kernel.second_name_expression.empty()) {
    result.second_pass = prepare_second_pass(kernel, problem, gpu, activity);
  }
  for (const EarlierLaunch& earlier : kernel.before)
    result.before.push_back(prepare_earlier(kernel, earlier, problem, gpu, activity));
  set_problem(result, problem);
  return result;
}

PreparedKernel prepare(const KernelSource& kernel, const RunOptions& options) {
  return prepare(kernel, options.problem, choose_target(options).gpu, options.activity);
}

PreparedKernel prepare_to_run(const KernelSource& kernel, const RunOptions& options) {
  const Target target = choose_target(options);
  return prepare(kernel, options.problem, target.gpu, options.activity,
                 target.on_gpu ? Emulation::if_possible : Emulation::required);
}

void set_problem(PreparedKernel& kernel, const Problem& problem) {
  kernel.launch = launch_for(kernel.source.shape, problem);
  check_cluster(kernel.name, kernel.entry.cluster, kernel.launch.grid);
  set_values(kernel.parameters, problem);
  for (EarlierPass& earlier : kernel.before) earlier.launch = launch_for(earlier.shape, problem);
  kernel.workspace_floats = grid_extent(kernel.source.workspace_floats, problem, 0).value_or(0);
  if (!kernel.second_pass) return;
  const StreamKSchedule schedule(kernel.source.shape, problem);
  kernel.second_launch = schedule.second_launch();
  kernel.workspace_floats = schedule.workspace_floats();
}

std::vector<Region> completed_regions(const PreparedKernel& kernel, const Problem& problem,
                                      const std::vector<simt::Dim3>& blocks) {
  if (kernel.source.shape.stream_k)
    return StreamKSchedule(kernel.source.shape, problem).completed_by(blocks);
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> blocks_of;  // per tile
  std::vector<Region> regions;
  for (const simt::Dim3& block : blocks) {
    if (++blocks_of[{block.x, block.y}] < kernel.launch.grid.z) continue;
    regions.push_back(block_region(kernel.source.shape, problem, block));
  }
  return regions;
}

gpu::DeviceKernel on_device(const PreparedKernel& kernel) {
  std::vector<gpu::DeviceKernel> launches;
  const auto add = [&](const Pass& pass, const simt::Launch& launch) {
    launches.push_back(
        {device_code(pass.compiled), pass.compiled.lowered_name, launch, pass.parameters});
  };
  for (const EarlierPass& earlier : kernel.before) add(earlier, earlier.launch);
  add(kernel, kernel.launch);
  if (kernel.second_launch) add(*kernel.second_pass, *kernel.second_launch);
  gpu::DeviceKernel result = std::move(launches.front());
  result.workspace_floats = kernel.workspace_floats;
  result.then.assign(std::make_move_iterator(launches.begin() + 1),
                     std::make_move_iterator(launches.end()));
  return result;
}

// A fixed number per step along K and element of a lane, and the warp's share of the block's other
// work.
std::int64_t most_instructions(const PreparedKernel& kernel, const Problem& problem) {
  constexpr double for_one = 100, besides = 50e6, most = 1e18;
  const LaunchShape& shape = kernel.source.shape;
  const double tile = shape.has_tile() ? 1.0 * shape.tile_rows * shape.tile_columns
                                       : static_cast<double>(problem.c_elements());
  const double warps = std::ceil(static_cast<double>(kernel.launch.block.count()) / 32);
  // A block that shares tiles may have several.
  const double tiles =
      kernel.source.shape.stream_k
          ? std::ceil(static_cast<double>(StreamKSchedule(kernel.source.shape, problem).tiles()) /
                      kernel.source.shape.stream_k->blocks)
          : 1;
  const double elements = std::max(1.0, tile / warps) * tiles;
  return static_cast<std::int64_t>(
      std::min(most, besides / warps + for_one * elements * problem.k));
}

simt::Options emulator_options(const PreparedKernel& kernel, const RunOptions& options) {
  simt::Options result;
  result.check = options.check;
  result.activity = options.activity;
  result.max_instructions =
      options.max_instructions.value_or(most_instructions(kernel, options.problem));
  if (options.trace) {
    result.trace = traced_block(kernel, options);
    result.trace_warp = options.trace->warp;
  }
  return result;
}

std::vector<simt::Argument> arguments_of(const std::vector<Parameter>& parameters,
                                         const Problem& problem) {
  std::vector<simt::Argument> arguments;
  for (const Parameter& parameter : parameters) {
    arguments.push_back(argument_of(parameter, problem));
  }
  return arguments;
}

// The workspace does not begin with C's poison, but with NaN: a sum of these in C counts as written
// and wrong.
EmulatedMemory::EmulatedMemory(const PreparedKernel& kernel, Matrices& matrices)
    : workspace_(static_cast<std::size_t>(kernel.workspace_floats),
                 std::numeric_limits<float>::quiet_NaN()) {
  const Problem& p = matrices.problem;
  const Types& types = matrices.types;
  const Transposed& transposed = kernel.source.transposed;
  buffers_ = {matrix(Role::a, matrices.a, types.a, transposed.a ? p.m : p.k),
              matrix(Role::b, matrices.b, types.b, transposed.b ? p.k : p.n),
              matrix(Role::c, matrices.c, types.c, p.n)};
  buffers_[0].read_only = buffers_[1].read_only = true;
  buffers_[2].output = matrices.c_before.empty() || kernel.update.reads_another_c;
  if (!kernel.is_alone()) {
    const int columns = kernel.second_pass ? kernel.source.shape.tile_columns : 0;
    buffers_.push_back(matrix(Role::workspace, workspace_, Scalar::f32, columns));
    buffers_[workspace_buffer].output = true;
  }
  if (kernel.update.reads_another_c) {
    buffers_.push_back(matrix(Role::read_c, matrices.c_before, types.c, p.n));
    buffers_[read_c_buffer].read_only = true;
  }
}

simt::Buffer EmulatedMemory::matrix(Role role, std::vector<float>& elements, Scalar element,
                                    int columns) {
  simt::Buffer buffer;
  buffer.name = name_of(role);
  buffer.data = elements.data();
  if (element != Scalar::f32)
    buffer.data = encoded_.emplace_back(encoded(elements, element)).data();
  buffer.element_bytes = bytes_of(element);
  buffer.bytes = elements.size() * static_cast<std::size_t>(buffer.element_bytes);
  buffer.columns = columns;
  return buffer;
}

void EmulatedMemory::copy_c_to(Matrices& matrices) const {
  const simt::Buffer& c = buffers_[static_cast<std::size_t>(Role::c)];
  if (matrices.types.c == Scalar::f32) return;
  decode({static_cast<const std::byte*>(c.data), c.bytes}, matrices.types.c, matrices.c);
}

namespace {

// All blocks of another pass than the main one.
simt::Result emulate_other(const Pass& pass, const simt::Launch& launch,
                           const std::vector<simt::Buffer>& buffers, const Problem& problem,
                           simt::Options options) {
  options.blocks = 0;
  options.warp_instructions = 0;
  options.trace.reset();
  options.only_traced = false;
  return require_program(pass).run(launch, buffers, arguments_of(pass.parameters, problem),
                                   options);
}

}  // namespace

simt::Result emulate(const PreparedKernel& kernel, Matrices& matrices,
                     const simt::Options& options) {
  const Problem& p = matrices.problem;
  if (kernel.update.reads_another_c) poison(matrices.c);
  const EmulatedMemory memory(kernel, matrices);
  std::vector<simt::Buffer> buffers = memory.buffers();
  std::optional<simt::Result> before;
  for (const EarlierPass& earlier : kernel.before) {
    simt::Result one = emulate_other(earlier, earlier.launch, buffers, p, options);
    buffers[workspace_buffer].output = false;  // later passes read it
    if (before) {
      add(*before, std::move(one));
    } else {
      before = std::move(one);
    }
    if (before->stopped) return *std::move(before);
  }
  simt::Options main = options;
  main.arrays = kernel.arrays;
  main.always = blocks_to_verify(kernel, p);
  simt::Result result =
      require_program(kernel).run(kernel.launch, buffers, arguments_of(kernel.parameters, p), main);
  if (options.check)
    result.findings.insert(result.findings.end(), kernel.overruns.begin(), kernel.overruns.end());
  if (before && !options.only_traced) add(result, *std::move(before));
  if (kernel.second_launch && !result.stopped && !options.only_traced) {
    buffers[workspace_buffer].output = false;
    buffers[workspace_buffer].read_only = true;
    add(result, emulate_other(*kernel.second_pass, *kernel.second_launch, buffers, p, options));
  }
  memory.copy_c_to(matrices);
  return result;
}

namespace {

// "v2<32, float>": the arguments of a launch or the template's defaults, if the file has them; else
// such that a template of "int BM, typename T" may have.
std::string example_of(const source::Function& kernel, const std::vector<std::string_view>& texts) {
  if (kernel.template_parameters.empty()) return kernel.name;
  const std::vector<source::HostLaunch> launches = source::launches_in(texts, kernel.name);
  std::vector<std::string> arguments;
  for (const source::Parameter& parameter : kernel.of_template) {
    const std::size_t i = arguments.size();
    const std::string_view kind = parameter.tokens.front().text;
    const bool is_type = kind == "typename" || kind == "class";
    std::string argument = source::text_of(parameter.default_value);
    if (!launches.empty() && i < launches[0].template_arguments.size())
      argument = launches[0].template_arguments[i];
    arguments.push_back(!argument.empty() ? argument : is_type ? "float" : "32");
  }
  return fmt::format("{}<{}>", kernel.name, join(arguments));
}

// A kernel's definition in one of the user's files.
struct NamedKernel {
  std::string name, template_parameters, example;
};

// Of the file, then of those that it includes, in their order.
std::vector<NamedKernel> kernels_of(const KernelSource& kernel) {
  std::vector<NamedKernel> kernels;
  const std::vector<std::string_view> texts = texts_of(kernel);
  for (const std::string_view text : texts) {
    const source::File file(text);
    for (const source::Function& one : file.functions) {
      if (!one.is_kernel) continue;
      kernels.push_back({one.name, one.template_parameters, example_of(one, texts)});
    }
  }
  return kernels;
}

// Help for a name that is none.
std::string existing_kernels(const KernelSource& kernel) {
  const std::string wanted = source::without_template_arguments(kernel.name_expression);
  std::vector<std::string> names, examples;
  for (const NamedKernel& existing : kernels_of(kernel)) {
    if (existing.name == wanted && existing.example != existing.name) {
      return fmt::format("It is a template with <{}>: name an instance, such as --entry '{}'.",
                         existing.template_parameters, existing.example);
    }
    names.push_back(existing.name);
    examples.push_back(existing.example);
  }
  if (names.empty()) return "";
  const std::string all = fmt::format("The file's kernels: {}.", join(examples, "; "));
  const std::string near = near_name(wanted, names);
  if (near.empty()) return all;
  const auto place = std::ranges::find(names, near) - names.begin();
  return fmt::format("Did you mean --entry '{}'? {}", examples[place], all);
}

// Those compiled, and templates of which there is no instance, in the order of the files; then
// those of other files.
std::vector<std::string> choices(const KernelSource& kernel, const simt::CompiledKernel& compiled) {
  std::vector<std::string> names, others;
  for (const auto& [mangled, resources] : compiled.kernels) {
    others.push_back(simt::readable_name(mangled));
  }
  for (const NamedKernel& text : kernels_of(kernel)) {
    const auto is_other = [&](const std::string& name) {
      return source::without_template_arguments(name) != text.name;
    };
    const auto same = std::stable_partition(others.begin(), others.end(), is_other);
    if (same == others.end() && !text.template_parameters.empty() &&
        !std::ranges::count(names, text.name, source::without_template_arguments)) {
      names.push_back(text.example);
    }
    names.insert(names.end(), same, others.end());
    others.erase(same, others.end());
  }
  names.insert(names.end(), others.begin(), others.end());
  return names;
}

std::string only_kernel(const KernelSource& kernel, const simt::CompiledKernel& compiled) {
  const std::vector<std::string> names = choices(kernel, compiled);
  const std::string& file = kernel.file_name;
  if (names.empty()) {
    throw Error(ExitStatus::usage, fmt::format("'{}' has no kernel", file),
                "A kernel is a function marked __global__: put one into the file.");
  }
  const std::string choose =
      fmt::format("Choose one with --entry, such as --entry '{}'.", names.front());
  if (names.size() > 1) {
    throw Error(ExitStatus::usage,
                fmt::format("'{}' has {} kernels: {}", file, names.size(), join(names, "; ")),
                choose);
  }
  if (compiled.lowered_name.empty()) {
    throw Error(ExitStatus::usage, fmt::format("the kernel of '{}' is a template", file),
                fmt::format("Name an instance with --entry, such as --entry '{}'.", names.front()));
  }
  return names.front();
}

simt::CompiledKernel compile_named(const KernelSource& kernel,
                                   const simt::CompileRequest& request) try {
  return kernel.is_cached ? compile(request) : compile(request, "");
} catch (const simt::NoSuchKernel& error) {
  const std::string help = existing_kernels(kernel);
  if (help.empty()) throw;
  throw simt::NoSuchKernel(ExitStatus::usage, error.what(), help);
}

}  // namespace

simt::CompiledKernel compile_entry(const KernelSource& kernel, const simt::GpuSpec& gpu) {
  std::vector<IncludedFile> included = kernel.included;
  for (IncludedFile& file : included) file.text = source::without_c_linkage(file.text);
  std::optional<std::string> text;
  if (!kernel.branch_of.empty())
    text = source::with_branch_of_kernel(kernel.source, kernel.branch_of);
  return compile_named(kernel, {.source = source::without_c_linkage(text.value_or(kernel.source)),
                                .file_name = kernel.file_name,
                                .architecture = gpu.architecture(),
                                .name_expression = kernel.name_expression,
                                .include_directories = kernel.include_directories,
                                .gpu = gpu.full_name,
                                .included = std::move(included)});
}

std::string name_of(const KernelSource& kernel, const simt::CompiledKernel& compiled) {
  return kernel.name_expression.empty() ? only_kernel(kernel, compiled) : kernel.name_expression;
}

}  // namespace gemm_tutor
