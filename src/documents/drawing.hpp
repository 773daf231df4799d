// What the drawings of picture_svg.hpp are made of, before each becomes an <svg> of its own or a
// part of a larger one.
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
  std::string kind;  // "access", "tile": the class that picture.css knows it by
  std::string what;  // in words, plain text
  int width = 0, height = 0;
  std::string body;  // SVG elements
};

Drawing access_drawing(const AccessPicture& picture, bool names);
// `numbers`: of the warps or lanes, where there is room.
Drawing tile_drawing(const TileOwners& tile, std::optional<int> warp, bool numbers = true);

Drawing drawing_of(const Diagram& diagram);

// Elements next to one another that are a single warp's, or with `warp` that one's and a single
// thread's.
struct OwnedBlock {
  int number = 0;                                  // of the warp, or of the thread
  int row = 0, column = 0, rows = 1, columns = 1;  // from the tile's first on
};
std::vector<OwnedBlock> owned_blocks(const TileOwners& tile, std::optional<int> warp);

// As an element of a page.
std::string svg_element(const Drawing& drawing);

// A <path> of that class; nothing for no way.
std::string svg_path(std::string_view kind, const std::string& way);

// The text as a <text> about that place: in small letters where the usual ones have no room, then
// squeezed, then `shorter` in its place; empty where that has no room either.
std::string fitting_text(const std::string& text, const std::string& shorter, double middle,
                         double baseline, double room);

}  // namespace gemm_tutor
