#include "lang/file.h"

#include "elf/functions.h"
#include "elf/symbols.h"

namespace uscope::lang {

File::File(elf::Image image)
    : image_(std::move(image)),
      probes_(usdt::read_probes(image_).value_or(std::vector<usdt::Probe>()))
{
}

std::optional<uint64_t> File::variable(const std::string &name) const
{
    auto [known, is_new] = variables_.try_emplace(name);
    if (is_new)
        known->second = elf::find_object(image_, name, {.debug_files = false});
    return known->second;
}

std::optional<uint64_t> File::function(const std::string &name) const
{
    auto [known, is_new] = functions_.try_emplace(name);
    if (!is_new)
        return known->second;
    for (const elf::SymbolTable &table : elf::symbol_tables(image_)) {
        table.each_holding(name, [&](const elf::Symbol &symbol) {
            if (symbol.is_function && symbol.name == name && !symbol.is_old_version)
                known->second = symbol.vaddr;
        });
    }
    return known->second;
}

const Places &File::places(const Language &language, const Version &version) const
{
    if (!places_)
        places_ = language.find_places ? language.find_places(image_, version) : Places();
    return *places_;
}

const File *Files::get(const proc::MappedObject &object)
{
    auto [known, is_new] = files_.try_emplace(object.file);
    if (is_new) {
        if (auto image = elf::Image::open(object.open_path))
            known->second = std::make_unique<File>(std::move(*image));
    }
    return known->second.get();
}

}  // namespace uscope::lang
