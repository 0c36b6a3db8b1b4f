// Resolves the names in a probe's expressions at its sites: the Scope of expr/compile.h.
//
//   entry (p)       arg1 …: the calling convention's integer arguments, in registers, then on
//                   the stack; typed names from a signature, else from the target's DWARF
//   return (r)      retval, typed by the target's DWARF; $entry(…): what the names above meant
//                   at the entry; in Go, also results by their names
//   USDT (u)        arg1 …: the note's operands, typed by their size and sign
//   tracepoint (t)  args->field
//   of the kernel   the same as p and r above, by its BTF; a system call's own arguments at its
//                   entry
//   everywhere      $task, the kernel's struct task_struct
#pragma once

#include <memory>
#include <optional>

#include "dwarf/dwarf.h"
#include "dwarf/scopes.h"
#include "expr/scope.h"
#include "resolve/resolve.h"
#include "spec/probe.h"

namespace uscope::resolve {

class Names {
  public:
    // Both must outlive this object.
    Names(const spec::Probe &probe, const Group &group);
    Names(const Names &) = delete;

    bool is_go() const { return is_go_; }  // probes functions of a Go program
    // Do the expressions use the function's result? Known after compiling.
    bool uses_result() const { return uses_result_; }
    // Returns what to show of an event when no format is given: the parameters, or the result; the
    // fields of a tracepoint, the arguments of a USDT probe. Empty if these are unknown; at most
    // max_shown. In expressions, the first value is "$shown0".
    struct Shown {
        std::string label;  // the parameter's name, or "arg2"
        std::string why;    // not empty: it has no value, for this reason
    };
    static constexpr size_t max_shown = 24;
    std::vector<Shown> shown();
    // Equal texts mean: these values are in the same places and have the same names and types.
    std::string shown_key();
    // Do the functions return a structure in two registers? A branch before the return shows only
    // the first one.
    bool returns_two_registers();
    // A note for the user about the names in use; may be empty. Known after compiling.
    const std::string &note() const { return note_; }
    const expr::Scope &scope() const { return is_return_ ? return_ : entry_; }

  private:
    using Found = Result<std::optional<expr::Variable>>;
    Found find_at_entry(std::string_view name);
    Found find_at_return(std::string_view name);
    Found find_in_signature(std::string_view name);
    Found find_shown(std::string_view name);
    Found find_fixed(std::string_view name);
    Found located(const types::Parameter &parameter);
    void show(std::string label, Found found);
    void show_locals();
    void show_parameters();
    void show_result();
    // The first site's function by its demangled C++ name (signature.h); read at first use.
    const std::optional<types::FunctionInfo> &demangled();
    void note_demangled();
    Found find_in_dwarf(std::string_view name);
    Found find_global(std::string_view name);
    Found find_elsewhere(std::string_view name);
    Found find_of_thread(std::string_view name);
    Found find_at_line(std::string_view name);
    dwarf::LinePosition line_position() const;
    Found return_address();
    Found without_dwarf(std::string_view name);
    Found find_field(std::string_view name);
    Found argument(unsigned n, types::TypeRef type);
    // Go's names (go_names.cpp)
    Found go_name(std::string_view name);
    Found go_name_at_return(std::string_view name);
    Found go_argument(unsigned n);
    Found typed_go_argument(unsigned n, types::TypeRef type);
    Found go_value(const dwarf::Parameter &value, std::string_view name) const;
    Found go_result(unsigned n, std::string_view name);
    Found go_goroutine_id();
    bool is_go_assembly();
    std::vector<uint64_t> probed_code() const;

    Found syscall_argument(unsigned n, types::TypeRef type);
    Found current_task();
    Found container() const;
    Found thread_errno();
    Found return_value();
    Found result_in_registers(const types::FunctionInfo &info) const;
    Result<> check_argument_number(unsigned n);
    const dwarf::FunctionInfo *sole_function();
    types::TypeRef type_of_argument(unsigned n);
    std::optional<dwarf::FunctionInfo> common_result();
    types::TypeRef find_type(std::string_view name);
    std::vector<std::string> known_names();
    // The first site's function, from DWARF or BTF; read at first use.
    const std::optional<dwarf::FunctionInfo> &function();
    const dwarf::Debug *debug();

    const spec::Probe &probe_;
    const Group &group_;
    abi::Machine machine_ = abi::host_machine;
    bool is_go_ = false;
    std::optional<bool> is_go_assembly_;  // set by is_go_assembly()
    bool is_return_;
    bool is_syscall_;  // all sites are the kernel's entries of system calls
    expr::Scope entry_, return_;
    bool uses_result_ = false;
    std::string note_;
    bool debug_tried_ = false, function_tried_ = false;
    std::shared_ptr<const dwarf::Debug> debug_;
    std::vector<std::shared_ptr<const dwarf::Debug>> other_debug_;  // of @LIBRARY:NAME
    std::optional<dwarf::FunctionInfo> function_;
    struct {
        bool is_known = false;
        std::optional<types::FunctionInfo> info;
    } demangled_;
    struct {
        std::vector<Shown> labels;
        std::vector<expr::Variable> values;  // as many
    } shown_;
};

// Opens the debug information of the file; null if there is none.
std::shared_ptr<const dwarf::Debug> open_debug(const FileSites &file);

}  // namespace uscope::resolve
