// Looks up functions and types. The DWARF of a file is a list of units, one for each source file; a
// unit is a tree of entries. No index of functions or types exists that all compilers write. So
// this file finds
//  - a function by its unit: .debug_aranges (GCC) or the ranges of the units (Clang, rustc) say
//    which unit describes an address. The session reads the unit's tree once and keeps all of its
//    functions, by address.
//  - a type by reading one unit after the other until one has the name. The session keeps the names
//    of all types that it has read on the way.
// It never reads the entries inside functions.

#include "dwarf/session.h"

#include <fcntl.h>

#include "elf/debug_file.h"

namespace uscope::dwarf {

namespace {

constexpr int max_scope_depth = 64;  // nested namespaces and classes

bool is_scope(int tag)
{
    return tag == DW_TAG_namespace || tag == DW_TAG_module || tag == DW_TAG_structure_type ||
           tag == DW_TAG_class_type || tag == DW_TAG_union_type || tag == DW_TAG_enumeration_type;
}

std::optional<uint64_t> start_of(Dwarf_Die &function)
{
    Dwarf_Addr base, start, end;
    if (dwarf_entrypc(&function, &start) == 0)
        return start;
    // A function whose cold part is elsewhere has ranges instead of one start.
    if (dwarf_ranges(&function, 0, &base, &start, &end) > 0)
        return start;
    return std::nullopt;
}

bool has_dwarf(const elf::Image &image)
{
    for (const char *name : {".debug_info", ".zdebug_info"}) {
        const elf::Section *section = image.section(name);
        if (section && section->type != SHT_NOBITS && section->size > 0)
            return true;
    }
    return false;
}

// Returns the unit in the .dwo file if `unit` is a skeleton (-gsplit-dwarf), else nullopt. libdw
// searches for the file next to the program and in the folder where it was compiled. If the file
// does not exist, the result is a unit without a tag (is_found()).
std::optional<Dwarf_Die> split_of(const Dwarf_Die &unit)
{
    Dwarf_Die split;
    uint8_t kind = 0;
    bool is_skeleton =
        dwarf_cu_info(unit.cu, nullptr, &kind, nullptr, &split, nullptr, nullptr, nullptr) == 0 &&
        kind == DW_UT_skeleton;
    return is_skeleton ? std::optional(split) : std::nullopt;
}

bool is_found(Dwarf_Die split)
{
    return dwarf_tag(&split) != DW_TAG_invalid;
}

}  // namespace

Dwarf_Die split_or_itself(const Dwarf_Die &unit)
{
    auto split = split_of(unit);
    return split && is_found(*split) ? *split : unit;
}

Result<std::shared_ptr<Session>> Session::open(const std::string &path)
{
    elf_version(EV_CURRENT);
    auto session = std::make_shared<Session>();
    session->fd_ = Fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!session->fd_)
        return fail_errno("cannot open {}", path);
    // ELF_C_READ_MMAP_PRIVATE maps the file privately and writable, although this program writes
    // nothing: the kernel inserts the breakpoints of a file's uprobes into private mappings that
    // are not writable (see MappedFile::open()). A shared read-only mapping, passed to
    // elf_memory(), does not work, because libelf corrects section headers in place.
    session->elf_ = elf_begin(session->fd_.get(), ELF_C_READ_MMAP_PRIVATE, nullptr);
    if (!session->elf_)
        return fail("{}: {}", path, elf_errmsg(-1));
    session->dwarf_ = dwarf_begin_elf(session->elf_, DWARF_C_READ, nullptr);
    if (!session->dwarf_)
        return fail("{}: its debug information cannot be read: {}", path, dwarf_errmsg(-1));
    return session;
}

Session::~Session()
{
    dwarf_end(dwarf_);
    elf_end(elf_);
}

Result<std::shared_ptr<Session>> Session::find(const elf::Image &image, const std::string &path,
                                               const elf::SymbolOptions &options)
{
    if (has_dwarf(image))
        return open(image.name());
    auto found = options.debug_files
                     ? elf::find_debug_file(image, path, options.root, options.download)
                     : std::nullopt;
    if (!found || !has_dwarf(TRY(elf::Image::open(*found))))
        return std::shared_ptr<Session>();
    return open(*found);
}

// --- Functions ---

std::optional<Dwarf_Die> Session::function_at(uint64_t address)
{
    auto unit = find_unit(address);
    if (!unit)
        return std::nullopt;
    if (units_read_.insert(dwarf_dieoffset(&*unit)).second) {
        Dwarf_Die whole = split_or_itself(*unit);
        read_functions(whole, 0);
    }
    auto found = functions_.find(address);
    if (found == functions_.end())
        return std::nullopt;
    return found->second;
}

std::string Session::missing_split(uint64_t address)
{
    auto unit = find_unit(address);
    auto split = unit ? split_of(*unit) : std::nullopt;
    if (!split || is_found(*split))
        return "";
    Dwarf_Attribute attribute;
    const char *name = nullptr;
    for (unsigned which : {DW_AT_dwo_name, DW_AT_GNU_dwo_name})
        if (!name && dwarf_attr(&*unit, which, &attribute))
            name = dwarf_formstring(&attribute);
    return name ? name : "a .dwo file";
}

std::optional<Dwarf_Die> Session::find_unit(uint64_t address)
{
    Dwarf_Die unit;
    if (dwarf_addrdie(dwarf_, address, &unit))
        return unit;
    if (!ranges_)
        read_ranges();
    auto after = ranges_->upper_bound(address);
    if (after == ranges_->begin() || std::prev(after)->second.end <= address)
        return std::nullopt;
    return std::prev(after)->second.unit;
}

std::vector<Dwarf_Die> Session::units() const
{
    std::vector<Dwarf_Die> all;
    Dwarf_CU *cu = nullptr;
    Dwarf_Die unit;
    while (dwarf_get_units(dwarf_, cu, &cu, nullptr, nullptr, &unit, nullptr) == 0)
        all.push_back(unit);
    return all;
}

void Session::read_ranges()
{
    ranges_.emplace();
    for (Dwarf_Die &unit : units()) {
        Dwarf_Addr base, start, end;
        ptrdiff_t next = 0;
        while ((next = dwarf_ranges(&unit, next, &base, &start, &end)) > 0)
            ranges_->try_emplace(start, Range{end, unit});
    }
}

void Session::read_functions(Dwarf_Die &scope, int depth)
{
    each_child(scope, [&](Dwarf_Die &child) {
        int tag = dwarf_tag(&child);
        if (tag == DW_TAG_subprogram) {
            if (auto start = start_of(child))
                functions_.try_emplace(*start, child);
        } else if (is_scope(tag) && depth < max_scope_depth) {
            read_functions(child, depth + 1);
        }
        return true;
    });
}

// --- Variables ---

namespace {

// Is the variable always at this address or, in a thread's memory, at this offset?
bool is_at(Dwarf_Die &variable, uint64_t address)
{
    Dwarf_Attribute location, operand;
    Dwarf_Op *ops = nullptr;
    size_t count = 0;
    if (!dwarf_attr_integrate(&variable, DW_AT_location, &location) ||
        dwarf_getlocation(&location, &ops, &count) != 0)
        return false;
    // Of a thread: its offset, and a word for the operation that finds the thread's memory.
    if (count == 2 &&
        (ops[1].atom == DW_OP_GNU_push_tls_address || ops[1].atom == DW_OP_form_tls_address))
        return ops[0].number == address;
    if (count != 1)
        return false;
    if (ops[0].atom == DW_OP_addr)
        return ops[0].number == address;
    Dwarf_Addr indexed = 0;
    return (ops[0].atom == DW_OP_addrx || ops[0].atom == DW_OP_GNU_addr_index) &&
           dwarf_getlocation_attr(&location, ops, &operand) == 0 &&
           dwarf_formaddr(&operand, &indexed) == 0 && indexed == address;
}

}  // namespace

std::optional<Dwarf_Die> Session::variable_at(std::string_view name, uint64_t address)
{
    size_t colons = name.rfind("::");
    if (colons != name.npos)
        name.remove_prefix(colons + 2);
    for (Dwarf_Die &unit : units())
        if (auto found = variable_in(unit, name, address, 0))
            return found;
    return std::nullopt;
}

std::optional<Dwarf_Die> Session::variable_in(Dwarf_Die &scope, std::string_view name,
                                              uint64_t address, int depth)
{
    std::optional<Dwarf_Die> found;
    each_child(scope, [&](Dwarf_Die &child) {
        int tag = dwarf_tag(&child);
        if (tag == DW_TAG_variable) {
            // The definition of a class's static member refers to its declaration, which has the
            // name.
            auto declared = reference(child, DW_AT_specification);
            if ((declared ? name_of(*declared) : name_of(child)) == name && is_at(child, address))
                found = child;
        } else if (tag == DW_TAG_namespace && depth < max_scope_depth) {
            found = variable_in(child, name, address, depth + 1);
        }
        return !found;
    });
    return found;
}

// --- Types ---

std::optional<Dwarf_Die> Session::find_tagged(const std::string &name)
{
    return find(tagged_, name);
}

std::optional<Dwarf_Die> Session::find_named(const std::string &name)
{
    return find(named_, name);
}

std::optional<Dwarf_Die> Session::find(const Names &names, const std::string &name)
{
    do {
        auto found = names.find(name);
        if (found != names.end())
            return found->second;
    } while (read_types_of_next_unit());
    return std::nullopt;
}

// Returns false when there are no more units.
bool Session::read_types_of_next_unit()
{
    Dwarf_Die unit;
    if (all_types_read_ ||
        dwarf_get_units(dwarf_, last_unit_, &last_unit_, nullptr, nullptr, &unit, nullptr) != 0) {
        all_types_read_ = true;
        return false;
    }
    Dwarf *split = dwarf_cu_getdwarf(split_or_itself(unit).cu);
    if (split == dwarf_) {
        read_types(unit, "", 0);
        return true;
    }
    Dwarf_CU *cu = nullptr;  // types may be in units of their own (type units)
    while (dwarf_get_units(split, cu, &cu, nullptr, nullptr, &unit, nullptr) == 0)
        read_types(unit, "", 0);
    return true;
}

void Session::read_types(Dwarf_Die &scope, const std::string &prefix, int depth)
{
    each_child(scope, [&](Dwarf_Die &child) {
        int tag = dwarf_tag(&child);
        bool is_type = tag == DW_TAG_base_type || tag == DW_TAG_typedef;
        // Finding the scopes of a declaration takes as long as the unit is: Rust's units have
        // thousands of functions that refer to theirs.
        if (!is_type && !is_scope(tag))
            return true;
        std::string_view name = name_of(child);
        bool outside = !name.empty() && reference(child, DW_AT_specification);
        std::string full = outside ? qualified_name(child) : prefix + std::string(name);
        if (is_type)
            named_.try_emplace(full, child);
        else if (is_scope(tag) && tag != DW_TAG_namespace && !name.empty() &&
                 !flag_of(child, DW_AT_declaration))
            tagged_.try_emplace(full, child);
        if (name.empty() && tag == DW_TAG_namespace)
            full = prefix + "(anonymous namespace)";
        if (is_scope(tag) && !full.empty() && tag != DW_TAG_enumeration_type &&
            depth < max_scope_depth)
            read_types(child, full + "::", depth + 1);
        return true;
    });
}

}  // namespace uscope::dwarf
