// Symbols of /proc/kallsyms (proc/kallsyms.h) have no sizes, so each one ends where the next one
// begins. Each takes 8 bytes here, and all names are in one block (3 MB).
#include <algorithm>

#include "base/format.h"
#include "proc/kallsyms.h"
#include "symbols/symbolize.h"

namespace uscope::symbols {
namespace {

struct Entry {
    uint32_t address;  // relative to State::base
    uint32_t name;     // offset in State::names: "do_sys_open", "nf_hook\tnf_tables"
};

// Reserved at once, because a block that grows by copying is in memory twice for a while; untouched
// pages cost nothing.
constexpr size_t expected_symbols = 200'000, expected_name_bytes = 6 << 20;
// The greatest distance between the kernel's first function and a module's.
constexpr uint64_t max_distance = uint64_t(2) << 30;
// An address that is this far from the last symbol before it belongs to no function: a gap follows
// the last function of a module or of the kernel.
constexpr uint64_t max_function_bytes = 256 * 1024;

}  // namespace

struct KernelSymbols::State {
    std::string proc;
    bool is_read = false, is_hidden = false;
    uint64_t base = 0;
    std::vector<Entry> entries = {};
    std::string names = {};

    void read();
    void add(const proc::KernelSymbol &symbol);
};

void KernelSymbols::State::add(const proc::KernelSymbol &symbol)
{
    is_hidden |= symbol.is_code && symbol.address == 0;
    if (!symbol.is_code || symbol.address == 0)
        return;
    if (entries.empty())  // arm64 has modules below the kernel, x86-64 above
        base = symbol.address - std::min(symbol.address, max_distance);
    if (symbol.address < base || symbol.address - base > UINT32_MAX)
        return;
    entries.push_back({uint32_t(symbol.address - base), uint32_t(names.size())});
    names.append(symbol.name);
    if (!symbol.module.empty())
        names.append(1, '\t').append(symbol.module);
    names.push_back('\0');
}

void KernelSymbols::State::read()
{
    is_read = true;
    entries.reserve(expected_symbols);
    names.reserve(expected_name_bytes);
    proc::each_kernel_symbol(proc, [this](const proc::KernelSymbol &symbol) { add(symbol); });
    // If an address has several names, prefer the one of the first line: the kernel itself uses it.
    std::sort(entries.begin(), entries.end(), [](const Entry &a, const Entry &b) {
        return std::pair(a.address, b.name) < std::pair(b.address, a.name);
    });
}

KernelSymbols::KernelSymbols(std::string proc) : state_(new State{std::move(proc)}) {}
KernelSymbols::KernelSymbols(KernelSymbols &&) noexcept = default;
KernelSymbols::~KernelSymbols() = default;

Frame KernelSymbols::find(uint64_t address)
{
    State &state = *state_;
    if (!state.is_read)
        state.read();
    Frame unknown{state.is_hidden ? "[hidden: kernel.kptr_restrict]" : "[unknown]", 0, "[kernel]",
                  false};
    auto next = std::upper_bound(
        state.entries.begin(), state.entries.end(), address,
        [&](uint64_t wanted, const Entry &e) { return wanted < state.base + e.address; });
    if (next == state.entries.begin())
        return unknown;
    const Entry &entry = *(next - 1);
    uint64_t offset = address - (state.base + entry.address);
    std::string_view name = state.names.c_str() + entry.name;
    if (offset >= max_function_bytes || name == "_etext")
        return unknown;
    size_t tab = name.find('\t');
    std::string_view module = tab == name.npos ? "kernel" : name.substr(tab + 1);
    return {std::string(name.substr(0, tab)), offset, fmt::format("[{}]", module), true};
}

}  // namespace uscope::symbols
