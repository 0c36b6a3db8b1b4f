// Checks a parsed expression: resolves its names, and computes the types by C's rules. Finds every
// mistake of the user except those of syntax, which the parser reports.
#pragma once

#include "expr/parse.h"
#include "expr/tree.h"

namespace uscope::expr {

// Does the expression consist of literals only? Then it has the same value at every site. Other
// expressions may be constant at one site, such as an argument of a USDT probe.
bool is_literal(const Node &node);
// Lists a type's members for an error message: " (x, y, name)". Returns "" if none are known.
std::string listed_members(const types::Type &type);

class Checker {
  public:
    // `source` is the text from which the nodes were parsed. Both must outlive the checker.
    Checker(const Scope &scope, std::string_view source) : scope_(scope), source_(source) {}

    // Returns any kind of value: also structures, arrays, floats, strings and Op::Unsupported.
    Result<ExprRef> any(const Node &node);
    // Returns an integer or a pointer, for calculations: of a string its address, of an array the
    // address of its first element, of a Go interface its first word. Errors: other kinds of
    // values.
    Result<ExprRef> integer(const Node &node);
    Result<ExprRef> integer(const ExprRef &value);
    // Returns the address of the running goroutine (Go's struct g): Scope::goroutine, or r14 if
    // that is not set.
    Result<ExprRef> goroutine();
    // Returns the string that `value` is or points to. Returns an Op::Unsupported unchanged.
    Result<ExprRef> text(const ExprRef &value);
    // Returns the text of wide characters if the value is a pointer to them or an array of them, by
    // its type; else null.
    static ExprRef wide_text(const ExprRef &value);
    // Returns the structure to which a pointer points; other values unchanged.
    static ExprRef pointed(const ExprRef &value);
    // Returns a member, not a bit-field, of a structure in memory (Op::Load) or in registers
    // (Op::Parts).
    Result<ExprRef> inner(const ExprRef &structure, const types::Member &member, size_t column);

  private:
    Result<ExprRef> name(const Node &node);
    std::vector<std::string> names_near(const std::string &name) const;
    Result<ExprRef> since_start(const Node &node);
    Result<ExprRef> builtin(Builtin builtin, const Node &node, types::TypeRef type = {});
    Result<ExprRef> variable(const Variable &variable, const Node &node);
    Result<ExprRef> parts(const Parts &parts, types::TypeRef type, const Node &node);
    ExprRef thread_memory(uint32_t pointer_at, size_t column);
    ExprRef thread_word(const ThreadWord &word, types::TypeRef type, size_t column);
    Result<ExprRef> operand(const abi::Operand &operand, types::TypeRef type, const Node &node);
    Result<ExprRef> context_field(const ContextField &field, types::TypeRef type, const Node &node);
    ExprRef from_register(abi::Register reg, uint8_t size, bool is_signed, size_t column);
    ExprRef file_base(size_t column);
    ExprRef global_address(const ProcessGlobal &global, const Node &node);
    ExprRef errno_word(const ErrnoWord &word, types::TypeRef type, size_t column);
    Result<std::pair<ExprRef, ExprRef>> operands(const Node &left, const Node &right);
    Result<ExprRef> beside(const Node &node, const types::Type &other);
    Result<ExprRef> unary(const Node &node);
    Result<ExprRef> binary(const Node &node);
    Result<> refuse_shift_count(const Expr &count, const types::Type &shifted,
                                const Node &node) const;
    Result<ExprRef> arithmetic(Op op, ExprRef left, ExprRef right, const Node &node);
    Result<ExprRef> pointer_arithmetic(Op op, ExprRef left, ExprRef right, const Node &node);
    Result<ExprRef> pointer_step(const ExprRef &pointer, const ExprRef &count, const Node &node);
    Result<ExprRef> choose(const Node &node);
    Result<ExprRef> index(const Node &node);
    Result<> refuse_index(const types::Type &array, const Expr &index, const Node &node) const;
    Result<ExprRef> member(const Node &node);
    Result<ExprRef> member_of(const types::Type &structure, const ExprRef &address, uint64_t offset,
                              const Node &node);
    Result<ExprRef> part(const ExprRef &structure, const types::Member &member, size_t column);
    ExprRef at_path(const ExprRef &structure, std::string_view path);
    ExprRef fixed_list(const ExprRef &value);
    std::pair<ExprRef, ExprRef> elements(const ExprRef &value);
    Result<ExprRef> container_size(const ExprRef &value, const Node &node);
    Result<ExprRef> container_element(const ExprRef &value, const ExprRef &index, const Node &node);
    Result<ExprRef> element_at(const ExprRef &pointer, const ExprRef &index, const Node &node);
    ExprRef owned_pointer(const ExprRef &value);
    ExprRef held_text(const ExprRef &value);
    Result<ExprRef> special_member(const Node &node);
    // The language's functions (check_functions.cpp)
    struct Function {
        std::string_view name;
        size_t least, most;  // arguments
        Result<ExprRef> (Checker::*check)(const Node &);
    };
    static const std::vector<Function> &functions();
    Result<ExprRef> call(const Node &node);
    Result<std::pair<const Node *, const Node *>> value_and_text(const Node &node) const;
    Result<ExprRef> text_test(const Node &node);
    Result<ExprRef> compared(const Node &node);
    static ExprRef unequal(const ExprRef &equal);
    Result<ExprRef> entry_value(const Node &node);
    Result<ExprRef> counted_text(const Node &node);
    Result<ExprRef> wide_text(const Node &node);
    Result<ExprRef> register_value(const Node &node);
    Result<ExprRef> extreme(const Node &node);
    Result<ExprRef> absolute(const Node &node);
    Result<ExprRef> floating(const Node &node);
    Result<ExprRef> length(const Node &node);
    Result<ExprRef> swapped(const Node &node);
    Result<ExprRef> network_address(const Node &node);
    Result<ExprRef> port(const Node &node);
    Result<ExprRef> offset_of(const Node &node);
    Result<ExprRef> defined(std::string_view text, const Node &node);
    Result<ExprRef> text_equal(const Node &subject, const Node &literal, TextMatch match,
                               const Node &node);
    Result<ExprRef> ends_with(const ExprRef &text, const Node &literal, const Node &node);
    Result<ExprRef> fixed_equal(const Expr &fixed, const Node &literal, TextMatch match) const;
    Result<ExprRef> wide_equal(const ExprRef &wide, const Node &literal, TextMatch match,
                               const Node &node);
    Result<ExprRef> bytes_equal(const ExprRef &address, const Node &literal, const Node &node);
    Result<types::TypeRef> type_named(const std::string &name, const Node &node);
    Result<types::TypeRef> sized_type(const std::string &name, const Node &node);
    Space pointers() const { return scope_.kernel_memory ? Space::Kernel : Space::User; }

    const Scope &scope_;
    std::string_view source_;
};

}  // namespace uscope::expr
