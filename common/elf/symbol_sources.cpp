// Reads the symbol tables of a file and its debug data; finds which symbols are functions.
#include "elf/symbol_sources.h"

#include <algorithm>

#include "base/format.h"
#include "elf/debug_file.h"
#include "insn/flow.h"

namespace uscope::elf {

SymbolSources::SymbolSources(const Image &image, const SymbolOptions &options)
    : image_(image), options_(options), tables_(symbol_tables(image))
{
    if (!has_full_symbols(image) && image.is_go() && image.go_functions())
        go_functions_ = *image.go_functions();
}

bool SymbolSources::load_debug_data()
{
    if (has_full_symbols(image_))
        return false;
    auto debug_path = options_.debug_files
                          ? find_debug_file(image_, path(), options_.root, options_.download)
                          : std::nullopt;
    if (debug_path) {
        if (auto image = Image::open(*debug_path))
            debug_image_ = std::move(*image);
    } else if (auto bytes = mini_debug_info(image_)) {
        mini_debug_info_ = std::move(*bytes);
        if (auto image = Image::parse(Bytes(mini_debug_info_), image_.name()))
            debug_image_ = std::move(*image);
    }
    if (!debug_image_)
        return false;
    for (SymbolTable &table : symbol_tables(*debug_image_)) {
        if (!kept_text_.empty())
            table.keep_containing(kept_text_);
        tables_.push_back(std::move(table));
    }
    symbols_in_code_.clear();
    return true;
}

std::string SymbolSources::debug_search() const
{
    std::string text = describe_debug_search(image_, path(), options_.root, options_.download);
    return text.empty() ? "" : fmt::format(" ({})", text);
}

void SymbolSources::keep_containing(std::string_view text)
{
    kept_text_ = text;
    if (text.empty())
        return;
    for (SymbolTable &table : tables_)
        table.keep_containing(text);
    if (go_functions_)
        go_functions_->keep_containing(text);
}

bool SymbolSources::has_only_exports() const
{
    return !has_full_symbols(image_) && !debug_image_ && !go_functions_;
}

bool SymbolSources::imports(std::string_view name) const
{
    return std::any_of(tables_.begin(), tables_.end(),
                       [&](const SymbolTable &table) { return table.imports(name); });
}

// The size of a function whose symbol has no type: up to the next symbol. Returns 0 if it is
// not a function: such a symbol may be a label in another function, or data, where a breakpoint
// must not be set.
uint64_t SymbolSources::untyped_size(uint64_t vaddr) const
{
    constexpr uint64_t longest = 64 * 1024;
    list_symbols_in_code();
    uint64_t end = image_.code_end(vaddr);
    for (const auto &[start, size] : symbols_in_code_) {
        if (start <= vaddr && vaddr - start < size)
            return 0;
        if (start > vaddr) {
            end = std::min(end, start);
            break;
        }
    }
    if (end <= vaddr || end - vaddr > longest)
        return 0;
    return code_length(image_.bytes_at(vaddr, end - vaddr).value_or(Bytes()));
}

void SymbolSources::list_symbols_in_code() const
{
    if (!symbols_in_code_.empty())
        return;
    for (const SymbolTable &table : tables_)
        table.each([this](const Symbol &symbol) {
            uint64_t size = symbol.is_function ? symbol.size : 0;
            if (image_.is_in_code(symbol.vaddr))
                symbols_in_code_.push_back({symbol.vaddr, size});
        });
    std::sort(symbols_in_code_.begin(), symbols_in_code_.end());
}

// Returns the length up to the last instruction, after which execution does not continue; 0 if
// some of the bytes are not code.
uint64_t SymbolSources::code_length(Bytes code) const
{
    using insn::Flow;
    bool is_x86 = image_.machine() == EM_X86_64;
    auto machine = is_x86 ? abi::Machine::X86_64 : abi::Machine::Aarch64;
    uint64_t at = 0, end = 0;
    bool goes_on = true;
    while (at < code.size()) {
        auto step = insn::step(machine, code.from(at));
        if (!step)
            return 0;
        bool is_gap = !goes_on && insn::is_padding(machine, code.from(at));
        at += step->length;
        if (is_gap)
            continue;
        goes_on = step->flow != Flow::Return && step->flow != Flow::Jump &&
                  step->flow != Flow::JumpIndirect && step->flow != Flow::Stop;
        end = at;
    }
    return goes_on ? 0 : end;
}

}  // namespace uscope::elf
