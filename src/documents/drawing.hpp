// Drawings before they become an <svg> element or a part of a larger one (picture_svg.hpp).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trace/picture.hpp"
#include "trace/who_loads.hpp"
#include "view/diagram.hpp"

namespace gemm_tutor {

struct Drawing {
  std::string kind;  // "access", "tile": its class in picture.css
  std::string what;  // a description, plain text
  int width = 0, height = 0;
  std::string body;  // SVG elements
};

Drawing access_drawing(const AccessPicture& picture, bool names);
// If `numbers` is true, shows the numbers of warps or lanes if there is room.
Drawing tile_drawing(const TileOwners& tile, std::optional<int> warp, bool numbers = true);

Drawing drawing_of(const Diagram& diagram);

// Neighbouring elements of one warp or, with `warp`, of one thread of that warp.
struct OwnedBlock {
  int number = 0;                                  // of the warp or the thread
  int row = 0, column = 0, rows = 1, columns = 1;  // in the tile
};
std::vector<OwnedBlock> owned_blocks(const TileOwners& tile, std::optional<int> warp);

// Returns an <svg> element for a page.
std::string svg_element(const Drawing& drawing);

// Returns a <path> of class `kind`; empty if `way` is empty.
std::string svg_path(std::string_view kind, const std::string& way);

// Returns a <text> centred at `middle`. If there is no room, it uses small letters, then condensed
// ones, then `shorter`. Empty if that has no room, either.
std::string fitting_text(const std::string& text, const std::string& shorter, double middle,
                         double baseline, double room);

}  // namespace gemm_tutor
