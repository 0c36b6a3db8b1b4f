// What the names of an expression mean at one site.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "abi/operand.h"
#include "base/result.h"
#include "types/type.h"

namespace uscope::expr {

// Where the value of a name comes from when the probe fires.
enum class Builtin : uint8_t { Pid, Tid, Uid, Gid, Cpu, Cgroup, Comm, Latency, Task };
struct ContextField {  // a field of a tracepoint's record: read from the program's context itself
    uint32_t offset, size;
    bool is_signed;
    bool is_array;     // the bytes are in the record
    bool is_data_loc;  // 4 bytes: low half offset in the record, high half length
};
struct Parts {  // a structure in registers: a Go string in two
    struct Part {
        uint64_t offset;  // in the structure
        abi::Operand operand;
    };
    std::vector<Part> parts;
};
// In the memory that each thread of the program has for itself: a word, or, if `behind` is given,
// what lies so many bytes behind where that word points.
struct ThreadWord {
    uint32_t pointer_at;  // in struct task_struct: where that memory is
    int64_t offset;       // of the word, from there
    std::optional<uint64_t> behind;
};
struct Variable {
    types::TypeRef type;
    std::variant<abi::Operand, Builtin, ContextField, Parts, ThreadWord> source;
};

// What names mean at one site (or at all sites that share one program).
struct Scope {
    enum class Moment : uint8_t { Entry, Return, Other };
    Moment moment = Moment::Other;
    abi::Machine machine = abi::host_machine;
    bool kernel_memory = false;  // pointers lead into the kernel's memory, unless marked: arg2@user
    // "arg1", "retval", a parameter's name, "args->filename" is looked up by find_field("filename").
    // The error says why a known name has no value here ("arg2 is not available on return: use
    // $entry(arg2)").
    std::function<Result<std::optional<Variable>>(std::string_view)> find;
    std::function<Result<std::optional<Variable>>(std::string_view)> find_field;  // tracepoints
    std::function<types::TypeRef(std::string_view)> find_type;  // "struct client"; may be empty
    std::function<std::vector<std::string>()> names;            // for near names; may be empty
    // On return: what names meant at entry, for $entry(…) and $latency. Null elsewhere.
    const Scope *entry = nullptr;
    // Of Go's functions: the goroutine that runs. Nothing: it is in r14.
    std::optional<Variable> goroutine = {};
    // Of a program that may be loaded anywhere: where its file has the instructions that are probed.
    // For Go's interfaces, whose types are known by where the file has them.
    std::vector<uint64_t> code = {};
};

}  // namespace uscope::expr
