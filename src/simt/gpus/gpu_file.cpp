#include "simt/gpus/gpu_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <stdexcept>
#include <type_traits>
#include <variant>

#include "simt/gpus/gpu_details.hpp"
#include "support/error.hpp"
#include "support/toml_table.hpp"

namespace gemm_tutor::simt {
namespace {

constexpr std::string_view gpu_page = "docs/gpus.md";

using GpuMember = std::variant<int GpuSpec::*, double GpuSpec::*, int GpuDetails::*,
                               double GpuDetails::*, bool GpuDetails::*>;

// `least` and `most` reject obvious mistakes, such as a wrong unit.
struct GpuField {
  std::string_view key;
  GpuMember member;
  double least, most;
  int since_major = 0;  // older compute capabilities do not have it
  bool optional = false;
};

constexpr GpuField gpu_fields[] = {
    {"multiprocessors", &GpuSpec::multiprocessors, 1, 1000},
    {"clock_ghz", &GpuSpec::clock_ghz, 0.1, 10},
    {"memory_bandwidth", &GpuSpec::memory_bandwidth, 1e9, 1e14},
    {"compute_major", &GpuSpec::compute_major, 7, 99},
    {"compute_minor", &GpuSpec::compute_minor, 0, 9},
    {"max_threads_per_multiprocessor", &GpuSpec::max_threads_per_multiprocessor, 1024, 8192},
    {"max_blocks_per_multiprocessor", &GpuSpec::max_blocks_per_multiprocessor, 1, 256},
    {"registers_per_multiprocessor", &GpuSpec::registers_per_multiprocessor, 32768, 1 << 20},
    {"shared_bytes_per_multiprocessor", &GpuSpec::shared_bytes_per_multiprocessor, 49152, 1 << 24},
    {"reserved_shared_bytes_per_block", &GpuSpec::reserved_shared_bytes_per_block, 0, 16384},
    {"fp32_lanes_per_multiprocessor", &GpuSpec::fp32_lanes_per_multiprocessor, 32, 1024},
    {"schedulers", &GpuDetails::schedulers, 1, 16},
    {"int32_lanes", &GpuDetails::int32_lanes, 16, 1024},
    {"int32_shares_fp32", &GpuDetails::int32_shares_fp32, 0, 1},
    {"fp64_lanes", &GpuDetails::fp64_lanes, 1, 1024},
    {"special_function_lanes", &GpuDetails::special_function_lanes, 1, 1024},
    {"load_store_lanes", &GpuDetails::load_store_lanes, 1, 1024},
    {"shared_latency", &GpuDetails::shared_latency, 5, 200},
    {"l1_latency", &GpuDetails::l1_latency, 5, 500},
    {"l2_latency", &GpuDetails::l2_latency, 50, 2000},
    {"l2_far_latency", &GpuDetails::l2_far_latency, 50, 2000, 0, true},
    {"l2_line_cycles", &GpuDetails::l2_line_cycles, 0, 100, 0, true},
    {"dram_latency", &GpuDetails::dram_latency, 100, 5000},
    {"shared_bytes_per_cycle", &GpuDetails::shared_bytes_per_cycle, 16, 1024},
    {"l1_bytes_per_cycle", &GpuDetails::l1_bytes_per_cycle, 8, 1024},
    {"l1_lines_per_cycle", &GpuDetails::l1_lines_per_cycle, 0.1, 32},
    {"memory_issue_cycles", &GpuDetails::memory_issue_cycles, 0.5, 64},
    {"memory_queue", &GpuDetails::memory_queue, 1, 256},
    {"l1_bytes", &GpuDetails::l1_bytes, 16384, 1 << 24},
    {"l2_bytes", &GpuDetails::l2_bytes, 1 << 18, 1 << 30},
    {"l2_bytes_per_cycle_per_sm", &GpuDetails::l2_bytes_per_cycle_per_sm, 4, 512},
    {"l2_bandwidth", &GpuDetails::l2_bandwidth, 1e10, 1e15},
    {"dram_efficiency", &GpuDetails::dram_efficiency, 0.2, 1},
    {"barrier_arrival_cycles", &GpuDetails::barrier_arrival_cycles, 0, 100},
    {"barrier_cycles", &GpuDetails::barrier_cycles, 1, 500},
    {"block_start_cycles", &GpuDetails::block_start_cycles, 1, 50000},
    {"instruction_cache_bytes", &GpuDetails::instruction_cache_bytes, 4096, 1 << 24},
    {"fetch_cycles", &GpuDetails::fetch_cycles, 1, 100},
    {"copy_cycles", &GpuDetails::copy_cycles, 0, 5000, 8},
    {"bulk_copy_cycles", &GpuDetails::bulk_copy_cycles, 1, 10000, 9},
    {"tensor_fp16_fmas", &GpuDetails::tensor_fp16_fmas, 1, 65536, 0, true},
    {"tensor_fp16_fp32_fmas", &GpuDetails::tensor_fp16_fp32_fmas, 1, 65536, 0, true},
    {"tensor_tf32_fmas", &GpuDetails::tensor_tf32_fmas, 1, 65536, 8, true},
    {"tensor_int8_fmas", &GpuDetails::tensor_int8_fmas, 1, 65536, 0, true},
    {"tensor_fp8_fmas", &GpuDetails::tensor_fp8_fmas, 1, 65536, 8, true},
    {"tensor_fp8_fp32_fmas", &GpuDetails::tensor_fp8_fp32_fmas, 1, 65536, 8, true},
    {"tensor_fp64_fmas", &GpuDetails::tensor_fp64_fmas, 1, 65536, 8, true},
    {"mma_share", &GpuDetails::mma_share, 0.01, 1, 0, true},
    {"shallow_mma_share", &GpuDetails::shallow_mma_share, 0.01, 1, 0, true},
    {"launch_us", &GpuDetails::launch_us, 0.1, 100},
    {"loaded_clock_ghz", &GpuDetails::loaded_clock_ghz, 0.1, 10},
    {"light_clock_ghz", &GpuDetails::light_clock_ghz, 0.1, 10, 0, true},
    {"tensor_clock_ghz", &GpuDetails::tensor_clock_ghz, 0.1, 10, 0, true},
    {"tensor_busy_ghz", &GpuDetails::tensor_busy_ghz, 0.1, 10, 0, true},
};

auto& at(auto& gpu, auto&, auto GpuSpec::*member) { return gpu.*member; }
auto& at(auto&, auto& details, auto GpuDetails::*member) { return details.*member; }

int read_value(TomlTable& table, const GpuField& field, int) {
  const double value = table.number(field.key, field.least, field.most);
  return value == static_cast<int>(value) ? static_cast<int>(value)
                                          : table.whole_number(field.key, 0);  // which says so
}
double read_value(TomlTable& table, const GpuField& field, double) {
  return table.number(field.key, field.least, field.most);
}
bool read_value(TomlTable& table, const GpuField& field, bool) { return table.is_set(field.key); }

std::string written_value(double value) { return fmt::format("{:.6g}", value); }
std::string written_value(int value) { return fmt::format("{}", value); }
std::string written_value(bool value) { return value ? "true" : "false"; }

// One table [[values]]: a source and its values.
SourcedKeys read_values(TomlTable& table, GpuSpec& gpu, GpuDetails& details,
                        std::map<std::string, FilePlace>& seen) {
  SourcedKeys result{.source = table.text("source"), .keys = {}};
  for (const GpuField& field : gpu_fields) {
    if (!table.has(field.key)) continue;
    const FilePlace place = table.place(field.key);
    if (const auto [first, is_new] = seen.emplace(field.key, place); !is_new) {
      throw place.error(
          fmt::format("'{}' has a value in line {} already", field.key, first->second.line),
          "Keep one of them.");
    }
    std::visit(
        [&](auto member) {
          auto& value = at(gpu, details, member);
          value = read_value(table, field, value);
        },
        field.member);
    result.keys.emplace_back(field.key);
  }
  table.finish();
  return result;
}

// Writes a quoted text of TOML.
std::string in_quotes(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + "\"";
}

}  // namespace

GpuSpec read_gpu(std::string_view text, const std::string& file) {
  const toml::table parsed = parse_toml(text, file);
  TomlTable root(parsed, file, "", gpu_page);
  GpuSpec gpu;
  gpu.name = root.text("name");
  gpu.full_name = root.text("full_name");
  GpuDetails& details = own_details(gpu);
  details.released = root.text_or("released", "");
  if (root.has("driver_names")) details.driver_names = root.texts("driver_names");
  std::map<std::string, FilePlace> seen;
  for (TomlTable& values : root.tables("values")) {
    details.sources.push_back(read_values(values, gpu, details, seen));
  }
  root.finish();
  for (const std::string& key : gpu_keys(gpu.compute_major)) {
    if (seen.contains(key)) continue;
    throw root.place().error(fmt::format("'{}' is missing in all of [[values]]", key));
  }
  gpu.shared_bytes_per_block_optin =
      gpu.shared_bytes_per_multiprocessor - gpu.reserved_shared_bytes_per_block;
  return gpu;
}

std::string written_gpu(const GpuSpec& gpu) {
  const GpuDetails& details = details_of(gpu);
  std::string text =
      fmt::format("# {}. {} says what each key means.\nname = {}\nfull_name = {}\n", gpu.full_name,
                  gpu_page, in_quotes(gpu.name), in_quotes(gpu.full_name));
  for (const SourcedKeys& sourced : details.sources) {
    text += fmt::format("\n[[values]]\nsource = {}\n", in_quotes(sourced.source));
    for (const std::string& key : sourced.keys) {
      const GpuField& field = *std::ranges::find(gpu_fields, key, &GpuField::key);
      const std::string value = std::visit(
          [&](auto member) { return written_value(at(gpu, details, member)); }, field.member);
      text += fmt::format("{} = {}\n", key, value);
    }
  }
  return text;
}

std::vector<std::string> gpu_keys(int compute_major) {
  std::vector<std::string> keys;
  for (const GpuField& field : gpu_fields) {
    if (!field.optional && compute_major >= field.since_major) keys.emplace_back(field.key);
  }
  return keys;
}

double number_of(const GpuSpec& gpu, std::string_view key) {
  const auto* const field = std::ranges::find(gpu_fields, key, &GpuField::key);
  if (field == std::end(gpu_fields)) throw std::out_of_range(std::string(key));
  return std::visit(
      [&](auto member) { return static_cast<double>(at(gpu, details_of(gpu), member)); },
      field->member);
}

void set_gpu_value(GpuSpec& gpu, std::string_view key, double value) {
  const GpuField& field = *std::ranges::find(gpu_fields, key, &GpuField::key);
  GpuDetails& details = own_details(gpu);
  std::visit(
      [&](auto member) {
        auto& old = at(gpu, details, member);
        old = static_cast<std::remove_reference_t<decltype(old)>>(value);
      },
      field.member);
}

}  // namespace gemm_tutor::simt
