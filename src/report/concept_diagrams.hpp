// The drawings that lesson.toml names (course/lesson.hpp). They explain a lesson's concept with the
// kernel's settings and the problem.
#pragma once

#include <optional>
#include <vector>

#include "course/lesson.hpp"
#include "course/lesson_run.hpp"
#include "run/run.hpp"
#include "view/document.hpp"

namespace gemm_tutor {

// A kernel with these settings at that size.
struct DrawnKernel {
  const Kernel& kernel;
  const Settings& settings;
  const Problem& problem;
};

// C, A and B, with one block's tile and the parts of A and B that it reads along K.
Diagram tiles_diagram(const KernelDrawing& drawing, const DrawnKernel& drawn);
// A thread's values of A and of B and their outer product, with its order if the drawing has one.
Diagram outer_product_diagram(const KernelDrawing& drawing, const DrawnKernel& drawn);
// The buffers of shared memory over time: what is loaded and computed at the same time.
Diagram timeline_diagram(const KernelDrawing& drawing, const DrawnKernel& drawn);
// The steps of tiles that each block computes, if blocks share tiles.
Diagram shares_diagram(const DrawnKernel& drawn);
// The recorded rates of cuBLAS at several sizes.
Diagram rates_diagram();
// The owners that store C, or load A or B, from the emulator's recording.
Diagram owners_diagram(const KernelDrawing& drawing, const Trace& trace);

// True if the drawing needs a trace: that of trace_of_owners().
bool is_of_owners(const KernelDrawing& drawing);

// Traces the first block of a small problem, with few blocks and few steps along K, whose partial
// tiles are like those of the problem. The owners of a tile's elements do not depend on the number
// of tiles. Returns nothing if the kernel's drawings need no trace.
std::optional<Trace> trace_of_owners(const LessonKernel& of, const RunOptions& options);

// A drawing and the sentence before it.
struct DrawnConcept {
  std::string text;
  Diagram diagram;
};

// The drawings in the order of lesson.toml: those made from the settings, those of owners, and
// both, one after the other.
std::vector<DrawnConcept> setting_concepts(const DrawnKernel& drawn);
std::vector<DrawnConcept> owner_concepts(const Kernel& kernel, const Trace& owners);
std::vector<DrawnConcept> drawn_concepts(const DrawnKernel& drawn,
                                         const std::optional<Trace>& owners);
// Those of a lesson's run with these options, with the trace of its owners.
std::vector<DrawnConcept> drawn_concepts(const LessonRun& run, const RunOptions& options);

// For a terminal and a page. If `file` is not empty, it is the drawing's file next to the page.
Picture concept_picture(const DrawnConcept& drawn, const std::string& file = {});

// All drawings; may be empty.
Section concepts_section(const std::vector<DrawnConcept>& concepts);

// Returns the text of an SVG file.
std::string diagram_svg(const Diagram& diagram);

}  // namespace gemm_tutor
