// The C library, and allocators that replace its own: jemalloc, tcmalloc and others export the same
// names. If a program is linked with its allocator, the executable has these names.
//
// libstdc++'s `operator new` calls malloc and its `operator delete` calls free; those of jemalloc
// and tcmalloc do not. The aligned and sized forms are separate functions. An allocation function
// may call another one; the programs that count take care of that (bpf/uobjnew.bpf.c).
#include "base/format.h"
#include "lang/runtime.h"

namespace uscope::lang {
namespace {

void examine_c(Runtime &, const Memory *) {}

void check_c(const Runtime &runtime, Event event, bool, Availability &availability)
{
    if (!availability.hooks.empty())
        return;
    if (event == Event::Allocation)
        availability.notes.push_back(
            fmt::format("{}: none of its files has malloc", runtime.who()));
    else if (event == Event::ThreadStart)
        availability.notes.push_back(
            fmt::format("{}: none of its files has pthread_create", runtime.who()));
}

// Expressions for the bytes requested from calloc and reallocarray; all ones if they do not fit
// into 64 bits.
constexpr char product[] = "arg1 * arg2 | -(arg2 > 0x7fffffffffffffff / (arg1 | !arg1))",
               product_of_array[] = "arg2 * arg3 | -(arg3 > 0x7fffffffffffffff / (arg2 | !arg2))";

// An expression for the bytes requested from realloc; all ones if the call only frees.
constexpr char resized[] = "arg2 | -(arg1 && !arg2)";
// An expression for the bytes requested from posix_memalign; all ones if it refuses the alignment.
constexpr char aligned[] = "arg3 | -(!arg2 || arg2 & (arg2 - 1) || arg2 & 7)";

const std::vector<Value> first = {{Role::Bytes, "arg1"}}, second = {{Role::Bytes, "arg2"}};

}  // namespace

const Language c = {
    .name = "c",
    .title = "C",
    .executables = {},
    .libraries = {"libc.so*", "libc-[0-9]*.so", "libpthread*", "ld-musl-*", "libc.musl-*"},
    .provider = "",
    .hooks =
        {
            {Event::Allocation, "", "malloc", first, "malloc"},
            {Event::Allocation, "", "calloc", {{Role::Bytes, product}}, "calloc"},
            {Event::Allocation, "", "realloc", {{Role::Bytes, resized}}, "realloc"},
            {Event::Allocation,
             "",
             "reallocarray",
             {{Role::Bytes, product_of_array}},
             "reallocarray"},
            {Event::Allocation,
             "",
             "posix_memalign",
             {{Role::Bytes, aligned}, {Role::Address, "*(uint64_t *)$entry(arg1)"}},
             "posix_memalign"},
            {Event::Allocation, "", "aligned_alloc", second, "aligned_alloc"},
            {Event::Allocation, "", "memalign", second, "memalign"},
            {Event::Allocation, "", "valloc", first, "valloc"},
            {Event::Allocation, "", "pvalloc", first, "pvalloc"},
            {Event::Allocation, "", "_Znwm", first, "operator new"},
            {Event::Allocation, "", "_ZnwmRKSt9nothrow_t", first, "operator new"},
            {Event::Allocation, "", "_ZnwmSt11align_val_t", first, "operator new"},
            {Event::Allocation, "", "_ZnwmSt11align_val_tRKSt9nothrow_t", first, "operator new"},
            {Event::Allocation, "", "_Znam", first, "operator new[]"},
            {Event::Allocation, "", "_ZnamRKSt9nothrow_t", first, "operator new[]"},
            {Event::Allocation, "", "_ZnamSt11align_val_t", first, "operator new[]"},
            {Event::Allocation, "", "_ZnamSt11align_val_tRKSt9nothrow_t", first, "operator new[]"},
            // jemalloc only.
            {Event::Allocation, "", "mallocx", first, "mallocx"},
            {Event::Allocation, "", "rallocx", second, "rallocx"},
            {Event::Release, "", "free"},
            {Event::Release, "", "cfree"},
            {Event::Release, "", "free_sized"},
            {Event::Release, "", "free_aligned_sized"},
            {Event::Release, "", "dallocx"},
            {Event::Release, "", "sdallocx"},
            {Event::Release, "", "_ZdlPv"},
            {Event::Release, "", "_ZdlPvm"},
            {Event::Release, "", "_ZdlPvRKSt9nothrow_t"},
            {Event::Release, "", "_ZdlPvSt11align_val_t"},
            {Event::Release, "", "_ZdlPvmSt11align_val_t"},
            {Event::Release, "", "_ZdlPvSt11align_val_tRKSt9nothrow_t"},
            {Event::Release, "", "_ZdaPv"},
            {Event::Release, "", "_ZdaPvm"},
            {Event::Release, "", "_ZdaPvRKSt9nothrow_t"},
            {Event::Release, "", "_ZdaPvSt11align_val_t"},
            {Event::Release, "", "_ZdaPvmSt11align_val_t"},
            {Event::Release, "", "_ZdaPvSt11align_val_tRKSt9nothrow_t"},
            {Event::ThreadStart, "", "pthread_create", {{Role::Start, "arg3"}}},
        },
    .examine = examine_c,
    .check_availability = check_c,
};

}  // namespace uscope::lang
