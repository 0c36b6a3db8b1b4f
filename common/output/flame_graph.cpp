// The file's layout: a style, a title, two buttons that the script makes visible, and in
// <g id="frames"> for each box
//
//     <g data-at="20" data-count="30" data-depth="2">       counts 20 … 49 of all, second above "all"
//       <title>read (30 calls, 12.00%)</title>              what pointing at it shows
//       <rect …/><text …>read</text></g>                    as drawn before anybody zooms
//
// The script knows nothing but these counts, and what the title says before its last " (".

#include "output/flame_graph.h"

#include <algorithm>

#include "output/escape.h"
#include "output/flame_graph_script.h"

namespace uscope::output {

namespace {

// Pixels.
constexpr int image_width = 1200, margin = 10, above_boxes = 46, below_boxes = 28, row_height = 17;
constexpr double boxes_width = image_width - 2 * margin;
constexpr double narrowest = 0.1;
constexpr double character_width = 7.3;  // of a 12 pixel monospace font

struct Box {
    std::string_view name;
    bool kernel;
    uint64_t at, count;
    size_t depth;
};

template <typename... Arguments>
void print(fmt::memory_buffer &out, fmt::format_string<Arguments...> format,
           Arguments &&...arguments)
{
    fmt::format_to(fmt::appender(out), format, std::forward<Arguments>(arguments)...);
}

// Safe text, without what XML has a use for. U+FFFE and U+FFFF are no characters of XML at all.
void append_xml(fmt::memory_buffer &out, std::string_view safe)
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

void append_xml_name(fmt::memory_buffer &out, std::string_view name)
{
    append_xml(out, escaped(name));
}

// Neighbours are told apart by a hair of white between them, if they are wide enough, as the script's
// drawn().
double drawn(double width)
{
    return width > 2 ? width - 0.5 : width;
}

// What of a safe text fits into a box, as the script's fit(): its beginning and "..".
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

// Each function has a colour of its own, between two.
std::string colour(const Box &box)
{
    constexpr uint8_t user[2][3] = {{238, 122, 62}, {250, 214, 108}};
    constexpr uint8_t kernel[2][3] = {{98, 158, 220}, {166, 212, 242}};
    if (box.depth == 0)
        return "#dcdcdc";
    uint32_t hash = 2166136261;  // FNV-1a
    for (uint8_t byte : box.name)
        hash = (hash ^ byte) * 16777619;
    int part = hash >> 16 & 0xff;
    auto &ends = box.kernel ? kernel : user;
    auto mix = [&](int i) { return ends[0][i] + (ends[1][i] - ends[0][i]) * part / 255; };
    return fmt::format("#{:02x}{:02x}{:02x}", mix(0), mix(1), mix(2));
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
    size_t most = std::min(one.frames.size(), other.frames.size()), common = 0;
    while (common < most && same_frame(one, other, common))
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

// In order, stacks that begin alike are neighbours: a box is open while the next stack continues it.
std::vector<Box> merged(const std::vector<StackCount> &stacks)
{
    std::vector<const StackCount *> order;
    for (const StackCount &stack : stacks)
        if (stack.count)
            order.push_back(&stack);
    std::sort(order.begin(), order.end(), comes_before);

    const StackCount none;
    const StackCount *open = &none;
    std::vector<uint64_t> began;  // of the boxes of `open`
    std::vector<Box> boxes;
    uint64_t at = 0;
    auto close_down_to = [&](size_t depth) {
        for (; began.size() > depth; began.pop_back()) {
            size_t top = began.size() - 1;
            boxes.push_back(
                {open->frames[top], is_kernel(*open, top), began[top], at - began[top], top + 1});
        }
    };
    for (const StackCount *stack : order) {
        close_down_to(common_frames(*open, *stack));
        began.resize(stack->frames.size(), at);
        open = stack;
        at += stack->count;
    }
    close_down_to(0);
    boxes.push_back({"all", false, 0, at, 0});
    return boxes;
}

void append_box(fmt::memory_buffer &out, const Box &box, uint64_t total, size_t floor,
                std::string_view unit)
{
    double share = static_cast<double>(box.count) / total;
    double x = margin + boxes_width * box.at / total, width = boxes_width * share;
    size_t y = floor - (box.depth + 1) * row_height;
    print(out, R"(<g data-at="{}" data-count="{}" data-depth="{}"><title>)", box.at, box.count,
          box.depth);
    append_xml_name(out, box.name);
    print(out, " ({} ", box.count);
    append_xml_name(out, unit);
    print(out,
          R"(, {:.2f}%)</title><rect x="{:.2f}" y="{}" width="{:.2f}" height="{}" fill="{}"/>)",
          100 * share, x, y, drawn(width), row_height - 1, colour(box));
    std::string text = fitting(escaped(box.name), width);
    if (!text.empty()) {
        print(out, R"(<text x="{:.2f}" y="{}">)", x + 3, y + 12);
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

void append_folded(fmt::memory_buffer &out, const StackCount &stack)
{
    for (size_t i = 0; i < stack.frames.size(); i++) {
        if (i > 0)
            out.push_back(';');
        std::string name = escaped(stack.frames[i]);
        std::replace(name.begin(), name.end(), ';', ':');
        append(out, name);
    }
    print(out, " {}\n", stack.count);
}

void append_flame_graph(fmt::memory_buffer &out, std::string_view title, std::string_view unit,
                        const std::vector<StackCount> &stacks)
{
    std::vector<Box> boxes = merged(stacks);
    uint64_t total = boxes.back().count;
    size_t all = boxes.size();
    std::erase_if(boxes,
                  [&](const Box &box) { return boxes_width * box.count < narrowest * total; });
    size_t deepest = 0;
    for (const Box &box : boxes)
        deepest = std::max(deepest, box.depth);
    size_t floor = above_boxes + (deepest + 1) * row_height, height = floor + below_boxes;

    print(
        out,
        R"(<svg xmlns="http://www.w3.org/2000/svg" width="{0}" height="{1}" viewBox="0 0 {0} {1}">)"
        "\n<title>",
        image_width, height);
    append_xml_name(out, title);
    append(out, "</title>\n");
    append(out, style);
    print(out, R"(<rect width="{}" height="{}" fill="#fff"/>)", image_width, height);
    print(out, "\n<text class=\"heading\" x=\"{}\" y=\"20\">", image_width / 2);
    append_xml_name(out, title);
    print(out, "</text>\n<text class=\"note\" x=\"{}\" y=\"38\">{} ", image_width / 2, total);
    append_xml_name(out, unit);
    if (all != boxes.size())
        print(out, "; {} frames narrower than {} pixel are left out", all - boxes.size(),
              narrowest);
    print(out,
          "</text>\n<text id=\"reset\" class=\"button\" x=\"{}\" y=\"20\">Reset zoom</text>\n"
          "<text id=\"search\" class=\"button\" x=\"{}\" y=\"20\">Search</text>\n"
          "<text id=\"status\" x=\"{}\" y=\"{}\"></text>\n",
          margin, image_width - margin, image_width - margin, height - 9);
    print(out, "<g id=\"frames\" data-left=\"{}\" data-width=\"{}\" data-character=\"{}\">\n",
          margin, boxes_width, character_width);
    if (total) {
        for (const Box &box : boxes)
            append_box(out, box, total, floor, unit);
    }
    append(out, "</g>\n<script><![CDATA[");
    append(out, flame_graph_script);
    append(out, "]]></script>\n</svg>\n");
}

}  // namespace uscope::output
