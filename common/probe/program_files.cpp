// Follows the libraries that a program and LD_PRELOAD name.
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
    std::string linker;
    auto add = [&](const std::string &name) {
        if (name.empty() || !seen.insert(name).second)
            return;
        auto found = proc::find_file(name);
        auto image = found ? elf::Image::open(found->open_path) : Failure(found.error());
        bool is_program = seen.size() == 1;
        if (image || is_program)
            files.push_back(found ? found->open_path : program);
        if (!image)
            return;
        for (std::string &library : elf::needed_libraries(*image))
            names.push_back(std::move(library));
        if (is_program)
            linker = elf::dynamic_linker(*image);
    };
    for (size_t i = 0; i < names.size(); i++)
        add(std::string(names[i]));
    add(linker);
    return files;
}

void name_files(std::vector<ProbeRequest> &probes, const std::string &program)
{
    std::vector<std::string> files;
    for (ProbeRequest &probe : probes) {
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
