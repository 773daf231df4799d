#include "simt/isa/ptx_row.hpp"

#include <algorithm>
#include <iterator>

namespace gemm_tutor::simt {
namespace {

constexpr Refusal textures = {
    "textures", "Read the array through its pointer: loads of a const float* are cached too."};
constexpr Refusal surfaces = {"surfaces", "Read and write the array through its pointer."};
constexpr Refusal tensor_cores = {
    "tensor instructions of several warps",
    "Multiply with mma.sync or wmma, which it knows, or run the kernel where there is a GPU."};
constexpr Refusal clusters = {
    "clusters of blocks",
    "Let each block load what it needs into its own shared memory, and wait for its own threads."};
constexpr Refusal grid_barriers = {
    "barriers of the whole grid, as this_grid().sync()",
    "Let each block finish its own part of the result, or have blocks that share a part add to it "
    "with atomicAdd()."};
constexpr Refusal allocation = {
    "memory that a kernel allocates with malloc or new",
    "Use an array of a fixed size, or extern __shared__ memory, which comes with the launch."};
constexpr Refusal nested_launches = {
    "kernels that launch kernels (dynamic parallelism)",
    "Call a __device__ function instead, or let the grid of the one launch cover all."};

constexpr PtxRow refused(std::string_view words, const Refusal& refusal,
                         Form form = Form::lanewise) {
  return {.words = words, .form = form, .refusal = &refusal};
}

constexpr PtxRow asynchronous(std::string_view words, InstructionKind kind, AsynchronousStep step,
                              bool has_result = false) {
  return {.words = words,
          .form = Form::asynchronous,
          .kind = kind,
          .has_result = has_result,
          .step = step};
}

using enum InstructionKind;

// Longer words stand before shorter ones that they begin with. An instruction without a kind counts
// by its types.
constexpr PtxRow rows[] = {
    {"ld.param", Form::load, move},
    refused("ld.shared::cluster", clusters, Form::load),
    {"ld", Form::load, memory},
    refused("st.shared::cluster", clusters, Form::store),
    refused("st.async", clusters, Form::store),
    {"st", Form::store, memory},
    {"atom", Form::atomic},
    {"red", Form::atomic},
    {"mov", Form::lanewise, move},
    {"cvt", Form::lanewise, move},
    {"cvta", Form::address_conversion, move},
    {"shfl", Form::shuffle, exchange},
    {"vote", Form::lanewise, exchange},
    {"match", Form::lanewise, exchange},
    {"activemask", Form::lanewise, exchange},
    {"redux", Form::lanewise, exchange},
    {"elect", Form::lanewise, exchange},
    {"bra", Form::branch, control},
    {"exit", Form::exit, control},
    {"ret", Form::returning, control},
    {"call", Form::call, {}, false},
    {"trap", Form::as_named},
    refused("barrier.cluster", clusters, Form::barrier),
    {"barrier", Form::barrier, synchronisation, false},
    {"bar", Form::barrier, synchronisation, false},
    {"nanosleep", Form::as_named, synchronisation, false},
    {.words = "membar", .form = Form::nothing, .kind = synchronisation, .is_fence = true},
    {.words = "fence.acq_rel", .form = Form::nothing, .kind = synchronisation, .is_fence = true},
    {.words = "fence.sc", .form = Form::nothing, .kind = synchronisation, .is_fence = true},
    {"fence", Form::nothing, synchronisation},
    {"prefetch", Form::nothing, memory},
    {"prefetchu", Form::nothing, memory},
    {"applypriority", Form::nothing, memory},
    {"discard", Form::nothing, memory},
    {"cp.async.bulk.prefetch", Form::nothing, memory, false},
    asynchronous("cp.async.bulk.commit_group", synchronisation, AsynchronousStep::none),
    asynchronous("cp.async.bulk.wait_group", synchronisation, AsynchronousStep::none),
    asynchronous("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes", memory,
                 AsynchronousStep::bulk_copy),
    asynchronous("cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes", memory,
                 AsynchronousStep::bulk_copy),
    asynchronous("cp.async.bulk", memory, AsynchronousStep::none),
    asynchronous("cp.async.commit_group", synchronisation, AsynchronousStep::end_group),
    asynchronous("cp.async.wait_group", synchronisation, AsynchronousStep::wait_for_groups),
    asynchronous("cp.async.wait_all", synchronisation, AsynchronousStep::wait_for_all),
    asynchronous("cp.async.mbarrier.arrive", synchronisation, AsynchronousStep::arrive),
    asynchronous("cp.async", memory, AsynchronousStep::copy),
    {"cp", Form::lanewise, memory},
    asynchronous("mbarrier", synchronisation, AsynchronousStep::barrier, true),
    refused("tex", textures),
    refused("tld4", textures),
    refused("txq", textures),
    refused("suld", surfaces),
    refused("sust", surfaces),
    refused("sured", surfaces),
    refused("suq", surfaces),
    {"wmma.mma", Form::matrix, tensor},
    {"wmma.load", Form::matrix, memory},
    {"wmma.store", Form::matrix, memory, false},
    {"mma", Form::matrix, tensor},
    {"movmatrix", Form::matrix, exchange},
    {"ldmatrix", Form::matrix, memory},
    {"stmatrix", Form::matrix, memory, false},
    refused("wgmma", tensor_cores),
    refused("tcgen05", tensor_cores),
    refused("mapa", clusters),
    refused("getctarank", clusters),
    {}};

struct RefusedName {
  std::string_view begin;
  const Refusal* refusal;
};

constexpr RefusedName refused_names[] = {{"%cluster", &clusters},
                                         {"%nclusterid", &clusters},
                                         {"%is_explicit_cluster", &clusters},
                                         {"%envreg", &grid_barriers},
                                         {"malloc", &allocation},
                                         {"free", &allocation},
                                         {"cudaGetParameterBuffer", &nested_launches},
                                         {"cudaLaunchDevice", &nested_launches}};

struct SpaceName {
  ptx::Space space;
  std::string_view word;
};

constexpr SpaceName space_names[] = {{ptx::Space::global, "global"},
                                     {ptx::Space::shared, "shared"},
                                     {ptx::Space::local, "local"},
                                     {ptx::Space::constant, "const"},
                                     {ptx::Space::parameter, "param"}};

}  // namespace

namespace ptx {

std::optional<Space> space_named(std::string_view word) {
  if (word == "shared::cta") return Space::shared;
  const auto found = std::ranges::find(space_names, word, &SpaceName::word);
  return found == std::end(space_names) ? std::nullopt : std::optional(found->space);
}

Space space_of(std::string_view opcode) {
  while (!opcode.empty()) {
    const std::size_t dot = opcode.find('.');
    if (const auto space = space_named(opcode.substr(0, dot))) return *space;
    opcode.remove_prefix(dot == opcode.npos ? opcode.size() : dot + 1);
  }
  return Space::generic;
}

std::string_view name_of(Space space) {
  const auto found = std::ranges::find(space_names, space, &SpaceName::space);
  return found == std::end(space_names) ? "" : found->word;
}

}  // namespace ptx

const PtxRow& row_of(std::string_view opcode) {
  return *std::ranges::find_if(rows, [&](const PtxRow& row) {
    const std::size_t size = row.words.size();
    return size == 0 ||
           (opcode.starts_with(row.words) && (opcode.size() == size || opcode[size] == '.'));
  });
}

InstructionKind instruction_kind(std::string_view opcode) {
  if (const auto kind = row_of(opcode).kind) return *kind;
  if (opcode.starts_with("fma.") && opcode.ends_with(".f32")) return ffma;
  const auto has = [&](std::string_view type) { return opcode.find(type) != opcode.npos; };
  return has(".f32") || has(".f64") || has("f16") ? floating_point : integer;
}

const Refusal* refusal_of_name(std::string_view name) {
  const auto found = std::ranges::find_if(
      refused_names, [&](const RefusedName& one) { return name.starts_with(one.begin); });
  return found == std::end(refused_names) ? nullptr : found->refusal;
}

}  // namespace gemm_tutor::simt
