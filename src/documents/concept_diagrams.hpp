// What a lesson is about, drawn from the kernel's real settings and the real problem: the drawings
// that its lesson.toml names (course/lesson.hpp).
#pragma once

#include <optional>
#include <vector>

#include "course/lesson.hpp"
#include "run/run.hpp"
#include "trace/trace.hpp"
#include "view/diagram.hpp"

namespace gemm_tutor {

// A kernel with these settings at that size.
struct DrawnKernel {
  const Kernel& kernel;
  const Settings& settings;
  const Problem& problem;
};

// C, A and B, with one block's tile and the strips that it walks along K.
Diagram tiles_diagram(const KernelDrawing& drawing, const DrawnKernel& drawn);
// A thread's values of A and of B, each multiplied with each, and in which order if the drawing says
// it.
Diagram outer_product_diagram(const KernelDrawing& drawing, const DrawnKernel& drawn);
// The buffers of shared memory over time: what is loaded while what is computed.
Diagram timeline_diagram(const KernelDrawing& drawing, const DrawnKernel& drawn);
// Which block computes which steps of which tile, where blocks share tiles.
Diagram shares_diagram(const DrawnKernel& drawn);
// What was recorded of cuBLAS at several sizes.
Diagram rates_diagram();
// Who stores C, or loads A or B, as the emulator recorded it.
Diagram owners_diagram(const KernelDrawing& drawing, const Trace& trace);

// It is of what the emulator recorded: of trace_of_owners().
bool is_of_owners(const KernelDrawing& drawing);

// The first block of a grid of few blocks and of few steps along K, which are cut as those of the
// problem are: who owns which element of a tile does not depend on how many there are. Nothing
// where the kernel's drawings need no such trace.
std::optional<Trace> trace_of_owners(const Lesson& lesson, const Kernel& kernel,
                                     const Settings& settings, const RunOptions& options);

// A drawing and the sentence before it.
struct DrawnConcept {
  std::string text;
  Diagram diagram;
};

// In the order of lesson.toml: those by the settings, those of owners, and first the ones and then
// the others.
std::vector<DrawnConcept> setting_concepts(const DrawnKernel& drawn);
std::vector<DrawnConcept> owner_concepts(const Kernel& kernel, const Trace& owners);
std::vector<DrawnConcept> drawn_concepts(const DrawnKernel& drawn,
                                         const std::optional<Trace>& owners);

// For a terminal and a page; and as that `file` beside it, where it is not empty.
Picture concept_picture(const DrawnConcept& drawn, const std::string& file = {});

// All of them; without parts for none.
Section concepts_section(const std::vector<DrawnConcept>& concepts);

// A file of its own.
std::string diagram_svg(const Diagram& diagram);

}  // namespace gemm_tutor
