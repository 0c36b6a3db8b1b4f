#include "resolve/risk.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>

#include "abi/registers.h"
#include "base/text.h"
#include "elf/dynamic.h"
#include "elf/symbols.h"
#include "proc/executable.h"
#include "proc/maps.h"
#include "proc/process.h"

namespace uscope::resolve {
namespace {

constexpr std::string_view unwinds = "unwinds its stack (C++ exceptions, Rust panics)";
constexpr std::string_view cancels = "ends threads by unwinding their stacks";
constexpr std::string_view interrupts = "lets threads be ended anywhere, by unwinding their stacks";
constexpr std::string_view walks = "looks at its own stack (backtrace)";
constexpr std::string_view switches = "switches stacks (fibers, coroutines)";
constexpr std::string_view alternates = "handles signals on another stack";
constexpr std::string_view manages = "has a runtime that manages its own stacks";

struct Sign {
    std::string_view name;
    std::string_view why;
    bool is_definition = false;  // the file has it; else it uses it, or has it linked in
};

// In the order of their names.
constexpr std::array signs = {
    Sign{"JNI_CreateJavaVM", manages, true},
    Sign{"PyInit__greenlet", switches, true},
    Sign{"_Unwind_Backtrace", walks},
    Sign{"_Unwind_ForcedUnwind", unwinds},
    Sign{"_Unwind_RaiseException", unwinds},
    Sign{"_Unwind_Resume", unwinds},
    Sign{"_Unwind_Resume_or_Rethrow", unwinds},
    Sign{"_ZN2v87Isolate8AllocateEv", manages, true},
    Sign{"__crystal_main", manages, true},
    Sign{"__cxa_rethrow", unwinds},
    Sign{"__cxa_throw", unwinds},
    Sign{"__gnat_raise_exception", interrupts},
    Sign{"__morestack", manages, true},
    Sign{"_d_throw_exception", unwinds},
    Sign{"_d_throwdwarf", unwinds},
    Sign{"backtrace", walks},
    Sign{"caml_main", manages, true},
    Sign{"caml_start_program", manages, true},
    Sign{"co_switch", switches},
    Sign{"coreclr_initialize", manages, true},
    Sign{"coro_transfer", switches},
    Sign{"erts_alloc_init", manages, true},
    Sign{"fiber_switchContext", switches},
    Sign{"hs_init_ghc", manages},
    Sign{"hs_main", manages},
    Sign{"jump_fcontext", switches},
    Sign{"makecontext", switches},
    Sign{"mono_jit_init", manages, true},
    Sign{"ontop_fcontext", switches},
    Sign{"pthread_cancel", cancels},
    Sign{"pthread_exit", cancels},
    Sign{"pthread_setcanceltype", interrupts},
    Sign{"qemu_coroutine_switch", switches, true},
    Sign{"rb_fiber_resume", switches, true},
    Sign{"setcontext", switches},
    Sign{"sigaltstack", alternates},
    Sign{"swapcontext", switches},
    Sign{"unw_backtrace", walks},
    Sign{"unw_step", walks},
    Sign{"zend_fiber_switch_context", switches, true},
};

static_assert(std::is_sorted(signs.begin(), signs.end(),
                             [](const Sign &a, const Sign &b) { return a.name < b.name; }));

constexpr bool less(const Sign &sign, std::string_view name)
{
    return sign.name < name;
}

const Sign *find_sign(std::string_view name)
{
    static const uint64_t lengths = [] {  // most names are told apart by them
        uint64_t bits = 0;
        for (const Sign &sign : signs)
            bits |= uint64_t(1) << sign.name.size();
        return bits;
    }();
    if (name.size() >= 64 || !(lengths >> name.size() & 1))
        return nullptr;
    auto found = std::lower_bound(signs.begin(), signs.end(), name, less);
    return found != signs.end() && found->name == name ? &*found : nullptr;
}

std::string_view file_name(std::string_view path)
{
    return path.substr(path.rfind('/') + 1);
}

// The C library and the unwinder have these functions for others; that they are mapped says nothing.
bool serves_others(std::string_view path)
{
    std::string_view name = file_name(path);
    for (std::string_view library : {"libc.", "libgcc_s", "libpthread", "libunwind", "ld-"}) {
        if (name.starts_with(library))
            return true;
    }
    return false;
}

// A file's signs, of which the ones that reach furthest count.
std::string_view why_of(const elf::Image &image)
{
    bool is_program = !image.is_library();
    std::string_view why;
    auto look = [&](std::string_view name, bool is_defined) {
        const Sign *sign = find_sign(name.substr(0, name.find('@')));
        if (!sign || (is_defined && !sign->is_definition && !is_program))
            return;
        if (why.empty() || sign->why == interrupts)
            why = sign->why;
    };
    for (const elf::SymbolTable &table : elf::symbol_tables(image))
        table.each_name(look);
    // What is linked in and stripped shows only in the tables that unwinding needs.
    bool is_static = is_program && elf::needed_libraries(image).empty();
    if (why.empty() && is_static && image.section(".gcc_except_table"))
        why = unwinds;
    return why;
}

Risk with_name(std::string_view path, std::string_view why)
{
    if (why.empty())
        return {};
    return {fmt::format("{} {}", file_name(path), why), why == interrupts};
}

// Each file is looked at once.
std::string_view known_why(const std::string &path, const std::string &open_path)
{
    static std::map<proc::FileId, std::string_view> known;
    auto id = proc::file_id(open_path);
    if (!id || serves_others(path))
        return {};
    auto found = known.find(*id);
    if (found != known.end())
        return found->second;
    auto image = elf::Image::open(open_path);
    return known[*id] = image ? why_of(*image) : std::string_view();
}

void keep_worse(Risk &risk, Risk other)
{
    if (other && (!risk || (other.of_leaves && !risk.of_leaves)))
        risk = std::move(other);
}

Risk risk_of_state(pid_t pid, const std::string &proc)
{
    std::string whose = fmt::format("process {}", pid);
    auto seccomp = proc::status_field(pid, "Seccomp", proc);
    bool returns_by_system_call = abi::host_machine == abi::Machine::X86_64;
    if (returns_by_system_call && seccomp && *seccomp != "0")
        return {whose + " has a seccomp filter, which may not let the kernel's return probe pass",
                true};
    auto features = proc::status_field(pid, "x86_Thread_features", proc);
    if (features && features->find("shstk") != std::string::npos)
        return {whose + " has a shadow stack", true};
    return {};
}

// Code that no file has: [vdso], [uprobes] and the like have names.
bool is_generated_code(const proc::Mapping &mapping)
{
    return mapping.executable && !mapping.is_file() &&
           (mapping.path.empty() || mapping.path.starts_with("[anon"));
}

// The libraries that a program will load, and theirs.
void follow_needed(const elf::Image &image, std::optional<pid_t> pid, std::set<std::string> &seen,
                   Risk &risk)
{
    for (const std::string &name : elf::needed_libraries(image)) {
        if (!seen.insert(name).second)
            continue;
        auto file = proc::find_file(name, pid);
        if (!file && pid)  // not mapped yet
            file = proc::find_file(name);
        if (!file) {
            keep_worse(risk, {fmt::format("{} uses {}, which is not found", image.name(), name)});
            continue;
        }
        keep_worse(risk, with_name(file->path, known_why(file->path, file->open_path)));
        if (auto library = elf::Image::open(file->open_path))
            follow_needed(*library, pid, seen, risk);
    }
}

}  // namespace

Risk risk_of_file(const elf::Image &image)
{
    return with_name(image.name(), why_of(image));
}

Risk risk_of_process(pid_t pid, const std::string &proc)
{
    Risk risk = risk_of_state(pid, proc);
    auto mappings = proc::read_maps(pid, proc);
    if (!mappings)
        return {fmt::format("what process {} does with its stacks is not known: {}", pid,
                            mappings.error().text)};
    bool generates = std::any_of(mappings->begin(), mappings->end(), is_generated_code);
    std::set<std::string> mapped;
    std::erase_if(*mappings, [](const proc::Mapping &mapping) { return !mapping.executable; });
    auto objects = proc::mapped_objects(pid, std::move(*mappings), proc);
    for (const proc::MappedObject &object : objects.value_or(std::vector<proc::MappedObject>())) {
        mapped.insert(object.path.substr(object.path.rfind('/') + 1));
        keep_worse(risk, with_name(object.path, known_why(object.path, object.open_path)));
    }
    if (generates)
        keep_worse(risk,
                   {fmt::format("process {} generates code, which may look at its stacks", pid)});
    // One that has just begun has not mapped its libraries yet.
    if (auto program = elf::Image::open(fmt::format("{}/{}/exe", proc, pid)))
        follow_needed(*program, pid, mapped, risk);
    return risk;
}

Risk risk_of_all(const proc::FoundFile &file, const elf::Image &image)
{
    Risk risk = with_name(file.path, known_why(file.path, file.open_path));
    if (image.is_library()) {
        keep_worse(risk, {fmt::format("{} may be used by programs that unwind or switch their "
                                      "stacks (-p PID looks at one)",
                                      file_name(file.path))});
        return risk;
    }
    std::set<std::string> seen;
    follow_needed(image, std::nullopt, seen, risk);
    auto id = proc::file_id(file.open_path);
    for (pid_t pid : proc::all_pids()) {
        if (id && proc::file_id(fmt::format("/proc/{}/exe", pid)) == id)
            keep_worse(risk, risk_of_process(pid));
    }
    return risk;
}

}  // namespace uscope::resolve
