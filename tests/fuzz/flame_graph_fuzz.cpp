// With any function names, a folded line keeps its number of fields, and a flame graph is valid XML
// without foreign elements.
#include <algorithm>

#include "base/text.h"
#include "output/flame_graph.h"
#include "require.h"

using namespace uscope;
using namespace uscope::output;

namespace {

void check_folded(const StackCount &stack)
{
    std::string out;
    append_folded(out, stack);
    std::string_view line(out.data(), out.size());
    require(std::count(line.begin(), line.end(), '\n') == 1 && line.back() == '\n');
    require(split(line, ';').size() == stack.frames.size());
}

// Checks that elements are closed in order, and that text between them has no XML syntax.
void check_xml(std::string_view text)
{
    std::vector<std::string_view> open;
    while (!text.empty()) {
        size_t end = text.find_first_of("<&>");
        if (end == text.npos)
            break;
        require(text[end] != '>');
        text.remove_prefix(end);
        if (text[0] == '&') {
            require(text.starts_with("&lt;") || text.starts_with("&gt;") ||
                    text.starts_with("&amp;") || text.starts_with("&quot;") ||
                    text.starts_with("&#39;"));
            text.remove_prefix(1);
            continue;
        }
        std::string_view tag = text.substr(1, text.find('>') - 1);
        text.remove_prefix(tag.size() + 2);
        require(std::count(tag.begin(), tag.end(), '"') % 2 == 0);
        if (tag[0] == '/') {
            require(!open.empty() && open.back() == tag.substr(1));
            open.pop_back();
        } else if (!tag.ends_with('/')) {
            open.push_back(tag.substr(0, tag.find(' ')));
        }
    }
    require(open.empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    // Byte 1 separates stacks, byte 0 frames.
    std::vector<StackCount> stacks;
    for (std::string_view text : split({reinterpret_cast<const char *>(data), size}, '\1')) {
        StackCount stack;
        for (std::string_view name : split(text, '\0'))
            stack.frames.emplace_back(std::string(name));
        stack.count = 1 + text.size();
        stack.frames.back().kind = output::FrameKind(text.size() % 7);
        check_folded(stack);
        stacks.push_back(std::move(stack));
    }
    std::string out;
    append_flame_graph(out, {.title = stacks[0].frames[0].name, .unit = "calls"}, stacks);
    std::string_view file(out.data(), out.size());
    size_t script = file.find("<script><![CDATA[");
    require(script != file.npos && file.ends_with("]]></script>\n</svg>\n"));
    check_xml(std::string(file.substr(0, script)) + "</svg>");
    return 0;
}
