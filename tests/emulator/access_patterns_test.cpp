// The rules for what a request costs against what Nsight Compute counted of every pattern in
// access_patterns.csv, which says where and when (scripts/measure-access-patterns writes it).
#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "catch.hpp"
#include "simt/count/access_cost.hpp"

namespace gemm_tutor::simt {
namespace {

struct Measured {
  std::string space, operation;
  int bytes = 0;
  std::uint32_t active = 0;
  std::vector<std::uint32_t> offsets;  // of the lanes, in elements of `bytes`
  std::uint32_t cost = 0;
  std::uint32_t conflicts = 0;  // of a request of shared memory
};

std::string field(std::istringstream& line, char end) {
  std::string text;
  std::getline(line, text, end);
  return text;
}

Measured measured(const std::string& row) {
  std::istringstream line(row);
  Measured result;
  result.space = field(line, ',');
  result.operation = field(line, ',');
  result.bytes = std::stoi(field(line, ','));
  result.active = static_cast<std::uint32_t>(std::stoul(field(line, ','), nullptr, 16));
  std::istringstream offsets(field(line, ','));
  for (std::uint32_t offset = 0; offsets >> offset;) result.offsets.push_back(offset);
  result.cost = static_cast<std::uint32_t>(std::stoul(field(line, ',')));
  if (result.space == "shared")
    result.conflicts = static_cast<std::uint32_t>(std::stoul(field(line, ',')));
  return result;
}

std::vector<Measured> all_measured() {
  std::ifstream file(PROJECT_SOURCE_DIR "/tests/emulator/access_patterns.csv");
  std::vector<Measured> result;
  for (std::string row; std::getline(file, row);) {
    if (!row.starts_with("#") && !row.starts_with("space,")) result.push_back(measured(row));
  }
  return result;
}

// What the emulator says it costs. A cp.async reads consecutive elements and writes at the offsets.
SharedCost predicted(const Measured& row) {
  std::vector<std::uint64_t> addresses, consecutive;
  std::vector<std::uint32_t> offsets;
  const auto bytes = static_cast<std::uint32_t>(row.bytes);
  for (std::uint32_t lane = 0; lane < row.offsets.size(); ++lane) {
    offsets.push_back(row.offsets[lane] * bytes);
    addresses.push_back(offsets.back());
    consecutive.push_back(lane * bytes);
  }
  if (row.space == "shared") {
    return shared_cost(offsets.data(), row.active, row.bytes, row.operation == "store");
  }
  if (row.space == "global") return {global_sectors(addresses.data(), row.active, row.bytes), 0};
  return {row.bytes == 16 ? copied_sectors(consecutive.data(), offsets.data(), row.active)
                          : global_sectors(consecutive.data(), row.active, row.bytes),
          0};
}

TEST_CASE("every measured access pattern costs what the hardware counted") {
  const std::vector<Measured> rows = all_measured();
  REQUIRE(rows.size() > 1000);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    INFO("row " << r << ": " << rows[r].space << " " << rows[r].operation << " of " << rows[r].bytes
                << " bytes");
    const SharedCost cost = predicted(rows[r]);
    CHECK(cost.wavefronts == rows[r].cost);
    CHECK(cost.conflicts == rows[r].conflicts);
  }
}

}  // namespace
}  // namespace gemm_tutor::simt
