// Layout of the SVG file: a style, a title, two buttons that the script makes visible, a legend, a
// line for details and, in <g id="frames">, one group per box, callees before their callers:
//
//     <g class="cpp" data-at="20" data-count="30" data-depth="2">    counts 20 to 49; two above "all"
//       <title>read (30 calls, 12.00%)</title>                       shown when the pointer is on it
//       <rect .../><text ...>read</text></g>                         as drawn without the script
//
// The script uses only these attributes and the name: the title's text before the last " (". It
// fits the picture into the window. Without it, the picture has a width of 1200 pixels.

#include "output/flame_graph.h"

#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "base/text.h"
#include "output/amount.h"
#include "output/escape.h"
#include "output/flame_graph_script.h"
#include "output/name.h"

namespace uscope::output {

namespace {

// Pixels.
constexpr int image_width = 1200, margin = 10, above_boxes = 68, below_boxes = 26, row_height = 17;
constexpr double boxes_width = image_width - 2 * margin;
constexpr double min_box_width = 0.1;
constexpr double character_width = 7.3;  // in a 12 pixel monospace font

struct Box {
    std::string_view name;
    FrameKind kind;
    uint64_t at, width;  // in counts; in a comparison, `width` is count + before
    size_t depth;
    uint64_t count, before;
};

// Appends safe text with XML's special characters escaped. U+FFFE and U+FFFF cannot be in XML at
// all.
void append_xml(std::string &out, std::string_view safe)
{
    for (size_t i = 0; i < safe.size(); i++) {
        switch (safe[i]) {
        case '<':
            append(out, "&lt;");
            break;
        case '>':
            append(out, "&gt;");
            break;
        case '&':
            append(out, "&amp;");
            break;
        case '"':
            append(out, "&quot;");
            break;
        case '\'':
            append(out, "&#39;");
            break;
        case '\xef':
            if (safe.substr(i, 3) == "\xef\xbf\xbe" || safe.substr(i, 3) == "\xef\xbf\xbf") {
                append(out, safe[i + 2] == '\xbe' ? "\\ufffe" : "\\uffff");
                i += 2;
                break;
            }
            [[fallthrough]];
        default:
            out.push_back(safe[i]);
        }
    }
}

void append_xml_name(std::string &out, std::string_view name)
{
    append_xml(out, escaped_name(name));
}

// The width at which a box is drawn: half a pixel of white separates neighbours that are wide
// enough. The script's drawn() does the same.
double drawn(double width)
{
    return width > 2 ? width - 0.5 : width;
}

// The part of a safe text that fits into a box: its start and "..". The script's fit() does the
// same.
std::string fitting(std::string_view safe, double width)
{
    auto columns = static_cast<size_t>(std::max(0.0, (width - 6) / character_width));
    size_t seen = 0, cut = 0;
    for (size_t i = 0; i < safe.size(); i++) {
        if ((safe[i] & 0xc0) == 0x80)
            continue;
        if (seen + 2 == columns)
            cut = i;
        seen++;
    }
    if (columns < 3)
        return "";
    return seen <= columns ? std::string(safe) : std::string(safe.substr(0, cut)) + "..";
}

constexpr std::string_view style = R"(<style>
:root {
  --paper: #ffffff; --ink: #16181d; --all: #cfd2d8;
  --interpreted: #8cc866; --jit: #4fc3ab; --cpp: #f2b84b; --native: #f4845f; --libc: #c9b29b;
  --kernel: #82b0ea; --grew: #f0553c; --shrank: #4f86ee; --match: #d46ad4;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #17191e; --ink: #f1f2f4; --all: #4b4f58;
    --interpreted: #3f7a2a; --jit: #17766a; --cpp: #8c6210; --native: #a5462b; --libc: #6e5b49;
    --kernel: #335f9e; --grew: #c2341f; --shrank: #2f62c8; --match: #a032a0;
  }
}
text { font: 12px monospace; fill: var(--ink); white-space: pre }
#background { fill: var(--paper) }
#heading { font-size: 14px; font-weight: bold }
.button { cursor: pointer; text-decoration: underline; visibility: hidden }
.button, #status { text-anchor: end }
.process { fill: var(--all) }
.interpreted { fill: var(--interpreted) }
.jit { fill: var(--jit) }
.cpp { fill: var(--cpp) }
.native { fill: var(--native) }
.libc { fill: var(--libc) }
.kernel { fill: var(--kernel) }
.grew { fill: var(--grew) }
.shrank { fill: var(--shrank) }
.same { fill: var(--all) }
#frames g { cursor: pointer }
#frames text { pointer-events: none }
#frames g:hover rect, #frames .selected rect { stroke: var(--ink) }
#frames .caller { opacity: 0.6 }
#frames .match { fill: var(--match) }
</style>
)";

struct Kind {
    FrameKind kind;
    std::string_view name, title;  // the class of its boxes; its text in the legend
};
constexpr Kind kinds[] = {
    {FrameKind::Interpreted, "interpreted", "interpreted"},
    {FrameKind::Jit, "jit", "JIT"},
    {FrameKind::Cpp, "cpp", "C++, Rust"},
    {FrameKind::Native, "native", "C, Go and others"},
    {FrameKind::Libc, "libc", "C library"},
    {FrameKind::Kernel, "kernel", "kernel"},
    {FrameKind::Process, "process", ""},
};
constexpr Kind changes[] = {
    {{}, "grew", "grew"}, {{}, "shrank", "shrank"}, {{}, "same", "about the same"}};

std::string_view css_class_of(FrameKind kind)
{
    auto is_it = [&](const Kind &one) { return one.kind == kind; };
    return std::find_if(std::begin(kinds), std::end(kinds), is_it)->name;
}

// Does the difference exceed what two recordings of the same program differ by (two standard
// deviations of Poisson-distributed counts)?
bool is_significant(const Box &box)
{
    double change = double(box.count) - double(box.before);
    return change * change > 4 * (double(box.count) + double(box.before));
}

uint64_t change_of(const Box &box)
{
    return std::max(box.count, box.before) - std::min(box.count, box.before);
}

// How a box is filled: the class has the colour, of which less is seen the lower the opacity is.
struct Fill {
    std::string_view name;
    double opacity = 1;
};

// Boxes of the same kind differ in opacity by a hash of their names.
Fill fill_of(const Box &box)
{
    constexpr double least = 0.7;
    uint32_t hash = 2166136261;  // FNV-1a
    for (uint8_t byte : box.name)
        hash = (hash ^ byte) * 16777619;
    return {css_class_of(box.kind), least + (1 - least) * double(hash >> 16 & 0xff) / 255};
}

// The largest change of all boxes has the strongest colour.
Fill fill_of_change(const Box &box, uint64_t max_change)
{
    constexpr double least = 0.25;
    if (!is_significant(box))
        return {"same"};
    double strength = double(change_of(box)) / double(std::max<uint64_t>(max_change, 1));
    return {box.count > box.before ? "grew" : "shrank", least + (1 - least) * strength};
}

size_t common_frames(const StackCount &one, const StackCount &other)
{
    size_t max = std::min(one.frames.size(), other.frames.size()), common = 0;
    while (common < max && one.frames[common] == other.frames[common])
        common++;
    return common;
}

bool comes_before(const StackCount *one, const StackCount *other)
{
    size_t at = common_frames(*one, *other);
    if (at == one->frames.size() || at == other->frames.size())
        return one->frames.size() < other->frames.size();
    return one->frames[at] < other->frames[at];
}

// Merges the stacks into boxes. After sorting, stacks that start with the same frames are adjacent.
// So a box stays open until a stack comes that does not start with the same frames.
std::vector<Box> make_boxes(const std::vector<StackCount> &stacks)
{
    std::vector<const StackCount *> order;
    for (const StackCount &stack : stacks)
        if (stack.count || stack.before)
            order.push_back(&stack);
    std::sort(order.begin(), order.end(), comes_before);

    const StackCount none;
    const StackCount *open = &none;
    struct Sums {
        uint64_t count = 0, before = 0;
    };
    std::vector<Sums> starts;  // where the boxes of `open` start
    std::vector<Box> boxes;
    Sums now;
    auto close_down_to = [&](size_t depth) {
        for (; starts.size() > depth; starts.pop_back()) {
            const Sums &start = starts.back();
            uint64_t count = now.count - start.count, before = now.before - start.before;
            const Frame &frame = open->frames[starts.size() - 1];
            boxes.push_back({frame.name, frame.kind, start.count + start.before, count + before,
                             starts.size(), count, before});
        }
    };
    for (const StackCount *stack : order) {
        close_down_to(common_frames(*open, *stack));
        starts.resize(stack->frames.size(), now);
        open = stack;
        now.count += stack->count;
        now.before += stack->before;
    }
    close_down_to(0);
    boxes.push_back(
        {"all", FrameKind::Process, 0, now.count + now.before, 0, now.count, now.before});
    return boxes;
}

class Drawing {
  public:
    Drawing(std::string &out, const FlameGraph &graph, const std::vector<StackCount> &stacks)
        : out_(out), graph_(graph), boxes_(make_boxes(stacks)), all_(boxes_.back())
    {
        size_t count = boxes_.size();
        std::erase_if(boxes_, [&](const Box &box) {
            return boxes_width * double(box.width) < min_box_width * double(all_.width);
        });
        left_out_ = count - boxes_.size();
        for (const Box &box : boxes_) {
            deepest_ = std::max(deepest_, box.depth);
            max_change_ = std::max(max_change_, change_of(box));
        }
        if (!all_.width)
            boxes_.clear();
    }

    void draw();

  private:
    int floor() const { return above_boxes + int(deepest_ + 1) * row_height; }
    std::string note() const;
    void head();
    void legend();
    void append_share(uint64_t count, uint64_t total);
    void box(const Box &box);

    std::string &out_;
    const FlameGraph &graph_;
    std::vector<Box> boxes_;
    Box all_;
    size_t left_out_ = 0, deepest_ = 0;
    uint64_t max_change_ = 0;
};

// The line below the title.
std::string Drawing::note() const
{
    std::vector<std::string> parts = {amount_text(all_.count, graph_.unit)};
    if (!graph_.note.empty())
        parts.push_back(graph_.note);
    if (!graph_.hint.empty())
        parts.push_back(graph_.hint);
    if (left_out_)
        parts.push_back(fmt::format("{} narrower than {} pixels {} left out",
                                    amount_text(left_out_, "frames"), min_box_width,
                                    left_out_ == 1 ? "is" : "are"));
    return join(parts, "; ");
}

void Drawing::head()
{
    append_format(
        out_,
        R"(<svg xmlns="http://www.w3.org/2000/svg" width="{0}" height="{1}" viewBox="0 0 {0} {1}">)"
        "\n<title>",
        image_width, floor() + below_boxes);
    append_xml_name(out_, graph_.title);
    append(out_, "</title>\n");
    append(out_, style);
    append(out_, R"(<rect id="background" width="100%" height="100%"/>)"
                 "\n");
    append_format(out_, R"(<text id="heading" x="{}" y="20">)", margin);
    append_xml_name(out_, graph_.title);
    append_format(out_, "</text>\n<text id=\"note\" x=\"{}\" y=\"38\">", margin);
    append_xml_name(out_, note());
    append_format(out_,
                  "</text>\n"
                  R"(<text id="reset" class="button" x="100%" dx="-80" y="20" tabindex="0">)"
                  "Reset zoom</text>\n"
                  R"(<text id="search" class="button" x="100%" dx="-{0}" y="20" tabindex="0">)"
                  "Search</text>\n"
                  R"(<text id="status" x="100%" dx="-{0}" y="38"></text>)"
                  "\n"
                  R"(<text id="details" x="{0}" y="100%" dy="-9"></text>)"
                  "\n",
                  margin);
}

void Drawing::legend()
{
    constexpr double y = 46, side = 11, gap = 22;
    double x = margin;
    append(out_, "<g id=\"legend\">\n");
    auto entry = [&](const Kind &kind) {
        append_format(out_, R"(<g class="{}"><rect x="{:.1f}" y="{}" width="{}" height="{}"/>)",
                      kind.name, x, y, side, side);
        append_format(out_,
                      R"(<text x="{:.1f}" y="{}">{}</text></g>)"
                      "\n",
                      x + side + 5, y + 10, kind.title);
        x += side + gap + character_width * double(kind.title.size());
    };
    for (const Kind &kind : changes) {
        if (graph_.is_comparison)
            entry(kind);
    }
    for (const Kind &kind : kinds) {
        auto is_it = [&](const Box &box) { return box.kind == kind.kind; };
        if (!graph_.is_comparison && !kind.title.empty() &&
            std::any_of(boxes_.begin(), boxes_.end(), is_it))
            entry(kind);
    }
    if (graph_.is_comparison)
        append_format(out_,
                      R"(<text x="{:.1f}" y="{}">width: average of before and now</text>)"
                      "\n",
                      x, y + 10);
    append(out_, "</g>\n");
}

void Drawing::append_share(uint64_t count, uint64_t total)
{
    append_format(out_, "{:.2f}%", 100 * double(count) / double(std::max<uint64_t>(total, 1)));
}

void Drawing::box(const Box &box)
{
    double x = margin + boxes_width * double(box.at) / double(all_.width);
    double width = boxes_width * double(box.width) / double(all_.width);
    int y = floor() - int(box.depth + 1) * row_height;
    Fill fill = graph_.is_comparison && box.depth ? fill_of_change(box, max_change_) : fill_of(box);
    append_format(out_, R"(<g class="{}" data-at="{}" data-count="{}" data-depth="{}"><title>)",
                  fill.name, box.at, box.width, box.depth);
    append_xml_name(out_, box.name);
    append(out_, " (");
    append_xml_name(out_, amount_text(box.count, graph_.unit));
    append(out_, ", ");
    append_share(box.count, all_.count);
    if (graph_.is_comparison) {
        bool is_measured = graph_.unit == "bytes" || nanoseconds_of(graph_.unit);
        append_format(out_, "; {} before, ",
                      amount_text(box.before, is_measured ? graph_.unit : ""));
        append_share(box.before, all_.before);
    }
    append_format(
        out_,
        R"()</title><rect x="{:.2f}" y="{}" width="{:.2f}" height="{}" fill-opacity="{:.2f}"/>)", x,
        y, drawn(width), row_height - 1, fill.opacity);
    std::string text = fitting(escaped_name(box.name), width);
    if (!text.empty()) {
        append_format(out_, R"(<text x="{:.2f}" y="{}">)", x + 3, y + 12);
        append_xml(out_, text);
        append(out_, "</text>");
    }
    append(out_, "</g>\n");
}

void Drawing::draw()
{
    head();
    legend();
    append_format(out_,
                  R"(<g id="frames" data-margin="{}" data-above="{}" data-below="{}" )"
                  R"(data-row="{}" data-character="{}">)"
                  "\n",
                  margin, above_boxes, below_boxes, row_height, character_width);
    for (const Box &each : boxes_)
        box(each);
    append(out_, "</g>\n<script><![CDATA[");
    append(out_, flame_graph_script);
    append(out_, "]]></script>\n</svg>\n");
}

}  // namespace

void append_flame_graph(std::string &out, const FlameGraph &graph,
                        const std::vector<StackCount> &stacks)
{
    Drawing(out, graph, stacks).draw();
}

}  // namespace uscope::output
