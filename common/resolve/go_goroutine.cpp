#include "resolve/go_goroutine.h"

#include "go/goroutine.h"
#include "resolve/kernel_types.h"

namespace uscope::resolve {
namespace {

// In struct task_struct, what the kernel loads fs from: programs that have set it by themselves
// (wrfsbase) would have another; Go and C libraries ask the kernel.
Result<uint32_t> thread_pointer_at()
{
    TRY(check_kernel_types());
    auto task = kernel_types()->find_type("struct task_struct");
    auto thread = task && task->find_member ? task->find_member("thread") : std::nullopt;
    auto base =
        thread && thread->type->find_member ? thread->type->find_member("fsbase") : std::nullopt;
    if (!base)
        return fail("this kernel's types do not tell where it keeps a thread's fs");
    return thread->offset + base->offset;
}

}  // namespace

Result<expr::Variable> go_goroutine(const elf::Image &image, std::optional<uint64_t> behind)
{
    types::TypeRef type = types::integer_type(8, false);
    if (go::passes_in_registers(image)) {
        abi::Operand g;
        g.kind = behind ? abi::Operand::Kind::Memory : abi::Operand::Kind::Register;
        g.base = *abi::find_register(abi::Machine::X86_64, "r14");
        g.value = behind.value_or(0);
        return expr::Variable{type, g};
    }
    auto version = go::version_of(image);
    auto offset = go::goroutine_in_thread(image);
    if (!version || *version < go::oldest_known || image.machine() != EM_X86_64)
        return fail(
            "where its functions have the goroutine is known for Go {}.{} and newer, on "
            "x86-64",
            go::oldest_known.major, go::oldest_known.minor);
    if (!offset)
        return fail(
            "before Go 1.17 the goroutine is a thread-local variable, and this file has "
            "others, too, or is a library");
    return expr::Variable{type, expr::ThreadWord{TRY(thread_pointer_at()), *offset, behind}};
}

}  // namespace uscope::resolve
