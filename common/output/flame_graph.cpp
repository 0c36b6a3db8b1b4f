// Layout of the SVG file: a style, a title, two buttons that the script makes visible, and, in
// <g id="frames">, one group per box:
//
//     <g data-at="20" data-count="30" data-depth="2">    counts 20 to 49; two boxes above "all"
//       <title>read (30 calls, 12.00%)</title>           shown when the pointer is on it
//       <rect …/><text …>read</text></g>                 as drawn before zooming
//
// The script uses only these attributes and the name: the title's text before the last " (".

#include "output/flame_graph.h"

#include <algorithm>

#include "base/format.h"
#include "base/text.h"
#include "output/escape.h"
#include "output/flame_graph_script.h"
#include "output/name.h"

namespace uscope::output {

namespace {

// Pixels.
constexpr int image_width = 1200, margin = 10, above_boxes = 46, below_boxes = 28, row_height = 17;
constexpr double boxes_width = image_width - 2 * margin;
constexpr double min_box_width = 0.1;
constexpr double character_width = 7.3;  // in a 12 pixel monospace font

struct Box {
    std::string_view name;
    bool kernel;
    uint64_t at, count;
    size_t depth;
    uint64_t before;
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

struct Colour {
    int red, green, blue;
};
struct ColourRange {
    Colour from, to;
};
ColourRange colours_of(Palette palette, bool is_kernel)
{
    switch (palette) {
    case Palette::Waiting:
        return is_kernel ? ColourRange{{168, 140, 214}, {214, 196, 240}}
                         : ColourRange{{92, 150, 216}, {170, 218, 246}};
    case Palette::Memory:
        return is_kernel ? ColourRange{{98, 158, 220}, {166, 212, 242}}
                         : ColourRange{{96, 186, 96}, {190, 230, 140}};
    default:
        return is_kernel ? ColourRange{{98, 158, 220}, {166, 212, 242}}
                         : ColourRange{{238, 122, 62}, {250, 214, 108}};
    }
}

std::string mix_colour(const ColourRange &range, int part, int whole)
{
    auto mix = [&](int from, int to) { return from + (to - from) * part / whole; };
    return fmt::format("#{:02x}{:02x}{:02x}", mix(range.from.red, range.to.red),
                       mix(range.from.green, range.to.green), mix(range.from.blue, range.to.blue));
}

// White: the count has not changed. The colour is strongest if one of the two counts is 0.
std::string colour_of_change(const Box &box)
{
    constexpr ColourRange grown = {{255, 255, 255}, {228, 64, 56}},
                          shrunk = {{255, 255, 255}, {64, 112, 228}};
    constexpr int steps = 1000;
    bool has_grown = box.count >= box.before;
    uint64_t max = std::max<uint64_t>({box.count, box.before, 1});
    uint64_t change = has_grown ? box.count - box.before : box.before - box.count;
    return mix_colour(has_grown ? grown : shrunk, int(change * steps / max), steps);
}

// Selects a function's colour from the palette's range by a hash of its name.
std::string colour(const Box &box, Palette palette)
{
    if (box.depth == 0)
        return "#dcdcdc";
    if (palette == Palette::Change)
        return colour_of_change(box);
    uint32_t hash = 2166136261;  // FNV-1a
    for (uint8_t byte : box.name)
        hash = (hash ^ byte) * 16777619;
    return mix_colour(colours_of(palette, box.kernel), hash >> 16 & 0xff, 255);
}

bool is_kernel(const StackCount &stack, size_t frame)
{
    return frame + stack.kernel_frames >= stack.frames.size();
}

bool same_frame(const StackCount &one, const StackCount &other, size_t frame)
{
    return one.frames[frame] == other.frames[frame] &&
           is_kernel(one, frame) == is_kernel(other, frame);
}

size_t common_frames(const StackCount &one, const StackCount &other)
{
    size_t max = std::min(one.frames.size(), other.frames.size()), common = 0;
    while (common < max && same_frame(one, other, common))
        common++;
    return common;
}

bool comes_before(const StackCount *one, const StackCount *other)
{
    size_t at = common_frames(*one, *other);
    if (at == one->frames.size() || at == other->frames.size())
        return one->frames.size() < other->frames.size();
    if (one->frames[at] != other->frames[at])
        return one->frames[at] < other->frames[at];
    return is_kernel(*one, at) < is_kernel(*other, at);
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
    struct Start {
        uint64_t at, before;
    };
    std::vector<Start> starts;  // where the boxes of `open` start
    std::vector<Box> boxes;
    uint64_t at = 0, before = 0;
    auto close_down_to = [&](size_t depth) {
        for (; starts.size() > depth; starts.pop_back()) {
            size_t top = starts.size() - 1;
            // A frame whose count is 0 has no box, but its `before` is added to those of its
            // callers.
            if (at == starts[top].at)
                continue;
            boxes.push_back({open->frames[top], is_kernel(*open, top), starts[top].at,
                             at - starts[top].at, top + 1, before - starts[top].before});
        }
    };
    for (const StackCount *stack : order) {
        close_down_to(common_frames(*open, *stack));
        starts.resize(stack->frames.size(), {at, before});
        open = stack;
        at += stack->count;
        before += stack->before;
    }
    close_down_to(0);
    boxes.push_back({"all", false, 0, at, 0, before});
    return boxes;
}

void append_box(std::string &out, const Box &box, uint64_t total, size_t floor,
                std::string_view unit, Palette palette)
{
    double share = static_cast<double>(box.count) / total;
    double x = margin + boxes_width * box.at / total, width = boxes_width * share;
    size_t y = floor - (box.depth + 1) * row_height;
    append_format(out, R"(<g data-at="{}" data-count="{}" data-depth="{}"><title>)", box.at,
                  box.count, box.depth);
    append_xml_name(out, box.name);
    append_format(out, " ({} ", box.count);
    append_xml_name(out, unit);
    if (palette == Palette::Change)
        append_format(out, ", {} before", box.before);
    append_format(
        out, R"(, {:.2f}%)</title><rect x="{:.2f}" y="{}" width="{:.2f}" height="{}" fill="{}"/>)",
        100 * share, x, y, drawn(width), row_height - 1, colour(box, palette));
    std::string text = fitting(escaped_name(box.name), width);
    if (!text.empty()) {
        append_format(out, R"(<text x="{:.2f}" y="{}">)", x + 3, y + 12);
        append_xml(out, text);
        append(out, "</text>");
    }
    append(out, "</g>\n");
}

constexpr std::string_view style = R"(<style>
text { font: 12px monospace; fill: #111; white-space: pre }
.heading { font-size: 16px; text-anchor: middle }
.note { text-anchor: middle }
.button { cursor: pointer; text-decoration: underline; visibility: hidden }
#search, #status { text-anchor: end }
#frames g { cursor: pointer }
#frames text { pointer-events: none }
#frames g:hover rect { stroke: #111 }
#frames .caller { opacity: 0.5 }
#frames .match rect { fill: #d43ad4 }
</style>
)";

}  // namespace

void append_folded(std::string &out, const StackCount &stack)
{
    for (size_t i = 0; i < stack.frames.size(); i++) {
        if (i > 0)
            out.push_back(';');
        // A thread may have an empty name.
        std::string name = stack.frames[i].empty() ? "[no name]" : escaped_name(stack.frames[i]);
        std::replace(name.begin(), name.end(), ';', ':');
        append(out, name);
    }
    append_format(out, " {}\n", stack.count);
}

Result<std::vector<StackCount>> parse_folded(std::string_view text)
{
    constexpr std::string_view kernel_mark = "_[k]";
    std::vector<StackCount> stacks;
    size_t number = 0;
    for (std::string_view line : split(text, '\n')) {
        number++;
        if (trim(line).empty())
            continue;
        size_t blank = line.rfind(' ');
        auto count =
            blank == std::string_view::npos ? std::nullopt : parse_number(trim(line.substr(blank)));
        if (!count)
            return fail("line {} of the folded stacks does not end with a count: {}", number,
                        escaped(line.substr(0, 100)));
        StackCount &stack = stacks.emplace_back();
        stack.count = *count;
        for (std::string_view frame : split(line.substr(0, blank), ';')) {
            bool is_marked = frame.ends_with(kernel_mark);
            stack.kernel_frames += is_marked;
            stack.frames.emplace_back(frame);
        }
    }
    return stacks;
}

void append_flame_graph(std::string &out, std::string_view title, std::string_view unit,
                        const std::vector<StackCount> &stacks, Palette palette)
{
    std::vector<Box> boxes = make_boxes(stacks);
    uint64_t total = boxes.back().count;
    size_t all = boxes.size();
    std::erase_if(boxes,
                  [&](const Box &box) { return boxes_width * box.count < min_box_width * total; });
    size_t deepest = 0;
    for (const Box &box : boxes)
        deepest = std::max(deepest, box.depth);
    size_t floor = above_boxes + (deepest + 1) * row_height, height = floor + below_boxes;

    append_format(
        out,
        R"(<svg xmlns="http://www.w3.org/2000/svg" width="{0}" height="{1}" viewBox="0 0 {0} {1}">)"
        "\n<title>",
        image_width, height);
    append_xml_name(out, title);
    append(out, "</title>\n");
    append(out, style);
    append_format(out, R"(<rect width="{}" height="{}" fill="#fff"/>)", image_width, height);
    append_format(out, "\n<text class=\"heading\" x=\"{}\" y=\"20\">", image_width / 2);
    append_xml_name(out, title);
    append_format(out, "</text>\n<text class=\"note\" x=\"{}\" y=\"38\">{} ", image_width / 2,
                  total);
    append_xml_name(out, unit);
    if (all != boxes.size())
        append_format(out, "; {} frames narrower than {} pixels are left out", all - boxes.size(),
                      min_box_width);
    append_format(
        out,
        "</text>\n<text id=\"reset\" class=\"button\" x=\"{}\" y=\"20\">Reset zoom</text>\n"
        "<text id=\"search\" class=\"button\" x=\"{}\" y=\"20\">Search</text>\n"
        "<text id=\"status\" x=\"{}\" y=\"{}\"></text>\n",
        margin, image_width - margin, image_width - margin, height - 9);
    append_format(out,
                  "<g id=\"frames\" data-left=\"{}\" data-width=\"{}\" data-character=\"{}\">\n",
                  margin, boxes_width, character_width);
    if (total) {
        for (const Box &box : boxes)
            append_box(out, box, total, floor, unit, palette);
    }
    append(out, "</g>\n<script><![CDATA[");
    append(out, flame_graph_script);
    append(out, "]]></script>\n</svg>\n");
}

}  // namespace uscope::output
