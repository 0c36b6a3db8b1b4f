// Finds the text that a value is, holds or points to, and checks comparisons with texts.
#include <algorithm>

#include "base/format.h"
#include "base/wide_text.h"
#include "expr/check.h"

namespace uscope::expr {
namespace {

// To compare a value with a text of N bytes, the program reads about N bytes of the value into its
// stack, which has 512 bytes.
constexpr size_t longest_literal = 256;
constexpr size_t longest_inside = 40;  // of contains(), which compares at every position

struct AddressAndLength {
    ExprRef address, length;  // null if the structure's registers do not have them
};

// Builds the expressions that read a structure with a text (types::TextLayout).
class HeldText {
  public:
    explicit HeldText(const ExprRef &value) : value_(value) {}

    AddressAndLength find() const
    {
        using Form = types::TextLayout::Form;
        const types::TextLayout &layout = *value_->type->text;
        ExprRef address = layout.form == Form::LibCxx ? nullptr : word(layout.pointer);
        switch (layout.form) {
        case Form::Counted:
            return {address, word(layout.length)};
        case Form::Ends: {
            ExprRef end = word(layout.length);
            return {address, address && end ? calculate(Op::Subtract, end, address) : nullptr};
        }
        case Form::BehindLength: {
            constexpr uint64_t header = 24;
            if (!address)
                return {};
            ExprRef before = calculate(Op::Subtract, address, number(header));
            return {address, make_load(before, 0, wide_, value_->column)};
        }
        case Form::Qt6: {
            ExprRef count = word(layout.length);
            return {address, count ? calculate(Op::Multiply, count, number(2)) : nullptr};
        }
        case Form::Qt5:
            return address ? of_qt5(address) : AddressAndLength();
        case Form::LibCxx:
            break;
        }
        return value_->op == Op::Parts ? AddressAndLength() : of_libcxx();
    }

  private:
    AddressAndLength of_qt5(const ExprRef &data) const
    {
        constexpr uint64_t count_at = 4, distance_at = 16;
        ExprRef distance = make_load(data, distance_at, wide_, value_->column);
        ExprRef count = make_load(data, count_at, types::integer_type(4, true), value_->column);
        return {calculate(Op::Add, data, distance),
                calculate(Op::Multiply, make_convert(count, wide_), number(2))};
    }

    AddressAndLength of_libcxx() const
    {
        const ExprRef &at = value_->children[0];
        ExprRef first =
            make_load(at, value_->number, types::integer_type(1, false), value_->column);
        ExprRef head = make_convert(first, wide_);
        ExprRef is_long = calculate(Op::And, head, number(1));
        ExprRef inside = calculate(Op::Add, at, number(value_->number + 1));
        auto choose = [&](ExprRef yes, ExprRef no) {
            return make({.op = Op::Choose,
                         .type = wide_,
                         .column = value_->column,
                         .children = {is_long, std::move(yes), std::move(no)},
                         .space = value_->space});
        };
        return {choose(word(16), inside),
                choose(word(8), calculate(Op::ShiftRight, head, number(1)))};
    }

    ExprRef word(uint64_t offset) const
    {
        if (value_->op != Op::Parts)
            return make_load(value_->children[0], value_->number + offset, wide_, value_->column);
        auto at = std::find(value_->offsets.begin(), value_->offsets.end(), offset);
        return at == value_->offsets.end() ? nullptr
                                           : value_->children[at - value_->offsets.begin()];
    }
    ExprRef number(uint64_t n) const { return make_constant(n, wide_, value_->column); }
    ExprRef calculate(Op op, ExprRef left, ExprRef right) const
    {
        return make_binary(op, std::move(left), std::move(right), wide_, value_->column);
    }

    const ExprRef &value_;
    types::TypeRef wide_ = types::integer_type(8, false);
};

}  // namespace

// Returns the text that a structure holds, or the structure if that is not in its registers.
ExprRef Checker::held_text(const ExprRef &value)
{
    auto [address, length] = HeldText(value).find();
    if (!address || !length)
        return value;
    return make({.op = Op::Text,
                 .type = types::char_pointer(),
                 .column = value->column,
                 .children = {make_convert(address, types::char_pointer()),
                              make_convert(length, types::integer_type(8, true))},
                 .space = value->space,
                 .bit_size = uint8_t(value->type->text->is_utf16() ? 16 : 0),
                 .source = TextSource::Counted});
}

Result<ExprRef> Checker::text(const ExprRef &value)
{
    if (is_saved_whole(*value))
        return fail_at(source_, value->column,
                       "this is a whole {}: show it with %v, or save a member of it{}",
                       value->type->name, listed_members(*value->type));
    if (value->op == Op::Text || value->op == Op::Unsupported)
        return value;
    if (value->type->text && (value->op == Op::Parts || value->op == Op::Load))
        return held_text(value);
    if (value->type->points_to_text() && value->op != Op::Saved)
        return held_text(make_load(value, 0, value->type->target, value->column));
    if (value->type->interface != types::Type::Interface::No)
        return fail_at(source_, value->column,
                       "this is an interface: show it with %s, or compare it with nil");
    Expr string = {.op = Op::Text,
                   .type = value->type,
                   .column = value->column,
                   .space = value->space,
                   .source = TextSource::CString};
    if (value->op == Op::Saved) {
        ExprRef at_entry = TRY(text(value->children[1]));
        string.source = TextSource::Saved;
        string.children = {at_entry};
        string.is_bytes = at_entry->is_bytes;
        string.bit_size = at_entry->bit_size;
        return make(std::move(string));
    }
    const types::Type &type = *value->type;
    if (type.kind == types::Type::Kind::Array) {
        if (!type.target || type.target->size != 1)
            return fail_at(source_, value->column, "this is an array of {}, not a string",
                           type.target ? type.target->name : "unknown type");
        string.bound = std::min<uint64_t>(type.size, UINT32_MAX);
    }
    ExprRef address = TRY(integer(value));
    if (address->type->size != 8 && address->op != Op::Constant)
        return fail_at(source_, value->column, "this is {}, not a pointer to a string",
                       address->type->name);
    const types::TypeRef &target = address->type->target;
    if (target && target->kind == types::Type::Kind::Struct)
        return fail_at(source_, value->column,
                       "this points to {}, not to characters: name one of its members{}, or cast "
                       "it, as in (char *)arg1",
                       target->name, listed_members(*target));
    string.children = {address};
    return make(std::move(string));
}

// Does the text, which knows its length, have `literal` at its end?
Result<ExprRef> Checker::ends_with(const ExprRef &text, const Node &literal, const Node &node)
{
    types::TypeRef wide = types::integer_type(8, true), condition = types::integer_type(4, true);
    const ExprRef &length = text->children[1];
    ExprRef wanted = make_constant(literal.text.size(), wide, node.column);
    ExprRef fits = make_binary(Op::GreaterEqual, length, wanted, condition, node.column);
    ExprRef skipped = make_binary(Op::Subtract, length, wanted, wide, node.column);
    ExprRef address =
        make_binary(Op::Add, text->children[0], skipped, text->children[0]->type, node.column);
    return make_binary(Op::Both, fits, TRY(bytes_equal(address, literal, node)), condition,
                       node.column);
}

// Are the bytes at `address` those of `literal`?
Result<ExprRef> Checker::bytes_equal(const ExprRef &address, const Node &literal, const Node &node)
{
    if (literal.text.size() > longest_literal)
        return fail_at(source_, literal.column, "a text to compare with has at most {} bytes",
                       longest_literal);
    ExprRef length = make_constant(literal.text.size(), types::integer_type(8, false), node.column);
    ExprRef bytes = make({.op = Op::Text,
                          .type = types::char_pointer(),
                          .column = node.column,
                          .children = {address, length},
                          .space = address->space,
                          .source = TextSource::Counted,
                          .is_bytes = true});
    return make({.op = Op::TextEqual,
                 .type = types::integer_type(4, true),
                 .column = node.column,
                 .children = {bytes},
                 .text = literal.text});
}

Result<ExprRef> Checker::fixed_equal(const Expr &fixed, const Node &literal, TextMatch match) const
{
    const std::string &text = fixed.text, &wanted = literal.text;
    bool is_equal = match == TextMatch::Start    ? text.starts_with(wanted)
                    : match == TextMatch::End    ? text.ends_with(wanted)
                    : match == TextMatch::Inside ? text.find(wanted) != text.npos
                                                 : text == wanted;
    return make_constant(is_equal, types::integer_type(4, true), literal.column);
}

// Compares the bytes of wide characters; at the end of a whole text stands a character 0.
Result<ExprRef> Checker::wide_equal(const ExprRef &wide, const Node &literal, TextMatch match,
                                    const Node &node)
{
    bool is_whole = match == TextMatch::Whole;
    bool is_counted = wide->source == TextSource::Counted;
    if ((wide->source != TextSource::Wide && !is_counted) ||
        (!is_whole && match != TextMatch::Start))
        return fail_at(
            source_, node.column,
            "a wide text can only be compared by == and starts_with(), as wstr(pointer)");
    auto bytes = wide_bytes(literal.text, wide_bytes_of(*wide));
    if (!bytes)
        return fail_at(source_, literal.column, "this text is not UTF-8");
    Node wanted = {.kind = NodeKind::Text, .column = literal.column, .text = std::move(*bytes)};
    if (is_counted) {
        types::TypeRef length = types::integer_type(8, true), truth = types::integer_type(4, true);
        ExprRef fits = make_binary(
            is_whole ? Op::Equal : Op::GreaterEqual, make_convert(wide->children[1], length),
            make_constant(wanted.text.size(), length, node.column), truth, node.column);
        if (wanted.text.empty())
            return fits;
        return make_binary(Op::Both, fits, TRY(bytes_equal(wide->children[0], wanted, node)), truth,
                           node.column);
    }
    wanted.text.append(is_whole ? wide_bytes_of(*wide) : 0, '\0');
    return bytes_equal(wide->children[0], wanted, node);
}

Result<ExprRef> Checker::text_equal(const Node &subject, const Node &literal, TextMatch match,
                                    const Node &node)
{
    if (subject.kind == NodeKind::Text)
        return fail_at(source_, subject.column, "both sides are texts: one must be a value");
    ExprRef value = TRY(any(subject));
    if (value->op == Op::Unsupported)
        return fail_at(source_, value->column, "{}", value->text);
    if (value->is_address)
        return fail_at(source_, value->column,
                       "ntop() only shows an address: compare its number, in network order");
    if (value->type->constant_name && !value->type->constant_value)
        return fail_at(source_, value->column,
                       "a {0} has its name only in the output: select it by --{0}",
                       value->type->name);
    value = TRY(text(value));
    if (value->source == TextSource::Fixed)
        return fixed_equal(*value, literal, match);
    if (wide_bytes_of(*value))
        return wide_equal(value, literal, match, node);
    if (match == TextMatch::End && value->source == TextSource::Counted && !literal.text.empty())
        return ends_with(value, literal, node);
    const Expr &origin = value->source == TextSource::Saved ? *value->children[0] : *value;
    bool counted = origin.source == TextSource::Counted || origin.is_bytes;
    if (!counted && literal.text.find('\0') != std::string::npos)
        return fail_at(source_, literal.column,
                       "a string ends at its first NUL: to compare more use str(pointer, length)");
    if (match != TextMatch::Whole && literal.text.empty())
        return fail_at(source_, literal.column, "every string {} the empty text",
                       match == TextMatch::Start ? "starts with"
                       : match == TextMatch::End ? "ends with"
                                                 : "contains");
    if (match == TextMatch::End && value->source == TextSource::Saved)
        return fail_at(source_, node.column, "ends_with() does not take $entry()");
    bool is_searched = match == TextMatch::Inside || match == TextMatch::End;
    size_t longest = is_searched ? longest_inside : longest_literal;
    if (literal.text.size() > longest)
        return fail_at(source_, literal.column, "a text to compare with has at most {} bytes",
                       longest);
    if (is_searched && literal.text.find('\0') != std::string::npos)
        return fail_at(source_, literal.column, "{}() searches for texts without a NUL", node.text);
    size_t max = origin.source == TextSource::Comm ? 15 : origin.bound;
    if (max && literal.text.size() > max)
        return fail_at(source_, literal.column, "never equal: the value has at most {} bytes", max);
    return make({.op = Op::TextEqual,
                 .type = types::integer_type(4, true),
                 .column = node.column,
                 .children = {value},
                 .text = literal.text,
                 .match = match});
}

}  // namespace uscope::expr
