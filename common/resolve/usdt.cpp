#include <algorithm>

#include <elf.h>

#include "base/text.h"
#include "base/tool_name.h"
#include "elf/functions.h"
#include "resolve/files.h"
#include "resolve/instruction.h"
#include "resolve/kinds.h"
#include "resolve/patterns.h"
#include "usdt/notes.h"
#include "usdt/operands.h"

namespace uscope::resolve {
namespace {

// Adds one location to the group whose operands are the same, or to a new one.
void add_location(std::vector<Group> &groups, const OpenedFile &opened, const usdt::Probe &probe,
                  const usdt::Location &location, abi::Machine machine)
{
    usdt::OperandContext context;
    context.machine = machine;
    context.vaddr = location.vaddr;
    context.fixed_addresses = opened.image->type() == ET_EXEC;
    context.find_object = [&](std::string_view name) {
        return elf::find_object(*opened.image, name,
                                {.root = opened.file.root, .path = opened.file.path});
    };
    std::vector<abi::Operand> operands;
    std::vector<std::string> texts;
    for (const auto &noted : usdt::parse_operands(location.arguments, context)) {
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

}  // namespace

Result<std::vector<Group>> resolve_usdt(const spec::Probe &probe, const std::vector<pid_t> &pids)
{
    bool anywhere = probe.library.text.empty();
    if (anywhere && pids.empty()) {
        return fail_at(
            probe.source, 0,
            "a USDT probe without a program or library needs a process: give -p, or name the "
            "file as in u:/path/to/program:{}",
            probe.event.text);
    }
    IsMeant is_wanted = TRY(is_meant(probe));
    std::vector<OpenedFile> files =
        anywhere ? TRY(mapped_files(pids)) : TRY(find_files(probe.library.text, pids));

    std::vector<Group> groups;
    std::vector<std::string> others;
    Refusals refusals;
    std::optional<Error> refused;
    for (const OpenedFile &opened : files) {
        auto machine = abi::machine_of(opened.image->machine());
        auto probes = usdt::read_probes(*opened.image);
        if (!probes) {
            if (anywhere)
                continue;
            return tl::unexpected(std::move(probes.error()));
        }
        for (const usdt::Probe &found : *probes) {
            std::string full = found.provider + ":" + found.name;
            if (!is_wanted(found.provider, found.name) || !machine) {
                others.push_back(probe.category.text.empty() ? found.name : full);
                continue;
            }
            for (const usdt::Location &location : found.locations) {
                auto refusal = refusal_at(*opened.image, location.vaddr, false);
                if (refusal == insn::Refusal::None) {
                    add_location(groups, opened, found, location, *machine);
                    continue;
                }
                refusals[fmt::format("are on an instruction that {}", insn::describe(refusal))]++;
                if (!refused)
                    refused = refused_place(*opened.image, full, refusal);
            }
        }
    }
    if (!groups.empty()) {
        size_t most = 0;
        for (const Group &group : groups)
            most = std::max(most, group.operands.size());
        for (Group &group : groups)
            group.most_operands = most;
        groups[0].refusals = std::move(refusals);
        return groups;
    }

    if (refused)
        return tl::unexpected(std::move(*refused));
    std::string where = anywhere            ? fmt::format("process {}", pids[0])
                        : files.size() == 1 ? files[0].file.path
                                            : fmt::format("{} files", files.size());
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
    return fail("{} has no USDT probe {}{}", where, wanted,
                did_you_mean(near_names(wanted, others)));
}

}  // namespace uscope::resolve
