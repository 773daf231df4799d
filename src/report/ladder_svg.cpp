#include "report/ladder_svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "simt/gpu_spec.hpp"
#include "view/html_page.hpp"

namespace gemm_tutor {
namespace {

std::string label(const LessonRun& run) {
  return fmt::format("{} {}", run.lesson->number_text(), run.kernel->name);
}

// One bar per kernel with its percentage of cuBLAS, and after a dot that of the peak.
std::string bars_svg(const Ladder& ladder, const Problem& problem) {
  constexpr int left = 220, width = 640, row = 24, top = 8, right_margin = 130;
  std::vector<const LessonRun*> runs;
  double longest = 100;
  for (const LessonRun& run : ladder.runs) {
    const auto time = time_of(run);
    if (run.problem != problem || !time || !time->percent_of_cublas) continue;
    runs.push_back(&run);
    longest = std::max(longest, *time->percent_of_cublas);
  }
  if (runs.empty()) return "";
  const double scale = width / longest;
  const int height = top + row * static_cast<int>(runs.size()) + 24;
  std::string svg = fmt::format(
      "<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"Percent of cuBLAS at {}\">\n",
      left + width + right_margin, height, size_words(problem));
  for (const int percent : {0, 25, 50, 75, 100}) {
    const double x = left + percent * scale;
    svg += fmt::format(
        "<line class=\"grid\" x1=\"{0:.1f}\" y1=\"{1}\" x2=\"{0:.1f}\" y2=\"{2}\"/>"
        "<text class=\"dim\" x=\"{0:.1f}\" y=\"{3}\" text-anchor=\"middle\">{4} %</text>\n",
        x, top, height - 20, height - 4, percent);
  }
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const LadderTime time = *time_of(*runs[i]);
    const double y = top + row * static_cast<double>(i);
    const double length = *time.percent_of_cublas * scale;
    const std::string of_peak =
        time.percent_of_peak ? fmt::format(" · {:.1f} %", *time.percent_of_peak) : "";
    svg += fmt::format(
        "<text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>"
        "<rect class=\"{}\" x=\"{}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{}\"/>"
        "<text x=\"{:.1f}\" y=\"{:.1f}\">{:.1f} %{}</text>\n",
        left - 8, y + 16, escaped(label(*runs[i])), is_own_kernel(*runs[i]) ? "bar" : "other", left,
        y + 4, length, row - 8, left + length + 6, y + 16, *time.percent_of_cublas, of_peak);
  }
  return svg + "</svg>";
}

// A line of a plot's grid, with its number below the plot or to the left of it.
std::string grid_column(double x, int top, int bottom, std::string_view number) {
  return fmt::format(
      "<line class=\"grid\" x1=\"{0:.1f}\" y1=\"{1}\" x2=\"{0:.1f}\" y2=\"{2}\"/>"
      "<text class=\"dim\" x=\"{0:.1f}\" y=\"{3}\" text-anchor=\"middle\">{4}</text>",
      x, top, bottom, bottom + 18, number);
}

std::string grid_row(double y, int left, int right, std::string_view number) {
  return fmt::format(
      "<line class=\"grid\" x1=\"{0}\" y1=\"{1:.1f}\" x2=\"{2}\" y2=\"{1:.1f}\"/>"
      "<text class=\"dim\" x=\"{3}\" y=\"{4:.1f}\" text-anchor=\"end\">{5}</text>",
      left, y, right, left - 6, y + 4, number);
}

// The axes' names: below the plot and in its middle, and above its left edge.
std::string axis_names(int middle, int below, std::string_view across, int left, int above,
                       std::string_view up) {
  return fmt::format(
      "<text class=\"dim\" x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n"
      "<text class=\"dim\" x=\"{}\" y=\"{}\">{}</text>\n",
      middle, below, across, left, above, up);
}

// Both axes in powers of ten (or of two, for the intensity).
class RooflinePlot {
 public:
  RooflinePlot(const simt::GpuSpec& gpu, bool is_fp32)
      : gpu_(gpu), highest_x(is_fp32 ? 128 : 512), highest_y(is_fp32 ? 100 : 2000) {}

  double x(double intensity) const {
    const double place = std::log2(intensity / lowest_x) / std::log2(highest_x / lowest_x);
    return left + width * std::clamp(place, 0.0, 1.0);
  }
  double y(double tflops) const {
    const double place = std::log10(tflops / lowest_y) / std::log10(highest_y / lowest_y);
    return top + height * (1 - std::clamp(place, 0.0, 1.0));
  }

  std::string axes() const {
    std::string svg;
    for (double intensity = lowest_x; intensity <= highest_x; intensity *= 4) {
      svg += grid_column(x(intensity), top, top + height, fmt::format("{:g}", intensity)) + "\n";
    }
    for (double tflops = lowest_y; tflops <= highest_y; tflops *= 10) {
      svg += grid_row(y(tflops), left, left + width, fmt::format("{:g}", tflops)) + "\n";
    }
    return svg + axis_names(left + width / 2, top + height + 38,
                            "FLOP per byte of global memory, as requested", left, top - 8,
                            "TFLOP/s");
  }

  // Empty if the GPU's rate is not known.
  std::string roof(Precision precision) const {
    const double ridge = ridge_intensity(gpu_, precision);
    const double peak = gpu_.peak_flops(product_of(precision)) / 1e12;
    if (peak == 0) return "";
    const double start = std::max(lowest_x, lowest_y * 1e12 / gpu_.memory_bandwidth);
    return fmt::format(
        "<polyline class=\"roof\" points=\"{:.1f},{:.1f} {:.1f},{:.1f} {:.1f},{:.1f}\"/>\n"
        "<text class=\"dim\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{:.1f} TFLOP/s of {} "
        "arithmetic</text>\n",
        x(start), y(attainable_flops(gpu_, start, precision) / 1e12), x(ridge), y(peak),
        x(highest_x), y(peak), x(highest_x), y(peak) - 8, peak, terms_of(precision).title);
  }

  static constexpr int left = 60, top = 30, width = 820, height = 420;

 private:
  static constexpr double lowest_x = 0.125, lowest_y = 0.1;
  const simt::GpuSpec& gpu_;
  const double highest_x, highest_y;
};

constexpr double label_distance = 14;  // to the right of its point

struct Point {
  double x = 0, y = 0;
  std::string label;
  bool own = false;
  double label_y = 0;

  double label_end() const {
    constexpr double letter = 7.5;
    return x + label_distance + letter * static_cast<double>(label.size());
  }
};

bool overlap(const Point& a, const Point& b) {
  constexpr double line = 15;
  return a.x + label_distance < b.label_end() && b.x + label_distance < a.label_end() &&
         std::abs(a.label_y - b.label_y) < line;
}

// Places labels from the top down, each as near to its point as the labels above allow.
void place_labels(std::vector<Point>& points) {
  std::ranges::sort(points, {}, &Point::y);
  for (auto point = points.begin(); point != points.end(); ++point) {
    point->label_y = point->y;
    const auto taken = [&](const Point& other) { return overlap(*point, other); };
    while (std::any_of(points.begin(), point, taken)) point->label_y += 1;
  }
}

// With a line to its point.
std::string label_svg(const Point& point) {
  return fmt::format(
      "<line class=\"grid\" x1=\"{0:.1f}\" y1=\"{1:.1f}\" x2=\"{2:.1f}\" y2=\"{3:.1f}\"/>"
      "<text x=\"{2:.1f}\" y=\"{4:.1f}\">{5}</text>\n",
      point.x, point.y, point.x + label_distance, point.label_y, point.label_y + 4,
      escaped(point.label));
}

// A drawing of at least that width and height: `behind`, and the points with their placed labels.
std::string points_svg(std::string_view name, const std::vector<Point>& points,
                       const std::string& behind, double width, double height) {
  for (const Point& point : points) {
    width = std::max(width, point.label_end());
    height = std::max(height, point.label_y + 12);
  }
  std::string svg = fmt::format("<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">\n{}",
                                width, height, name, behind);
  for (const Point& point : points) {
    svg += label_svg(point) + fmt::format(
                                  "<circle class=\"{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" "
                                  "r=\"5\"/>\n",
                                  point.own ? "bar" : "other", point.x, point.y);
  }
  return svg + "</svg>";
}

std::string roofline_svg(const Ladder& ladder, const Problem& problem) {
  const std::vector<Precision> precisions = precisions_of(ladder);
  const RooflinePlot plot(ladder.gpu, precisions == std::vector{Precision::fp32});
  std::vector<Point> points;
  for (const LessonRun& run : ladder.runs) {
    const auto time = time_of(run);
    const double intensity = global_intensity(run);
    if (run.problem != problem || !time || intensity == 0) continue;
    points.push_back({plot.x(intensity), plot.y(time->tflops), label(run), is_own_kernel(run)});
  }
  place_labels(points);
  std::string behind = plot.axes();
  for (const Precision precision : precisions) behind += plot.roof(precision);
  return points_svg("Roofline", points, behind, RooflinePlot::left + RooflinePlot::width + 20,
                    RooflinePlot::top + RooflinePlot::height + 50);
}

// --- The two factors of speed

// Both axes from 0 to 100 %.
namespace factors_plot {

constexpr int left = 60, top = 44, width = 620, height = 420;

double x(double ffma_share) { return left + width * ffma_share; }
double y(double issue_rate) { return top + height * (1 - std::min(issue_rate, 1.0)); }

std::string axes() {
  std::string svg;
  for (const int percent : {0, 20, 40, 60, 80, 100}) {
    const double share = percent / 100.0;
    const std::string number = fmt::format("{} %", percent);
    svg += grid_column(x(share), top, top + height, number) +
           grid_row(y(share), left, left + width, number) + "\n";
  }
  return svg + axis_names(left + width / 2, top + height + 38,
                          "FFMAs among the machine instructions", left - 52, top - 28,
                          "issue slots with an instruction");
}

// All points at which the kernel reaches that percentage of the peak.
std::string equal_speed(int percent, double slots_per_ffma) {
  constexpr int steps = 40;
  const double product = percent / 100.0 / slots_per_ffma;
  std::string points;
  for (int i = 0; i <= steps; ++i) {
    const double share = product + (1 - product) * i / steps;
    points += fmt::format("{:.1f},{:.1f} ", x(share), y(product / share));
  }
  return fmt::format(
      "<polyline class=\"equal\" points=\"{}\"/>"
      "<text class=\"dim\" x=\"{:.1f}\" y=\"{:.1f}\">{} % of peak</text>\n",
      points, x(product) - 8, top - 8.0, percent);
}

}  // namespace factors_plot

std::string speed_svg(const Ladder& ladder, const Problem& problem) {
  std::vector<Point> points;
  std::map<std::string, Point> own;  // by lesson
  std::string ways;                  // from the lesson that another one changes
  double slots_per_ffma = 1;
  for (const LessonRun& run : ladder.runs) {
    const auto time = time_of(run);
    const auto factors = time ? speed_factors(run, *time) : std::nullopt;
    if (run.problem != problem || !is_own_kernel(run) || !factors) continue;
    slots_per_ffma = factors->slots_per_ffma;
    const Point point{factors_plot::x(factors->ffma_share), factors_plot::y(factors->issue_rate),
                      label(run), true};
    points.push_back(point);
    own[run.lesson->slug] = point;
    const Lesson* changed = changed_lesson(*run.lesson);
    const auto before = changed ? own.find(changed->slug) : own.end();
    if (before == own.end()) continue;
    ways += fmt::format(
        "<line class=\"way\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>\n",
        before->second.x, before->second.y, point.x, point.y);
  }
  if (points.empty()) return "";
  std::string curves;
  for (const int percent : {10, 25, 50, 75}) {
    curves += factors_plot::equal_speed(percent, slots_per_ffma);
  }
  place_labels(points);
  return points_svg("Factors of speed", points, factors_plot::axes() + curves + ways,
                    factors_plot::left + factors_plot::width + 20,
                    factors_plot::top + factors_plot::height + 50);
}

// --- Estimated over measured

// A kernel at a size, in TFLOP/s.
struct Estimated {
  const LessonRun* run;
  double measured, estimated;
};

std::vector<Estimated> with_both_times(const Ladder& ladder) {
  std::vector<Estimated> all;
  for (const LessonRun& run : ladder.runs) {
    const auto time = time_of(run), estimate = estimated_time(run);
    if (!estimate || time->source == TimeSource::estimated) continue;
    all.push_back({&run, time->tflops, estimate->tflops});
  }
  return all;
}

// The same on both axes: powers of ten.
class EstimatesPlot {
 public:
  explicit EstimatesPlot(const std::vector<Estimated>& all) {
    double least = all.front().measured, most = least;
    for (const Estimated& one : all) {
      least = std::min({least, one.measured, one.estimated});
      most = std::max({most, one.measured, one.estimated});
    }
    first_ = std::floor(std::log10(least));
    decades_ = std::max(std::ceil(std::log10(most)) - first_, 1.0);
  }

  double x(double tflops) const { return left + side * place(tflops); }
  double y(double tflops) const { return top + side * (1 - place(tflops)); }

  std::string axes() const {
    std::string svg;
    for (int i = 0; i <= static_cast<int>(decades_); ++i) {
      const double tflops = std::pow(10, first_ + i);
      const std::string number = fmt::format("{:g}", tflops);
      svg += grid_column(x(tflops), top, top + side, number) +
             grid_row(y(tflops), left, left + side, number) + "\n";
    }
    return svg +
           fmt::format("<line class=\"roof\" x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"/>\n", left,
                       top + side, left + side, top) +
           axis_names(left + side / 2, top + side + 38, "TFLOP/s, measured or recorded", left,
                      top - 8, "TFLOP/s, estimated");
  }

  static constexpr int left = 60, top = 30, side = 460, right_margin = 240;

 private:
  double place(double tflops) const { return (std::log10(tflops) - first_) / decades_; }

  double first_ = 0, decades_ = 1;
};

std::string estimates_svg(const Ladder& ladder) {
  const std::vector<Estimated> all = with_both_times(ladder);
  if (all.empty()) return "";
  const EstimatesPlot plot(all);
  const Problem& last = all.back().run->problem;
  std::string svg = fmt::format(
      "<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"Estimated over measured\">\n",
      EstimatesPlot::left + EstimatesPlot::side + EstimatesPlot::right_margin,
      EstimatesPlot::top + EstimatesPlot::side + 50);
  svg += plot.axes();
  std::vector<Point> points;
  for (const Estimated& one : all) {
    const bool has_label = one.run->problem == last && is_own_kernel(*one.run);
    const double x = plot.x(one.measured), y = plot.y(one.estimated);
    svg += fmt::format(
        "<circle class=\"{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"5\"><title>{} at {}: {:+.0f} %"
        "</title></circle>\n",
        is_own_kernel(*one.run) ? "bar" : "other", x, y, escaped(label(*one.run)),
        size_words(one.run->problem), 100 * (one.measured / one.estimated - 1));
    if (has_label) points.push_back({x, y, label(*one.run), true});
  }
  place_labels(points);
  for (const Point& point : points) svg += label_svg(point);
  return svg + "</svg>";
}

}  // namespace

Picture bars_picture(const Ladder& ladder, const Problem& problem) {
  return {
      .kind = "bars",
      .caption =
          {{{"The bars are percent of cuBLAS with the same types, and the second number is percent "
             "of the GPU's peak. The stronger colour marks the lessons' own kernels."}}},
      .svg = bars_svg(ladder, problem)};
}

Picture roofline_picture(const Ladder& ladder, const Problem& problem) {
  return {.kind = "roofline",
          .caption = {{{fmt::format(
              "The roof is that of the {}: {:.1f} TB/s of memory at the left, arithmetic at the "
              "right. Caches answer part of what is requested, so a kernel may be above the slope.",
              ladder.gpu.full_name, ladder.gpu.memory_bandwidth / 1e12)}}},
          .svg = roofline_svg(ladder, problem)};
}

Picture speed_picture(const Ladder& ladder, const Problem& problem) {
  return {.kind = "roofline",
          .caption = {{{"To the right more of the instructions are FFMAs, and upwards more of the "
                        "issue slots have an instruction. A kernel's speed is the product of both, "
                        "the same along a curve. Lines lead from a lesson to the one that changes "
                        "its kernel."}}},
          .svg = speed_svg(ladder, problem)};
}

Picture estimates_picture(const Ladder& ladder) {
  return {.kind = "estimates",
          .caption = {{{"Of a kernel on the line the estimate is right; above it the kernel takes "
                        "longer than estimated. Names are at the last size alone."}}},
          .svg = estimates_svg(ladder)};
}

}  // namespace gemm_tutor
