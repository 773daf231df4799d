#include "documents/access_words.hpp"

#include <fmt/format.h>

#include <bit>

#include "support/text.hpp"
#include "view/units.hpp"

namespace gemm_tutor {
namespace {

using simt::Access;

std::string kind_of(const Access& access) {
  const char* space = access.space == simt::MemorySpace::shared ? "shared" : "global";
  return fmt::format("{} {}{}", space, access.store ? "store" : "load",
                     access.asynchronous ? " by cp.async" : "");
}

std::string lanes_at_work(const Access& access) {
  const int lanes = std::popcount(access.active);
  std::string text = fmt::format("{} per lane", counted(access.bytes, "byte"));
  if (lanes < 32) text += fmt::format(" of {}", counted(lanes, "lane"));
  if (access.joined > 1) {
    text += fmt::format(", {} {}s joined", access.joined, access.store ? "store" : "load");
  }
  return text;
}

std::string cost_text(const Access& access, const GlobalPicture& picture) {
  std::string text = fmt::format(
      "{} in {} of 128 bytes · {} of {} bytes used",
      counted(static_cast<std::int64_t>(picture.sectors.size()), "sector"),
      counted(picture.lines, "line"), picture.bytes_used, with_thousands(picture.bytes_moved));
  if (access.asynchronous && access.cost != picture.sectors.size()) {
    text += fmt::format(" · counted as {}, by where they go", access.cost);
  }
  return text;
}

std::string cost_text(const Access& access, const SharedPicture& picture) {
  std::string text = counted(picture.wavefronts, "wavefront");
  if (picture.conflicts > 0) text += fmt::format(", {} by bank conflicts", picture.conflicts);
  if (picture.broadcasts > 0)
    text += fmt::format(" · {}", counted(picture.broadcasts, "broadcast"));
  if (access.asynchronous) text += " · not counted as a request";
  return text;
}

// A sentence, whose first letter may be small.
std::string sentence(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 32);
  return text + ".";
}

std::string lanes_in_words(std::uint32_t mask) {
  if (mask == 0xffffffff) return "all 32 lanes";
  const bool one = std::popcount(mask) == 1;
  return fmt::format("{} {}", one ? "lane" : "lanes", lanes_text(mask));
}

// The emulator counts such a request by the first bytes of its lanes.
void add_misaligned(AccessWords& words, const AccessPicture& picture) {
  const Access& access = picture.access;
  const bool shared = access.space == simt::MemorySpace::shared;
  words.cost = counted(access.cost, shared ? "wavefront" : "sector") + " counted · not drawn";
  if (!words.outside.empty()) words.outside += "; ";
  words.outside += fmt::format("misaligned: {}", lanes_in_words(picture.misaligned));
  words.why = fmt::format(
      "The {} bytes of a lane must begin at a multiple of {}: a GPU stops at this request.",
      access.bytes, access.bytes);
}

}  // namespace

std::vector<LineOfSectors> by_line(const GlobalPicture& picture) {
  std::vector<LineOfSectors> lines;
  for (const SectorPicture& sector : picture.sectors) {
    const std::uint64_t number = sector.number / sectors_of_line;
    if (lines.empty() || lines.back().number != number) lines.push_back({number, {}});
    lines.back().sectors[sector.number % sectors_of_line] = &sector;
  }
  return lines;
}

AccessWords words_of(const SelectedAccess& selected) {
  const AccessPicture& picture = selected.picture;
  const GlobalPicture* global = picture.global();
  const SharedPicture* shared = picture.shared();
  AccessWords words;
  words.kind = kind_of(picture.access);
  words.from = fmt::format("from {} on · {}", (global ? global->first : shared->first).text(),
                           lanes_at_work(picture.access));
  if (selected.alike > 0) words.from += fmt::format(" · {} such requests", selected.alike + 1);
  if (picture.outside != 0) {
    words.outside = fmt::format("out of bounds: {}", lanes_in_words(picture.outside));
  }
  if (picture.misaligned != 0) {
    add_misaligned(words, picture);
    return words;
  }
  words.cost = global ? cost_text(picture.access, *global) : cost_text(picture.access, *shared);
  words.why = sentence(global ? global->why : shared->why);
  const std::string& remedy = global ? global->remedy : shared->remedy;
  if (!remedy.empty()) words.remedy = sentence(remedy);
  return words;
}

std::string lanes_text(std::uint32_t mask) {
  if (mask == 0xffffffff) return "all 32";
  const std::vector<int> lanes = lanes_of(mask);
  const int step = lanes.size() > 1 ? lanes[1] - lanes[0] : 1;
  bool is_even = true;
  for (std::size_t i = 1; i < lanes.size(); ++i)
    is_even = is_even && lanes[i] - lanes[i - 1] == step;
  if (is_even && step > 1 && lanes.size() > 2) {
    return fmt::format("{},{}..{}", lanes[0], lanes[1], lanes.back());
  }
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < lanes.size();) {
    std::size_t end = i + 1;
    while (end < lanes.size() && lanes[end] == lanes[end - 1] + 1) ++end;
    parts.push_back(end - i == 1 ? std::to_string(lanes[i])
                                 : fmt::format("{}-{}", lanes[i], lanes[end - 1]));
    i = end;
  }
  return join(parts, ",");
}

}  // namespace gemm_tutor
