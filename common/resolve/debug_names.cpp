// Resolves the names that debug information describes, DWARF or BTF: parameters and types.
#include <algorithm>

#include <elf.h>

#include "base/format.h"
#include "dwarf/local_variables.h"
#include "elf/dynamic.h"
#include "elf/frames.h"
#include "resolve/files.h"
#include "resolve/kernel_types.h"
#include "resolve/names.h"
#include "resolve/operand.h"
#include "types/qt.h"

namespace uscope::resolve {
namespace {

// Returns the version of Qt that the file uses or belongs to; 0: unknown, or none.
unsigned qt_version(const FileSites &file)
{
    if (!file.image)
        return 0;
    std::vector<std::string> libraries = elf::needed_libraries(*file.image);
    libraries.push_back(file.file.path.substr(file.file.path.rfind('/') + 1));
    for (const std::string &library : libraries)
        for (unsigned version : {5, 6})
            if (library.starts_with(fmt::format("libQt{}Core", version)))
                return version;
    return 0;
}

// Returns the type of QString, whose layout differs between the versions of Qt. It is unknown if
// the files do not show which one they use, or use different ones.
types::TypeRef qt_text(const std::vector<FileSites> &files)
{
    unsigned version = files.empty() ? 0 : qt_version(files[0]);
    bool is_common = std::all_of(files.begin(), files.end(), [&](const FileSites &file) {
        return qt_version(file) == version;
    });
    return types::qt_text_type(is_common ? version : 0);
}

bool is_packed_by_zstd(const elf::Image &image)
{
    constexpr uint32_t zstd = 2;  // ELFCOMPRESS_ZSTD
    const elf::Section *section = image.section(".debug_info");
    auto header = section && section->flags & SHF_COMPRESSED
                      ? image.bytes().read<Elf64_Chdr>(section->offset)
                      : std::nullopt;
    return header && header->ch_type == zstd;
}

}  // namespace

Names::Found Names::find_in_dwarf(std::string_view name)
{
    const auto &info = function();
    if (!info && group_.is_kernel) {
        if (auto typed = check_kernel_types(group_.files[0].file.path); !typed)
            return fail("{}: {}: use arg1 …, or a signature: {}(int a, char *b)", name,
                        typed.error().text, group_.files[0].sites[0].name);
    }
    if (!info && is_go_ && !debug())
        return fail(
            "{}: {} is stripped, so that names of parameters are not known: use arg1 ..., "
            "and for a string str(arg1, arg2)",
            name, group_.files[0].file.path);
    if (!info)
        return without_dwarf(name);
    for (const auto &parameter : info->parameters) {
        if (parameter.name != name)
            continue;
        bool is_known = group_.site_count() == 1 || group_.shows_the_same;
        if (parameter.go && is_known)
            return go_value(parameter, name);
        if (!parameter.slot && parameter.parts.empty())
            return fail("{}: {}", name, parameter.why);
        if (!is_known) {
            return fail("{} is a parameter of one of the {} functions that are traced: use arg{}",
                        name, group_.site_count(),
                        parameter.slot ? parameter.slot : parameter.parts[0].slot);
        }
        return located(parameter);
    }
    return std::nullopt;
}

dwarf::LinePosition Names::line_position() const
{
    const Site &site = group_.files[0].sites[0];
    return {site.vaddr, probe_.line.file, site.line};
}

// At a source line: a variable or parameter by its name, where the debug information says that it
// is at this instruction; else a variable of the file.
Names::Found Names::find_at_line(std::string_view name)
{
    const FileSites &file = group_.files[0];
    uint64_t vaddr = file.sites[0].vaddr;
    auto local = debug() ? dwarf::find_local(*debug(), name, line_position()) : std::nullopt;
    if (!local)
        return find_global(name);
    using Place = dwarf::LocalVariable::Place;
    if (local->place == Place::Static)
        return expr::Variable{local->type, expr::Global{static_cast<uint64_t>(local->number)}};
    abi::Operand operand;
    operand.value = local->number;
    set_size(operand, *local->type);
    unsigned base = local->base;
    if (local->place == Place::AtCfa) {
        auto unwind = elf::Frames::of(*file.image).unwind_row(vaddr);
        if (!unwind || unwind->row.cfa_register == elf::no_register)
            return fail("{}: its stack frame is not known at this line", name);
        operand.value += unwind->row.cfa_offset;
        base = unwind->row.cfa_register;
    }
    operand.kind = local->place == Place::Register   ? abi::Operand::Kind::Register
                   : local->place == Place::Constant ? abi::Operand::Kind::Constant
                                                     : abi::Operand::Kind::Memory;
    if (local->place == Place::Nowhere && group_.is_one_of_several) {
        operand.kind = abi::Operand::Kind::Unsupported;
        operand.why = local->why;
        return expr::Variable{local->type, operand};
    }
    if (local->place == Place::Nowhere)
        return fail("{}: {}", name, local->why);
    if (local->place == Place::Constant)
        return expr::Variable{local->type, operand};
    auto reg = abi::dwarf_register(machine_, base);
    if (!reg)
        return fail("{} is in a register that probes cannot read", name);
    operand.base = *reg;
    operand.has_base = true;
    return expr::Variable{local->type, operand};
}

Names::Found Names::without_dwarf(std::string_view name)
{
    if (group_.is_kernel || probe_.has_signature || name.starts_with('$'))
        return std::nullopt;
    const FileSites &file = group_.files[0];
    const Site &site = file.sites[0];
    std::string missing = debug() ? debug()->missing_split(site.function_vaddr) : "";
    if (debug() && missing.empty())  // assembly, -g1
        return std::nullopt;
    std::string why = without_debug({file.file, file.image});
    if (!missing.empty())
        why = fmt::format("its debug information is in {}, which is missing", missing);
    else if (is_packed_by_zstd(*file.image))
        why = fmt::format("the debug information of {} is compressed by zstd, which is unsupported",
                          file.file.path);
    return fail(
        "{}: {}, so that names of parameters are not known: use arg1 ..., or a signature: "
        "{}(int a, char *b)",
        name, why, site.name);
}

std::shared_ptr<const dwarf::Debug> open_debug(const FileSites &file)
{
    auto opened = dwarf::Debug::open(*file.image, file.file.path, symbol_options(file.file));
    if (!opened || !*opened)  // damaged debug data counts as none
        return nullptr;
    return std::make_shared<dwarf::Debug>(std::move(**opened));
}

const dwarf::Debug *Names::debug()
{
    if (!debug_tried_ && !group_.files.empty() && group_.files[0].image) {
        debug_tried_ = true;
        const FileSites &file = group_.files[0];
        debug_ = file.debug ? file.debug : open_debug(file);
    }
    return debug_.get();
}

const std::optional<dwarf::FunctionInfo> &Names::function()
{
    if (!function_tried_) {
        function_tried_ = true;
        bool is_function =
            probe_.kind == spec::ProbeKind::Entry || probe_.kind == spec::ProbeKind::Return;
        if (group_.is_kernel) {
            const FileSites &file = group_.files[0];
            std::string_view name = file.sites[0].name;
            function_ =
                kernel_function(file.file.path, std::string(name.substr(0, name.find('+'))));
        } else if (is_function && debug()) {
            function_ = debug()->function_at(group_.files[0].sites[0].function_vaddr);
        }
    }
    return function_;
}

types::TypeRef Names::find_type(std::string_view name)
{
    if (entry_.kernel_memory || group_.tracepoint) {
        auto types = kernel_types(group_.is_kernel ? group_.files[0].file.path : "vmlinux");
        return types ? types->find_type(name) : nullptr;
    }
    types::TypeRef type = debug() ? debug()->find_type(name) : nullptr;
    return !type && name == "QString" ? qt_text(group_.files) : type;
}

}  // namespace uscope::resolve
