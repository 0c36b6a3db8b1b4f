// Resolves USDT probes.
#include <algorithm>
#include <map>

#include "base/format.h"
#include "base/text.h"
#include "base/tool_name.h"
#include "elf/frames.h"
#include "elf/functions.h"
#include "lang/node/former_probes.h"
#include "proc/process.h"
#include "resolve/files.h"
#include "resolve/instruction.h"
#include "resolve/kinds.h"
#include "resolve/patterns.h"
#include "usdt/notes.h"
#include "usdt/operands.h"

namespace uscope::resolve {
namespace {

// Adds one location to the group with the same operands, or to a new one.
void add_location(std::vector<Group> &groups, const OpenedFile &opened, const usdt::Probe &probe,
                  const usdt::Location &location)
{
    std::vector<abi::Operand> operands;
    std::vector<std::string> texts;
    elf::SymbolOptions symbols = {.root = opened.file.root, .path = opened.file.path};
    for (const auto &noted : usdt::read_operands(*opened.image, location, symbols)) {
        operands.push_back(noted.operand);
        texts.emplace_back(noted.text);
    }

    auto group = std::find_if(groups.begin(), groups.end(),
                              [&](const Group &other) { return other.operands == operands; });
    if (group == groups.end()) {
        group = groups.insert(groups.end(), Group{});
        group->operands = std::move(operands);
        group->operand_texts = std::move(texts);
    }
    if (group->files.empty() || group->files.back().image != opened.image)
        group->files.push_back({opened.file, opened.image, {}});
    Site site;
    site.name = probe.name;
    site.vaddr = location.vaddr;
    site.file_offset = location.file_offset;
    site.ref_ctr_offset = probe.semaphore_offset;
    group->files.back().sites.push_back(std::move(site));
}

// The file, or a glob for several.
std::string searched_files(const spec::Probe &probe)
{
    return probe.library.text.empty() ? "*" : probe.library.text;
}

// The names of the probes that do not match, each with how to write it.
using OtherNames = std::map<std::string, std::string>;

std::string hint(const std::string &wanted, const OtherNames &written)
{
    std::vector<std::string> names;
    for (const auto &[name, typed] : written)
        names.push_back(name);
    names = near_names(wanted, names);
    for (std::string &name : names)
        name = written.at(name);
    return did_you_mean(names);
}

// Returns the probe's locations; with `at_first_location`, only the first one in each piece of
// code.
std::vector<usdt::Location> locations_of(const spec::Probe &probe, const elf::Image &image,
                                         const usdt::Probe &found)
{
    if (!probe.needs.at_first_location)
        return found.locations;
    std::map<uint64_t, usdt::Location> first;
    elf::Frames frames = elf::Frames::of(image);
    for (const usdt::Location &location : found.locations) {
        auto frame = frames.at(location.vaddr);
        uint64_t start = frame ? frame->start : location.vaddr;
        auto [known, is_new] = first.try_emplace(start, location);
        if (!is_new && location.vaddr < known->second.vaddr)
            known->second = location;
    }
    std::vector<usdt::Location> locations;
    for (auto &[start, location] : first)
        locations.push_back(std::move(location));
    return locations;
}

// No probe of `files` matches.
Failure<> fail_without_match(const spec::Probe &probe, const std::vector<pid_t> &pids,
                             const std::vector<OpenedFile> &files, const OtherNames &others)
{
    bool anywhere = is_glob(searched_files(probe));
    std::string where = probe.library.text.empty() ? fmt::format("process {}", pids[0])
                        : files.size() == 1        ? files[0].file.path
                        : anywhere
                            ? fmt::format("{} ({} files)", searched_files(probe), files.size())
                            : fmt::format("{} files", files.size());
    std::string program =
        files.size() == 1
            ? files[0].file.path
            : (probe.library.text.empty() ? proc::executable_name(pids[0]) : std::string());
    if (std::string instead = lang::instead_of_node_probe(program, probe.event.text);
        !instead.empty())
        return fail("{} has no USDT probe {}{}", where, probe.event.text, instead);
    std::string bare = files.size() == 1 ? usdt::why_bare(files[0].file.open_path) : "";
    if (others.empty() && !bare.empty())
        return fail("{} has no USDT probes that can be found: {}", where, bare);
    if (others.empty()) {
        std::string tplist = tool_name("tplist");
        return fail("{} has no USDT probes{}", where,
                    anywhere
                        ? ""
                        : fmt::format(" ({} -l shows those of a file, {} -p those of a process)",
                                      tplist, tplist));
    }
    std::string wanted = probe.category.text.empty() ? probe.event.text
                                                     : probe.category.text + ":" + probe.event.text;
    return fail("{} has no USDT probe {}{}", where, wanted, hint(wanted, others));
}

}  // namespace

Result<std::vector<Group>> resolve_usdt(const spec::Probe &probe, const std::vector<pid_t> &pids)
{
    if (probe.library.text.empty() && pids.empty()) {
        return fail_at(
            probe.source, 0,
            "a USDT probe without a program or library needs a process: give -p, or name the "
            "file as in u:/path/to/program:{}",
            probe.event.text);
    }
    NameMatcher is_wanted = TRY(name_matcher(probe));
    std::vector<OpenedFile> files = TRY(find_files(searched_files(probe), pids));

    std::vector<Group> groups;
    OtherNames others;
    Refusals refusals;
    std::optional<Error> refused;
    for (const OpenedFile &opened : files) {
        auto probes = usdt::read_probes(*opened.image);
        if (!probes) {
            if (is_glob(searched_files(probe)))
                continue;
            return Failure(std::move(probes.error()));
        }
        for (const usdt::Probe &found : *probes) {
            std::string full = found.provider + ":" + found.name;
            if (!is_wanted(found.provider, found.name)) {
                std::string name = spec::written(found.name);
                if (probe.category.text.empty())
                    others[found.name] = name;
                else
                    others[full] = spec::written(found.provider) + ":" + name;
                continue;
            }
            for (const usdt::Location &location : locations_of(probe, *opened.image, found)) {
                auto refusal = refusal_at(*opened.image, location.vaddr, false);
                if (refusal == insn::Refusal::None) {
                    add_location(groups, opened, found, location);
                    continue;
                }
                refusals[fmt::format("are on an instruction that {}", insn::describe(refusal))]++;
                if (!refused)
                    refused = refused_error(*opened.image, full, refusal);
            }
        }
    }
    if (!groups.empty()) {
        size_t max = 0;
        for (const Group &group : groups)
            max = std::max(max, group.operands.size());
        for (Group &group : groups)
            group.max_operands = max;
        groups[0].refusals = std::move(refusals);
        return groups;
    }

    if (refused)
        return Failure(std::move(*refused));
    return fail_without_match(probe, pids, files, others);
}

}  // namespace uscope::resolve
