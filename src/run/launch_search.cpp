#include "run/launch_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "gemm/matrices.hpp"
#include "run/argument_lists.hpp"
#include "run/device_values.hpp"
#include "run/prepared_kernel.hpp"
#include "run/recovered_values.hpp"
#include "run/remedies.hpp"
#include "run/wrong_result.hpp"
#include "source/branches.hpp"
#include "source/declarations.hpp"
#include "source/definitions.hpp"
#include "source/evaluator.hpp"
#include "source/host_launch.hpp"
#include "source/included_files.hpp"
#include "source/kernel.hpp"
#include "support/error.hpp"
#include "support/file.hpp"
#include "support/text.hpp"

namespace gemm_tutor {
namespace {

namespace fs = std::filesystem;
using source::HostLaunch;

constexpr std::int64_t largest_fixed = 1 << 14;  // the largest size that a file gives
constexpr std::size_t most_trials = 500;
// However long they are: one for each way in which A and B may be stored.
constexpr std::size_t least_trials = 4;
constexpr std::size_t trials_of_endless = 50;  // an endless kernel costs as much time as these
// Of all trials together; two cores of 2024 emulate 80 million in a second. Not seconds: what is
// found must not depend on the machine.
constexpr std::uint64_t most_warp_instructions = 1'200'000'000;
constexpr std::uint64_t seed = 1;
// For template parameters of which nothing says what they are: the type of A and B, and that of C
// and of sums.
constexpr std::pair<const char*, const char*> guessed_types[] = {{"", ""},
                                                                 {"float", "float"},
                                                                 {"__half", "float"},
                                                                 {"__half", "__half"},
                                                                 {"__nv_bfloat16", "float"},
                                                                 {"__nv_bfloat16", "__nv_bfloat16"},
                                                                 {"double", "double"},
                                                                 {"signed char", "int"}};

// --- The shape of a launch

// Numbers in the source that may be sides of tiles: template arguments, constants, and the extents
// of shared arrays.
std::vector<int> sides_in(const KernelSource& kernel) {
  std::set<int> sides;
  const auto add = [&](std::int64_t value) {
    if (value >= 2 && value <= 256) sides.insert(static_cast<int>(value));
  };
  const KernelSource defining = in_its_file(kernel, kernel.name_expression);
  const source::Kernel tree(defining.source, kernel.name_expression);
  for (const source::Definition& one : tree.definitions) {
    if (one.value && one.value->kind == source::Node::Kind::number) add(one.value->number.value);
  }
  for (const source::SharedArray& array : shared_arrays_of(kernel)) {
    for (const std::int64_t extent : array.extents) add(extent);
  }
  return {sides.rbegin(), sides.rend()};
}

std::string block_text(const simt::Dim3& block, const char* times = "x") {
  std::string text = std::to_string(block.x);
  if (block.y > 1 || block.z > 1) text += times + std::to_string(block.y);
  return block.z > 1 ? text + times + std::to_string(block.z) : text;
}

// "--block 32x32 --tile 64x64 …"
std::vector<std::string> shape_options(const LaunchShape& shape) {
  std::vector<std::string> result = {"--block " + block_text(shape.block)};
  if (shape.grid) {
    std::string grid = (*shape.grid)[0];
    const bool has_z = (*shape.grid)[2] != "1";
    if (has_z || (*shape.grid)[1] != "1") grid += ", " + (*shape.grid)[1];
    if (has_z) grid += ", " + (*shape.grid)[2];
    result.push_back("--grid " + shell_word(grid));
  } else {
    result.push_back(fmt::format("--tile {}x{}", shape.tile_rows, shape.tile_columns));
    if (shape.grid_x_along_rows) result.push_back("--grid-x m");
    if (shape.blocks_of_tile > 1)
      result.push_back(fmt::format("--grid-z {}", shape.blocks_of_tile));
  }
  if (shape.dynamic_shared != "0") result.push_back("--shared " + shell_word(shape.dynamic_shared));
  return result;
}

std::string arguments_option(const Arguments& arguments) {
  std::vector<std::string> names;
  for (const Argument& argument : arguments) {
    names.push_back(is_scale(argument.role) ? std::string(name_of(argument.role))
                                            : argument.text());
  }
  return "--args " + shell_word(join(names, ","));
}

std::string transposed_option(const Transposed& transposed) {
  return std::string("--transposed ") + (!transposed.b ? "a" : !transposed.a ? "b" : "a,b");
}

std::string command_text(const std::string& command, const KernelSource& kernel) {
  std::vector<std::string> words = {"gemm-tutor", command, shell_word(kernel.file_name)};
  if (!kernel.name_expression.empty()) {
    words.push_back("--entry " + shell_word(kernel.name_expression));
  }
  for (std::string& option : shape_options(kernel.shape)) words.push_back(std::move(option));
  if (!kernel.arguments.empty()) words.push_back(arguments_option(kernel.arguments));
  if (kernel.transposed != Transposed{}) words.push_back(transposed_option(kernel.transposed));
  if (kernel.c_before) words.push_back("--c " + std::string(name_of(*kernel.c_before)));
  if (kernel.precision)
    words.push_back("--precision " + std::string(terms_of(*kernel.precision).name));
  return join(words, " ");
}

// --- The search

class Search {
 public:
  Search(KernelSource kernel, const LaunchOptions& options, const simt::GpuSpec& gpu,
         std::string command, Activity* activity)
      : kernel_(std::move(kernel)),
        options_(options),
        gpu_(gpu),
        command_(std::move(command)),
        activity_(activity),
        device_(device_values(gpu)) {}

  KernelSource found() {
    kernel_.scales = options_.scales;
    kernel_.c_before = options_.c;
    kernel_.precision = options_.precision;
    kernel_.transposed = options_.transposed.value_or(Transposed());
    choose_entry();
    read_launches();
    choose_template_arguments_and_compile();
    if (kernel_.name_expression.empty()) kernel_.name_expression = prepared_->name;
    if (prepared_->compiled.resources.registers_per_thread > 0) {
      device_["cudaOccupancyMaxPotentialBlockSize"] =
          most_occupied_block(gpu_, prepared_->compiled.resources);
      read_launches();
    }
    parameters_ = parameters_of(prepared_->signature, function_);
    kernel_.found.only_size = only_size();
    choose_among_launches();
    search();
    add_notes();
    if (written_) {
      kernel_.source = *std::move(written_);
      kernel_.branch_of = kernel_.name_expression;
    }
    return std::move(kernel_);
  }

  // The options that make the result of this kernel right.
  std::string right_options() {
    const KernelSource wrong = kernel_;
    choose_entry();
    prepared_.emplace(compiled(kernel_));
    if (!prepared_->program) return "";
    parameters_ = parameters_of(prepared_->signature, function_);
    const ArgumentLists possible(prepared_->signature, parameters_, nullptr);
    lists_ = possible.all();
    if (lists_.empty()) return "";
    is_square_ = possible.sizes() <= 1;
    kernel_.transposed = {};
    kernel_.c_before.reset();
    warp_instructions_ = 0;
    constexpr std::size_t enough = 200;
    trials_ = most_trials - enough;
    const bool is_found = try_given_shape(lists_, is_square_) || try_adding(is_square_) ||
                          (!is_square_ && try_transposed(lists_, false));
    if (!is_found) return "";
    // One right result may be by chance.
    const Problem more = larger(*right_at_, is_square_);
    if (!is_right(kernel_.shape, kernel_.arguments, more)) return "";
    std::vector<std::string> options;
    const std::string arguments = arguments_option(kernel_.arguments);
    if (arguments != arguments_option(resolve(wrong.arguments, {}, prepared_->signature)))
      options.push_back(arguments);
    if (kernel_.transposed != wrong.transposed) {
      if (kernel_.transposed == Transposed{}) return "";
      options.push_back(transposed_option(kernel_.transposed));
    }
    if (kernel_.c_before == InitialC::random) {  // it adds to C: zeros make that A·B
      kernel_.c_before = InitialC::zero;
      if (!is_right(kernel_.shape, kernel_.arguments, more)) kernel_.c_before = InitialC::random;
    }
    const InitialC usual = has_beta(kernel_.arguments) ? InitialC::random : InitialC::poison;
    const InitialC c = kernel_.c_before.value_or(usual);
    if (c != wrong.c_before.value_or(usual)) options.push_back("--c " + std::string(name_of(c)));
    return join(options, " ");
  }

 private:
  // --- Which kernel

  std::vector<std::string_view> texts() const {
    std::vector<std::string_view> result = texts_of(kernel_);
    for (const source::OtherFile& other : others_) result.push_back(other.text);
    return result;
  }

  // A product has three matrices, as pointers or as structs.
  static bool may_be_product(const source::Function& function) {
    const auto is_struct = [](const source::Parameter& one) {
      return may_be_struct(one) && !source::has(one.tokens, "T");
    };
    const auto matrices = std::ranges::count_if(function.parameters, is_struct);
    const auto pointers = std::ranges::count_if(function.parameters, [](const auto& parameter) {
      return source::has(parameter.tokens, "*");
    });
    return pointers + matrices >= 3;
  }

  void choose_entry() {
    read_files();
    if (options_.entry) {
      kernel_.name_expression = with_namespace(*options_.entry);
    } else {
      const std::vector<const source::Function*> all = kernels();
      std::vector<const source::Function*> products;
      std::ranges::copy_if(all, std::back_inserter(products),
                           [](const auto* one) { return may_be_product(*one); });
      const bool is_only_product = products.size() == 1;
      if (products.empty() && all.size() == 1) products = all;  // with all in one struct
      const auto is_launched = [&](const source::Function* one) {
        return !source::launches_in(texts_of(kernel_), one->name).empty();
      };
      std::vector<const source::Function*> launched;  // reading host code takes long
      if (!is_only_product)
        std::ranges::copy_if(products, std::back_inserter(launched), is_launched);
      const std::vector<source::Function>& own = files_.front().functions;
      const auto is_of_header = [&](const source::Function* one) {
        return one < own.data() || one >= own.data() + own.size();
      };
      const bool is_only_own =
          launched.size() != 1 && products.size() > 1 &&
          std::ranges::count_if(products, is_of_header) + 1 == std::ssize(products);
      if (is_only_own)
        std::erase_if(products, is_of_header);  // they are there to compare with
      else if (!is_only_product)
        products = launched;
      if (products.size() == 1) {
        kernel_.name_expression = products.front()->name;
        if (all.size() > 1) {
          kernel_.found.notes.push_back(fmt::format(
              "Of the file's {} kernels, {}.", all.size(),
              is_only_product ? fmt::format("only {} has three matrices", products.front()->name)
              : is_only_own   ? fmt::format("only {} is in the file itself", products.front()->name)
                              : "host code launches only " + products.front()->name));
        }
      }
    }
    find_function();
  }

  // Functions of the files that were read before are gone then.
  void read_files() {
    function_ = nullptr;
    files_.clear();
    for (const std::string_view text : texts_of(kernel_)) files_.emplace_back(text);
  }

  const source::Function* function_named(std::string_view name) const {
    for (const source::File& file : files_) {
      if (const source::Function* const found = file.find_kernel(name)) return found;
    }
    return nullptr;
  }

  void find_function() {
    if (!kernel_.name_expression.empty()) function_ = function_named(kernel_.name_expression);
  }

  // "ns::v2<32>" for "v2<32>" if that is the only kernel of this name.
  std::string with_namespace(const std::string& entry) const {
    const std::string name = source::without_template_arguments(entry);
    std::set<std::string> names;
    for (const source::Function* one : kernels()) {
      if (one->name == name) return entry;
      if (one->name.ends_with("::" + name)) names.insert(one->name);
    }
    const std::size_t angle = std::min(entry.find('<'), entry.size());
    return names.size() == 1 ? *names.begin() + entry.substr(angle) : entry;
  }

  std::vector<const source::Function*> kernels() const {
    std::vector<const source::Function*> all;
    for (const source::File& file : files_) {
      for (const source::Function& function : file.functions) {
        if (function.is_kernel) all.push_back(&function);
      }
    }
    return all;
  }

  // --- What host code says

  // How many of its parts are not known; 0 for a launch that says all.
  static std::int64_t gaps_of(const HostLaunch& launch) {
    const auto is_empty = [](const std::string& text) { return text.empty(); };
    return std::ranges::count_if(launch.template_arguments, is_empty) * 100 +
           std::ranges::count_if(launch.grid, is_empty) +
           std::ranges::count_if(launch.block, is_empty) + is_empty(launch.shared_bytes) +
           std::ranges::count_if(launch.grid, [&](const std::string& one) {
             return !one.empty() && has_other_names(one, launch);
           });
  }

  void choose_launch() {
    std::vector<std::string_view> all = texts();
    std::vector<std::string> with_comments;
    if (reads_comments_) {
      for (const std::string_view text : all)
        with_comments.push_back(source::with_commented_launches(text, simple_name()));
      all.assign(with_comments.begin(), with_comments.end());
    }
    launches_ = source::launches_in(all, kernel_.name_expression, device_);
    const auto best = std::ranges::min_element(launches_, {}, &Search::gaps_of);
    launch_ = best == launches_.end() ? nullptr : &*best;
  }

  // Without namespaces and template arguments.
  std::string simple_name() const {
    const std::string name = source::without_template_arguments(kernel_.name_expression);
    return name.substr(name.rfind(':') + 1);
  }

  void read_launches() {
    if (kernel_.name_expression.empty()) return;
    choose_launch();
    if (options_.is_complete()) return;
    require_first_overload();
    std::set<fs::path> known = {source::resolved(kernel_.file_name)};
    for (const IncludedFile& file : kernel_.included) known.insert(file.path);
    for (const source::OtherFile& file : others_) known.insert(file.path);
    if (!launch_) {
      constexpr std::size_t most = 4;
      std::vector<source::OtherFile> found =
          source::files_that_launch(kernel_.file_name, simple_name());
      if (found.size() > most) found.resize(most);
      for (source::OtherFile& one : found)
        source::add_with_included(others_, known, std::move(one));
      choose_launch();
    }
    if (!launch_) {  // its author may have launched another kernel last
      reads_comments_ = true;
      choose_launch();
      reads_comments_ = launch_ != nullptr;
    }
    // What calls the function that launches the kernel may be in a further file, and so may be what
    // calls that.
    constexpr int most_rounds = 3;
    for (int round = 0; round < most_rounds && launch_ && gaps_of(*launch_) > 0; ++round) {
      if (!read_callers(known)) break;
    }
  }

  // Of kernels with one name, only the first can be compiled.
  void require_first_overload() const {
    if (!launch_ || !function_) return;
    const std::size_t passed = launch_->arguments.size();
    const auto takes_all = [&](const source::Function* one) {
      return one->name == function_->name && one->parameters.size() == passed;
    };
    if (takes_all(function_) || std::ranges::none_of(kernels(), takes_all)) return;
    throw Error(ExitStatus::usage,
                fmt::format("several kernels are named {}, and host code launches another than the "
                            "first",
                            function_->name),
                "Give that one another name, or remove the others.");
  }

  // Adds the first file that says most of what the launch leaves open, if there is one.
  bool read_callers(const std::set<fs::path>& known) {
    constexpr std::size_t most = 6;
    const std::vector<source::OtherFile> before = others_;
    std::vector<source::OtherFile> best = others_;
    std::int64_t fewest = gaps_of(*launch_);
    const std::int64_t gaps = fewest;
    std::size_t tried = 0;
    for (source::OtherFile& one : source::files_with(kernel_.file_name, launch_->uncalled)) {
      others_ = before;
      std::set<fs::path> of_this = known;
      for (const source::OtherFile& file : before) of_this.insert(file.path);
      source::add_with_included(others_, of_this, std::move(one));
      if (others_.size() == before.size()) continue;
      choose_launch();
      if (launch_ && gaps_of(*launch_) < fewest) {
        fewest = gaps_of(*launch_);
        best = others_;
      }
      if (fewest == 0 || ++tried == most) break;
    }
    others_ = best;
    choose_launch();
    if (fewest == gaps) return false;
    kernel_.found.notes.push_back(fmt::format("What calls the function that launches it is in {}.",
                                              near_path(others_[before.size()].path)));
    return true;
  }

  void choose_template_arguments() {
    const bool is_template = function_ && !function_->of_template.empty();
    if (!is_template || kernel_.name_expression.find('<') != std::string::npos) return;
    std::vector<std::string> arguments;
    for (std::size_t i = 0; i < function_->of_template.size(); ++i) {
      const source::Parameter& parameter = function_->of_template[i];
      const bool is_passed = launch_ && i < launch_->template_arguments.size();
      std::string argument = is_passed ? launch_->template_arguments[i] : "";
      if (argument.empty() && !is_passed && !parameter.default_value.empty()) break;
      const bool is_type =
          parameter.tokens.front().is("typename") || parameter.tokens.front().is("class");
      if (argument.empty() && is_type) argument = passed_type(parameter.name);
      if (argument.empty()) return;  // the compiler's error names the template
      arguments.push_back(in_namespace(argument));
    }
    kernel_.name_expression += "<" + join(arguments) + ">";
  }

  PreparedKernel compiled(const KernelSource& kernel) const {
    return {compile_pass(kernel, gpu_, Emulation::if_possible, activity_), kernel, gpu_};
  }

  // A type that the launch leaves open is the first with which the template compiles: that of what
  // passed pointers point to, if it is known, and then others. Kernels for tensor cores do not
  // compile with float.
  std::optional<Error> compile_with_template_arguments() {
    const std::string entry = kernel_.name_expression;
    std::optional<Error> first;
    bool was_passed = false;
    for (const auto& [factor, sum] : guessed_types) {
      guessed_type_ = factor;
      guessed_sum_ = sum;
      was_passed = was_passed || is_type_passed_;
      if (guessed_type_ == "float" && !was_passed) continue;  // it was the first
      is_type_guessed_ = is_type_passed_ = false;
      kernel_.name_expression = entry;
      choose_template_arguments();
      try {
        prepared_.emplace(compiled(kernel_));
        return {};
      } catch (const Error& error) {
        if (!first) first = error;
        if (!is_type_guessed_) break;
      }
    }
    kernel_.name_expression = entry;
    const std::string name = source::without_template_arguments(entry);
    const std::size_t colons = name.rfind("::");
    const bool is_template = function_ && !function_->of_template.empty();
    if (first && is_template && colons != name.npos && namespace_of_arguments_.empty()) {
      namespace_of_arguments_ = name.substr(0, colons + 2);
      if (!compile_with_template_arguments()) return {};
      namespace_of_arguments_.clear();
    }
    return first;
  }

  // A template argument that the launch names inside of the kernel's namespace, and the compiler
  // outside of it.
  std::string in_namespace(const std::string& argument) const {
    const std::vector<source::Token> words = source::tokens_of(argument);
    const bool is_name = !words.empty() && words[0].is_name() && argument != "true" &&
                         argument != "false" && source::bytes_of_type(words) == 0;
    return is_name ? namespace_of_arguments_ + argument : argument;
  }

  // A build may define the macro of an #if around the kernel.
  bool take_branch_of_kernel() {
    auto text = source::with_branch_of_kernel(kernel_.source, kernel_.name_expression);
    if (!text) return false;
    written_ = std::exchange(kernel_.source, *std::move(text));
    kernel_.found.notes.emplace_back(
        "The kernel is in a branch of #if that is not taken without a build's options: it is "
        "compiled with that branch.");
    read_files();
    find_function();
    read_launches();
    return true;
  }

  // A header may need what a file that includes it has before it. Then that file is compiled.
  void choose_template_arguments_and_compile() {
    std::optional<Error> error = compile_with_template_arguments();
    if (error && error->status() == ExitStatus::usage && take_branch_of_kernel())
      error = compile_with_template_arguments();
    if (!error) return;
    const bool is_of_text = error->status() == ExitStatus::compile_error;
    if (!is_of_text || kernel_.name_expression.empty()) throw *error;
    const std::string header = kernel_.file_name;
    const std::vector<std::string> folders = kernel_.include_directories;
    for (const source::OtherFile& one : source::files_that_include(header)) {
      std::error_code ignored;
      const bool is_absolute = fs::path(header).is_absolute();
      const fs::path path = is_absolute ? one.path : fs::proximate(one.path, ignored);
      KernelSource includer;
      try {
        includer = read_kernel_file(path, give_a_kernel, {folders.begin() + 1, folders.end()});
      } catch (const Error&) {  // it is too large, or no text
        continue;
      }
      kernel_.source = std::move(includer.source);
      written_.reset();
      kernel_.file_name = std::move(includer.file_name);
      kernel_.include_directories = std::move(includer.include_directories);
      kernel_.included = std::move(includer.included);
      others_.clear();
      read_files();
      find_function();
      read_launches();
      if (compile_with_template_arguments()) continue;
      kernel_.found.notes.push_back(
          fmt::format("{} does not compile by itself, and so it was compiled in {}, which "
                      "includes it.",
                      header, kernel_.file_name));
      return;
    }
    throw *error;
  }

  // True for the T of "const T* A", and where names do not say which pointers are A, B and C.
  bool is_type_of_factor(const std::string& type) const {
    bool is_factor = false, has_output = false;
    for (const source::Parameter& one : function_->parameters) {
      const bool is_of_type = source::has(one.tokens, type);
      const bool is_pointer = source::has(one.tokens, "*");
      if (!is_pointer) continue;
      const bool is_output = is_like_output(one.name);
      has_output = has_output || is_output;
      is_factor = is_factor || (is_of_type && !is_output);
    }
    return is_factor || !has_output;
  }

  // The type of the argument for the parameter "Multiply multiply", empty if it is not known; a
  // guess for others.
  std::string passed_type(const std::string& type) {
    const std::size_t count = launch_ ? launch_->arguments.size() : 0;
    std::optional<std::string> passed;
    for (std::size_t i = 0; i < std::min(count, function_->parameters.size()); ++i) {
      const source::Tokens tokens = function_->parameters[i].tokens;
      if (!source::has(tokens, type)) continue;
      const HostLaunch& launch = *launch_;
      if (!source::has(tokens, "*")) {
        passed = launch.arguments[i].type;
      } else if (const std::string& element = launch.arguments[i].element;
                 guessed_type_.empty() && !element.empty()) {
        is_type_guessed_ = is_type_passed_ = true;
        return element;
      } else {
        passed.reset();
        break;
      }
    }
    is_type_guessed_ = is_type_guessed_ || !passed;
    if (passed) return *passed;
    return guessed_type_.empty() ? "float" : is_type_of_factor(type) ? guessed_type_ : guessed_sum_;
  }

  std::string file_of(const HostLaunch& launch) const {
    if (launch.text == 0) return kernel_.file_name;
    const std::size_t included = kernel_.included.size();
    if (launch.text <= included) return kernel_.included[launch.text - 1].name;
    return near_path(others_[launch.text - 1 - included].path);
  }

  static std::string near_path(const fs::path& path) {
    std::error_code ignored;
    const fs::path near = fs::relative(path, ignored);
    return near.empty() ? path.string() : near.string();
  }

  std::string place_of_launch() const {
    return fmt::format("line {}{}", launch_->line,
                       launch_->text == 0 ? "" : " of " + file_of(*launch_));
  }

  // --- Shapes

  // The shape of the options and of the host code's launch. Nothing if a part of it is not known.
  std::optional<LaunchShape> given_shape(const Arguments& arguments) const {
    LaunchShape shape;
    const std::optional<simt::Dim3> block = options_.block ? options_.block : read_block(arguments);
    if (!block) return {};
    shape.block = *block;
    if (options_.tile) {
      std::tie(shape.tile_rows, shape.tile_columns) = *options_.tile;
    } else {
      shape.tile_rows = shape.tile_columns = 0;
    }
    if (options_.grid) {
      shape.grid = options_.grid;
    } else if (!options_.tile) {
      shape.grid = read_grid(arguments);
      if (!shape.grid) return {};
    }
    if (!options_.tile) find_tile(shape);
    if (!options_.shared && launch_ && prepared_->entry.uses_dynamic_shared &&
        !read_shared(arguments))
      return {};
    add_options(shape, arguments);
    return shape;
  }

  void add_options(LaunchShape& shape, const Arguments& arguments) const {
    if (options_.grid_x_along_rows) shape.grid_x_along_rows = *options_.grid_x_along_rows;
    if (options_.blocks_of_tile) shape.blocks_of_tile = *options_.blocks_of_tile;
    // Where it is not known, a trial has all that a kernel gets without asking for more.
    const int most =
        launch_ && prepared_->entry.uses_dynamic_shared ? gpu_.shared_bytes_per_block : 0;
    shape.dynamic_shared =
        options_.shared ? *options_.shared : read_shared(arguments).value_or(std::to_string(most));
  }

  // A number that is the same for all large problems: min(32, N) is 32.
  std::optional<std::int64_t> read_number(const std::string& text,
                                          const Arguments& arguments) const {
    const auto expression = in_sizes(text, *launch_, arguments, {Role::n, Role::m, Role::k});
    if (!expression) return {};
    const auto number = grid_extent(*expression, {4096, 4096, 4096}, gpu_.multiprocessors);
    const auto other = grid_extent(*expression, {5003, 5003, 5003}, gpu_.multiprocessors);
    return number == other ? number : std::nullopt;
  }

  std::optional<simt::Dim3> read_block(const Arguments& arguments) const {
    if (!launch_) return {};
    const std::int64_t most = gpu_.max_threads_per_block;
    const auto x = read_number(launch_->block[0], arguments);
    const auto y = read_number(launch_->block[1], arguments);
    const auto z = read_number(launch_->block[2], arguments);
    if (!x || !y || !z || *x < 1 || *y < 1 || *z < 1) return {};
    const simt::Dim3 block{static_cast<std::uint32_t>(*x), static_cast<std::uint32_t>(*y),
                           static_cast<std::uint32_t>(*z)};
    if (*x > most || *y > most || *z > most || *x * *y * *z > most) {
      throw Error(
          ExitStatus::usage,
          fmt::format("{}: the launch in {} has blocks of {} threads, more than the {} that "
                      "a block may have, so that the kernel does not start",
                      command_, place_of_launch(), block_text(block, "×"), most),
          "Make the launch's block smaller, or give one with --block.");
    }
    return block;
  }

  std::optional<std::string> read_shared(const Arguments& arguments) const {
    if (!launch_) return {};
    if (const auto bytes = read_number(launch_->shared_bytes, arguments); bytes && *bytes >= 0)
      return std::to_string(*bytes);
    auto text = in_sizes(launch_->shared_bytes, *launch_, arguments, {Role::k, Role::n, Role::m});
    const bool has_sizes = std::ranges::all_of(launch_->arguments, [&](const auto& one) {
      const bool is_used =
          !one.name.empty() && launch_->shared_bytes.find(one.name) != one.name.npos;
      return !is_used || role_of_name(one.name) || likely_size(one.name);
    });
    const bool has_value = text && has_sizes &&
                           grid_extent(*text, {64, 64, 64}, gpu_.multiprocessors).value_or(-1) >= 0;
    return has_value ? text : std::nullopt;
  }

  // True for a grid whose z is the number of products in a batch. One of them is run.
  bool is_batched() const {
    if (!launch_) return false;
    const std::string& z = launch_->grid[2].empty() ? launch_->unknown[0] : launch_->grid[2];
    return lower_case(z).find("batch") != z.npos;
  }

  // "ldc", if the kernel has such a parameter and does without it.
  std::vector<std::string> unused_strides() const {
    std::vector<std::string> result;
    for (std::size_t i = 0; function_ && i < function_->parameters.size(); ++i) {
      const std::string& name = function_->parameters[i].name;
      const std::string word = lower_case(name);
      const bool is_stride = word == "lda" || word == "ldb" || word == "ldc" ||
                             word.starts_with("stride") || word.starts_with("pitch");
      if (is_stride && !source::has(function_->body, name)) result.push_back(name);
    }
    return result;
  }

  // True for a launch of a part of K in a loop, if the kernel does not add to C.
  bool overwrites_in_loop() const {
    if (!launch_ || launch_->arguments.size() != kernel_.arguments.size()) return false;
    const auto moves = [&](Role role) {
      const std::size_t i = index_of(role, kernel_.arguments);
      return i < kernel_.arguments.size() && launch_->arguments[i].moves_in_loop;
    };
    return moves(Role::a) && moves(Role::b) && !moves(Role::c) && !has_beta(kernel_.arguments) &&
           kernel_.c_before.value_or(InitialC::poison) == InitialC::poison;
  }

  std::optional<GridExpressions> read_grid(const Arguments& arguments) const {
    if (!launch_) return {};
    GridExpressions grid;
    constexpr std::array<std::array<Role, 3>, 3> preferred = {
        std::array{Role::n, Role::m, Role::k}, std::array{Role::m, Role::n, Role::k},
        std::array{Role::k, Role::m, Role::n}};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      auto text = in_sizes(launch_->grid[axis], *launch_, arguments, preferred[axis], is_square_,
                           free_value_);
      if (axis == 2 && is_batched()) text = "1";
      if (!text || grid_extent(*text, {1 << 16, 1 << 16, 1 << 16}, gpu_.multiprocessors) < 1) {
        return {};
      }
      grid[axis] = std::move(*text);
    }
    return grid;
  }

  // Shapes that the kernel's numbers suggest. Whether one is right, a trial shows.
  std::vector<LaunchShape> guessed_shapes(const Arguments& arguments) const {
    std::vector<LaunchShape> shapes;
    const std::vector<int> sides = sides_in(kernel_);
    for (const simt::Dim3& block : guessed_blocks(arguments, sides)) {
      for (const auto& [rows, columns] : guessed_tiles(block, sides)) {
        add_grids(shapes, block, rows, columns, arguments);
      }
    }
    return shapes;
  }

  // With one thread for each element of C.
  std::optional<LaunchShape> simplest_shape(const Arguments& arguments) const {
    const std::vector<simt::Dim3> blocks = guessed_blocks(arguments, sides_in(kernel_));
    if (blocks.empty()) return {};
    const simt::Dim3& block = blocks.front();
    const auto [rows, columns] =
        options_.tile.value_or(std::pair(static_cast<int>(block.y), static_cast<int>(block.x)));
    std::vector<LaunchShape> shapes;
    add_grids(shapes, block, rows, columns, arguments);
    return shapes.front();
  }

  std::vector<simt::Dim3> guessed_blocks(const Arguments& arguments,
                                         const std::vector<int>& sides) const {
    if (options_.block) return {*options_.block};
    if (const auto block = read_block(arguments)) return {*block};
    return likely_blocks(sides);
  }

  // By tensor cores.
  bool multiplies_tiles() const {
    return prepared_->compiled.ptx.find("mma.sync") != std::string::npos;
  }

  std::vector<simt::Dim3> likely_blocks(const std::vector<int>& sides) const {
    const simt::PtxEntry& entry = prepared_->entry;
    std::vector<simt::Dim3> blocks;
    const auto add = [&](std::int64_t x, std::int64_t y) {
      const simt::Dim3 block{static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y)};
      const bool is_allowed = x * y <= 1024 && x * y >= 16 &&
                              (entry.exact_threads == 0 || x * y == entry.exact_threads) &&
                              (entry.most_threads == 0 || x * y <= entry.most_threads);
      if (is_allowed && !std::ranges::count(blocks, block)) blocks.push_back(block);
    };
    if (entry.reads_thread_y) {
      for (const int side : sides) add(side, side);
      for (const int side : {16, 32, 8}) add(side, side);
      for (const int x : sides) {
        for (const int y : sides) add(x, y);
      }
    } else {
      if (entry.exact_threads > 0) add(entry.exact_threads, 1);
      if (entry.most_threads > 0) add(entry.most_threads, 1);
      for (const int side : sides) add(std::int64_t{side} * side, 1);
      for (const int side : sides) add(side, 1);
      for (const int x : {256, 128, 512, 1024, 64}) add(x, 1);
    }
    const bool may_be_one_warp = (entry.exact_threads == 0 || entry.exact_threads == 32) &&
                                 (entry.most_threads == 0 || entry.most_threads >= 32);
    if (multiplies_tiles() && may_be_one_warp) {
      std::erase(blocks, simt::Dim3{32});
      blocks.insert(blocks.begin(), simt::Dim3{32});
    }
    constexpr std::size_t most = 8;
    if (blocks.size() > most) blocks.resize(most);
    return blocks;
  }

  std::vector<std::pair<int, int>> guessed_tiles(const simt::Dim3& block,
                                                 const std::vector<int>& sides) const {
    if (options_.tile) return {*options_.tile};
    const int x = static_cast<int>(block.x), y = static_cast<int>(block.y), threads = x * y;
    std::vector<std::pair<int, int>> tiles;
    const auto add = [&](int rows, int columns) {
      const std::pair tile{rows, columns};
      if (!std::ranges::count(tiles, tile)) tiles.push_back(tile);
    };
    add(y, x);
    for (const int rows : sides) {
      for (const int columns : sides) {
        const int elements = rows * columns;
        if (elements % threads == 0 && elements / threads <= 256) add(rows, columns);
      }
    }
    for (const int side : {32, 64, 128}) {
      if (side * side % threads == 0) add(side, side);
    }
    if (multiplies_tiles()) {
      const int warps = std::max(1, x / 32);
      for (const int wide : {8 * warps, 16 * warps}) {
        std::erase(tiles, std::pair{16 * y, wide});
        tiles.insert(tiles.begin(), std::pair{16 * y, wide});
      }
    }
    constexpr std::size_t most = 12;
    if (tiles.size() > most) tiles.resize(most);
    // With a tile that is too small the result is right, too, and blocks have nothing to do.
    std::ranges::stable_sort(tiles, std::greater(),
                             [](const auto& tile) { return tile.first * tile.second; });
    return tiles;
  }

  void add_grids(std::vector<LaunchShape>& shapes, const simt::Dim3& block, int rows, int columns,
                 const Arguments& arguments) const {
    LaunchShape shape;
    shape.block = block;
    shape.tile_rows = rows;
    shape.tile_columns = columns;
    if (options_.grid) {
      shape.grid = options_.grid;
      find_tile(shape);
    } else if (!prepared_->entry.reads_block_y) {
      return add_flat_grids(shapes, block, rows, columns, arguments);
    }
    for (const bool along_rows : {false, true}) {
      if (along_rows && shape.grid) break;
      shape.grid_x_along_rows = along_rows;
      LaunchShape one = shape;
      if (along_rows && !options_.tile) std::swap(one.tile_rows, one.tile_columns);
      add_options(one, arguments);
      shapes.push_back(one);
    }
  }

  // Grids along x alone, the smallest first: blocks that have nothing to do show in no result.
  // Threads of a block share a row or a column of C, or take elements or tiles of it one after the
  // other.
  void add_flat_grids(std::vector<LaunchShape>& shapes, const simt::Dim3& block, int rows,
                      int columns, const Arguments& arguments) const {
    LaunchShape shape;
    shape.block = block;
    shape.tile_rows = shape.tile_columns = 0;
    const bool is_line = rows == 1 || columns == 1;
    const int most = rows * columns;
    std::vector<std::string> grids;
    if (is_line) {
      for (const char size : {'M', 'N'})
        grids.push_back(fmt::format("({} + {}) / {}", size, most - 1, most));
      grids.push_back(fmt::format("(M * N + {}) / {}", most - 1, most));
    } else {
      grids.push_back(
          fmt::format("(M + {}) / {} * ((N + {}) / {})", rows - 1, rows, columns - 1, columns));
    }
    for (const std::string& grid : grids) {
      shape.grid = GridExpressions{grid, "1", "1"};
      add_options(shape, arguments);
      shapes.push_back(shape);
    }
  }

  // --- Trials

  // The size that constants of a kernel without such parameters give it.
  std::optional<Problem> only_size() const {
    for (const KernelParameter& one : parameters_) {
      if (one.kind != KernelParameter::Kind::pointer && one.kind != KernelParameter::Kind::floating)
        return {};
    }
    if (has_structs()) return {};
    const KernelSource defining = in_its_file(kernel_, kernel_.name_expression);
    const source::Kernel kernel(defining.source, kernel_.name_expression);
    // A tile may be called M as well, and is smaller.
    std::map<Role, int> sizes;
    for (const source::Definition& one : kernel.definitions) {
      const auto role = size_of_name(one.name);
      const auto value = role && is_size(*role) ? value_of(kernel, one.name, 0) : std::nullopt;
      if (!value || *value < 2 || *value > largest_fixed) continue;
      sizes[*role] = std::max(sizes[*role], static_cast<int>(*value));
    }
    if (sizes.size() == 1) {
      const int side = sizes.begin()->second;
      return Problem{side, side, side};
    }
    if (sizes.size() < 3) return {};
    return Problem{sizes[Role::m], sizes[Role::n], sizes[Role::k]};
  }

  bool has_structs() const {
    return std::ranges::any_of(prepared_->signature.members,
                               [](const auto& members) { return !members.empty(); });
  }

  // A kernel whose only size takes too long to try with all blocks.
  bool is_large() const {
    constexpr std::int64_t most_products = 1 << 27;
    const auto& fixed = kernel_.found.only_size;
    return fixed && fixed->multiply_adds() > most_products;
  }

  // "M_GLOBAL" is a size, too.
  static std::optional<Role> size_of_name(const std::string& name) {
    for (const std::string_view end : {"_GLOBAL", "_TOTAL"}) {
      if (name.ends_with(end)) return role_of_name(name.substr(0, name.size() - end.size()));
    }
    return role_of_name(name);
  }

  // Of a constant, which others may define.
  static std::optional<std::int64_t> value_of(const source::Kernel& kernel, std::string_view name,
                                              int depth) {
    constexpr int deepest = 10;
    const auto found = std::ranges::find(kernel.definitions, name, &source::Definition::name);
    if (found == kernel.definitions.end() || !found->value || depth > deepest) return {};
    const auto value = source::value_of(
        *found->value, [&](std::string_view used) -> std::optional<source::Integer> {
          const auto number = value_of(kernel, used, depth + 1);
          return number ? std::optional(source::Integer{*number}) : std::nullopt;
        });
    return value ? std::optional(value->value) : std::nullopt;
  }

  // A small problem of whole tiles, whose sizes differ unless `is_square`.
  Problem small_problem(const LaunchShape& shape, bool is_square) const {
    if (kernel_.found.only_size) return *kernel_.found.only_size;
    const auto [rows, columns] = tile_of_blocks(shape, 64);
    const auto multiple = [](int least, int of) { return (least + of - 1) / of * of; };
    if (is_square) {
      const int both = std::max(rows, columns);
      const int size = multiple(128, both);
      return {size, size, size};
    }
    const int m = multiple(64, rows);
    int n = multiple(96, columns);
    // As many blocks along x as along y would hide an exchanged grid.
    while (n == m || n / columns == m / rows) n += columns;
    int k = 128;
    while (k == m || k == n) k += 64;
    return {m, n, k};
  }

  Matrices& matrices_of(const Problem& problem, const Update& update) {
    const auto same = std::ranges::find_if(matrices_, [&](const auto& one) {
      return one.first == update.c && one.second.problem == problem &&
             one.second.types == update.types;
    });
    if (same != matrices_.end()) return same->second;
    return matrices_.emplace_back(update.c, make_matrices(problem, seed, activity_, update)).second;
  }

  // Instructions of a warp of the prepared launch; a single thread may compute all of C.
  std::int64_t most_in_trial(const Problem& problem) const {
    const std::uint64_t threads = prepared_->launch.grid.count() * prepared_->launch.block.count();
    const double warps = std::ceil(static_cast<double>(threads) / 32);
    const double products = static_cast<double>(problem.c_elements()) * problem.k;
    return static_cast<std::int64_t>(std::max(4e6, 16 * products / warps));
  }

  // Nothing if the kernel cannot be launched so.
  std::optional<EmulatedProduct> tried(const LaunchShape& shape, const Arguments& arguments,
                                       const Problem& problem,
                                       simt::Options options = {.check = false}) try {
    or_unwatched(activity_).check();
    ++trials_;
    prepared_->source.transposed = kernel_.transposed;
    prepared_->source.c_before = kernel_.c_before;
    prepared_->source.scales = kernel_.scales;
    set_launch(*prepared_, shape, arguments, problem);
    const std::uint64_t work = prepared_->launch.grid.count() * shape.block.count();
    // A grid for one large problem alone would write beside this one's C for a long time.
    const auto most_threads =
        std::min<std::uint64_t>(1 << 20, 64 * static_cast<std::uint64_t>(problem.c_elements()));
    if (!is_large() && work > most_threads) return {};
    options.max_instructions = most_in_trial(problem);
    if (is_large()) options.blocks = 1;
    EmulatedProduct trial =
        emulated_product(*prepared_, matrices_of(problem, prepared_->update), options);
    const simt::Counters& counts = trial.emulation.total;
    // A multiply-add of tensor cores takes as long to emulate as 1.5 instructions of a lane.
    warp_instructions_ += counts.warp_instructions() + counts.tensor_multiply_adds * 3 / 64;
    if (has_kind(trial.emulation.findings, simt::FindingKind::endless))
      trials_ += trials_of_endless;
    return trial;
  } catch (const Error&) {
    return {};
  }

  // True if the kernel's result is right with these.
  bool is_right(const LaunchShape& shape, const Arguments& arguments, const Problem& problem) {
    const auto trial = tried(shape, arguments, problem);
    if (!trial || !trial->is_right) return false;
    const bool is_clean = trial->emulation.findings.empty();
    // With wrong sizes a kernel may compute the right C, and more beside it, and with more threads
    // than it is for.
    const bool may_be_of_guess =
        is_guess_ && std::ranges::any_of(trial->emulation.findings, is_fault_of_launch);
    if (!is_clean && !fallback_ && !may_be_of_guess)
      fallback_ = {shape, arguments, problem, kernel_.transposed};
    return is_clean;
  }

  bool may_go_on() const {
    return trials_ < most_trials &&
           (trials_ < least_trials || warp_instructions_ < most_warp_instructions);
  }

  // `right_at` is a problem at which the result is right.
  void take(const LaunchShape& shape, const Arguments& arguments,
            const std::optional<Problem>& right_at = {}) {
    kernel_.shape = shape;
    kernel_.arguments = arguments;
    right_at_ = right_at;
  }

  // Tries the lists of arguments with the shape that host code or options give.
  bool try_given_shape(const std::vector<Arguments>& lists, bool is_square) {
    for (const Arguments& arguments : lists) {
      if (!may_go_on()) return false;
      const auto shape = given_shape(arguments);
      if (!shape) continue;
      const Problem problem = small_problem(*shape, is_square);
      if (!is_right(*shape, arguments, problem)) continue;
      take(*shape, arguments, problem);
      is_as_passed_ = arguments == passed_;
      return true;
    }
    return false;
  }

  bool try_guesses(const std::vector<Arguments>& lists, bool is_square) {
    if (lists.empty()) return false;
    const std::size_t most = std::min<std::size_t>(is_square ? 6 : 12, lists.size());
    std::vector<LaunchShape> shapes = guessed_shapes(lists.front());
    // The simplest use of tensor cores comes first with all lists, then all shapes with the
    // likeliest list.
    const bool is_for_tiles = multiplies_tiles();
    const auto is_one_warp = [&](const LaunchShape& shape) {
      return is_for_tiles && shape.block.count() == 32 && shape.tile_rows == 16 &&
             shape.tile_columns <= 16;
    };
    const auto others =
        std::stable_partition(shapes.begin(), shapes.end(), is_one_warp) - shapes.begin();
    struct Part {
      std::size_t first, end, from, to;
    };
    is_guess_ = true;
    const auto simple = static_cast<std::size_t>(others);
    for (const Part& part : {Part{0, simple, 0, most}, Part{simple, shapes.size(), 0, 1},
                             Part{simple, shapes.size(), 1, most}}) {
      for (const LaunchShape& shape :
           std::span(shapes).subspan(part.first, part.end - part.first)) {
        for (std::size_t i = part.from; i < part.to; ++i) {
          if (!may_go_on()) return is_guess_ = false;
          if (is_right_guess(shape, lists[i], is_square)) return true;
          if (!has_narrow_matrices() || options_.transposed) continue;
          kernel_.transposed = {false, true};
          if (is_right_guess(shape, lists[i], is_square)) return true;
          kernel_.transposed = {};
        }
      }
    }
    return is_guess_ = false;
  }

  bool is_right_guess(const LaunchShape& shape, const Arguments& arguments, bool is_square) {
    const Problem problem = small_problem(shape, is_square);
    // A wrong guess may be right by chance where there are few blocks.
    Problem more{3 * problem.m, 2 * problem.n, is_square ? 3 * problem.k : problem.k};
    if (is_square) more = {more.m, more.m, more.m};
    if (kernel_.found.only_size) more = problem;
    if (!is_right(shape, arguments, problem) || !is_right(shape, arguments, more)) return false;
    take(shape, arguments, problem);
    return true;
  }

  // The lists that differ at a square size.
  static std::vector<Arguments> at_square_sizes(const std::vector<Arguments>& lists) {
    std::vector<Arguments> result;
    std::set<std::string> seen;
    for (const Arguments& list : lists) {
      std::string key;
      for (const Argument& one : list) key += is_size(one.role) ? "S," : one.text() + ",";
      if (seen.insert(key).second) result.push_back(list);
    }
    return result;
  }

  void search() {
    if (options_.arguments) {  // an error in them is the user's, and not to be tried
      match(resolve(*options_.arguments, options_.scales, prepared_->signature),
            prepared_->signature);
    } else {
      require_single_launch();
    }
    const ArgumentLists possible(prepared_->signature, parameters_, launch_, host_has_k());
    lists_ = options_.arguments ? std::vector<Arguments>{*options_.arguments} : possible.all();
    names_say_all_ = possible.names_say_all();
    is_named_ = possible.likely_by_name().has_value();
    is_square_ = possible.sizes() <= 1 && !options_.arguments && !has_structs();
    kernel_.found.takes_one_size = is_square_ && possible.sizes() == 1 && !kernel_.found.only_size;
    if (lists_.empty()) lists_.push_back({});  // the kernel's parameters are named in an error
    if (!prepared_->program) return take_first();
    is_given_ = options_.is_complete() && (options_.arguments || names_say_all_);
    const bool can_transpose = !options_.transposed && !is_square_;
    if (is_given_ && can_transpose && has_narrow_matrices()) {
      if (try_given_shape(lists_, false) || try_transposed(lists_, false)) return;
    }
    if (!is_given_ && is_large() && !options_.transposed) {
      // A trial is long, and few are possible: the likeliest list has all of its trials first.
      for (const auto& lists : {std::vector<Arguments>{lists_.front()}, lists_}) {
        if (try_given_shape(lists, false) || try_transposed(lists, false)) return;
      }
    }
    if (is_given_ || is_large()) return take_first();
    const auto take_passed = [&](const Arguments& right) {
      const auto passed = possible.passed_otherwise(right);
      return passed && !options_.arguments && take_passed_otherwise(*passed, right);
    };
    const auto assigned = options_.arguments ? std::nullopt : as_assigned(lists_.front());
    if (assigned && take_passed_otherwise(assigned->arguments, lists_.front(), assigned->text))
      return;
    if (!options_.arguments) passed_ = possible.passed();
    if (passed_ && !options_.transposed && try_passed(*passed_)) return;
    const auto has = [&](Role role) {
      return std::ranges::any_of(*passed_, [&](const Argument& one) {
        return one.role == role || one.number.find(name_of(role)) != std::string::npos;
      });
    };
    if (passed_ && !(has(Role::m) && has(Role::n) && has(Role::k))) passed_.reset();
    if (passed_ && possible.is_as_named(*passed_)) lists_ = {*passed_};
    if (const auto right = possible.likely_by_name(); right && take_passed(*right)) return;
    if (try_given_shape(lists_, is_square_)) {
      const Arguments right(kernel_.arguments);
      if (!names_say_all_) {
        take_passed(right);
      } else if (passed_ && right == possible.column_major(lists_.front())) {
        const Arguments in_columns = possible.column_major(*passed_);
        const bool is_other = in_columns != right && std::ranges::is_permutation(in_columns, right);
        if (is_other) take_passed_otherwise(in_columns, right);
      }
      return;
    }
    if (try_adding(is_square_)) return;
    if (can_transpose && try_transposed(with_passed(lists_), false)) return;
    if (!is_square_ && take_exchanged_grid()) return;
    if (!options_.arguments && take_other_block()) return;
    if (take_right_on_older_gpu()) return;
    require_last_pass();
    if (try_free_names(can_transpose)) return;
    if (try_size_of_launch() || try_one_product()) return;
    // A kernel that is right only at square sizes, which few trials show.
    const std::vector<Arguments> square =
        names_say_all_ ? std::vector<Arguments>{lists_.front()} : at_square_sizes(lists_);
    const auto try_square = [&] {
      if (try_given_shape(square, true)) {
        take_nearer_order();
        return true;
      }
      return !options_.transposed && try_transposed(square, true);
    };
    constexpr std::size_t few = 4;
    const bool are_few = square.size() <= few;
    if (are_few && try_square()) return;
    if (may_guess(lists_) && try_guesses(lists_, is_square_)) return;
    if (!are_few && try_square()) return;
    if (may_guess(square) && try_guesses(square, true)) return;
    if (try_adding(true)) return;
    take_first();
  }

  // A grid that needs a parameter of the function that launches the kernel, such as the columns
  // whose blocks come one after another: if it is more than any size, they are all of C's.
  bool try_free_names(bool can_transpose) {
    if (!launch_ || options_.tile || options_.grid || read_grid(lists_.front())) return false;
    constexpr int more_than_any_size = 1 << 20;
    free_value_ = std::to_string(more_than_any_size);
    if (try_given_shape(lists_, is_square_) || (can_transpose && try_transposed(lists_, false))) {
      kernel_.found.notes.push_back(fmt::format(
          "The launch's grid needs {}, and nothing says its value: {} is taken, which is "
          "more than any size.",
          launch_->unknown[0].empty() ? "a variable" : launch_->unknown[0],
          with_thousands(more_than_any_size)));
      return true;
    }
    free_value_.reset();
    return false;
  }

  // Of several launches that say as much, the first with which a small product is right.
  void choose_among_launches() {
    if (!launch_ || !prepared_->program || is_large() || options_.is_complete()) return;
    constexpr std::size_t most = 4;
    const std::size_t trials = trials_;
    const std::uint64_t executed = warp_instructions_;
    const auto is_like = [](const HostLaunch& a, const HostLaunch& b) {
      return a.grid == b.grid && a.block == b.block && a.shared_bytes == b.shared_bytes;
    };
    std::vector<const HostLaunch*> others = {launch_};
    for (const HostLaunch& one : launches_) {
      const bool is_as_good = gaps_of(one) == gaps_of(*launch_) &&
                              one.template_arguments == launch_->template_arguments;
      const bool is_new = std::ranges::none_of(
          others, [&](const HostLaunch* other) { return is_like(one, *other); });
      if (is_as_good && is_new && others.size() < most) others.push_back(&one);
    }
    if (others.size() == 1) return;
    const HostLaunch* possible_one = nullptr;
    for (const HostLaunch* one : others) {
      launch_ = one;
      const ArgumentLists possible(prepared_->signature, parameters_, launch_, host_has_k());
      const bool is_square = possible.sizes() <= 1;
      const std::vector<Arguments> lists =
          options_.arguments ? std::vector<Arguments>{*options_.arguments} : possible.all();
      try {
        if (try_given_shape(lists, is_square)) break;
        const auto shape = lists.empty() ? std::nullopt : given_shape(lists.front());
        const bool can_run =
            shape && tried(*shape, lists.front(), small_problem(*shape, is_square));
        if (!possible_one && can_run) possible_one = one;
      } catch (const Error&) {  // no GPU can launch it so
      }
      if (one == others.back()) launch_ = possible_one ? possible_one : others.front();
    }
    fallback_.reset();
    right_at_.reset();
    trials_ = trials;
    warp_instructions_ = executed;
  }

  // A launch whose grid is for one problem alone: with the sizes that it passes.
  bool try_size_of_launch() {
    const auto shape = launch_ ? given_shape(lists_.front()) : std::nullopt;
    if (!shape || is_for_any_size(*shape) || kernel_.found.only_size) return false;
    std::map<Role, int> sizes;
    const std::size_t count = std::min(launch_->arguments.size(), lists_.front().size());
    for (std::size_t i = 0; i < count; ++i) {
      const auto value = source::integer_literal(launch_->arguments[i].value);
      if (value && value->value > 0 && value->value <= largest_fixed)
        sizes.try_emplace(lists_.front()[i].role, static_cast<int>(value->value));
    }
    if (!sizes.contains(Role::m) || !sizes.contains(Role::n) || !sizes.contains(Role::k))
      return false;
    return try_only_size({sizes[Role::m], sizes[Role::n], sizes[Role::k]});
  }

  // Of a large problem, the likeliest list alone: a trial is long.
  bool try_only_size(const Problem& problem) {
    kernel_.found.only_size = problem;
    const auto lists = is_large() ? std::vector<Arguments>{lists_.front()} : lists_;
    is_size_of_launch_ =
        try_given_shape(lists, false) || (!options_.transposed && try_transposed(lists, false));
    if (!is_size_of_launch_) kernel_.found.only_size.reset();
    return is_size_of_launch_;
  }

  // A kernel without sizes that one block executes: it may be a single product of a tensor core.
  bool try_one_product() {
    const auto has_size = [](const Argument& one) { return is_size(one.role); };
    const auto shape = launch_ ? given_shape(lists_.front()) : std::nullopt;
    if (!shape || shape->grid != GridExpressions{"1", "1", "1"} || kernel_.found.only_size ||
        has_structs() || std::ranges::any_of(lists_.front(), has_size))
      return false;
    const std::string& source = kernel_.source;
    for (const auto& [m, n, k] : {std::array{16, 16, 16},
                                  {16, 8, 16},
                                  {16, 8, 8},
                                  {16, 16, 8},
                                  {16, 8, 32},
                                  {32, 8, 16},
                                  {8, 32, 16},
                                  {8, 8, 4},
                                  {16, 8, 4}}) {
      const bool is_named = source.find(fmt::format("m{}n{}k{}", m, n, k)) != source.npos;
      if ((is_named || source.find("fragment") != source.npos) && try_only_size({m, n, k}))
        return true;
    }
    return false;
  }

  // Tensor cores multiply them, for which B is often stored as N×K.
  bool has_narrow_matrices() const {
    return std::ranges::any_of(prepared_->signature.types, [](const std::string& type) {
      return type.ends_with('*') && !type.starts_with("float");
    });
  }

  // Of several launches that compute C together, one alone is wrong.
  void require_single_launch() const {
    if (!launch_) return;
    const auto is_size_of_loop = [&](std::size_t i) {  // of a benchmark at many sizes
      const std::string& name = launch_->arguments[i].name;
      const auto says_size = [](const std::string& word) {
        const auto role = role_of_name(word);
        return (role && is_size(*role) && word != "k") || likely_size(word);
      };
      return says_size(name) || (i < parameters_.size() && says_size(parameters_[i].name)) ||
             std::ranges::any_of(launch_->grid, [&](const std::string& text) {
               return std::ranges::count(source::tokens_of(text), name, &source::Token::text) > 0;
             });
    };
    auto of_loop = launch_->arguments.end();
    for (std::size_t i = 0; i < launch_->arguments.size(); ++i) {
      if (launch_->arguments[i].is_of_loop && !is_size_of_loop(i))
        of_loop = launch_->arguments.begin() + i;
    }
    if (of_loop == launch_->arguments.end()) return;
    throw Error(ExitStatus::usage,
                fmt::format("{}: {} launches {} in a loop over {}, and only one launch is run",
                            command_, place_of_launch(), kernel_.name_expression, of_loop->name),
                "Say with --args what one launch passes that computes all of C, such as 0 or K in "
                "its place.");
  }

  // What computes C in two passes is wrong after the first.
  void require_last_pass() const {
    if (!launch_) return;
    const std::size_t c = index_of(Role::c, lists_.front());
    if (c >= launch_->arguments.size() || launch_->arguments[c].name.empty()) return;
    const std::string& name = launch_->arguments[c].name;
    for (const HostLaunch& other : source::launches_in(texts(), "", device_)) {
      if (other.kernel == launch_->kernel || other.text != launch_->text ||
          other.line < launch_->line)
        continue;
      const source::Function* const function = function_named(other.kernel);
      for (std::size_t i = 0; function && i < other.arguments.size(); ++i) {
        const bool is_read = i < function->parameters.size() && other.arguments[i].name == name &&
                             source::has(function->parameters[i].tokens, "const");
        if (!is_read) continue;
        throw Error(ExitStatus::usage,
                    fmt::format("{}: {} leaves its results in {}, which {} reads in line {}, and "
                                "only one kernel is run",
                                command_, launch_->kernel, name, other.kernel, other.line),
                    "Give a kernel that computes all of C, which may add parts of sums to it with "
                    "atomicAdd().");
      }
    }
  }

  // What the launch passes comes first, and once.
  std::vector<Arguments> with_passed(std::vector<Arguments> lists) const {
    if (!passed_) return lists;
    std::erase(lists, *passed_);
    lists.insert(lists.begin(), *passed_);
    return lists;
  }

  // The launch as it is.
  bool try_passed(const Arguments& passed) {
    const auto shape = given_shape(passed);
    if (!shape || !is_right_twice(*shape, passed)) return false;
    take(*shape, passed, small_problem(*shape, is_square_));
    is_as_passed_ = true;
    return true;
  }

  bool host_has_k() const {
    if (!launch_ || launch_->text >= files_.size()) return false;
    const source::File& file = files_[launch_->text];
    return std::ranges::any_of(file.code, [&](const source::Token& token) {
      return token.is("K") && std::ranges::any_of(file.functions, [&](const auto& function) {
               return function.is_host && token.at >= function.begin && token.at < function.end;
             });
    });
  }

  // Where names say the order of the arguments, and host code a grid for any size, a guess would
  // only hide that the two do not fit the kernel.
  bool may_guess(const std::vector<Arguments>& lists) {
    if (options_.is_complete()) return false;
    const auto shape = launch_ ? given_shape(lists.front()) : std::nullopt;
    if (!shape) return true;
    if (is_for_any_size(*shape)) return !names_say_all_;
    return !writes_all(*shape, lists.front());
  }

  // True if a small problem's C is written as a whole, and nothing beside it.
  bool writes_all(const LaunchShape& shape, const Arguments& arguments) {
    const auto trial = tried(shape, arguments, small_problem(shape, is_square_));
    return trial && !trial->emulation.stopped && trial->emulation.findings.empty() &&
           trial->matrices.c_before.empty() &&
           std::ranges::none_of(trial->matrices.c, [](float one) { return is_poison(one); });
  }

  static bool is_for_any_size(const LaunchShape& shape) {
    return !shape.grid || std::ranges::any_of(*shape.grid, [](const std::string& text) {
      return text.find_first_of("MNK") != text.npos;
    });
  }

  // At square sizes, AᵀBᵀ is B·A in another order.
  bool try_transposed(const std::vector<Arguments>& lists, bool is_square) {
    for (const Transposed transposed :
         {Transposed{false, true}, Transposed{true, false}, Transposed{true, true}}) {
      if (is_square && transposed.a && transposed.b) break;
      kernel_.transposed = transposed;
      if (try_given_shape(lists, is_square)) return true;
    }
    kernel_.transposed = {};
    return false;
  }

  // A kernel that adds to C, or reads it.
  bool try_adding(bool is_square) {
    // With a beta, C holds random numbers anyway.
    if (options_.c || std::ranges::any_of(lists_, has_beta)) return false;
    const auto shape = options_.transposed ? std::nullopt : given_shape(lists_.front());
    const bool may_be_transposed = shape && reads_unwritten_c(*shape, lists_.front());
    std::vector<Arguments> few = with_passed(lists_);
    constexpr std::size_t most = 12;
    if (few.size() > most) few.resize(most);
    for (const InitialC c : {InitialC::random, InitialC::zero}) {
      if (c == InitialC::random && is_c_zeroed(lists_.front())) continue;
      kernel_.c_before = c;
      if (try_given_shape(few, is_square)) return true;
      if (may_be_transposed && try_transposed(few, is_square)) return true;
    }
    kernel_.c_before.reset();
    return false;
  }

  // From compute capability 9.0 on, shared memory does not begin at address 0. A kernel that
  // swizzles by bits of an address, as if they were those of an offset, is right on older GPUs
  // alone. The same PTX is tried as one of these runs it.
  bool take_right_on_older_gpu() {
    const std::string& ptx = prepared_->compiled.ptx;
    constexpr std::string_view target = ".target sm_";
    const std::size_t at = ptx.find(target);
    if (gpu_.compute_major < 9 || !launch_ || fallback_ || at == ptx.npos ||
        ptx.find("xor.b32") == ptx.npos || ptx.find(".shared") == ptx.npos)
      return false;
    const simt::GpuSpec older = simt::find_gpu("a100");
    const std::size_t begin = at + target.size() - 3, end = ptx.find_first_of(", \n", begin);
    const std::size_t trials = std::exchange(trials_, 0);
    const std::uint64_t executed = std::exchange(warp_instructions_, 0);
    const std::optional<simt::Program> own = prepared_->program;
    bool is_right = false;
    try {
      prepared_->program =
          simt::Program::decode(std::string(ptx).replace(begin, end - begin, older.architecture()),
                                prepared_->compiled.lowered_name, kernel_.file_name);
      const std::vector<Arguments> likeliest = {lists_.front()};
      is_right = try_given_shape(likeliest, is_square_) ||
                 (!options_.transposed && !is_square_ && try_transposed(likeliest, false));
    } catch (const Error&) {  // it needs a newer GPU
    }
    prepared_->program = own;
    trials_ = trials;
    warp_instructions_ = executed;
    right_at_.reset();
    fallback_.reset();
    if (!is_right) return false;
    kernel_.found.mistake = fmt::format(
        "On the {} shared memory begins at address 1,024. The result is right where it begins at "
        "0, as up to compute capability 8.9: the kernel uses bits of an address as if "
        "they were bits of an offset in an array",
        gpu_.full_name);
    kernel_.found.kind_of_mistake = "address";
    kernel_.found.right_options = "--gpu " + older.name;
    return true;
  }

  // Nothing was right without a fault: the run shows what is wrong.
  void take_first() {
    if (!right_at_) require_last_pass();
    if (fallback_) {
      take(fallback_->shape, fallback_->arguments, fallback_->problem);
      kernel_.transposed = fallback_->transposed;
      return;
    }
    for (const Arguments& arguments : with_passed(lists_)) {
      const auto shape = given_shape(arguments);
      if (!shape) continue;
      take(*shape, arguments);
      if (!options_.c && is_c_zeroed(arguments) && reads_unwritten_c(*shape, arguments))
        kernel_.c_before = InitialC::zero;
      if (!is_large()) take_nearer_order();
      return;
    }
    const bool is_named = take_named();
    kernel_.scales = options_.scales;
    if (!is_named) throw_missing();
  }

  // A larger problem, with more blocks and other relations between the sizes.
  Problem larger(const Problem& problem, bool is_square) const {
    if (kernel_.found.only_size) return problem;
    const int m = 3 * problem.m;
    return is_square ? Problem{m, m, m} : Problem{m, 2 * problem.n, problem.k / 2};
  }

  bool is_right_twice(const LaunchShape& shape, const Arguments& arguments) {
    const Problem problem = small_problem(shape, is_square_);
    return is_right(shape, arguments, problem) &&
           is_right(shape, arguments, larger(problem, is_square_));
  }

  // A launch that passes other variables than the kernel needs, with which it would be right.
  bool take_passed_otherwise(const Arguments& passed, const Arguments& right,
                             const std::string& text = "") {
    const auto shape = given_shape(passed);
    if (!shape || !is_right_twice(*shape, right)) return false;
    if (is_right(*shape, passed, small_problem(*shape, is_square_))) return false;
    take(*shape, passed);
    std::vector<std::string> exchanged;
    for (std::size_t i = 0; text.empty() && i < passed.size(); ++i) {
      if (passed[i] == right[i]) continue;
      exchanged.push_back(
          fmt::format("{} for {}", launch_->arguments[i].name, parameters_[i].name));
    }
    kernel_.found.mistake = !text.empty()
                                ? text
                                : fmt::format("The launch in {} passes {}", place_of_launch(),
                                              join(exchanged, " and "));
    kernel_.found.right_options = arguments_option(right);
    return true;
  }

  struct Assigned {
    Arguments arguments;
    std::string text;  // "Line 50 sets ldb to K, not to N"
  };

  // A struct's sizes as host code sets them, p.ldb = K, where its members' names say others.
  std::optional<Assigned> as_assigned(const Arguments& right) const {
    Assigned result{right, ""};
    for (std::size_t i = 0; i < right.size(); ++i) {
      if (right[i].role != Role::members) continue;
      const std::vector<source::Member>& members = prepared_->signature.members[i];
      std::vector<std::string> roles = split(right[i].number, ',');
      for (std::size_t m = 0; roles.size() == members.size() && m < roles.size(); ++m) {
        const auto role = role_of_name(roles[m]);
        const auto set = role && is_size(*role) ? size_set_to(members[m].name) : std::nullopt;
        if (!set || set->first == *role) continue;
        result.text = fmt::format("Line {}{} sets {} to {}, not to {}", set->second,
                                  launch_->text == 0 ? "" : " of " + file_of(*launch_),
                                  members[m].name, name_of(set->first), roles[m]);
        roles[m] = name_of(set->first);
      }
      result.arguments[i].number = join(roles, ",");
    }
    return result.text.empty() ? std::nullopt : std::optional(result);
  }

  // What the launch's file sets the only member of that name to, and in which line.
  std::optional<std::pair<Role, int>> size_set_to(const std::string& member) const {
    if (!launch_) return {};
    std::optional<std::pair<Role, int>> result;
    const std::vector<source::Token> tokens = source::tokens_of(texts()[launch_->text]);
    for (std::size_t at = 1; at + 3 < tokens.size(); ++at) {
      const bool is_member = tokens[at - 1].is(".") || tokens[at - 1].is("->");
      if (!is_member || !tokens[at].is(member) || !tokens[at + 1].is("=")) continue;
      const auto role = role_of_name(std::string(tokens[at + 2].text));
      if (result || !role || !is_size(*role) || !tokens[at + 3].is(";")) return {};
      result = {*role, tokens[at].line};
    }
    return result;
  }

  // A launch with too few threads in a block, or with too many.
  bool take_other_block() {
    const auto shape = options_.block ? std::nullopt : given_shape(lists_.front());
    if (!shape || !is_for_any_size(*shape)) return false;
    const auto fallback = fallback_;
    for (const simt::Dim3& block : likely_blocks(sides_in(kernel_))) {
      LaunchShape other = *shape;
      other.block = block;
      if (block == shape->block || !may_go_on() || !is_right_twice(other, lists_.front())) continue;
      take(*shape, lists_.front());
      kernel_.found.mistake =
          fmt::format("The launch in {} has blocks of {} threads, and is right with blocks of {}",
                      place_of_launch(), block_text(shape->block, "×"), block_text(block, "×"));
      kernel_.found.right_options = "--block " + block_text(block);
      return true;
    }
    fallback_ = fallback;  // the launch's own block
    return false;
  }

  // A launch whose grid would be right with x and y exchanged.
  bool take_exchanged_grid() {
    if (!launch_ || options_.tile || options_.grid) return false;
    constexpr std::size_t most = 12;
    for (const Arguments& arguments : std::span(lists_).first(std::min(most, lists_.size()))) {
      const auto shape = given_shape(arguments);
      if (shape && !is_along_x(*shape) && take_exchanged_grid(*shape, arguments)) return true;
    }
    return false;
  }

  bool take_exchanged_grid(const LaunchShape& shape, const Arguments& arguments) {
    LaunchShape other = shape;
    if (other.grid) std::swap((*other.grid)[0], (*other.grid)[1]);
    other.grid_x_along_rows = !shape.grid_x_along_rows;
    if (!is_right_twice(other, arguments)) return false;
    take(shape, arguments);
    kernel_.found.mistake =
        fmt::format("The launch in {} has the grid's x and y exchanged", place_of_launch());
    for (const std::string& option : shape_options(other)) {
      if (option.starts_with("--block") || option.starts_with("--shared")) continue;
      std::string& all = kernel_.found.right_options;
      all += (all.empty() ? "" : " ") + option;
    }
    if (!other.grid && !other.grid_x_along_rows) kernel_.found.right_options += " --grid-x n";
    if (arguments != lists_.front())
      kernel_.found.right_options += " " + arguments_option(arguments);
    return true;
  }

  static bool is_along_x(const LaunchShape& shape) { return shape.grid && (*shape.grid)[1] == "1"; }

  // A wrong kernel that nothing launches, with the first likely launch for which there is something
  // to say: a formula gives C, a barrier or a variable that begins with 0 makes it right, or
  // nothing writes to C with any of them.
  bool take_named() {
    if (launch_ || !prepared_->program || prepared_->entry.reads_block_z) return false;
    const std::vector<LaunchShape> shapes = guessed_shapes(lists_.front());
    trials_ = std::min(trials_, most_trials / 2);
    set_other_scales(
        kernel_.scales,
        [&](Role role) { return index_of(role, lists_.front()) < lists_.front().size(); },
        prepared_->update.types.c);
    is_guess_ = true;
    const auto take_first_that = [&](const auto& is_wanted) {
      const auto found = std::ranges::find_if(
          shapes, [&](const LaunchShape& shape) { return may_go_on() && is_wanted(shape); });
      if (found != shapes.end()) take(*found, lists_.front());
      return found != shapes.end();
    };
    const auto is_right_so = [&](const LaunchShape& shape) {
      return is_right_twice(shape, lists_.front());
    };
    if (!options_.c) {  // it may add to C
      kernel_.c_before = InitialC::random;
      if (take_first_that(is_right_so)) {
        right_at_ = small_problem(kernel_.shape, is_square_);
        return true;
      }
      kernel_.c_before.reset();
    }
    Writes writes;
    for (const bool is_square : {false, true}) {
      if (is_square_ && !is_square) continue;
      for (const bool may_miss : {false, true}) {
        const auto is_named = [&](const LaunchShape& shape) {
          return (!may_miss || is_natural(shape)) && has_name(shape, is_square, may_miss, writes);
        };
        if (!take_first_that(is_named)) continue;
        if (!options_.transposed && !is_square) take_transposed(kernel_.shape);
        return true;
      }
    }
    if (take_first_that([&](const auto& shape) { return is_right_with_barriers(shape); }) ||
        take_first_that([&](const auto& shape) { return has_values(shape); }))
      return true;
    if (writes.any || !writes.without) return is_guess_ = false;
    take(*writes.without, lists_.front());
    return true;
  }

  // A kernel that is right for the matrices whose names say that they are stored transposed.
  void take_transposed(const LaunchShape& shape) {
    const auto is_named = [&](Role role) {
      const std::size_t at = index_of(role, lists_.front());
      return at < parameters_.size() && is_like_transposed(parameters_[at].name);
    };
    kernel_.transposed = {is_named(Role::a), is_named(Role::b)};
    if (kernel_.transposed != Transposed{} && is_right_twice(shape, lists_.front()))
      right_at_ = small_problem(shape, is_square_);
    else
      kernel_.transposed = {};
  }

  // Whether any launch made the kernel write to C, and one without a fault that did not.
  struct Writes {
    bool any = false;
    std::optional<LaunchShape> without;
  };

  // Each thread has one element of C.
  static bool is_natural(const LaunchShape& shape) {
    return shape.block.y > 1 && shape.tile_rows == static_cast<int>(shape.block.y) &&
           shape.tile_columns == static_cast<int>(shape.block.x);
  }

  // A block that is too large, or too many of them: what they do beside their arrays.
  static bool is_fault_of_launch(const simt::Finding& finding) {
    return finding.kind() == simt::FindingKind::bounds &&
           (finding.access != simt::AccessKind::load || finding.space != simt::MemorySpace::global);
  }

  ComputedC computed(const Problem& problem, const EmulatedProduct& trial) const {
    return {problem,
            seed,
            prepared_->update,
            kernel_.transposed,
            prepared_->launch.grid,
            trial.is_right,
            elements_to_explain(problem, trial.matrices.c, {}, {})};
  }

  SourceNumbers numbers() const { return source_numbers(kernel_.source, kernel_.name_expression); }

  // The formula that gives a wrong C at two sizes or more, of those at which the kernel ends.
  std::optional<WrongKind> kind_with(const LaunchShape& shape, const Arguments& arguments) {
    const Problem problem = small_problem(shape, is_square_);
    std::vector<ComputedC> results;
    for (const Problem& one :
         {problem, larger(problem, is_square_), Problem{2 * problem.m, problem.n, problem.k / 4}}) {
      const auto trial = tried(shape, arguments, one);
      if (trial && !trial->emulation.stopped) results.push_back(computed(one, *trial));
    }
    std::erase_if(results, [](const ComputedC& one) { return !gemm_tutor::has_values(one); });
    return results.size() < 2 ? std::nullopt : kind_of_wrong(results, numbers());
  }

  // For a wrong kernel whose sizes have other names than M×K times K×N, or whose matrices are
  // stored column by column: the order of arguments with which one thing alone is wrong, if with
  // the names' own order more is.
  void take_nearer_order() {
    if (options_.arguments || !prepared_->program || is_square_) return;
    const auto kind = kind_with(kernel_.shape, kernel_.arguments);
    if (kind && kind->parts < 2) return;
    Arguments exchanged = lists_.front();
    for (Argument& one : exchanged) {
      one.role = one.role == Role::n ? Role::k : one.role == Role::k ? Role::n : one.role;
    }
    for (std::size_t i = 1; i < lists_.size(); ++i) {
      const bool is_column_major = is_named_ && i == 1;
      if (!is_column_major && lists_[i] != exchanged) continue;
      const auto shape = given_shape(lists_[i]);
      const auto nearer = shape ? kind_with(*shape, lists_[i]) : std::nullopt;
      if (!nearer || nearer->parts > 1) continue;
      take(*shape, lists_[i], right_at_);
      kernel_.found.is_column_major = is_column_major;
      kernel_.found.notes.push_back(
          is_column_major ? "The matrices are taken as stored column by column, because as stored "
                            "row by row more is wrong."
                          : "N and K are taken for each other, because as they are called more is "
                            "wrong.");
      return;
    }
  }

  // True if a formula gives C at two sizes, or if C is right once variables begin with 0. Elements
  // that are missing may be the launch's fault, unless `may_miss`.
  bool has_name(const LaunchShape& shape, bool is_square, bool may_miss, Writes& writes) {
    const Problem problem = small_problem(shape, is_square);
    std::vector<ComputedC> results;
    for (const Problem& one : {problem, larger(problem, is_square)}) {
      const auto trial = tried(shape, lists_.front(), one);
      if (!trial || trial->emulation.stopped) return false;
      const std::vector<float>& c = trial->matrices.c;
      const std::vector<float>& before = trial->matrices.c_before;
      std::ptrdiff_t missing = 0;
      for (std::size_t i = 0; i < c.size(); ++i)
        missing += is_poison(c[i]) || (!before.empty() && c[i] == before[i]);
      writes.any = writes.any || missing < std::ssize(c);
      if (std::ranges::any_of(trial->emulation.findings, is_fault_of_launch)) return false;
      if (missing == std::ssize(c) && !writes.without) writes.without = shape;
      if (missing > 0 && !may_miss) return false;
      if (std::isnan(c.front()) && !is_poison(c.front())) {
        const auto with_zeros = tried(shape, lists_.front(), one, {.check = false, .unset = 0});
        return with_zeros && with_zeros->is_right;
      }
      results.push_back(computed(one, *trial));
    }
    return kind_of_wrong(results, numbers()).has_value();
  }

  // True if the values of C show what was read in place of A or B, or where C's are.
  bool has_values(const LaunchShape& shape) {
    if (!shape.has_tile()) return false;
    constexpr int depth = 16;
    const Problem problem = problem_to_recover(shape.tile_rows, shape.tile_columns, depth);
    if (problem.multiply_adds() > most_to_recover) return false;
    const auto trial = tried(shape, lists_.front(), problem);
    if (!trial || trial->is_right || trial->emulation.stopped ||
        std::ranges::any_of(trial->emulation.findings, is_fault_of_launch))
      return false;
    return kind_from_values(computed(problem, *trial), numbers()).has_value();
  }

  bool is_right_with_barriers(const LaunchShape& shape) {
    const auto trial = tried(shape, lists_.front(), small_problem(shape, is_square_), {});
    if (!trial) return false;
    const std::vector<int> lines = lines_for_barriers(trial->emulation.findings);
    if (lines.empty()) return false;
    KernelSource cured = kernel_;
    cured.source = with_barriers(kernel_.source, lines);
    PreparedKernel racing = std::move(*prepared_);
    bool is_cure = false;
    try {
      prepared_.emplace(compiled(cured));
      is_cure = is_right_twice(shape, lists_.front());
    } catch (const Error&) {
    }
    prepared_.emplace(std::move(racing));
    return is_cure;
  }

  // By host code, before the launch.
  bool is_c_zeroed(const Arguments& arguments) const {
    const std::size_t c = index_of(Role::c, arguments);
    return launch_ && c < launch_->arguments.size() && launch_->arguments[c].is_zeroed;
  }

  // True if the kernel reads what C held before.
  bool reads_unwritten_c(const LaunchShape& shape, const Arguments& arguments) try {
    if (!prepared_->program) return false;
    const Problem problem = small_problem(shape, is_square_);
    set_launch(*prepared_, shape, arguments, problem);
    Matrices matrices = matrices_of(problem, {.types = prepared_->update.types});
    simt::Options options;
    options.max_instructions = most_in_trial(problem);
    if (is_large()) options.blocks = 1;
    const simt::Result result = emulate(*prepared_, matrices, options);
    return has_kind(result.findings, simt::FindingKind::uninitialised);
  } catch (const Error&) {
    return false;
  }

  // --- What is missing

  [[noreturn]] void throw_missing() const {
    std::vector<std::string> missing;
    const Arguments& arguments = lists_.front();
    const bool has_block = options_.block || read_block(arguments);
    if (!has_block) missing.push_back("--block");
    if (!options_.tile && !options_.grid && !read_grid(arguments))
      missing.push_back("--tile or --grid");
    if (prepared_->entry.uses_dynamic_shared && !options_.shared && !read_shared(arguments))
      missing.push_back("--shared");
    if (arguments.empty()) missing.push_back("--args");
    const std::string why = why_missing(has_block);
    KernelSource proposal = kernel_;
    if (const auto shape = simplest_shape(arguments)) proposal.shape = *shape;
    proposal.arguments = arguments;
    throw Error(
        ExitStatus::usage,
        fmt::format("{}: {} {} missing, because {}", command_, join(missing, " and "),
                    missing.size() == 1 ? "is" : "are", why),
        arguments.empty()
            ? "A product needs float* A, B and C: say with --args what each parameter is, "
              "and give --block and --tile."
            : fmt::format("Give the launch, as in '{}'.", command_text(command_, proposal)));
  }

  std::string why_missing(bool has_block) const {
    if (!launch_) return fmt::format("nothing launches {}", kernel_.name_expression);
    const std::string place = fmt::format("line {} of {}", launch_->line, file_of(*launch_));
    for (const auto& [is_known, texts, first_unknown] :
         {std::tuple{has_block, launch_->block, launch_->unknown[1]},
          std::tuple{options_.tile || options_.grid, launch_->grid, launch_->unknown[0]},
          std::tuple{options_.shared.has_value(),
                     std::array{launch_->shared_bytes, std::string(), std::string()},
                     launch_->unknown[2]}}) {
      if (is_known) continue;
      std::string unknown = first_unknown;
      for (const std::string& text : texts) {
        for (std::size_t i = 0; i < launch_->arguments.size() && unknown.empty(); ++i) {
          const source::PassedArgument& one = launch_->arguments[i];
          const bool is_used = !one.name.empty() && text.find(one.name) != text.npos;
          if (is_used && one.value.empty()) unknown = one.name;
        }
      }
      if (!unknown.empty())
        return fmt::format("the value of '{}' in the launch at {} is not known", unknown, place);
    }
    return fmt::format("the launch at {} does not say it in a way that can be read", place);
  }

  // Of a grid with two dimensions, the blocks of a column would all do the same.
  std::optional<std::string> note_of_grid() const {
    const Problem any{1024, 1024, 1024};
    LaunchShape shape = kernel_.shape;
    shape.multiprocessors = gpu_.multiprocessors;
    if (grid_of(shape, any).y == 1 || prepared_->entry.reads_block_y) return {};
    const auto threads = static_cast<std::int64_t>(shape.block.count());
    return fmt::format(
        "{} does not read blockIdx.y, so blocks with the same blockIdx.x compute the same. If it "
        "is "
        "for a grid along x alone, give one, as in --grid '(M * N + {}) / {}'.",
        prepared_->name, threads - 1, threads);
  }

  static simt::Dim3 grid_of(const LaunchShape& shape, const Problem& problem) {
    try {
      return launch_for(shape, problem).grid;
    } catch (const Error&) {
      return {};
    }
  }

  // --- What is said of it

  // Of host code that copies M·K floats to B, which has K·N.
  void add_notes_of_copies(FoundLaunch& found) const {
    if (!launch_) return;
    const auto sizes_among = [&](const std::set<std::string>& names) {
      std::vector<std::string> sizes;
      for (const source::PassedArgument& one : launch_->arguments) {
        const auto role = role_of_name(one.name);
        if (role && is_size(*role) && names.contains(one.name) &&
            !std::ranges::count(sizes, one.name))
          sizes.push_back(one.name);
      }
      std::ranges::sort(sizes);
      return sizes;
    };
    for (const source::PassedArgument& one : launch_->arguments) {
      const std::vector<std::string> allocated = sizes_among(one.sizes);
      for (const std::set<std::string>& names : one.copied) {
        const std::vector<std::string> copied = sizes_among(names);
        if (allocated.size() != 2 || copied.size() != 2 || allocated == copied) continue;
        found.notes.push_back(
            fmt::format("Host code, which is not run, allocates {} floats for {}, but copies {}.",
                        join(allocated, "·"), one.name, join(copied, "·")));
      }
    }
  }

  void add_notes() {
    FoundLaunch& found = kernel_.found;
    const std::optional<std::string> of_grid = note_of_grid();
    if (is_given_ && !of_grid && found.notes.empty()) return;
    found.command = command_text(command_, kernel_);
    if (of_grid) found.notes.push_back(*of_grid);
    const bool is_read = launch_ && !options_.is_complete() && !is_guess_;
    if (is_read) {
      found.notes.push_back(
          fmt::format("The launch is that of line {} of {}{}.", launch_->line, file_of(*launch_),
                      reads_comments_ ? ", which is in a comment: there is no other" : ""));
    }
    if (is_guess_) {
      found.notes.push_back(
          fmt::format("{} Block and grid are a guess{}.",
                      launch_ ? "The launch in host code could not be read, or is for one size."
                              : "Nothing launches this kernel.",
                      right_at_ ? ", with which the result is right at " + problem_text() : ""));
      found.is_guess = true;
    }
    if (found.only_size) {
      const auto& [m, n, k] = *found.only_size;
      const std::string what =
          is_size_of_launch_ ? fmt::format("The grid of {} is for one problem", place_of_launch())
                             : "The kernel has its sizes in constants";
      found.notes.push_back(fmt::format("{}: M = {}, N = {} and K = {}.", what, m, n, k));
    }
    if (is_batched())
      found.notes.push_back("Of the batch one product is run, and no other tested.");
    add_notes_of_copies(found);
    for (const std::string& name : unused_strides()) {
      found.notes.push_back(fmt::format(
          "The kernel does not use {}, and so it is right only without padding between rows.",
          name));
    }
    if (overwrites_in_loop()) {
      found.notes.push_back(
          fmt::format("A loop around {} moves A and B, but not C: one launch is run, which "
                      "overwrites C, so that the last one's products would stay alone.",
                      place_of_launch()));
    }
    add_note_of_arguments(found);
    found.reading = reading();
    const auto& [a, b] = kernel_.transposed;
    if (a && b && is_column_major()) {
      found.notes.push_back("C is stored transposed: N×M.");
    } else if (a || b) {
      found.notes.push_back(a && b ? "A and B are stored transposed: K×M and N×K."
                            : a    ? "A is stored transposed: K×M."
                                   : "B is stored transposed: N×K.");
    }
    if (kernel_.c_before && !options_.c) {
      found.notes.push_back(*kernel_.c_before == InitialC::random
                                ? "The kernel adds to C, so C holds random numbers before."
                                : "The kernel reads C, so C holds zeros before.");
    }
  }

  // True for a right result with the order of arguments for matrices that are stored column by
  // column, which is not the one that host code passes.
  bool is_column_major() const {
    return right_at_ && is_named_ && !is_as_passed_ && lists_.size() > 1 &&
           kernel_.arguments != lists_.front() && kernel_.arguments == lists_[1];
  }

  // What a right result is, unless it is A·B of the matrices that have these names.
  std::string reading() const {
    if (!right_at_) return "";
    const auto& [a, b] = kernel_.transposed;
    std::string text;
    if (is_column_major()) {
      if (!a && !b && is_square_) text = "B·A, or A·B of matrices that are stored column by column";
      if (!a && !b && !is_square_) text = "A·B of matrices that are stored column by column";
      if (a && b) text = "(A·B)ᵀ, but not as A·B,";
    } else if (!options_.transposed && (a || b)) {
      text = fmt::format("A{}·B{}, but not as A·B,", a ? "ᵀ" : "", b ? "ᵀ" : "");
    }
    if (!options_.c && kernel_.c_before == InitialC::random && !has_beta(kernel_.arguments)) {
      if (text.empty()) return "A·B + C, which is A·B only if C holds zeros before,";
      text += " with C added";
    }
    return text;
  }

  static bool has_beta(const Arguments& list) {
    return std::ranges::any_of(list, [](const Argument& one) {
      return one.role == Role::beta || one.role == Role::read_c;
    });
  }

  std::string problem_text() const {
    return fmt::format("{}×{}×{}", right_at_->m, right_at_->n, right_at_->k);
  }

  void add_note_of_arguments(FoundLaunch& found) const {
    if (options_.arguments || kernel_.arguments.empty()) return;
    if (!right_at_) {
      if (prepared_->program && !options_.is_complete() && found.mistake.empty()) {
        found.note_of_unknown =
            "No order of the arguments that was tried gives the right result on a small problem. "
            "If another one does, give that with --args.";
      }
      return;
    }
    const bool is_square = right_at_->m == right_at_->n && right_at_->n == right_at_->k;
    const bool is_first = kernel_.arguments == lists_.front();
    if (is_square && !is_square_ && !found.only_size) {
      found.notes.push_back(fmt::format(
          "Of the sizes that were tried, the result is right only at square ones, as at {}.",
          problem_text()));
    } else if (!is_as_passed_ && (!is_first || !names_say_all_)) {
      found.notes.push_back(
          fmt::format("The order of the arguments was found by trying: the result is right at {}.",
                      problem_text()));
    }
  }

  KernelSource kernel_;
  std::optional<std::string> written_;  // the file's text, if the kernel's has another branch
  const LaunchOptions& options_;
  const simt::GpuSpec& gpu_;
  std::string command_;
  Activity* activity_;

  source::DeviceValues device_;
  std::vector<source::File> files_;
  const source::Function* function_ = nullptr;
  std::string guessed_type_ = {}, guessed_sum_ = {};  // of a template's parameters
  bool is_type_guessed_ = false, is_type_passed_ = false;
  std::string namespace_of_arguments_ = {};  // of template arguments: "ns::"
  bool is_size_of_launch_ = false;           // the only size
  std::vector<source::OtherFile> others_;
  std::vector<HostLaunch> launches_;
  bool reads_comments_ = false;  // no other launch was found
  const HostLaunch* launch_ = nullptr;
  std::optional<PreparedKernel> prepared_;
  std::vector<KernelParameter> parameters_;
  std::vector<Arguments> lists_;
  std::optional<Arguments> passed_;  // as host code's variables are called, with M, N and K
  bool names_say_all_ = false, is_square_ = false, is_guess_ = false;
  bool is_named_ = false;      // the first of the lists is what names say, also names such as "lda"
  bool is_as_passed_ = false;  // the launch's variables have the names of what they are passed for
  bool is_given_ = false;      // the user gave the launch, and names or the user the arguments
  std::optional<Problem> right_at_;
  // The first launch with a right result and faults.
  struct Faulty {
    LaunchShape shape;
    Arguments arguments;
    Problem problem;
    Transposed transposed;
  };
  std::optional<Faulty> fallback_;
  std::vector<std::pair<InitialC, Matrices>> matrices_;
  std::optional<std::string> free_value_;  // of names in the launch's grid that are not known
  std::size_t trials_ = 0;
  std::uint64_t warp_instructions_ = 0;
};

}  // namespace

KernelSource find_launch(KernelSource kernel, const LaunchOptions& options,
                         const simt::GpuSpec& gpu, const std::string& command, Activity* activity) {
  return Search(std::move(kernel), options, gpu, command, activity).found();
}

std::string right_options(const KernelSource& kernel, const simt::GpuSpec& gpu,
                          Activity* activity) try {
  const LaunchShape& shape = kernel.shape;
  LaunchOptions options;
  options.entry = kernel.name_expression;
  options.block = shape.block;
  if (shape.has_tile()) options.tile = {shape.tile_rows, shape.tile_columns};
  options.grid = shape.grid;
  options.grid_x_along_rows = shape.grid_x_along_rows;
  options.blocks_of_tile = shape.blocks_of_tile;
  options.shared = shape.dynamic_shared;
  options.scales = kernel.scales;
  return Search(kernel, options, gpu, "run", activity).right_options();
} catch (const Error&) {
  return "";
}

}  // namespace gemm_tutor
