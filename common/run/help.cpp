// Formats --help: the options by group, then the explanation and examples, with wrapped lines.
#include "run/help.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/format.h"
#include "base/text.h"

namespace uscope::run {
namespace {

constexpr size_t description_at = 30;

}  // namespace

void append_wrapped(std::string &out, std::string_view text, size_t indent, size_t width)
{
    size_t used = indent;
    for (std::string_view word : split(text, ' ')) {
        if (used > indent && used + 1 + word.size() > width) {
            out.append("\n").append(indent, ' ');
            used = indent;
        }
        if (used > indent) {
            out.push_back(' ');
            used++;
        }
        out.append(word);
        used += word.size();
    }
    out.push_back('\n');
}

namespace {

// Appends a line "  -p,--pid PID                which process", or two lines if the left part is
// long.
void append_entry(std::string &out, std::string_view left, std::string_view right, size_t width)
{
    size_t start = out.size();
    out.append("  ").append(left);
    if (out.size() - start >= description_at) {
        out.push_back('\n');
        start = out.size();
    }
    out.resize(start + description_at, ' ');
    append_wrapped(out, right, description_at, width);
}

// The options that mean the same in all tools (docs/options.md), in the order in which --help shows
// them.
constexpr std::string_view common_names[] = {"--pid",      "--tid",     "--comm",    "--duration",
                                             "--interval", "--number",  "--top",     "--min",
                                             "--output",   "--quiet",   "--json",    "--csv",
                                             "--color",    "--verbose", "--version", "--help"};
constexpr size_t not_common = std::size(common_names);

size_t rank_of(const Option &option)
{
    auto found = std::find_first_of(std::begin(common_names), std::end(common_names),
                                    option.names.begin(), option.names.end());
    return found - std::begin(common_names);
}

std::string_view group_of(const Option &option)
{
    return rank_of(option) == not_common ? std::string_view(option.group) : "Common options";
}

// Appends the groups of options: the common options first, BCC's spellings last, and the other
// groups in between, in the order in which the tool has declared the first option of each.
void append_options(std::string &out, std::vector<Option> options, size_t width)
{
    std::stable_sort(options.begin(), options.end(), [](const Option &a, const Option &b) {
        return std::pair(a.group == bcc_spellings, rank_of(a)) <
               std::pair(b.group == bcc_spellings, rank_of(b));
    });
    std::vector<std::string_view> groups;
    for (const Option &option : options)
        if (std::find(groups.begin(), groups.end(), group_of(option)) == groups.end())
            groups.push_back(group_of(option));
    for (std::string_view group : groups) {
        out.append(fmt::format("\n{}:\n", group));
        for (const Option &option : options)
            if (group_of(option) == group)
                append_entry(out,
                             option.title() + (option.is_flag() ? "" : " " + option.placeholder),
                             option.help, width);
    }
}

// Joins and wraps the lines of each paragraph. Copies a line unchanged if it contains two blanks in
// a row, as lines of tables do.
void append_explanation(std::string &out, std::string_view text, size_t width)
{
    std::string paragraph;
    auto end_paragraph = [&] {
        if (!paragraph.empty())
            append_wrapped(out, paragraph, 0, width);
        paragraph.clear();
    };
    text.remove_suffix(text.ends_with('\n'));
    for (std::string_view line : split(text, '\n')) {
        if (line.empty() || line.find("  ") != line.npos) {
            end_paragraph();
            out.append(line).push_back('\n');
        } else {
            paragraph.append(paragraph.empty() ? "" : " ").append(line);
        }
    }
    end_paragraph();
}

void append_examples(std::string &out, const CommandLine &line, size_t width)
{
    constexpr size_t indent = 6;
    out.append("\nExamples:\n");
    for (const auto &[command, what] : line.examples) {
        out.append(fmt::format("  {}\n", command)).append(indent, ' ');
        append_wrapped(out, what, indent, width);
    }
}

void append_usage(std::string &out, const CommandLine &line, size_t width)
{
    out.append(
        fmt::format("Usage: {} [OPTIONS]", line.alias.name.empty() ? line.tool : line.alias.name));
    if (!line.alias.arguments.empty())
        out.append(" " + line.alias.arguments);
    else
        for (const Positional &positional : line.positionals)
            out.append(
                fmt::format(" [{}{}]", positional.placeholder, positional.is_several ? "..." : ""));
    out.push_back('\n');
    if (!line.alias.name.empty())
        append_wrapped(out, fmt::format("This is {}.", line.alias.meaning), 0, width);
}

}  // namespace

size_t help_width(size_t columns, const char *columns_variable)
{
    constexpr size_t usual = 80, least = 60, max = 100;
    if (auto number = parse_number(columns_variable ? columns_variable : ""))
        columns = *number;
    return columns ? std::clamp(columns, least, max) : usual;
}

std::string help_text(const CommandLine &line, size_t width)
{
    std::string out;
    append_wrapped(out, line.summary, 0, width);
    append_usage(out, line, width);
    bool has_positionals = line.alias.arguments.empty() && !line.positionals.empty();
    if (has_positionals)
        out.append("\nPositionals:\n");
    for (const Positional &positional : line.positionals)
        if (has_positionals)
            append_entry(out, positional.placeholder + (positional.is_several ? " ..." : ""),
                         positional.help, width);
    append_options(out, line.options, width);
    if (!line.explanation.empty()) {
        out.push_back('\n');
        append_explanation(out, line.explanation, width);
    }
    if (!line.examples.empty())
        append_examples(out, line, width);
    return out;
}

}  // namespace uscope::run
