// Sorts the lines by family, and adds labels.
#include "agent/merged_metrics.h"

#include <algorithm>

#include "base/format.h"
#include "base/text.h"

namespace uscope::agent {
namespace {

// In values quotes are escaped, so this finds only labels.
std::string with_exported_tool(std::string_view labels)
{
    constexpr std::string_view label = "tool=\"";
    size_t at = labels.starts_with(label) ? 0 : labels.find(",tool=\"");
    if (at == labels.npos)
        return std::string(labels);
    at += at > 0;
    return fmt::format("{}exported_{}", labels.substr(0, at), labels.substr(at));
}

// NAME{LABELS} VALUE or NAME VALUE
void append_labelled(std::string &text, std::string_view sample, std::string_view tool)
{
    size_t end = sample.find_first_of("{ ");
    if (tool.empty() || end == sample.npos)
        append_format(text, "{}\n", sample);
    else if (sample[end] == '{')
        append_format(text, "{}{{tool=\"{}\",{}\n", sample.substr(0, end), tool,
                      with_exported_tool(sample.substr(end + 1)));
    else
        append_format(text, "{}{{tool=\"{}\"}}{}\n", sample.substr(0, end), tool,
                      sample.substr(end));
}

}  // namespace

MergedMetrics::Family &MergedMetrics::at(std::string_view name)
{
    auto found = std::find_if(families_.begin(), families_.end(),
                              [name](const auto &family) { return family.first == name; });
    return found == families_.end() ? families_.emplace_back(name, Family()).second : found->second;
}

void MergedMetrics::add(std::string_view text, std::string_view tool)
{
    Family *family = nullptr;
    bool is_new = false;
    for (std::string_view line : split(text, '\n')) {
        if (line.starts_with("# HELP ")) {
            std::string_view rest = line.substr(7);
            family = &at(rest.substr(0, rest.find(' ')));
            is_new = family->head.empty();
        }
        if (line.empty() || !family)
            continue;
        if (line[0] != '#')
            append_labelled(family->samples, line, tool);
        else if (is_new)
            append_format(family->head, "{}\n", line);
    }
}

std::string MergedMetrics::text() const
{
    std::string text;
    for (const auto &[name, family] : families_)
        text += family.head + family.samples;
    return text;
}

}  // namespace uscope::agent
