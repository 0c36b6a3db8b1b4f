#include "lang/file.h"

#include "elf/functions.h"

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
