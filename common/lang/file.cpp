// Looks up names in files with runtimes, and keeps the answers.
#include "lang/file.h"

#include "elf/functions.h"
#include "elf/symbols.h"
#include "elf/variables.h"

namespace uscope::lang {
namespace {

std::optional<uint64_t> find_function(const elf::Image &image, const std::string &name)
{
    std::optional<uint64_t> found;
    for (const elf::SymbolTable &table : elf::symbol_tables(image)) {
        table.each_containing(name, [&](const elf::Symbol &symbol) {
            if (symbol.is_function && symbol.name == name && !symbol.is_old_version)
                found = symbol.vaddr;
        });
    }
    return found;
}

}  // namespace

File::File(const elf::Image &image)
    : path_(image.name()),
      segments_(image.segments()),
      probes_(usdt::read_probes(image).value_or(std::vector<usdt::Probe>()))
{
}

template <class Find>
std::optional<uint64_t> File::find(Addresses &known, const std::string &name, Find &&find) const
{
    auto entry = known.find(name);
    if (entry != known.end())
        return entry->second;
    auto image = elf::Image::open(path_);
    if (!image)
        return std::nullopt;
    return known.emplace(name, find(*image, name)).first->second;
}

std::optional<uint64_t> File::variable(const std::string &name) const
{
    return find(variables_, name, [](const elf::Image &image, const std::string &wanted) {
        return elf::find_object(image, wanted, {.debug_files = false});
    });
}

std::optional<uint64_t> File::function(const std::string &name) const
{
    return find(functions_, name, find_function);
}

const CodeSites &File::code_sites(const Language &language, const Version &version) const
{
    static const CodeSites none;
    if (!language.find_code_sites)
        return none;
    if (!code_sites_) {
        auto image = elf::Image::open(path_);
        if (!image)
            return none;
        code_sites_ = language.find_code_sites(*image, version);
    }
    return *code_sites_;
}

const File *Files::get(const proc::MappedObject &object)
{
    auto [known, is_new] = files_.try_emplace(object.file);
    if (is_new) {
        if (auto image = elf::Image::open(object.open_path))
            known->second = std::make_unique<File>(*image);
    }
    if (known->second)
        known->second->path_ = object.open_path;
    return known->second.get();
}

}  // namespace uscope::lang
