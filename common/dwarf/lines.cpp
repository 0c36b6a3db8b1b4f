// Finds inlined functions in a compilation unit's tree of entries, and lines in its line table.
#include "dwarf/lines.h"

#include <climits>
#include <map>
#include <string_view>

#include "dwarf/scopes.h"
#include "dwarf/session.h"
#include "elf/demangle.h"

namespace uscope::dwarf {
namespace {

constexpr int max_scopes = 64;  // nested functions, blocks and namespaces

// Appends the inlined functions at `address` to `inlined`, the outermost first: their entries are
// nested like the calls in the source.
void find_inlined(Dwarf_Die &scope, uint64_t address, int depth, std::vector<Dwarf_Die> &inlined)
{
    each_child(scope, [&](Dwarf_Die &child) {
        int tag = dwarf_tag(&child);
        bool has_code = tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine ||
                        tag == DW_TAG_lexical_block || tag == DW_TAG_try_block ||
                        tag == DW_TAG_catch_block;
        bool is_around = has_code && dwarf_haspc(&child, address) == 1;
        if (is_around && tag == DW_TAG_inlined_subroutine)
            inlined.push_back(child);
        size_t before = inlined.size();
        if (depth < max_scopes && (is_around || tag == DW_TAG_namespace || is_structure(child)))
            find_inlined(child, address, depth + 1, inlined);
        return !is_around && inlined.size() == before;
    });
}

std::string function_of(Dwarf_Die &inlined)
{
    Dwarf_Attribute attr;
    for (unsigned attribute : {DW_AT_linkage_name, DW_AT_MIPS_linkage_name})
        if (dwarf_attr_integrate(&inlined, attribute, &attr))
            if (const char *mangled = dwarf_formstring(&attr))
                return elf::demangle(mangled);
    auto origin = reference(inlined, DW_AT_abstract_origin);
    std::string name = origin ? qualified_name(*origin) : std::string(name_of(inlined));
    return name.empty() ? "[unknown]" : name;
}

std::string without_folder(const char *path)
{
    std::string_view name = path ? path : "";
    return std::string(name.substr(name.rfind('/') + 1));
}

bool has_source(Dwarf_Die &unit, std::string_view file)
{
    Dwarf_Files *files = nullptr;
    size_t count = 0;
    if (dwarf_getsrcfiles(&unit, &files, &count) != 0)
        return false;
    for (size_t i = 0; i < count; i++) {
        const char *path = dwarf_filesrc(files, i, nullptr, nullptr);
        if (path && is_source(path, file))
            return true;
    }
    return false;
}

// Returns the code of a row of a line table if it begins a statement of this file.
std::optional<LineCode> code_of_row(Dwarf_Line *row, std::string_view file)
{
    Dwarf_Addr vaddr = 0;
    int line = 0;
    bool begins = false, ends = false;
    const char *path = row ? dwarf_linesrc(row, nullptr, nullptr) : nullptr;
    if (!path || dwarf_lineno(row, &line) != 0 || dwarf_lineaddr(row, &vaddr) != 0 ||
        dwarf_linebeginstatement(row, &begins) != 0 || dwarf_lineendsequence(row, &ends) != 0 ||
        line <= 0 || !begins || ends || !is_source(path, file))
        return std::nullopt;
    return LineCode{vaddr, path, static_cast<unsigned>(line)};
}

// Identifies the innermost function, perhaps an inlined one, to which the line's code belongs.
Dwarf_Off function_around(Dwarf_Die &unit, const LineCode &code)
{
    Dwarf_Off function = 0;
    for (Dwarf_Die &scope : scopes_of(unit, {code.vaddr, code.file, code.line})) {
        int tag = dwarf_tag(&scope);
        if (tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine)
            function = dwarf_dieoffset(&scope);
    }
    return function;
}

// Returns the file and line of the code at `address`.
SourceFrame offset_of(Dwarf_Die &unit, uint64_t address)
{
    int line = 0;
    Dwarf_Line *row = dwarf_getsrc_die(&unit, address);
    if (!row || dwarf_lineno(row, &line) != 0 || line <= 0)
        return {};
    return {.file = without_folder(dwarf_linesrc(row, nullptr, nullptr)), .line = unsigned(line)};
}

// Returns the file and line of the call that the compiler replaced by the inlined function.
SourceFrame call_of(Dwarf_Die &unit, Dwarf_Die &inlined)
{
    Dwarf_Files *files = nullptr;
    size_t count = 0;
    auto file = number_of(inlined, DW_AT_call_file), line = number_of(inlined, DW_AT_call_line);
    if (!file || !line || dwarf_getsrcfiles(&unit, &files, &count) != 0 || *file >= count)
        return {};
    return {.file = without_folder(dwarf_filesrc(files, *file, nullptr, nullptr)),
            .line = unsigned(*line)};
}

}  // namespace

Result<std::optional<Lines>> Lines::open(const elf::Image &image, const std::string &path,
                                         const elf::SymbolOptions &options)
{
    auto session = TRY(Session::find(image, path, options));
    return session ? std::optional(Lines(std::move(session))) : std::nullopt;
}

std::vector<LineCode> Lines::code_of(std::string_view file, unsigned line) const
{
    unsigned best = UINT_MAX;
    std::map<std::pair<Dwarf_Off, Dwarf_Off>, LineCode> found;  // by unit and function
    for (Dwarf_Die &unit : session_->units()) {
        Dwarf_Lines *rows = nullptr;
        size_t count = 0;
        if (!has_source(unit, file) || dwarf_getsrclines(&unit, &rows, &count) != 0)
            continue;
        Dwarf_Die whole = split_or_itself(unit);
        for (size_t i = 0; i < count; i++) {
            auto code = code_of_row(dwarf_onesrcline(rows, i), file);
            if (!code || code->line < line || code->line > best)
                continue;
            if (code->line < best)
                found.clear();
            best = code->line;
            std::pair key = {dwarf_dieoffset(&whole), function_around(whole, *code)};
            LineCode &first = found.try_emplace(key, *code).first->second;
            if (code->vaddr < first.vaddr)
                first = *code;
        }
    }
    std::vector<LineCode> all;
    for (auto &[key, code] : found)
        all.push_back(std::move(code));
    return all;
}

std::vector<SourceFrame> Lines::at(uint64_t vaddr) const
{
    auto unit = session_->find_unit(vaddr);
    if (!unit)
        return {};
    Dwarf_Die whole = split_or_itself(*unit);
    std::vector<Dwarf_Die> inlined;
    find_inlined(whole, vaddr, 0, inlined);
    std::vector<SourceFrame> frames = {offset_of(*unit, vaddr)};
    for (size_t i = inlined.size(); i-- > 0;) {
        frames.back().function = function_of(inlined[i]);
        frames.push_back(call_of(whole, inlined[i]));
    }
    return frames;
}

}  // namespace uscope::dwarf
