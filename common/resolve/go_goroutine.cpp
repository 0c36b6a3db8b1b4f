// Since Go 1.17, the current goroutine is in r14 (x86-64). Before, it is in a thread-local
// variable.
#include "resolve/go_goroutine.h"

#include "go/goroutine.h"
#include "resolve/thread_memory.h"

namespace uscope::resolve {

Result<expr::Variable> go_goroutine(const elf::Image &image, std::optional<uint64_t> offset)
{
    types::TypeRef type = types::integer_type(8, false);
    if (go::passes_in_registers(image)) {
        abi::Operand g;
        g.kind = offset ? abi::Operand::Kind::Memory : abi::Operand::Kind::Register;
        g.base = *abi::find_register(abi::Machine::X86_64, "r14");
        g.value = offset.value_or(0);
        return expr::Variable{type, g};
    }
    auto version = go::version_of(image);
    auto in_thread = go::goroutine_in_thread(image);
    if (!version || *version < go::oldest_known || image.machine() != EM_X86_64)
        return fail("cannot find the current goroutine: this needs Go {}.{} or newer, on x86-64",
                    go::oldest_known.major, go::oldest_known.minor);
    if (!in_thread)
        return fail(
            "before Go 1.17 the goroutine is in a thread-local variable, which cannot be found in "
            "a library or among other thread-local variables");
    return expr::Variable{type, expr::ThreadWord{TRY(thread_pointer_at()), *in_thread, offset}};
}

}  // namespace uscope::resolve
