// Parses pieces of a probe's text. Adds the column at which a piece starts to the columns of its
// errors and nodes.
#include "probe/pieces.h"

namespace uscope::probe {
namespace {

void shift(expr::Node &node, size_t column)
{
    node.column += column;
    for (auto &child : node.children)
        shift(*child, column);
}

}  // namespace

Result<std::vector<expr::NodeRef>> parse_list(const spec::Probe &spec, const spec::Piece &piece)
{
    auto nodes = expr::parse_list(piece.text);
    if (!nodes) {
        nodes.error().source = spec.source;
        nodes.error().column += piece.column;
        return nodes;
    }
    for (auto &node : *nodes)
        shift(*node, piece.column);
    return nodes;
}

Result<expr::NodeRef> parse_one(const spec::Probe &spec, const spec::Piece &piece,
                                std::string_view what)
{
    auto nodes = TRY(parse_list(spec, piece));
    if (nodes.size() != 1)
        return fail_at(spec.source, nodes[1]->column, "{} must be one expression", what);
    return std::move(nodes[0]);
}

Result<expr::NodeRef> parse_condition(const spec::Probe &spec)
{
    if (spec.predicate.text.empty())
        return expr::NodeRef();
    return parse_one(spec, spec.predicate, "a condition");
}

}  // namespace uscope::probe
