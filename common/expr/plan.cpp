// Checks a request's expressions and lays out the record and the call record.
#include "expr/plan.h"

#include <algorithm>

#include "expr/check.h"
#include "expr/interface.h"
#include "expr/record.h"
#include "expr/whole.h"

namespace uscope::expr {
namespace {

constexpr uint32_t max_string_bytes = 65536;
// Most strings are short. If -Z allows longer ones than one_layout_bytes, the program first tries a
// record with small_bytes per string, and reserves a large one only if a string does not fit.
constexpr uint32_t one_layout_bytes = 512, small_bytes = 240;

uint32_t string_slot_bytes(uint32_t capacity)
{
    // The kernel also writes a NUL. One more byte shows whether a string just fits or is longer.
    return (sizeof(StringSlot) + capacity + 2 + 7) & ~7u;
}

class Planner {
  public:
    explicit Planner(const ProgramRequest &request)
        : request_(request), check_(*request.scope, request.source)
    {
    }

    Result<Plan> run()
    {
        if (request_.string_bytes > max_string_bytes)
            return fail_usage("strings have at most {} bytes", max_string_bytes);
        plan_.saves_caller = request_.calls.shares_exits;
        if (plan_.saves_caller)
            plan_.call_bytes = call_caller_offset + sizeof(uint64_t);
        if (request_.calls.only_deletes_record) {
            plan_.call_bytes = std::max<uint32_t>(plan_.call_bytes, sizeof(uint64_t));
            uint32_t bytes =
                std::max<uint32_t>(request_.event_output.header_bytes, sizeof(uint64_t));
            plan_.layouts.push_back({bytes, {}});  // never used: the program sends no records
            return std::move(plan_);
        }
        if (request_.condition) {
            plan_.condition = TRY(check_.integer(*request_.condition));
            needs_of(*plan_.condition);
        }
        if (request_.predicate) {
            plan_.predicate = TRY(check_.integer(*request_.predicate));
            needs_of(*plan_.predicate);
        }
        for (const Output &output : request_.outputs)
            TRY(add_output(output));
        for (const PlannedValue &value : plan_.values)
            needs_of(*value.expr);
        if (request_.measured) {
            plan_.measured = TRY(check_.integer(*request_.measured));
            needs_of(*plan_.measured);
        }
        TRY(check_addends());
        if (request_.calls.key == CallIdentity::Goroutine ||
            request_.calls.key == CallIdentity::OnlyOfGoroutine)
            plan_.goroutine = TRY(check_.goroutine());
        if (plan_.call_bytes == 0 &&
            (plan_.uses_latency || request_.calls.key == CallIdentity::Function))
            plan_.call_bytes = sizeof(uint64_t);
        plan_.is_session = fits_session();
        if (plan_.is_session && !plan_.saved.empty())
            plan_.saved[0].offset = 0;  // a session's record has no time before the value
        if (request_.event_output.kind == OutputKind::Key) {
            plan_.layouts.push_back(layout(max_string_bytes));
            return std::move(plan_);
        }

        uint32_t small = request_.small_string_bytes.value_or(small_bytes);
        uint32_t long_from = request_.small_string_bytes.value_or(one_layout_bytes);
        bool is_long = std::any_of(plan_.values.begin(), plan_.values.end(),
                                   [&](const auto &value) { return value.capacity > long_from; });
        if (is_long)
            plan_.layouts.push_back(layout(small));
        plan_.layouts.push_back(layout(max_string_bytes));
        return std::move(plan_);
    }

  private:
    Result<> check_addends()
    {
        for (const Addend &addend : request_.addends) {
            Checker check(*request_.scope, addend.source);
            ExprRef value = TRY(check.any(*addend.node));
            if (value->op == Op::Text || value->type->is_string())
                return fail_at(addend.source, value->column,
                               "a text, and only numbers can be added up");
            plan_.addends.push_back(TRY(check.integer(value)));
            needs_of(*plan_.addends.back());
        }
        return {};
    }

    Result<> add_output(const Output &output)
    {
        ExprRef value = TRY(check_.any(*output.node));
        if (output.form == ValueForm::Whole && !value->type->is_string())
            value = Checker::pointed(value);
        if (is_interface(*value))
            add_interface(value);
        else if (is_whole(output, *value))
            return add_whole(value);
        else
            plan_.values.push_back(TRY(planned(output, std::move(value))));
        return {};
    }

    void add_interface(const ExprRef &value)
    {
        const Scope &scope = *request_.scope;
        auto parts = interface_parts(value, scope.code, scope.machine,
                                     request_.event_output.kind == OutputKind::Key);
        plan_.values.push_back(
            {Shape::Interface, interface_type(value), 0, static_cast<uint32_t>(parts.size())});
        for (ExprRef &part : parts) {
            bool is_text = part->op == Op::Text;
            uint32_t capacity = is_text ? capacity_of(*part) : 0;
            plan_.values.push_back(
                {is_text ? Shape::String : Shape::Integer, std::move(part), capacity});
        }
    }

    // Keys of tables have numbers and strings only.
    bool is_whole(const Output &output, const Expr &value) const
    {
        using Kind = types::Type::Kind;
        bool is_asked = output.form == ValueForm::Natural || output.form == ValueForm::Whole;
        bool is_list = value.type->kind == Kind::Struct || value.type->kind == Kind::Array;
        const types::TypeRef &element = value.type->target;
        bool is_numbers = output.form == ValueForm::Whole && value.type->kind == Kind::Array &&
                          element && !is_named_char(element->name);
        return is_asked && is_list && (is_numbers || !value.type->is_string()) &&
               (value.op == Op::Load || value.op == Op::Parts || is_saved_whole(value)) &&
               request_.event_output.kind == OutputKind::Record;
    }

    Result<> add_whole(const ExprRef &value)
    {
        auto whole = std::make_shared<const Whole>(
            *value->type, value->op == Op::Parts ? &value->offsets : nullptr,
            !is_saved_whole(*value));
        ExprRef bytes = value;
        if (value->op == Op::Load)
            bytes = bytes_of(*value, whole->bytes());
        for (const ExprRef &word : bytes->children) {
            if (word->op == Op::Unsupported) {
                plan_.values.push_back({Shape::Unknown, word});
                return {};
            }
        }
        size_t parts = whole->texts().size();
        plan_.values.push_back({Shape::Whole, bytes, std::max<uint32_t>(whole->bytes(), 1),
                                static_cast<uint32_t>(parts), whole});
        for (const Whole::Text &member : whole->texts()) {
            ExprRef text = TRY(check_.text(TRY(check_.inner(
                value, {.type = member.type, .offset = member.offset}, value->column))));
            Shape shape = wide_bytes_of(*text) ? Shape::Wide : Shape::String;
            plan_.values.push_back({shape, text, capacity_of(*text)});
        }
        return {};
    }

    Result<PlannedValue> planned(const Output &output, ExprRef value)
    {
        bool is_natural = output.form == ValueForm::Natural || output.form == ValueForm::Whole;
        if (ExprRef wide = is_natural || output.form == ValueForm::String
                               ? Checker::wide_text(value)
                               : nullptr)
            value = wide;
        if (value->is_address)
            return PlannedValue{Shape::NetAddress, value,
                                value->op == Op::Text ? capacity_of(*value)
                                                      : static_cast<uint32_t>(value->type->size)};
        bool is_named = output.form == ValueForm::String && value->type->constant_name &&
                        value->type->kind == types::Type::Kind::Integer;
        bool as_text = (output.form == ValueForm::String && !is_named) ||
                       (is_natural && value->type->is_string());
        if (as_text && value->op != Op::Unsupported)
            value = TRY(check_.text(value));
        if (value->op == Op::Unsupported)
            return PlannedValue{Shape::Unknown, value};
        bool is_hexadecimal = output.form == ValueForm::Hexadecimal && value->is_bytes;
        if (value->op == Op::Text && value->source == TextSource::Fixed)
            return PlannedValue{Shape::Fixed, value};
        if (wide_bytes_of(*value) && (as_text || is_natural))
            return PlannedValue{Shape::Wide, value, capacity_of(*value)};
        if (value->op == Op::Text && (as_text || is_natural || is_hexadecimal))
            return PlannedValue{value->is_bytes ? Shape::Bytes : Shape::String, value,
                                capacity_of(*value)};
        const types::Type &type = *value->type;
        bool as_integer =
            output.form == ValueForm::Integer || output.form == ValueForm::Hexadecimal;
        if (type.kind == types::Type::Kind::Float && !as_integer) {
            if (type.size != 4 && type.size != 8)
                return fail_at(request_.source, value->column, "{} cannot be shown", type.name);
            return PlannedValue{Shape::Float, value};
        }
        if (output.form == ValueForm::Float)
            return fail_at(request_.source, value->column,
                           "this is not a floating-point value: show it with %d, or as_double() "
                           "(4 bytes: as_float()) if it has the bits of one");
        if (type.kind == types::Type::Kind::Array && is_natural)
            return fail_at(request_.source, value->column,
                           "this is an array: choose an element, such as [0]");
        return PlannedValue{Shape::Integer, TRY(check_.integer(value))};
    }

    bool fits_session() const
    {
        if (!request_.calls.session || request_.scope->moment != Scope::Moment::Return ||
            request_.calls.key != CallIdentity::StackPointer)
            return false;
        if (plan_.saved.empty())
            return plan_.uses_latency;
        const SavedItem &item = plan_.saved[0];
        return plan_.saved.size() == 1 && !plan_.uses_latency && !item.capacity &&
               !item.status_offset;
    }

    uint32_t capacity_of(const Expr &text) const
    {
        uint64_t max = std::max<uint32_t>(request_.string_bytes, 1);
        if (text.source == TextSource::Saved)
            return capacity_of(*text.children[0]);
        if (text.source == TextSource::Comm)
            return 16;
        if (text.is_bytes && text.type->kind == types::Type::Kind::Struct && !text.type->text)
            return text.children[1]->number;  // a whole structure
        if (text.bound)
            max = std::min<uint64_t>(max, text.bound);
        if (text.source == TextSource::Counted && text.children[1]->op == Op::Constant)
            max = std::clamp<uint64_t>(text.children[1]->number, 1, max);
        unsigned wide = wide_bytes_of(text);
        return wide ? std::max<uint64_t>(max / wide, 1) * wide : max;
    }

    // Collects the values that must be saved at entry, and notes whether $latency, $pid or $tid are
    // used. (In a pid namespace of its own, the program has to get the ids before anything else.)
    void needs_of(const Expr &expr)
    {
        if (expr.op == Op::Builtin) {
            plan_.uses_latency |= expr.builtin == Builtin::Latency;
            plan_.uses_ids |= expr.builtin == Builtin::Pid || expr.builtin == Builtin::Tid;
        }
        if (expr.op == Op::Saved || (expr.op == Op::Text && expr.source == TextSource::Saved)) {
            save(expr.children[0]);
            return needs_of(*expr.children[0]);
        }
        for (const ExprRef &child : expr.children)
            needs_of(*child);
    }

    void save(const ExprRef &value)
    {
        if (plan_.call_bytes == 0)
            plan_.call_bytes = sizeof(uint64_t);  // the time of the entry
        for (const SavedItem &item : plan_.saved)
            if (same(*item.value, *value))
                return;
        uint32_t capacity = value->op == Op::Text ? capacity_of(*value) : 0;
        SavedItem item = {value, plan_.call_bytes, capacity};
        plan_.call_bytes += capacity ? string_slot_bytes(capacity) : sizeof(uint64_t);
        if (!capacity && value->can_fail) {
            item.status_offset = plan_.call_bytes;
            plan_.call_bytes += sizeof(uint64_t);
        }
        plan_.saved.push_back(std::move(item));
    }

    // Lays out status words first, then numbers, then strings, so that most offsets are small.
    Program::Layout layout(uint32_t max_capacity) const
    {
        Program::Layout layout;
        uint32_t offset = request_.event_output.header_bytes;
        for (const PlannedValue &value : plan_.values) {
            const types::Type &type = *value.expr->type;
            Field field = {.shape = value.shape,
                           .size = wide_bytes_of(*value.expr)
                                       ? static_cast<uint8_t>(wide_bytes_of(*value.expr))
                                       : static_cast<uint8_t>(std::min<uint64_t>(type.size, 8)),
                           .is_signed = type.is_signed,
                           .type = value.expr->type,
                           .offset = 0,
                           .capacity = std::min(value.capacity, max_capacity),
                           .parts = value.parts,
                           .why = is_outside(value.shape) ? value.expr->text : "",
                           .whole = value.whole};
            if (is_number(value.shape) && value.expr->can_fail) {
                field.status_offset = offset;
                offset += sizeof(int32_t);
            }
            layout.fields.push_back(std::move(field));
        }
        offset = (offset + 7) & ~7u;
        for (Field &field : layout.fields) {
            if (!is_number(field.shape))
                continue;
            field.offset = offset;
            offset += sizeof(uint64_t);
        }
        for (Field &field : layout.fields) {
            if (is_number(field.shape) || is_outside(field.shape))
                continue;
            field.offset = offset;
            offset += string_slot_bytes(field.capacity);
        }
        layout.record_bytes = offset;
        return layout;
    }

    static bool is_outside(Shape shape)  // of the record
    {
        return shape == Shape::Unknown || shape == Shape::Fixed;
    }

    static bool is_number(Shape shape)
    {
        return shape == Shape::Integer || shape == Shape::Float || shape == Shape::Interface;
    }

    const ProgramRequest &request_;
    Checker check_;
    Plan plan_;
};

}  // namespace

Result<Plan> make_plan(const ProgramRequest &request)
{
    return Planner(request).run();
}

}  // namespace uscope::expr
