// What is drawn is what the pictures say, in place.
#include "report/picture_svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <set>

#include "catch.hpp"
#include "report/trace_report.hpp"
#include "sample.hpp"
#include "svg_elements.hpp"
#include "trace/sample_trace.hpp"
#include "trace/traces.hpp"
#include "view/style.hpp"
#include "view/text_checks.hpp"

namespace gemm_tutor {
namespace {

using simt::Access;
using simt::MemorySpace;

constexpr std::size_t most_bytes = 12'000;

// The rectangle of a path "M0 1h1v1h-1z", in words or elements.
struct Rectangle {
  int x = 0, y = 0, width = 0, height = 0;
};

std::vector<Rectangle> rectangles_of(const std::string& way) {
  std::vector<Rectangle> result;
  for (const std::string& part : split(way, 'z')) {
    if (part.empty()) continue;
    Rectangle r;
    int back = 0, end = 0;
    REQUIRE(std::sscanf(part.c_str(), "M%d %dh%dv%dh%d%n", &r.x, &r.y, &r.width, &r.height, &back,
                        &end) == 5);
    CHECK(end == std::ssize(part));
    CHECK(back == -r.width);
    result.push_back(r);
  }
  return result;
}

std::string request_svg(const AccessPicture& picture, bool names = true) {
  return svg_element(request_diagram(picture, names));
}

bool is_of_class(const SvgElement& element, const std::string& kind) {
  const std::vector<std::string> kinds = split(element.attribute("class"), ' ');
  return std::ranges::count(kinds, kind) > 0;
}

// Lanes as they are drawn.
struct DrawnCell {
  std::uint32_t lanes = 0;
  std::uint64_t at = 0;
  Rectangle place;
  std::vector<std::string> kinds;

  bool is(const std::string& kind) const { return std::ranges::count(kinds, kind) > 0; }
};

std::vector<DrawnCell> cells_of(const std::vector<SvgElement>& elements) {
  std::vector<DrawnCell> cells;
  for (const SvgElement& element : elements) {
    if (element.attribute("data-lanes").empty()) continue;
    DrawnCell cell;
    for (const std::string& lane : split(element.attribute("data-lanes"), ' ')) {
      cell.lanes |= 1u << std::stoi(lane);
    }
    cell.at = std::stoull(element.attribute("data-at"));
    cell.kinds = split(element.attribute("class"), ' ');
    const std::vector<Rectangle> places = rectangles_of(element.attribute("d"));
    REQUIRE(places.size() == 1);
    cell.place = places[0];
    cells.push_back(cell);
  }
  return cells;
}

std::vector<SvgElement> named(const std::vector<SvgElement>& elements, const std::string& name,
                              const std::string& kind) {
  std::vector<SvgElement> result;
  for (const SvgElement& element : elements) {
    if (element.name == name && is_of_class(element, kind)) result.push_back(element);
  }
  return result;
}

void check_places(const std::vector<DrawnCell>& cells) {
  for (const DrawnCell& cell : cells) {
    CHECK(cell.place.x == static_cast<int>(cell.at / 4 % 32));
    CHECK(cell.is("many") == (std::popcount(cell.lanes) > 1));
  }
}

void check_global(const AccessPicture& picture, const std::vector<SvgElement>& elements) {
  const std::vector<DrawnCell> cells = cells_of(elements);
  std::set<std::uint64_t> sectors;
  std::set<int> rows;
  std::uint32_t lanes = 0;
  int words = 0;
  for (const DrawnCell& cell : cells) {
    sectors.insert((cell.at + base_of(picture.access)) / 32);
    rows.insert(cell.place.y);
    CHECK((lanes & cell.lanes) == 0);
    lanes |= cell.lanes;
    words += cell.place.width;
  }
  std::set<std::uint64_t> expected;
  for (const SectorPicture& sector : picture.global()->sectors) expected.insert(sector.number);
  CHECK(sectors == expected);
  CHECK(lanes == picture.access.active);
  CHECK(std::ssize(rows) == picture.global()->lines);
  CHECK(4 * words == picture.global()->bytes_used);
  CHECK(std::ssize(named(elements, "text", "name")) == picture.global()->lines);
}

void check_shared(const AccessPicture& picture, const std::vector<SvgElement>& elements) {
  std::set<std::array<std::uint64_t, 3>> drawn, expected;  // pass, word, lanes
  std::map<int, std::uint64_t> pass_of_row;
  const std::vector<DrawnCell> cells = cells_of(elements);
  for (const DrawnCell& cell : cells) pass_of_row[cell.place.y] = 0;
  std::uint64_t passes = 0;
  for (auto& [y, pass] : pass_of_row) pass = passes++;
  for (const DrawnCell& cell : cells) {
    for (int word = 0; word < cell.place.width; ++word) {
      const std::uint64_t place = (cell.at + base_of(picture.access)) / 4;
      drawn.insert(
          {pass_of_row[cell.place.y], place + static_cast<std::uint64_t>(word), cell.lanes});
    }
  }
  std::uint64_t pass = 0;
  for (const GroupPicture& group : picture.shared()->groups) {
    for (const PassPicture& of_group : group.passes) {
      for (const BankWord& word : of_group.words) expected.insert({pass, word.word, word.lanes});
      ++pass;
    }
  }
  CHECK(drawn == expected);
  const std::vector<SvgElement> labels = named(elements, "text", "name");
  CHECK(std::ssize(labels) == picture.shared()->wavefronts);
  CHECK(std::ranges::count_if(labels, [](const SvgElement& label) {
          return is_of_class(label, "later");
        }) == picture.shared()->conflicts);
}

void check_drawing(const AccessPicture& picture) {
  const std::string svg = request_svg(picture);
  CHECK(svg.size() < most_bytes);
  const std::vector<SvgElement> elements = elements_of(svg);
  check_places(cells_of(elements));
  picture.global() ? check_global(picture, elements) : check_shared(picture, elements);
}

// Requests with the same have the same drawing, names apart.
using Shape =
    std::tuple<MemorySpace, bool, int, std::uint32_t, std::uint32_t, std::array<std::uint64_t, 32>>;

Shape shape_of(const AccessPicture& picture) {
  const Access& access = picture.access;
  Shape shape = {access.space, access.store, access.bytes, access.active, picture.outside, {}};
  for (const int lane : lanes_of(access.active)) {
    const auto i = static_cast<std::size_t>(lane);
    std::get<5>(shape)[i] = access.offsets[i] - base_of(access);
  }
  return shape;
}

AccessPicture sample(const Request& request, const OffsetOfLane& offset) {
  return draw(sample_trace(), access_of(request, offset));
}

std::string shown_in(const std::string& svg, const std::string& kind) {
  std::vector<std::string> texts;
  for (const SvgElement& text : named(elements_of(svg), "text", kind)) texts.push_back(text.text);
  return join(texts, "|");
}

// The texts in the middle of cells of that kind.
std::string labels_of(const std::string& svg, const std::string& kind) {
  const std::vector<SvgElement> elements = elements_of(svg);
  std::vector<std::string> labels;
  for (const DrawnCell& cell : cells_of(elements)) {
    if (!cell.is(kind)) continue;
    const Rectangle& r = cell.place;
    const std::string x = fmt::format("{:.5g}", 124 + 22 * (r.x + r.width / 2.0));
    const std::string y = fmt::format("{:.5g}", 18 * (r.y + r.height / 2.0) + 4.5);
    for (const SvgElement& text : elements) {
      const bool is_there = text.attribute("x") == x && text.attribute("y") == y;
      if (text.name == "text" && is_there) labels.push_back(text.text);
    }
  }
  return join(labels, "|");
}

// Each element's owner, from the drawn rectangles: "c3 data-warp 11", "several"; empty for none.
std::vector<std::string> painted(const TileOwners& tile, std::optional<int> warp) {
  const int columns = tile.region.columns();
  std::vector<std::string> owners(static_cast<std::size_t>(tile.region.elements()));
  for (const SvgElement& path : elements_of(svg_element(tile_diagram(tile, warp)))) {
    const std::string kind = path.attribute("class");
    if (path.name != "path" || kind == "tile-frame" || kind == "label") continue;
    std::string owner = kind;
    for (const std::string key : {"data-warp", "data-thread"}) {
      if (!path.attribute(key).empty()) owner = key + " " + path.attribute(key);
    }
    for (const Rectangle& r : rectangles_of(path.attribute("d"))) {
      for (int y = r.y; y < r.y + r.height; ++y) {
        for (int x = r.x; x < r.x + r.width; ++x) {
          std::string& at = owners.at(static_cast<std::size_t>(y * columns + x));
          CHECK(at == "");
          at = owner;
        }
      }
    }
  }
  return owners;
}

std::string name_of(const Owner& owner, std::optional<int> warp) {
  if (owner.warp < 0) return "";
  if (warp ? owner.several_threads : owner.several_warps) return "several";
  if (!warp) return fmt::format("data-warp {}", owner.warp);
  return owner.warp == *warp ? fmt::format("data-thread {}", owner.thread) : "other";
}

void check_tile(const TileOwners& tile, std::optional<int> warp) {
  std::vector<std::string> expected;
  for (const Owner& owner : tile.owners) expected.push_back(name_of(owner, warp));
  CHECK((painted(tile, warp) == expected));
}

}  // namespace

TEST_CASE("every request of every lesson is drawn as its picture says, in few bytes", "[long]") {
  for (const auto& [lesson, kernel] : sample_of(cuda_kernels(), 14)) {
    INFO(kernel->name);
    const Trace trace = lesson_trace(*lesson, *kernel, {128, 128, 32}, {0, 0, 0});
    std::map<Shape, std::string> drawings;
    Paddings paddings(trace);
    for (const Access& access : trace.result.accesses) {
      const AccessPicture picture = draw(trace, access, paddings);
      const auto [place, is_new] = drawings.emplace(shape_of(picture), "");
      if (is_new) {
        check_drawing(picture);
        place->second = request_svg(picture, false);
      } else if (access.step == 1) {
        CHECK(request_svg(picture, false) == place->second);
      }
    }
    CHECK(drawings.size() > 2);
  }
}

TEST_CASE("a request's base is its lowest offset, in whole lines") {
  const Request request;
  CHECK(base_of(access_of(request, [](int lane) { return 4 * lane; })) == 0);
  CHECK(base_of(access_of(request, [](int lane) { return 300 - 4 * lane; })) == 128);
  CHECK(base_of(access_of(request, [](int lane) { return 4 * lane - 8; })) ==
        std::uint64_t{0} - 128);
  CHECK(base_of(access_of({.active = 0}, [](int) { return 0; })) == 0);
  CHECK(base_of(access_of({.active = 2}, [](int) { return 640; })) == 640);
}

TEST_CASE("a strided request: a row for each line, with the waste beside its lane") {
  const std::string svg = request_svg(sample({}, [](int lane) { return 256 * lane; }));
  const std::vector<SvgElement> elements = elements_of(svg);
  CHECK(cells_of(elements).size() == 32);
  CHECK(shown_in(svg, "name").starts_with("A[0][0]|A[1][0]|A[2][0]|"));
  CHECK(std::ranges::all_of(cells_of(elements), [](const DrawnCell& cell) {
    return cell.is("doubtful") && cell.place.width == 1;
  }));
  CHECK(contains(svg, "aria-label=\"Lanes 0-31 in 32 sectors of 32 lines of 128 bytes\""));
  const std::vector<SvgElement> moved = named(elements, "path", "moved");
  REQUIRE(moved.size() == 1);
  const std::vector<Rectangle> sectors = rectangles_of(moved[0].attribute("d"));
  CHECK(sectors.size() == 32);
  CHECK(std::ranges::all_of(sectors, [](const Rectangle& sector) { return sector.width == 8; }));
}

TEST_CASE("without names, their places are left for a script") {
  const AccessPicture picture = sample({}, [](int lane) { return 512 + 256 * lane; });
  const std::string svg = request_svg(picture, false);
  const std::vector<SvgElement> names = named(elements_of(svg), "text", "name");
  REQUIRE(names.size() == 32);
  CHECK(names[0].text == "");
  CHECK(names[3].attribute("data-at") == "768");
  CHECK(svg == request_svg(sample({}, [](int lane) { return 256 * lane; }), false));
}

TEST_CASE("lanes that want the same word stand together") {
  const std::string all = request_svg(sample({}, [](int) { return 20; }));
  CHECK(labels_of(all, "many") == "0-31");
  CHECK(contains(all, "data-lanes=\"0 1 2 3 4"));
  const std::string halves =
      request_svg(sample({MemorySpace::shared}, [](int lane) { return lane < 16 ? 0 : 128 + 4; }));
  CHECK(labels_of(halves, "many") == "0-15|16-31");
  const std::string odd =
      request_svg(sample({MemorySpace::shared}, [](int lane) { return lane % 3 == 1 ? 0 : 4; }));
  CHECK(labels_of(odd, "many") == "11×|21×");
}

TEST_CASE("conflicts are rows of their own, told by their labels") {
  const std::string svg =
      request_svg(sample({MemorySpace::shared}, [](int lane) { return 128 * (lane % 3); }));
  CHECK(shown_in(svg, "name") == "pass 1|pass 2 · conflict|pass 3 · conflict");
  const std::string wide =
      request_svg(sample({MemorySpace::shared, false, 16}, [](int lane) { return 32 * lane; }));
  CHECK(shown_in(wide, "name").starts_with("lanes 0-7 · pass 1|lanes 0-7 · pass 2|lanes 8-15"));
}

TEST_CASE("lanes out of bounds are marked, those before the matrix too") {
  const std::string svg = request_svg(sample({}, [](int lane) { return 4 * lane - 8; }));
  CHECK(labels_of(svg, "bad") == "0|1");
  CHECK(shown_in(svg, "name") == "A[-1][32]|A[0][0]");
  CHECK(request_svg(sample({.active = 0}, [](int) { return 0; })).starts_with("<svg "));
}

TEST_CASE("tiles are painted by owner, element by element, for every lesson", "[long]") {
  for (const auto& [lesson, kernel] : sample_of(cuda_kernels(), 9)) {
    INFO(kernel->name);
    const WhoLoads who = who_loads(lesson_trace(*lesson, *kernel, {128, 128, 32}, {0, 0, 0}), 0);
    for (const TileOwners* tile : {&who.a, &who.b, &who.c}) {
      check_tile(*tile, {});
      check_tile(*tile, 0);
      CHECK(svg_element(tile_diagram(*tile)).size() < most_bytes);
    }
    elements_of(who_loads_svg(who));
    elements_of(who_loads_svg(who, 0));
  }
}

TEST_CASE("a tile's elements of several and of nobody") {
  TileOwners tile{'B', {4, 6, 10, 13}, std::vector<Owner>(6)};
  tile.owners[0] = {0, 3};
  tile.owners[1] = {0, 4, false, true};
  tile.owners[2] = {1, 40, true, true};
  tile.owners[5] = {9, 300};
  check_tile(tile, {});
  check_tile(tile, 0);
  const std::string svg = svg_element(tile_diagram(tile));
  CHECK(occurrences(svg, "class=\"several\"") == 1);
  CHECK(contains(svg, "class=\"c1\" data-warp=\"9\""));
  CHECK(shown_in(svg, "dim") == "10|12|4|5");
  CHECK(contains(svg, "B: rows 4 to 5, columns 10 to 12"));
}

TEST_CASE("a trace as a file: well-formed, its colours in place, and no folder told of") {
  Trace trace = sample_trace();
  trace.name = "kernel<1, 2>";
  trace.kernel.file_name = "/home/learner/it's \"mine\" & <yours>.cu";
  const AccessPicture picture = sample({}, [](int lane) { return 4 * lane - 8; });
  const std::vector<SelectedLine> lines = {
      {2, "  if (a < b && c) x = \"'\x01]]>\";", {{picture, 3}}}};
  const std::string svg = trace_svg(trace, traced(trace).title, {}, lines);
  const std::vector<SvgElement> elements = elements_of(svg);
  CHECK(elements[0].attribute("xmlns") == "http://www.w3.org/2000/svg");
  CHECK(elements[0].attribute("viewBox") ==
        fmt::format("0 0 {} {}", elements[0].attribute("width"), elements[0].attribute("height")));
  CHECK(elements[1].name == "title");
  CHECK(elements[1].text == "Trace of it&#39;s &quot;mine&quot; &amp; &lt;yours&gt;.cu");
  CHECK(elements[2].name == "desc");
  CHECK_FALSE(contains(svg, "learner"));
  CHECK_FALSE(contains(svg, "var("));
  CHECK(occurrences(svg, "prefers-color-scheme: dark") == 1);
  CHECK(contains(svg, "2 │ if (a &lt; b &amp;&amp; c)"));
  CHECK(contains(svg, "out of bounds: lanes 0-1"));
  CHECK(contains(svg, "4 such requests"));
  elements_of(trace_svg(trace, "Trace", {}, {}));
}

TEST_CASE("a row's name and place are those of its first element, touched or not") {
  const AccessPicture picture =
      sample({.active = 3}, [](int lane) { return 1024 + 260 * lane + 96; });
  CHECK(shown_in(request_svg(picture), "name") == "A[4][0]|A[5][0]");
  const std::string svg = request_svg(picture, false);
  const std::vector<SvgElement> names = named(elements_of(svg), "text", "name");
  REQUIRE(names.size() == 2);
  CHECK(names[0].attribute("data-at") == "0");
  CHECK(names[1].attribute("data-at") == "256");
}

TEST_CASE("a misaligned request has no lanes drawn") {
  for (const MemorySpace space : {MemorySpace::global, MemorySpace::shared}) {
    const std::string svg =
        request_svg(sample({space, false, 16}, [](int lane) { return 16 * lane + 4; }));
    CHECK(cells_of(elements_of(svg)).empty());
  }
}

TEST_CASE("a long line of source is broken within the drawing") {
  const AccessPicture picture = sample({}, [](int lane) { return 4 * lane; });
  std::string code = "  x";
  while (code.size() < 111) code += " + x";
  const std::string svg = trace_svg(sample_trace(), "Trace", {}, {{2, code, {{picture}}}});
  int lines = 0;
  std::size_t characters = 0;
  for (const SvgElement& element : elements_of(svg)) {
    if (element.name != "text" || element.attribute("class") != "code") continue;
    ++lines;
    CHECK(columns(element.text) * 8 <= 832);
    for (const char c : element.text) characters += c == 'x' ? 1 : 0;
  }
  CHECK(lines == 2);
  CHECK(characters == 28);
}

// What is drawn of a thread of warp 0, tile by tile: A after B, and C; then what is written and
// read.
std::vector<std::string> drawn_of_thread(const std::string& svg) {
  std::vector<std::string> drawn;
  for (const SvgElement& path : elements_of(svg)) {
    if (path.attribute("data-warp") == "0") drawn.push_back(path.attribute("d"));
  }
  return drawn;
}

TEST_CASE("a thread as a file: its elements of the matrices and of shared memory") {
  const Trace trace = lesson_trace("7", "vectorized_loads", {256, 256, 32}, {1, 1, 0});
  const ThreadStory story = thread_story(trace, {.number = 18, .step = 1});
  const std::string svg = thread_svg(trace, story);
  const std::vector<std::string> expected = {"M72 0h4v1h-4z",   // B[8][200…203]
                                             "M0 9h4v1h-4z",    // A[137][8…11]
                                             "M16 8h8v8h-8z",   // C[136…143][144…151]
                                             "M0 9h4v1h-4z",    // a_tile[9][0…3]
                                             "M0 8h8v8h-8z",    // a_tile[8…15][0…7]
                                             "M72 0h4v1h-4z",   // b_tile[0][72…75]
                                             "M16 0h8v8h-8z"};  // b_tile[0…7][16…23]
  CHECK(drawn_of_thread(svg) == expected);
  CHECK(contains(svg, ">a_tile[128][8], written in this step<"));
  CHECK_FALSE(contains(svg, "var("));
}

TEST_CASE("a thread as a file: shared arrays that are called as matrices are") {
  Trace trace = lesson_trace("7", "vectorized_loads", {256, 256, 32}, {0, 0, 0});
  const ThreadChoice choice{.number = 18, .step = 0};
  const std::vector<std::string> drawn =
      drawn_of_thread(thread_svg(trace, thread_story(trace, choice)));
  REQUIRE(trace.result.shared_arrays.size() == 2);
  trace.result.shared_arrays[0].name = "A";
  trace.result.shared_arrays[1].name = "B";
  CHECK(drawn_of_thread(thread_svg(trace, thread_story(trace, choice))) == drawn);
}

}  // namespace gemm_tutor
