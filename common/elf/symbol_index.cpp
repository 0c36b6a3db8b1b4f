// Builds a sorted list of symbols and searches it. Releases the memory pages of the files after
// each pass over their tables.
#include "elf/symbol_index.h"

#include <elf.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "elf/debug_file.h"
#include "elf/pclntab.h"
#include "elf/symbols.h"
#include "insn/flow.h"

namespace uscope::elf {
namespace {

constexpr uint64_t max_name_offset = (uint64_t(1) << 35) - 1, max_size = (1 << 28) - 1;
constexpr size_t symbols_between_releases = 16 * 1024, aliases_between_releases = 1024;
constexpr size_t max_nested = 16;  // earlier symbols that find() checks: do they enclose it?

// The tables are read only once, so their memory can be released. Those of node, with 78,000
// functions, have 20 MB.
void release_pages(const Image &image)
{
    if (image.is_file())
        uscope::release_pages(image.bytes());
}

// Can control flow from `start` reach the instruction at `vaddr`? Needed for stripped files: after
// an exported function without a size (musl's assembly has such), other functions may follow whose
// symbols were stripped.
bool may_lead_to(const Image &image, uint64_t start, uint64_t vaddr)
{
    constexpr size_t max_steps = 4096;
    using insn::Flow;
    std::vector<uint64_t> pending = {start};
    std::set<uint64_t> seen;
    for (size_t steps = 0; steps < max_steps && !pending.empty(); steps++) {
        uint64_t at = pending.back();
        pending.pop_back();
        auto code = image.bytes_from(at);
        auto step = code ? insn::step(abi::Machine::X86_64, *code) : std::nullopt;
        if (!step || !seen.insert(at).second)
            continue;
        if (vaddr >= at && vaddr - at < step->length)
            return true;
        if (step->flow == Flow::JumpIndirect)  // it may be a switch statement that leads to `vaddr`
            return true;
        if (step->flow == Flow::Jump || step->flow == Flow::Branch)
            pending.push_back(at + uint64_t(step->target));
        if (step->flow != Flow::Jump && step->flow != Flow::Return && step->flow != Flow::Stop)
            pending.push_back(at + step->length);
    }
    return !pending.empty();
}

}  // namespace

Result<SymbolIndex> SymbolIndex::open(const std::string &open_path, const std::string &path,
                                      const SymbolOptions &options)
{
    return SymbolIndex(TRY(Image::open(open_path)), path, options);
}

SymbolIndex::SymbolIndex(Image image, const std::string &path, const SymbolOptions &options)
    : image_(std::move(image))
{
    add_functions(image_, false);
    if (!has_full_symbols(image_) && options.debug_files)
        add_debug_file(path, options);
    std::sort(entries_.begin(), entries_.end(),
              [](const Entry &a, const Entry &b) { return a.vaddr < b.vaddr; });
    keep_best_names();
}

void SymbolIndex::add_debug_file(const std::string &path, const SymbolOptions &options)
{
    if (auto debug_path = find_debug_file(image_, path, options.root)) {
        if (auto debug = Image::open(*debug_path))
            debug_image_ = std::move(*debug);
    } else if (auto unpacked = mini_debug_info(image_)) {
        unpacked_ = std::make_unique<std::string>(std::move(*unpacked));
        if (auto debug = Image::parse(Bytes(*unpacked_), path))
            debug_image_ = std::move(*debug);
    }
    if (debug_image_)
        add_functions(*debug_image_, true);
}

void SymbolIndex::add_functions(const Image &image, bool is_debug_image)
{
    size_t seen = 0;
    std::vector<SymbolTable> tables = symbol_tables(image);
    if (has_full_symbols(image))  // the first table, .symtab, also contains the symbols of .dynsym
        tables.resize(1, tables.front());
    Bytes names = image.bytes();
    if (has_full_symbols(image) && !tables.front().is_file())
        names = tables.front().strings();
    names_[is_debug_image] = names;
    auto *start = reinterpret_cast<const char *>(names.data());
    auto add = [&](const elf::Symbol &symbol) {
        if (++seen % symbols_between_releases == 0)
            release_pages(image);
        uint64_t name = symbol.name.data() - start;
        if (name <= max_name_offset && may_be_code(image_, symbol))
            entries_.push_back(
                {symbol.vaddr, is_debug_image, name, std::min(symbol.size, max_size)});
    };
    for (const SymbolTable &table : tables)
        table.each(add);
    if (!has_full_symbols(image) && image.is_go())
        if (auto table = image.go_functions())
            table->each(add);
}

std::string_view SymbolIndex::name(const Entry &entry) const
{
    auto text = names_[entry.is_in_debug_image].cstring(entry.name).value_or("");
    return text.substr(0, text.find('@'));
}

bool SymbolIndex::is_better(const Entry &a, const Entry &b) const
{
    auto order = [&](const Entry &entry) {
        std::string_view text = name(entry);
        return std::tuple(text.empty(), entry.size == 0, text.find_first_not_of('_'), text.size(),
                          text);
    };
    return order(a) < order(b);
}

void SymbolIndex::keep_best_names()
{
    size_t kept = 0, aliases = 0;
    auto release = [&] {
        release_pages(image_);
        if (debug_image_)
            release_pages(*debug_image_);
    };
    for (const Entry &entry : entries_) {
        if (kept == 0 || entries_[kept - 1].vaddr != entry.vaddr) {
            entries_[kept++] = entry;
            continue;
        }
        if (is_better(entry, entries_[kept - 1]))
            entries_[kept - 1] = entry;
        if (++aliases % aliases_between_releases == 0)
            release();
    }
    entries_.resize(kept);
    release();
}

// Is `to` in the code section that contains `from`? If no section contains `from`: is `to` in an
// executable segment?
bool SymbolIndex::is_in_one_section(uint64_t from, uint64_t to) const
{
    for (const Section &section : image_.sections()) {
        bool is_code = (section.flags & SHF_ALLOC) && (section.flags & SHF_EXECINSTR);
        if (is_code && from >= section.vaddr && from - section.vaddr < section.size)
            return to - section.vaddr < section.size;
    }
    return image_.is_executable(to);
}

std::optional<SymbolIndex::Symbol> SymbolIndex::find(uint64_t vaddr) const
{
    auto next = std::upper_bound(entries_.begin(), entries_.end(), vaddr,
                                 [](uint64_t wanted, const Entry &e) { return wanted < e.vaddr; });
    // Is the last symbol before `vaddr` inside a function that ends before `vaddr`?
    bool is_inside_one = false;
    auto at = next;
    for (size_t i = 0; i < max_nested && at != entries_.begin(); i++) {
        --at;
        if (at->size != 0 && vaddr - at->vaddr < at->size)
            return Symbol{name(*at), at->vaddr, at->size};
        is_inside_one |= (next - 1)->vaddr - at->vaddr < at->size;
    }
    bool reaches =
        next != entries_.begin() && !is_inside_one && is_in_one_section((next - 1)->vaddr, vaddr);
    bool is_stripped = !has_full_symbols(image_) && !debug_image_ && !image_.is_go();
    if (reaches && is_stripped && image_.machine() == EM_X86_64)
        reaches = may_lead_to(image_, (next - 1)->vaddr, vaddr);
    if (!reaches)
        return find_stub(vaddr);
    return Symbol{name(*(next - 1)), (next - 1)->vaddr, 0};
}

std::optional<SymbolIndex::Symbol> SymbolIndex::find_stub(uint64_t vaddr) const
{
    if (!stubs_)
        stubs_ = linkage_stubs(image_);
    auto next = std::upper_bound(stubs_->begin(), stubs_->end(), vaddr,
                                 [](uint64_t wanted, const Stub &s) { return wanted < s.vaddr; });
    if (next == stubs_->begin() || vaddr - (next - 1)->vaddr >= (next - 1)->size)
        return std::nullopt;
    return Symbol{(next - 1)->name, (next - 1)->vaddr, (next - 1)->size};
}

}  // namespace uscope::elf
