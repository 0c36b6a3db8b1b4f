// Parses a probe of trace, with its format and the values that the format shows.
#include "probe/request.h"

#include "base/text.h"
#include "expr/lexer.h"
#include "probe/pieces.h"

namespace uscope::probe {
namespace {

expr::ValueForm form_of_conversion(char conversion)
{
    switch (conversion) {
    case 's':
        return expr::ValueForm::String;
    case 'e':
    case 'f':
    case 'g':
        return expr::ValueForm::Float;
    case 'v':
        return expr::ValueForm::Whole;
    case 'x':
    case 'X':
        return expr::ValueForm::Hexadecimal;
    default:
        return expr::ValueForm::Integer;
    }
}

// For "%ls", p: replaces p by wstr(p).
expr::NodeRef wide_string(expr::NodeRef pointer)
{
    if (pointer->kind == expr::NodeKind::Call && pointer->text == "wstr")
        return pointer;
    auto call = std::make_unique<expr::Node>();
    call->kind = expr::NodeKind::Call;
    call->text = "wstr";
    call->column = pointer->column;
    call->children.push_back(std::move(pointer));
    return call;
}

// For the values of `"%.*s", n, p`, which shows n bytes: replaces p by str(p, n).
expr::NodeRef bounded_string(expr::NodeRef pointer, expr::NodeRef length)
{
    auto call = std::make_unique<expr::Node>();
    call->kind = expr::NodeKind::Call;
    call->text = "str";
    call->column = pointer->column;
    call->children.push_back(std::move(pointer));
    call->children.push_back(std::move(length));
    return call;
}

// Returns the text between the quotes exactly as typed, because initializer_bytes() itself
// interprets escapes such as '\n'.
std::string_view as_written(std::string_view source, size_t opening_quote)
{
    size_t end = opening_quote + 1;
    while (end < source.size() && source[end] != '"')
        end += source[end] == '\\' ? 2 : 1;
    return source.substr(opening_quote + 1, end - opening_quote - 1);
}

// Turns the text {0x6c, 'a', '\0'} into bytes. The columns of errors count from the start of
// `list`.
Result<std::string> initializer_bytes(std::string_view list)
{
    std::string_view inside = trim(list);
    if (!inside.starts_with('{') || !inside.ends_with('}'))
        return fail_at(list, 0, "-B expects bytes in braces: \"{{0x6c, 'a'}}\"");
    inside = inside.substr(1, inside.size() - 2);
    size_t column = inside.data() - list.data();
    auto tokens = expr::tokenize(inside);
    if (!tokens)
        return fail_at(list, column + tokens.error().column, "{}", tokens.error().text);
    std::string bytes;
    for (size_t at = 0;; at += 2) {
        const expr::Token &byte = (*tokens)[at];
        bool is_character = inside.substr(byte.column).starts_with('\'');
        if (byte.kind != expr::Token::Kind::Number || (byte.number > 255 && !is_character))
            return fail_at(list, column + byte.column,
                           "expected a byte: 0 to 255, or a character like 'a'");
        bytes += static_cast<char>(byte.number);
        const expr::Token &next = (*tokens)[at + 1];
        if (next.kind == expr::Token::Kind::End)
            return bytes;
        if (!next.is(","))
            return fail_at(list, column + next.column, "expected ',' or the closing '}}'");
    }
}

// Replaces STRCMP("{0x6c, '\0'}", p) by buf(p, 2) == "\x6c\0".
Result<> compare_binary(const spec::Probe &spec, expr::Node &node)
{
    for (auto &child : node.children)
        TRY(compare_binary(spec, *child));
    if (node.kind != expr::NodeKind::Call || node.text != "STRCMP" || node.children.size() != 2)
        return {};
    expr::Node &literal = *node.children[0];
    if (literal.kind != expr::NodeKind::Text)
        return fail_at(spec.source, literal.column,
                       "-B expects bytes in braces: \"{{0x6c, 'a'}}\"");
    auto bytes = initializer_bytes(as_written(spec.source, literal.column));
    if (!bytes)
        return fail_at(spec.source, literal.column + 1 + bytes.error().column, "{}",
                       bytes.error().text);

    auto length = std::make_unique<expr::Node>();
    length->kind = expr::NodeKind::Number;
    length->number = bytes->size();
    auto buffer = std::make_unique<expr::Node>();
    buffer->kind = expr::NodeKind::Call;
    buffer->text = "buf";
    buffer->column = length->column = node.column;
    buffer->children.push_back(std::move(node.children[1]));
    buffer->children.push_back(std::move(length));
    literal.text = std::move(*bytes);
    node.kind = expr::NodeKind::Binary;
    node.text = "==";
    node.children[1] = std::move(node.children[0]);
    node.children[0] = std::move(buffer);
    return {};
}

Result<> pair_values_with_format(ProbeRequest &probe)
{
    const spec::Probe &spec = probe.spec;
    // The length of a "%.*s" is used twice, as a value and as an argument of str(), so the values
    // are parsed twice.
    std::vector<expr::NodeRef> values, copies;
    if (!spec.values.text.empty()) {
        values = TRY(parse_list(spec, spec.values));
        copies = TRY(parse_list(spec, spec.values));
    }
    size_t shown = probe.message.values();
    if (values.size() != shown) {
        return fail_at(spec.source, spec.format.column,
                       "the format shows {} value{}, but {} {} given", shown, shown == 1 ? "" : "s",
                       values.size(), values.size() == 1 ? "is" : "are");
    }

    size_t next = 0;
    auto take = [&](char conversion) {
        probe.values.push_back(
            {std::move(values[next++]), form_of_conversion(conversion), {}, conversion});
    };
    for (const output::Specifier &specifier : probe.message.specifiers()) {
        if (!specifier.conversion)
            continue;
        if (specifier.precision_from_value) {
            take('d');
            if (specifier.conversion == 's')
                values[next] = bounded_string(std::move(values[next]), std::move(copies[next - 1]));
        }
        if (specifier.conversion == 's' && specifier.size == 8)
            values[next] = wide_string(std::move(values[next]));
        take(specifier.conversion);
    }
    return {};
}

}  // namespace

Result<ProbeRequest> parse_event(std::string_view text, bool binary_compare)
{
    ProbeRequest probe;
    probe.spec = TRY(spec::parse_probe(text));
    const spec::Probe &spec = probe.spec;
    probe.predicate = TRY(parse_condition(spec));
    if (spec.has_format)
        probe.message =
            TRY(output::Format::parse(spec.format.text, spec.source, spec.format.column));
    probe.shows_all = !spec.has_format;
    TRY(pair_values_with_format(probe));
    if (binary_compare) {
        if (probe.predicate)
            TRY(compare_binary(spec, *probe.predicate));
        for (Value &value : probe.values)
            TRY(compare_binary(spec, *value.node));
    }
    return probe;
}

}  // namespace uscope::probe
