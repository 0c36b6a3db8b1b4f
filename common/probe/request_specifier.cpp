// Parses the specifiers of argdist.
#include "base/text.h"
#include "probe/pieces.h"
#include "probe/request.h"
#include "spec/specifier.h"
#include "types/type.h"

namespace uscope::probe {
namespace {

// "const std::string &" -> "std::string"
std::string_view object_type(std::string_view type)
{
    while (type.ends_with('&') || type.ends_with('*') || type.ends_with(' '))
        type.remove_suffix(1);
    if (type.starts_with("const "))
        type.remove_prefix(6);
    return type;
}

// Is it a type for strings: "char*", "const char *", "unsigned char*", Go's "string",
// "std::string", "const std::string &"?
bool is_string_type(std::string_view type)
{
    if (type.find("std::") != type.npos)
        return types::find_text_class(object_type(type)).has_value();
    if (!type.ends_with('*'))
        return type == "string";
    std::string_view pointed = trim(type.substr(0, type.size() - 1));
    return pointed == "char" || pointed.ends_with(" char");
}

// Returns the form in which to read values of types that need no cast: strings, floating point, and
// Go's interfaces. Returns nullopt for other types: the value is then cast to the type.
std::optional<expr::ValueForm> form_without_cast(std::string_view type)
{
    type = trim(type);
    if (is_string_type(type))
        return expr::ValueForm::String;
    if (type == "float" || type == "double" || type == "float32" || type == "float64")
        return expr::ValueForm::Float;
    if (type == "error" || type == "any" || type == "interface{}")
        return expr::ValueForm::Natural;
    return std::nullopt;
}

expr::NodeRef cast(expr::NodeRef value, const spec::Piece &type)
{
    auto node = std::make_unique<expr::Node>();
    node->kind = expr::NodeKind::Cast;
    node->column = type.column;
    node->text = type.text;
    node->children.push_back(std::move(value));
    return node;
}

// Is it arg1 or retval, which may have no type of its own?
bool is_untyped(const expr::Node &node)
{
    return node.kind == expr::NodeKind::Name &&
           (node.text.starts_with("arg") || node.text.starts_with("retval") ||
            node.text.starts_with("$retval"));
}

// Gives the value the type of a pointer to a class of C++ that holds a text.
expr::NodeRef as_text_of_class(expr::NodeRef value, const spec::Piece &type)
{
    std::string_view object = object_type(type.text);
    if (!types::find_text_class(object) || !is_untyped(*value))
        return value;
    return cast(std::move(value), {std::string(object) + " *", type.column});
}

expr::NodeRef result_as_int()
{
    auto value = std::make_unique<expr::Node>();
    value->kind = expr::NodeKind::Name;
    value->text = "retval";
    return cast(std::move(value), {"int", 0});
}

}  // namespace

Result<ProbeRequest> parse_specifier(std::string_view text, Gather gather)
{
    spec::Specifier specifier = TRY(spec::parse_specifier(text));
    ProbeRequest probe;
    probe.spec = std::move(specifier.probe);
    const spec::Probe &spec = probe.spec;
    probe.predicate = TRY(parse_condition(spec));
    probe.buckets = specifier.linear;
    probe.label = specifier.label;
    bool is_histogram = gather == Gather::Histogram;
    if (probe.buckets && !is_histogram)
        return fail_at(text, text.find("lin("), "lin(MIN,MAX,STEP) is for histograms: -H");

    for (size_t i = 0; i < specifier.expressions.size(); i++) {
        const spec::Piece &type = specifier.types[i];
        auto value = TRY(parse_one(spec, specifier.expressions[i], "this"));
        auto uncast = form_without_cast(type.text);
        if (is_histogram && i + 1 == specifier.expressions.size()) {
            if (uncast)
                return fail_at(text, type.column, "a histogram needs integers, not {}", type.text);
            probe.measured = cast(std::move(value), type);
            probe.measured_text = specifier.expressions[i].text;
            break;
        }
        value = uncast ? as_text_of_class(std::move(value), type) : cast(std::move(value), type);
        probe.values.push_back({std::move(value), uncast.value_or(expr::ValueForm::Natural),
                                specifier.expressions[i].text});
    }
    if (!specifier.expressions.empty())
        return probe;
    bool is_return = spec.kind == spec::ProbeKind::Return;
    if (is_histogram && !is_return)
        return fail_at(text, text.size(),
                       "a histogram needs an expression to measure: {}:TYPE:EXPRESSION", text);
    if (is_histogram) {
        probe.measured = result_as_int();
        probe.measured_text = "retval";
    } else if (is_return) {
        probe.values.push_back({result_as_int(), expr::ValueForm::Natural, "retval"});
    }
    return probe;
}

}  // namespace uscope::probe
