// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reports/site/Chart.h"

#include "reports/Escape.h"
#include "reports/HtmlMarkup.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>
#include <cmath>

using namespace llvm;
using namespace assay;

namespace {
constexpr size_t maxSeries = 6; // As many as the style sheet has looks for lines.
/// Of the bar for a share of 1, in pixels.
constexpr int shareWidth = 100;
constexpr size_t maxRows = 40; // Of the table next to a chart.
/// Of the drawing and its margins, in user units of the SVG.
constexpr double width = 560, height = 300, left = 72, right = 16, top = 14, bottom = 46;

/// From values to units of the drawing, and the marks of an axis.
struct Axis {
  double low = 0, high = 1, step = 1;
  double start = 0, length = 1; ///< Of the drawing; negative lengths go up.

  double place(double value) const { return start + (value - low) / (high - low) * length; }
};
} // namespace

/// Units apply from ten thousand on: "9999", "10 k".
std::string assay::printAmount(double value) {
  static constexpr std::pair<double, const char *> units[] = {
      {1e9, " G"}, {1e6, " M"}, {1e3, " k"}};
  for (auto [unit, name] : units)
    if (std::abs(value) >= unit * 10)
      return formatv("{0}{1}", printAmount(value / unit), name);
  std::string text = formatv("{0:f3}", value);
  size_t digits = std::abs(value) >= 1000 ? 0 : std::abs(value) >= 100 ? 1 : 2;
  if (std::abs(value) < 1)
    digits = 3;
  size_t point = text.find('.');
  text.resize(digits ? point + 1 + digits : point);
  if (text.find('.') != std::string::npos)
    text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.')
    text.pop_back();
  return text;
}

/// Marks at 1, 2 or 5 times a power of ten, about \p marks of them; at whole numbers only, where
/// \p isWhole.
static Axis makeAxis(double low, double high, bool isWhole, unsigned marks = 5) {
  if (high <= low) { // All equal: in the middle, but no value below zero is made up.
    double room = std::max(1.0, std::abs(low) * 0.1);
    high = low + room;
    low = low >= 0 ? std::max(0.0, low - room) : low - room;
  }
  double rough = (high - low) / marks;
  double power = std::pow(10, std::floor(std::log10(rough)));
  Axis axis;
  for (double factor : {1.0, 2.0, 5.0, 10.0}) {
    axis.step = factor * power;
    if (axis.step >= rough)
      break;
  }
  if (isWhole)
    axis.step = std::max(1.0, axis.step);
  axis.low = std::floor(low / axis.step) * axis.step;
  axis.high = std::ceil(high / axis.step) * axis.step;
  return axis;
}

/// Returns a coordinate with one decimal.
static std::string number(double value) {
  return formatv("{0:f1}", value);
}

/// Writes both axes with marks. With xLabels only the first and the last one are named.
static void writeAxes(raw_ostream &os, const LineChart &chart, const Axis &x, const Axis &y) {
  os << "<path class=\"axis\" d=\"M" << left << " " << top << "V" << height - bottom << "H"
     << width - right << "\"/>\n";
  for (double value = y.low; value <= y.high + y.step / 2; value += y.step)
    os << "<path class=\"axis\" d=\"M" << left - 5 << " " << number(y.place(value)) << "H" << left
       << "\"/><text x=\"" << left - 9 << "\" y=\"" << number(y.place(value) + 5)
       << "\" text-anchor=\"end\">" << printAmount(value) << "</text>\n";
  auto mark = [&](double value, const std::string &text, const char *anchor) {
    os << "<text x=\"" << number(x.place(value)) << "\" y=\"" << height - bottom + 18
       << "\" text-anchor=\"" << anchor << "\">" << escapeMarkup(text) << "</text>\n";
  };
  if (chart.xLabels.empty()) {
    for (double value = x.low; value <= x.high + x.step / 2; value += x.step)
      mark(value, printAmount(value), value + x.step > x.high ? "end" : "middle");
  } else {
    mark(x.low, chart.xLabels.front(), "start");
    if (chart.xLabels.size() > 1)
      mark(x.high, chart.xLabels.back(), "end");
  }
  os << "<text x=\"" << (left + width - right) / 2 << "\" y=\"" << height - 6
     << "\" text-anchor=\"middle\">" << escapeMarkup(chart.xName) << "</text>\n";
}

/// Writes one series; \p look is the number of its class in the style sheet.
static void writeLine(raw_ostream &os, const ChartSeries &series, size_t look, const Axis &x,
                      const Axis &y) {
  os << "<path class=\"line s" << look << "\" d=\"";
  for (auto [index, point] : enumerate(series.points))
    os << (index ? "L" : "M") << number(x.place(point.first)) << " "
       << number(y.place(point.second));
  os << "\"/>\n";
  if (series.points.size() == 1) // A line of no length is not to be seen.
    os << "<circle class=\"line s" << look << "\" r=\"3\" cx=\""
       << number(x.place(series.points[0].first)) << "\" cy=\""
       << number(y.place(series.points[0].second)) << "\"/>\n";
}

// The lines as they look, with their names.
static void writeLegend(raw_ostream &os, ArrayRef<ChartSeries> series, size_t leftOut) {
  if (series.size() < 2)
    return;
  os << "<ul class=\"legend\">\n";
  for (auto [look, each] : enumerate(series))
    os << "<li><svg width=\"36\" height=\"10\" aria-hidden=\"true\"><path class=\"line s" << look
       << "\" d=\"M0 5H36\"/></svg> " << escapeMarkup(each.name) << "</li>\n";
  if (leftOut)
    os << "<li>and " << leftOut << " more, not shown</li>\n";
  os << "</ul>\n";
}

// At most maxRows of the points, evenly chosen, the last one among them.
static void writeNumbers(raw_ostream &os, const LineChart &chart, ArrayRef<ChartSeries> series) {
  os << "<details><summary>The numbers</summary>\n";
  std::vector<TableColumn> columns = {{"Line"}, {chart.xName, true}, {chart.yName, true}};
  beginTable(os, "Numbers of: " + chart.title, columns);
  for (const ChartSeries &each : series) {
    size_t stride = (each.points.size() + maxRows - 1) / maxRows;
    for (size_t i = (each.points.size() - 1) % stride; i < each.points.size(); i += stride) {
      auto [x, y] = each.points[i];
      writeRow(os, columns,
               {each.name,
                chart.xLabels.empty() ? printAmount(x) : chart.xLabels[static_cast<size_t>(x)],
                printAmount(y)});
    }
  }
  endTable(os);
  os << "</details>\n";
}

/// Draws at most maxSeries series and says how many are left out. Series without points are
/// dropped; a chart without any says that there are no numbers.
void assay::writeLineChart(raw_ostream &os, const LineChart &chart) {
  std::vector<ChartSeries> series = chart.series;
  erase_if(series, [](const ChartSeries &each) { return each.points.empty(); });
  std::string title = escapeMarkup(chart.title);
  os << "<figure>\n<figcaption>" << title << "</figcaption>\n";
  if (series.empty()) {
    os << "<p>No numbers.</p>\n</figure>\n";
    return;
  }
  size_t leftOut = series.size() - std::min(series.size(), maxSeries);
  series.resize(series.size() - leftOut);
  double lowX = HUGE_VAL, highX = -HUGE_VAL, lowY = HUGE_VAL, highY = -HUGE_VAL;
  bool isWholeX = true, isWholeY = true;
  for (const ChartSeries &each : series)
    for (auto [x, y] : each.points) {
      lowX = std::min(lowX, x), highX = std::max(highX, x);
      lowY = std::min(lowY, y), highY = std::max(highY, y);
      isWholeX &= x == std::floor(x);
      isWholeY &= y == std::floor(y);
    }
  Axis x = makeAxis(lowX, highX, isWholeX);
  Axis y = makeAxis(chart.fromZero ? std::min(0.0, lowY) : lowY, highY, isWholeY);
  if (!chart.xLabels.empty())
    x.low = 0, x.high = std::max<double>(1, static_cast<double>(chart.xLabels.size() - 1));
  x.start = left, x.length = width - left - right;
  y.start = height - bottom, y.length = top + bottom - height;
  os << "<svg class=\"chart\" viewBox=\"0 0 " << width << " " << height
     << "\" role=\"img\" aria-label=\"" << title << "\">\n";
  writeAxes(os, chart, x, y);
  for (auto [look, each] : enumerate(series))
    writeLine(os, each, look, x, y);
  os << "</svg>\n";
  writeLegend(os, series, leftOut);
  writeNumbers(os, chart, series);
  os << "</figure>\n";
}

/// Shows the last 30 values. The values are in the label for screen readers.
void assay::writeSparkline(raw_ostream &os, StringRef name, ArrayRef<uint64_t> values) {
  constexpr size_t maxBars = 30, barWidth = 5, high = 18;
  values = values.take_back(maxBars);
  if (values.empty())
    return;
  uint64_t most = std::max<uint64_t>(1, *llvm::max_element(values));
  os << "<svg class=\"spark\" role=\"img\" width=\"" << values.size() * barWidth << "\" height=\""
     << high << "\" aria-label=\"" << escapeMarkup(name) << ":";
  for (uint64_t value : values)
    os << " " << value;
  os << "\">";
  for (auto [index, value] : enumerate(values)) {
    uint64_t bar = value ? std::max<uint64_t>(2, value * (high - 2) / most) : 1;
    os << "<rect class=\"bar\" x=\"" << index * barWidth << "\" y=\"" << high - bar << "\" width=\""
       << barWidth - 1 << "\" height=\"" << bar << "\"/>";
  }
  os << "</svg>";
}

/// \p share is clamped to 0 to 1.
void assay::writeShareBar(raw_ostream &os, double share) {
  os << "<svg width=\"" << shareWidth
     << "\" height=\"14\" aria-hidden=\"true\"><rect class=\"bar\" width=\""
     << number(std::clamp(share, 0.0, 1.0) * shareWidth) << "\" height=\"14\"/></svg>";
}
