// Checks what expressions do with the standard containers of C++ and Rust and the slices of Go:
//
//     names.size()    the number of elements; of a string, its bytes
//     names[2]        an element of a vector, an array, a span or a slice
//     owner->name     a member of what a smart pointer points to; owner.get() is the pointer
//
// They are recognized by their members, which differ between libraries: libstdc++ (_M_impl),
// libc++ (__begin_), Rust's alloc (buf, len), Go (array, len). Sources: the headers of libstdc++ 4
// to 15 and libc++ 3 to 20, Rust's alloc 1.60 to 1.90.
#include <array>

#include "base/format.h"
#include "base/text.h"
#include "expr/check.h"

namespace uscope::expr {
namespace {

using Kind = types::Type::Kind;
using Path = std::string_view;  // "_M_impl._M_start": a member of a member

struct Sequence {            // elements one after another
    Path begin, end, count;  // one of `end` and `count` is empty
};
constexpr std::array<Sequence, 8> sequences = {{
    {"_M_impl._M_start", "_M_impl._M_finish", ""},  // libstdc++: vector
    {"__begin_", "__end_", ""},                     // libc++: vector
    {"_M_ptr", "", "_M_extent._M_extent_value"},    // libstdc++: span
    {"__data_", "", "__size_"},                     // libc++: span
    {"buf.inner.ptr", "", "len"},                   // Rust: Vec, since 1.83
    {"buf.ptr", "", "len"},                         // Rust: Vec
    {"data_ptr", "", "length"},                     // Rust: slices
    {"array", "", "len"},                           // Go: slices
}};

// Numbers of elements that are stored.
constexpr std::array<Path, 9> counts = {
    "_M_t._M_impl._M_node_count",  // libstdc++: map, set
    "_M_h._M_element_count",       // unordered_map, unordered_set
    "_M_impl._M_node._M_size",     // list
    "__tree_.__size_",             // libc++: map, set
    "__tree_.__pair3_.__value_",   // before 19
    "__table_.__size_",            // unordered_map, unordered_set
    "__table_.__p2_.__value_",     // before 19
    "__size_",                     // list
    "__size_alloc_.__value_",      // before 19
};

// Pointers of smart pointers; that of a std::unique_ptr is its first word.
constexpr std::array<Path, 3> owned = {"_M_ptr", "__ptr_", "__ptr_.__value_"};

bool is_in_place(const Expr &value)
{
    return value.op == Op::Load || value.op == Op::Parts;
}

// "struct unique_ptr<ns::Thing, std::default_delete<ns::Thing> >" -> "ns::Thing"
std::string_view first_argument(std::string_view name)
{
    size_t start = name.find('<');
    if (start == name.npos)
        return "";
    int depth = 0;
    for (size_t i = ++start; i < name.size(); i++) {
        char c = name[i];
        if (depth == 0 && (c == ',' || c == '>'))
            return trim(name.substr(start, i - start));
        depth += c == '<' || c == '(' ? 1 : c == '>' || c == ')' ? -1 : 0;
    }
    return "";
}

}  // namespace

// Returns the member of a member … of a structure; null if it does not have this path.
ExprRef Checker::at_path(const ExprRef &structure, std::string_view path)
{
    ExprRef value = structure;
    for (std::string_view rest = path; !rest.empty();) {
        std::string_view name = rest.substr(0, rest.find('.'));
        rest.remove_prefix(std::min(rest.size(), name.size() + 1));
        const types::Type &type = *value->type;
        if (type.kind != Kind::Struct || !type.find_member || !is_in_place(*value))
            return nullptr;
        auto member = type.find_member(name);
        if (!member || !member->type || member->bit_size)
            return nullptr;
        auto found = inner(value, *member, structure->column);
        if (!found)
            return nullptr;
        value = std::move(*found);
    }
    return value;
}

// Returns the address of the first element, typed, and the number of elements; null if `value` is
// no sequence.
std::pair<ExprRef, ExprRef> Checker::elements(const ExprRef &value)
{
    types::TypeRef wide = types::integer_type(8, false);
    size_t column = value->column;
    for (const Sequence &sequence : sequences) {
        ExprRef begin = at_path(value, sequence.begin);
        ExprRef end = begin && !sequence.end.empty() ? at_path(value, sequence.end) : nullptr;
        ExprRef count = begin && !end ? at_path(value, sequence.count) : nullptr;
        if (!end && (!count || sequence.count.empty()))
            continue;
        types::TypeRef element = begin->type->kind == Kind::Pointer ? begin->type->target : nullptr;
        auto argument = first_argument(value->type->name);
        if ((!element || element->size == 0 || begin->type->kind != Kind::Pointer) &&
            !argument.empty() && scope_.find_type)
            element = types::parse_type(argument, scope_.find_type);
        // Rust: the pointer may be within a structure, NonNull<T>.
        if (begin->type->kind == Kind::Struct && begin->type->size == 8 && is_in_place(*begin)) {
            auto word = inner(begin, {.type = types::pointer_to(element)}, column);
            begin = word ? *word : nullptr;
        }
        if (!begin || begin->type->kind != Kind::Pointer)
            continue;
        if (end && element && element->size)
            count = make_binary(Op::Divide,
                                make_binary(Op::Subtract, make_convert(end, wide),
                                            make_convert(begin, wide), wide, column),
                                make_constant(element->size, wide, column), wide, column);
        if (!count || count->type->kind != Kind::Integer)
            continue;
        return {make_convert(begin, types::pointer_to(element)), make_convert(count, wide)};
    }
    return {};
}

// Returns the array in a std::array; null if `value` has none.
ExprRef Checker::fixed_list(const ExprRef &value)
{
    for (Path path : {"_M_elems", "__elems_"}) {
        ExprRef list = at_path(value, path);
        if (list && list->type->kind == Kind::Array)
            return list;
    }
    return nullptr;
}

// value.size()
Result<ExprRef> Checker::container_size(const ExprRef &value, const Node &node)
{
    types::TypeRef wide = types::integer_type(8, false);
    const types::Type &type = *value->type;
    if (type.text || type.points_to_text()) {
        ExprRef held = TRY(text(value));
        if (held->op == Op::Text && held->source == TextSource::Counted)
            return make_convert(held->children[1], wide);
    }
    // Its only member, if any, is there for the size.
    if (type.name.starts_with("struct array<") &&
        (type.name.ends_with(", 0>") || type.name.ends_with(", 0UL>")))
        return make_constant(0, wide, node.column);
    ExprRef list = fixed_list(value);
    if (const types::Type &array = list ? *list->type : type;
        array.kind == Kind::Array && array.target && array.target->size)
        return make_constant(array.size / array.target->size, wide, node.column);
    if (auto count = elements(value).second)
        return count;
    for (Path path : counts)
        if (ExprRef count = at_path(value, path); count && count->type->kind == Kind::Integer)
            return make_convert(count, wide);
    return fail_at(source_, node.column, "the size of {} is not known", type.name);
}

// Returns the element of a container, as value[index]; null if `value` is no container.
Result<ExprRef> Checker::container_element(const ExprRef &value, const ExprRef &index,
                                           const Node &node)
{
    if (ExprRef list = fixed_list(value); list && list->op == Op::Load)
        return element_at(TRY(integer(list)), index, node);
    ExprRef begin = elements(value).first;
    if (!begin)
        return ExprRef();
    if (!begin->type->target || begin->type->target->size == 0)
        return fail_at(source_, node.column, "the type of the elements of {} is not known",
                       value->type->name);
    return element_at(begin, index, node);
}

// Returns the pointer that a smart pointer keeps; null for other values.
ExprRef Checker::owned_pointer(const ExprRef &value)
{
    if (!is_in_place(*value) || value->type->kind != Kind::Struct)
        return nullptr;
    std::string_view name = value->type->name;
    name.remove_prefix(std::min(name.size(), name.find(' ') + 1));
    bool is_unique = name.starts_with("unique_ptr<");
    if (!is_unique && !name.starts_with("shared_ptr<") && !name.starts_with("weak_ptr<"))
        return nullptr;
    if (!is_unique) {
        for (Path path : owned)
            if (ExprRef pointer = at_path(value, path);
                pointer && pointer->type->kind == Kind::Pointer)
                return pointer;
        return nullptr;
    }
    auto target = types::parse_type(first_argument(name), scope_.find_type);
    auto pointer = inner(value, {.type = types::pointer_to(target)}, value->column);
    return pointer ? *pointer : nullptr;
}

}  // namespace uscope::expr
