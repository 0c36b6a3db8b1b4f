// Resolves the names that debug information describes, DWARF or BTF: parameters and types.
#include <elf.h>

#include "base/format.h"
#include "resolve/kernel_types.h"
#include "resolve/names.h"

namespace uscope::resolve {
namespace {

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
        if (parameter.go && group_.site_count() == 1)
            return go_value(parameter, name);
        if (!parameter.slot && parameter.parts.empty())
            return fail("{}: {}", name, parameter.why);
        if (group_.site_count() > 1) {
            return fail("{} is a parameter of one of the {} functions that are traced: use arg{}",
                        name, group_.site_count(),
                        parameter.slot ? parameter.slot : parameter.parts[0].slot);
        }
        return located(parameter);
    }
    return std::nullopt;
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
    std::string why = fmt::format("{} has no debug information", file.file.path);
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

const dwarf::Debug *Names::debug()
{
    if (!debug_tried_ && !group_.files.empty() && group_.files[0].image) {
        debug_tried_ = true;
        const FileSites &file = group_.files[0];
        auto opened = dwarf::Debug::open(*file.image, file.file.path, {.root = file.file.root});
        if (opened)  // damaged debug data counts as none
            debug_ = std::move(*opened);
    }
    return debug_ ? &*debug_ : nullptr;
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
    return debug() ? debug()->find_type(name) : nullptr;
}

}  // namespace uscope::resolve
