#include "simt/emulator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <new>
#include <numeric>
#include <optional>
#include <type_traits>

#include "simt/check/findings.hpp"
#include "simt/count/counting.hpp"
#include "simt/count/machine_requests.hpp"
#include "simt/count/recorder.hpp"
#include "simt/exec/address_space.hpp"
#include "simt/exec/grid.hpp"
#include "simt/exec/places.hpp"
#include "simt/exec/program.hpp"
#include "simt/exec/worker.hpp"
#include "support/error.hpp"
#include "support/parallel.hpp"

namespace gemm_tutor::simt {
namespace {

// --- What the launch fills in
// ---------------------------------------------------------------------

// As the kernel sees it in memory, with zeros after its end.
std::vector<std::byte> argument_bytes(const Argument& argument, std::size_t at_least) {
  std::size_t size = std::max(at_least, sizeof(std::uint64_t));
  for (const Argument& member : argument.members) {
    size = std::max(size, member.offset + member.bytes);
  }
  std::vector<std::byte> bytes(size);
  const std::uint64_t bits = argument.buffer ? global_address(*argument.buffer) : argument.value;
  std::memcpy(bytes.data(), &bits, sizeof bits);
  for (const Argument& member : argument.members) {
    const std::vector<std::byte> of_member = argument_bytes(member, 0);
    std::memcpy(bytes.data() + member.offset, of_member.data(), member.bytes);
  }
  return bytes;
}

// Returns the parameter's bits for the constant, extended to 64 bits.
std::uint64_t parameter_value(const Constant& constant, const std::vector<Argument>& arguments) {
  const int above = 64 - constant.parameter_bits;
  std::uint64_t bits = 0;
  const std::vector<std::byte> bytes = argument_bytes(
      arguments[static_cast<std::size_t>(constant.parameter)], constant.byte + sizeof bits);
  std::memcpy(&bits, bytes.data() + constant.byte, sizeof bits);
  const std::uint64_t argument = bits << above;
  return constant.is_signed
             ? static_cast<std::uint64_t>(static_cast<std::int64_t>(argument) >> above)
             : argument >> above;
}

// The module's variables are buffers after those of the launch, from `first_variable` on.
std::vector<std::uint32_t> constants_for(const DecodedProgram& program,
                                         const std::vector<Argument>& arguments,
                                         std::size_t first_variable) {
  std::vector<std::uint32_t> words(program.constant_words);
  for (const Constant& constant : program.constants) {
    std::uint64_t value = constant.value;
    if (constant.kind == Constant::Kind::parameter) {
      value = parameter_value(constant, arguments);
    } else if (constant.kind == Constant::Kind::variable) {
      value = global_address(first_variable + static_cast<std::size_t>(constant.parameter));
    }
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      if (constant.bits == 64) {
        std::memcpy(&words[constant.word + 2 * lane], &value, sizeof value);
      } else {
        words[constant.word + lane] = static_cast<std::uint32_t>(value);
      }
    }
  }
  return words;
}

std::vector<WindowVariable> ranges(const std::vector<SharedVariable>& variables,
                                   std::uint32_t dynamic_bytes) {
  std::vector<WindowVariable> result;
  for (const SharedVariable& variable : variables) {
    const std::uint32_t bytes = variable.dynamic ? dynamic_bytes : variable.bytes;
    result.push_back({static_cast<std::int32_t>(variable.offset),
                      static_cast<std::int32_t>(variable.offset + bytes)});
  }
  return result;
}

std::uint32_t shared_bytes(const std::vector<WindowVariable>& variables) {
  std::int32_t end = 0;
  for (const WindowVariable& variable : variables) end = std::max(end, variable.end);
  return static_cast<std::uint32_t>(end);
}

// Zeroed memory. The system allocates pages when they are first accessed.
struct Free {
  void operator()(void* memory) const { std::free(memory); }
};
template <typename T>
using Zeroed = std::unique_ptr<T[], Free>;
template <typename T>
Zeroed<T> zeroed(std::size_t count) {
  Zeroed<T> result(static_cast<T*>(std::calloc(std::max<std::size_t>(count, 1), sizeof(T))));
  if (!result) throw std::bad_alloc();
  return result;
}

// The first of them is buffer `first`.
Zeroed<std::byte> memory_of(const ModuleVariable& variable, std::size_t first,
                            const std::vector<Argument>& arguments) {
  Zeroed<std::byte> memory = zeroed<std::byte>(variable.bytes);
  if (variable.parameter >= 0) {
    const std::vector<std::byte> value =
        argument_bytes(arguments[static_cast<std::size_t>(variable.parameter)], variable.bytes);
    std::memcpy(memory.get(), value.data(), variable.bytes);
  }
  std::copy(variable.initial.begin(), variable.initial.end(), memory.get());
  for (const ModuleVariable::Address& address : variable.addresses) {
    const std::uint64_t value =
        global_address(first + static_cast<std::size_t>(address.variable)) + address.offset;
    std::memcpy(memory.get() + address.at, &value, sizeof value);
  }
  return memory;
}

// The arrays in shared memory that do not get the alignment that they ask for.
std::vector<Finding> misplaced_arrays(const DecodedProgram& program) {
  std::vector<Finding> notes;
  for (const SharedVariable& variable : program.shared) {
    if (variable.offset % variable.alignment == 0) continue;
    notes.push_back(finding_of({.fault = Fault::array_alignment,
                                .access = {.element = {.space = MemorySpace::shared,
                                                       .array = variable.name,
                                                       .address = variable.offset},
                                           .bytes = static_cast<int>(variable.alignment)}}));
  }
  return notes;
}

void check_arguments(const DecodedProgram& program, const std::vector<Argument>& arguments) {
  if (arguments.size() == program.parameters.size()) return;
  throw Error(ExitStatus::usage,
              fmt::format("the kernel has {} parameters, not {}", program.parameters.size(),
                          arguments.size()),
              "Give one argument for each.");
}

void check_traced(const Dim3& block, const Dim3& grid) {
  if (block.x < grid.x && block.y < grid.y && block.z < grid.z) return;
  throw Error(ExitStatus::usage,
              fmt::format("there is no block ({}, {}) in a grid of {}×{}", block.x, block.y, grid.x,
                          grid.y),
              fmt::format("Give one from 0,0 to {},{}.", grid.x - 1, grid.y - 1));
}

// One launch: its context and what that points to.
class Run {
 public:
  Run(const DecodedProgram& program, const Launch& launch, const std::vector<Buffer>& buffers,
      const std::vector<Argument>& arguments, const Options& options) {
    check_arguments(program, arguments);
    if (launch.block.count() == 0 || launch.block.count() > 1024) {
      throw Error(ExitStatus::usage, fmt::format("a block of {} threads", launch.block.count()),
                  "A block has 1 to 1,024 threads.");
    }
    context_.program = &program;
    context_.launch = launch;
    buffers_ = buffers;
    for (const ModuleVariable& variable : program.variables) {
      variables_.push_back(memory_of(variable, buffers.size(), arguments));
      buffers_.push_back(
          {variable.name, variables_.back().get(), variable.bytes, variable.constant});
    }
    context_.buffers = &buffers_;
    for (const Buffer& buffer : buffers_) context_.global.push_back(place(buffer, options.check));
    for (std::size_t v = 0; v < program.variables.size(); ++v) {
      context_.global[buffers.size() + v].constant = program.variables[v].constant;
    }
    context_.shared = ranges(program.shared, launch.dynamic_shared_bytes);
    context_.local = ranges(program.local, 0);
    context_.shared_bytes = shared_bytes(context_.shared);
    context_.constants = constants_for(program, arguments, buffers.size());
    context_.max_instructions = options.max_instructions;
    context_.arrays = &options.arrays;
    context_.check = options.check;
    context_.unset = options.unset;
    context_.findings = &findings_;
    context_.printing = &printing_;
    context_.block_order = &block_order_;
    context_.stopped = &stopped_;
    context_.activity = &or_unwatched(options.activity);
    if (options.trace) {
      check_traced(*options.trace, launch.grid);
      const auto warps = static_cast<std::uint32_t>((launch.block.count() + lanes - 1) / lanes);
      context_.recorder =
          &recorder_.emplace(program, warps, options.most_accesses, options.trace_warp);
      context_.traced = *options.trace;
    }
  }

  const RunContext& context() const { return context_; }

  // Only of this block.
  std::vector<Access> first_requests(BlockMachine& machine, const Dim3& block,
                                     std::uint64_t steps) {
    const auto warps =
        static_cast<std::uint32_t>((context_.launch.block.count() + lanes - 1) / lanes);
    recorder_.emplace(Recorder::of_first_global_requests(*context_.program, warps, steps));
    context_.recorder = &*recorder_;
    context_.traced = block;
    stopped_ = no_block;
    machine.run(block);
    return recorder_->take().accesses;
  }
  bool stopped() const { return stopped_ != no_block; }
  std::vector<Finding> take_findings() { return findings_.take(stopped_); }
  void move_printed_to(Result& result) { printing_.move_to(result, stopped_); }
  std::optional<Recording> take_recording() {
    if (!recorder_ || !recorder_->started()) return {};
    Recording recording = recorder_->take();
    recording.unrecorded = unrecorded(*context_.program);
    recording.shared_arrays = shared_arrays(context_);
    return recording;
  }

 private:
  GlobalBuffer place(const Buffer& buffer, bool check) {
    GlobalBuffer result{static_cast<std::byte*>(buffer.data), buffer.bytes, buffer.read_only,
                        nullptr, buffer.output};
    result.element_bytes = buffer.element_bytes;
    if (check && !buffer.read_only) {
      marks_.push_back(zeroed<GlobalMarks>(result.elements() + 1));
      result.marks = marks_.back().get();
    }
    return result;
  }

  Findings findings_;
  Printing printing_;
  std::atomic<std::uint64_t> stopped_ = no_block;
  std::vector<Buffer> buffers_;
  std::vector<Zeroed<std::byte>> variables_;
  std::vector<Zeroed<GlobalMarks>> marks_;
  BlockOrder block_order_;
  std::optional<Recorder> recorder_;
  RunContext context_;
};

// All counters as one array, for operations on all of them.
using AllCounters = std::array<std::uint64_t, sizeof(Counters) / sizeof(std::uint64_t)>;
static_assert(std::is_trivially_copyable_v<Counters>);

// --- Running the blocks
// ---------------------------------------------------------------------------

// The blocks of one class that were run, and what they counted.
struct Sample {
  BlockClass blocks;
  std::vector<Dim3> run;
  Tally tally;
  std::optional<Dim3> probe = std::nullopt;
  machine::Executions executions = {};  // machine_executions()
};

class Sampler {
 public:
  Sampler(const RunContext& context, const Options& options)
      : context_(context), threads_(options.threads > 0 ? options.threads : core_count()) {
    run_blocks(options);
    for (Sample& sample : samples_) {
      sample.executions = machine_executions(*context.program, sample.tally);
    }
  }

  const std::vector<Sample>& samples() const { return samples_; }

 private:
  void run_blocks(const Options& options) {
    if (options.only_traced) return run_one(*options.trace);
    always_ = options.always;
    for (const BlockClass& blocks : block_classes(context_.launch.grid)) {
      samples_.push_back({blocks, {}, Tally(*context_.program)});
    }
    if (options.blocks > 0) {
      sample(static_cast<std::uint64_t>(options.blocks));
    } else if (options.warp_instructions > 0) {
      sample_within(options.warp_instructions);
    } else {
      run_all();
    }
  }

  void run_all() {
    const Dim3& grid = context_.launch.grid;
    const BlockClass every(0, grid.x, 0, grid.y, grid.z);
    Sample all{every, {}, Tally(*context_.program)};
    for (const Sample& sample : samples_) all.tally += sample.tally;  // of the probes
    samples_ = {all};
    begin(every.count());
    run(samples_.front(), every.count(), [&](std::uint64_t i) { return every.block(i); });
  }

  void run_one(const Dim3& block) {
    const BlockClass alone(block.x, block.x + 1, block.y, block.y + 1, 1);
    samples_.push_back({alone, {block}, Tally(*context_.program)});
    begin(1);
    run(samples_.front(), 1, [&](std::uint64_t) { return block; });
  }

  // Chooses `wanted` blocks: one of each class, and the others in proportion to the classes' sizes.
  void sample(std::uint64_t wanted) {
    const std::uint64_t total = context_.launch.grid.count();
    if (wanted >= total) return run_all();
    const auto classes = static_cast<double>(samples_.size());
    const double share = std::max(
        0.0, (static_cast<double>(wanted) - classes) / (static_cast<double>(total) - classes));
    std::uint64_t blocks = 0;
    for (Sample& sample : samples_) {
      const double more = std::floor(share * static_cast<double>(sample.blocks.count() - 1));
      sample.run = sample.blocks.spread(1 + static_cast<std::uint64_t>(more));
      if (sample.probe && !std::ranges::count(sample.run, *sample.probe)) {
        sample.run.front() = *sample.probe;
      }
      for (const Dim3& block : always_) {
        if (sample.blocks.contains(block) && !std::ranges::count(sample.run, block)) {
          sample.run.push_back(block);
        }
      }
      blocks += sample.run.size();
    }
    if (blocks == total) return run_all();
    begin(blocks);
    for (Sample& sample : samples_) {
      run(sample, sample.run.size(), [&](std::uint64_t i) { return sample.run[i]; });
    }
  }

  // Runs one block of each class to estimate the cost of all blocks. These blocks do not run again,
  // because they would read their own results. The checks may cost no more than the kernel without
  // checks, or a part of the budget.
  void sample_within(std::uint64_t budget) {
    constexpr double instructions_of_a_finding = 1, part = 1. / 8;
    double cost = 0, cost_of_findings = 0;
    begin(samples_.size());
    for (Sample& sample : samples_) {
      const Dim3 probe = sample.blocks.spread(1).front();
      run(sample, 1, [&](std::uint64_t) { return probe; });
      sample.probe = probe;
      probed_.push_back(probe);
      const auto blocks = static_cast<double>(sample.blocks.count());
      cost += emulation_cost(*context_.program, sample.tally) * blocks;
      cost_of_findings +=
          static_cast<double>(sample.tally.findings) * instructions_of_a_finding * blocks;
    }
    const double total = static_cast<double>(context_.launch.grid.count());
    const auto most = static_cast<double>(budget);
    const double allowed =
        cost_of_findings > 0 ? std::min(most, std::max(cost, part * most)) : most;
    const double share = std::min(1.0, allowed / (cost + cost_of_findings));
    sample(static_cast<std::uint64_t>(share * total));
  }

  void begin(std::uint64_t blocks) const {
    context_.activity->begin("emulating", static_cast<std::int64_t>(blocks));
  }

  template <typename BlockAt>
  void run(Sample& sample, std::uint64_t count, BlockAt block_at) {
    const int threads =
        static_cast<int>(std::min<std::uint64_t>(static_cast<std::uint64_t>(threads_), count));
    std::vector<std::unique_ptr<BlockMachine>> machines(static_cast<std::size_t>(threads));
    parallel_for(static_cast<std::int64_t>(count), threads, [&](std::int64_t index, int worker) {
      const Dim3 block = block_at(static_cast<std::uint64_t>(index));
      if (!std::ranges::count(probed_, block)) {
        auto& machine = machines[static_cast<std::size_t>(worker)];
        if (!machine) machine = std::make_unique<BlockMachine>(context_);
        machine->run(block);
      }
      context_.activity->advance();
    });
    for (const auto& machine : machines) {
      if (machine) sample.tally += machine->tally();
    }
  }

  const RunContext& context_;
  int threads_;
  std::vector<Sample> samples_;
  std::vector<Dim3> always_, probed_;
};

template <typename ScaleUp>
LineCounters scaled(LineCounters line, const ScaleUp& scale_up) {
  auto counters = std::bit_cast<AllCounters>(line.counters);
  for (std::uint64_t& counter : counters) counter = scale_up(counter);
  line.counters = std::bit_cast<Counters>(counters);
  for (OperandCounters& operand : line.operands) {
    operand.requests = scale_up(operand.requests);
    operand.cost = scale_up(operand.cost);
    operand.conflicts = scale_up(operand.conflicts);
  }
  return line;
}

// The buffers in their order, then the shared arrays in theirs.
void sort_operands(std::vector<OperandCounters>& operands, const RunContext& context) {
  const auto place = [&](const OperandCounters& operand) {
    const bool is_shared = operand.space == MemorySpace::shared;
    const auto buffer = std::ranges::find(*context.buffers, operand.name, &Buffer::name);
    const auto array =
        std::ranges::find(context.program->shared, operand.name, &SharedVariable::name);
    return std::pair(is_shared, is_shared ? array - context.program->shared.begin()
                                          : buffer - context.buffers->begin());
  };
  std::ranges::sort(operands, {}, place);
}

Result make_result(const RunContext& context, const std::vector<Sample>& samples) {
  const DecodedProgram& program = *context.program;
  const std::uint64_t total = context.launch.grid.count();
  Result result;
  result.shared_as_in_machine_code = program.machine.has_value();
  result.blocks_total = total;
  result.exact = total == 1 || (samples.size() == 1 && samples.front().run.empty());
  CountersByLine lines;
  std::vector<std::uint64_t> all_executions;
  std::map<int, std::uint64_t> costs;
  for (const Sample& sample : samples) {
    const std::uint64_t run = sample.run.empty() ? sample.blocks.count() : sample.run.size();
    result.blocks_emulated += run;
    result.emulated.insert(result.emulated.end(), sample.run.begin(), sample.run.end());
    const auto scaled_up = [&](std::uint64_t value) {
      return scale(value, sample.blocks.count(), run);
    };
    result.most_instructions_of_block =
        std::max(result.most_instructions_of_block, sample.tally.most_instructions_of_block);
    result.most_multiply_adds_of_warp =
        std::max(result.most_multiply_adds_of_warp, sample.tally.most_multiply_adds_of_warp);
    result.copied_bytes_in_flight += scaled_up(sample.tally.copied_bytes_in_flight);
    result.loaded_bytes_in_flight += scaled_up(sample.tally.loaded_bytes_in_flight);
    result.fragment_bytes_in_flight += scaled_up(sample.tally.fragment_bytes_in_flight);
    result.idle_barriers += scaled_up(sample.tally.idle_barriers);
    result.copy_conflicts += scaled_up(sample.tally.copy_conflicts);
    const std::vector<std::uint64_t>& executions = sample.executions.of_instructions;
    all_executions.resize(executions.size());
    for (std::size_t i = 0; i < executions.size(); ++i) {
      all_executions[i] += scaled_up(executions[i]);
    }
    for (const auto& [way, times] : sample.executions.ways) {
      result.ways[way] +=
          times * static_cast<double>(sample.blocks.count()) / static_cast<double>(run);
    }
    for (const auto& [line, cost] : request_costs(program, sample.tally, executions)) {
      costs[line] += scaled_up(cost);
    }
    for (const auto& [line, counted] : counters_by_line(context, sample.tally, executions)) {
      lines[line] += scaled(counted, scaled_up);
    }
  }
  for (auto& [line, counted] : lines) {
    result.total += counted.counters;
    if (line <= 0 || counted.counters == Counters{}) continue;
    counted.line = line;
    sort_operands(counted.operands, context);
    result.lines.push_back(std::move(counted));
  }
  result.machine = machine_instructions(program, all_executions, costs);
  return result;
}

void join(std::vector<Access>& recorded, const DecodedProgram& program,
          const std::vector<Sample>& samples) {
  Tally tally(program);
  std::vector<std::uint64_t> executions(samples.front().executions.of_instructions.size());
  for (const Sample& sample : samples) {
    tally += sample.tally;
    std::ranges::transform(executions, sample.executions.of_instructions, executions.begin(),
                           std::plus<>());
  }
  MachineRequests(program, tally, executions).join(recorded);
}

}  // namespace

std::uint64_t Counters::warp_instructions() const {
  return std::accumulate(instructions.begin(), instructions.end(), std::uint64_t{0});
}

std::uint64_t Counters::machine_instructions() const {
  return std::accumulate(machine.begin(), machine.end(), std::uint64_t{0});
}

Counters& Counters::operator+=(const Counters& other) {
  auto sum = std::bit_cast<AllCounters>(*this);
  const auto more = std::bit_cast<AllCounters>(other);
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += more[i];
  return *this = std::bit_cast<Counters>(sum);
}

void add(std::vector<OperandCounters>& operands, const OperandCounters& more) {
  const auto same = std::ranges::find_if(operands, [&](const OperandCounters& operand) {
    return operand.name == more.name && operand.space == more.space;
  });
  if (same == operands.end()) {
    operands.push_back(more);
    return;
  }
  same->requests += more.requests;
  same->cost += more.cost;
  same->conflicts += more.conflicts;
}

LineCounters& LineCounters::operator+=(const LineCounters& other) {
  counters += other.counters;
  for (const OperandCounters& operand : other.operands) add(operands, operand);
  return *this;
}

Program::Program(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

Program Program::decode(std::string_view ptx, std::string_view entry, std::string_view source_file,
                        const std::vector<char>& cubin) {
  std::optional<machine::Code> code;
  try {
    if (!cubin.empty()) code = machine::read_code(cubin, std::string(entry));
  } catch (const Error&) {  // a toolkit that is newer than this program
  }
  const ptx::Module module = ptx::parse(ptx, source_file);
  for (const ptx::Function& function : module.entries) {
    if (function.name == entry) {
      return Program(std::make_shared<Impl>(Impl{simt::decode(module, function, std::move(code))}));
    }
  }
  throw Error(ExitStatus::usage, fmt::format("there is no kernel '{}' in the PTX", entry),
              "Choose one of those that the file defines.");
}

Result Program::run(const Launch& launch, const std::vector<Buffer>& buffers,
                    const std::vector<Argument>& arguments, const Options& options) const {
  const auto begin = std::chrono::steady_clock::now();
  Run run(impl_->program, launch, buffers, arguments, options);
  const Sampler sampler(run.context(), options);
  Result result = make_result(run.context(), sampler.samples());
  result.notes = misplaced_arrays(impl_->program);
  result.stopped = run.stopped();
  result.exact = result.exact && !result.stopped;
  for (Finding& finding : run.take_findings()) {
    const bool is_no_fault = is_note(finding.kind());
    if (is_no_fault) finding.count = 1;  // not all others were checked
    (is_no_fault ? result.notes : result.findings).push_back(std::move(finding));
  }
  run.move_printed_to(result);
  result.recording = run.take_recording();
  if (result.recording) join(result.recording->accesses, impl_->program, sampler.samples());
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return result;
}

void observe(const DecodedProgram& program, const Launch& launch,
             const std::vector<Buffer>& buffers, const std::vector<Argument>& arguments,
             const std::vector<Dim3>& blocks, std::uint64_t steps, const TakeRequests& take) {
  constexpr std::int64_t most_instructions = 20'000;  // per warp, in loops
  Options options;
  options.check = false;
  options.max_instructions = most_instructions;
  const int threads = std::min(core_count(), static_cast<int>(blocks.size()));
  struct Observer {
    Run run;
    BlockMachine machine;
    Observer(const DecodedProgram& decoded, const Launch& launched,
             const std::vector<Buffer>& memory, const std::vector<Argument>& values,
             const Options& unchecked)
        : run(decoded, launched, memory, values, unchecked), machine(run.context()) {}
  };
  std::vector<std::unique_ptr<Observer>> observers(static_cast<std::size_t>(threads));
  parallel_for(static_cast<std::int64_t>(blocks.size()), threads, [&](std::int64_t b, int thread) {
    auto& observer = observers[static_cast<std::size_t>(thread)];
    if (!observer) {
      observer = std::make_unique<Observer>(program, launch, buffers, arguments, options);
    }
    const auto block = static_cast<std::size_t>(b);
    take(block, observer->run.first_requests(observer->machine, blocks[block], steps));
  });
}

}  // namespace gemm_tutor::simt
