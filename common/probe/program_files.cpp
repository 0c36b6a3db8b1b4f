#include "probe/program_files.h"

#include <algorithm>
#include <cstdlib>
#include <set>

#include "base/text.h"
#include "elf/dynamic.h"
#include "proc/library.h"
#include "resolve/resolve.h"

namespace uscope::probe {
namespace {

bool has_probe(spec::Probe probe, const std::string &file)
{
    probe.library.text = file;
    return resolve::resolve(probe, {}).has_value();
}

}  // namespace

std::vector<std::string> files_of_program(const std::string &program)
{
    std::vector<std::string> names = {program}, files;
    if (const char *preloaded = getenv("LD_PRELOAD")) {
        std::string text = preloaded;
        std::replace(text.begin(), text.end(), ':', ' ');
        for (std::string_view name : split(text, ' '))
            names.emplace_back(name);
    }
    std::set<std::string> seen;
    for (size_t i = 0; i < names.size(); i++) {
        if (names[i].empty() || !seen.insert(names[i]).second)
            continue;
        auto found = proc::find_file(names[i]);
        auto image = found ? elf::Image::open(found->open_path) : Failure(found.error());
        if (image || i == 0)
            files.push_back(found ? found->open_path : program);
        if (!image)
            continue;
        for (std::string &library : elf::needed_libraries(*image))
            names.push_back(std::move(library));
    }
    return files;
}

void name_files(std::vector<Parsed> &probes, const std::string &program)
{
    std::vector<std::string> files;
    for (Parsed &probe : probes) {
        if (probe.spec.kind != spec::ProbeKind::Usdt || !probe.spec.library.text.empty())
            continue;
        if (files.empty())
            files = files_of_program(program);
        auto owner = std::find_if(files.begin(), files.end(), [&](const std::string &file) {
            return has_probe(probe.spec, file);
        });
        probe.spec.library.text = owner == files.end() ? files[0] : *owner;
    }
}

}  // namespace uscope::probe
