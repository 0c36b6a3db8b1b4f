// Defines what the names of an expression mean at one site.
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

// When the probe fires, a value comes from one of these or from an abi::Operand:
enum class Builtin : uint8_t { Pid, Tid, Uid, Gid, Cpu, Cgroup, Comm, Latency, Task, Nsecs };
struct ContextField {  // a field of a tracepoint's record, which is the program's context
    uint32_t offset, size;
    bool is_signed;
    bool is_array;     // the record has the bytes themselves
    bool is_data_loc;  // 4 bytes: the low half is the offset of the data in the record, the high
                       // half its length
};
struct Parts {  // a structure in registers, such as a Go string in two
    struct Part {
        uint64_t offset;  // in the structure
        abi::Operand operand;
    };
    std::vector<Part> parts;
};
// A word of the running thread's thread-local memory. If `target_offset` is set, this word is an
// address, and the value is the word at that address + target_offset.
struct ThreadWord {
    uint32_t pointer_at;  // offset in struct task_struct of the pointer to the thread-local memory
    int64_t offset;       // offset of the word from that pointer
    std::optional<uint64_t> target_offset;
};
// errno of the running thread, in the C library that contains the probed function. It is `offset`
// bytes from the thread-local memory; if `slot` is set, also as many bytes as the word says that is
// at the address `slot` in the file.
struct ErrnoWord {
    uint32_t pointer_at;  // as in ThreadWord
    int64_t offset;
    std::optional<uint64_t> slot;
};
// A variable of the file with the probed instruction.
struct Global {
    uint64_t vaddr;  // its address in the file
};
// A variable of another file. Its address in each of the processes that the probe is for; if there
// is only one, the process is not compared.
struct ProcessGlobal {
    struct Copy {
        uint32_t pid;
        uint64_t address;
    };
    std::vector<Copy> copies;
};
struct FixedText {  // known when the program is made, such as the function's name
    std::string text;
};
struct Variable {
    types::TypeRef type;
    std::variant<abi::Operand, Builtin, ContextField, Parts, ThreadWord, ErrnoWord, Global,
                 ProcessGlobal, FixedText>
        source;
};

// The meaning of names at one site, or at all sites that share one program.
struct Scope {
    enum class Moment : uint8_t { Entry, Return, Other };
    Moment moment = Moment::Other;
    abi::Machine machine = abi::host_machine;
    bool kernel_memory = false;  // pointers are kernel addresses, unless marked: arg2@user
    // Looks up "arg1", "retval", a parameter's name; "args->filename" is find_field("filename").
    // Returns nullopt for an unknown name. Errors: a known name has no value here ("arg2 is not
    // available on return: use $entry(arg2)").
    std::function<Result<std::optional<Variable>>(std::string_view)> find;
    std::function<Result<std::optional<Variable>>(std::string_view)> find_field;  // tracepoints
    std::function<types::TypeRef(std::string_view)> find_type;  // "struct client"; may be null
    std::function<std::vector<std::string>()> names;            // for "did you mean"; may be null
    // On return: what names mean at the function's entry, for $entry(…) and $latency. Else null.
    const Scope *entry = nullptr;
    // In Go functions: the running goroutine. nullopt: r14 has it.
    std::optional<Variable> goroutine = {};
    // The addresses, in their file, of the probed instructions, if the file may be loaded at any
    // address. The generated program compares them with the instruction pointer to find out where
    // the file is loaded. Go interfaces need this, as addresses in the file identify their types,
    // and so do ErrnoWord and Global.
    std::vector<uint64_t> code = {};
};

}  // namespace uscope::expr
