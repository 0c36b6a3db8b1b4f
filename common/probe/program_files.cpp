#include "probe/program_files.h"

#include <algorithm>
#include <set>

#include "elf/dynamic.h"
#include "proc/library.h"
#include "resolve/resolve.h"

namespace uscope::probe {
namespace {

// The program and the libraries that it and these ask for, the program first.
std::vector<std::string> files_of(const std::string &program)
{
    std::vector<std::string> files = {program};
    std::set<std::string> seen;
    for (size_t i = 0; i < files.size(); i++) {
        auto found = proc::find_file(files[i]);
        auto image = found ? elf::Image::open(found->open_path) : tl::unexpected(found.error());
        if (!image)
            continue;
        files[i] = found->open_path;
        for (const std::string &library : elf::needed_libraries(*image)) {
            if (seen.insert(library).second)
                files.push_back(library);
        }
    }
    return files;
}

bool has_probe(spec::Probe probe, const std::string &file)
{
    probe.library.text = file;
    return resolve::resolve(probe, {}).has_value();
}

}  // namespace

void name_files(std::vector<Parsed> &probes, const std::string &program)
{
    std::vector<std::string> files;
    for (Parsed &probe : probes) {
        if (probe.spec.kind != spec::ProbeKind::Usdt || !probe.spec.library.text.empty())
            continue;
        if (files.empty())
            files = files_of(program);
        auto owner = std::find_if(files.begin(), files.end(), [&](const std::string &file) {
            return has_probe(probe.spec, file);
        });
        probe.spec.library.text = owner == files.end() ? files[0] : *owner;
    }
}

}  // namespace uscope::probe
