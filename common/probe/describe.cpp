// Writes the text of --dry-run and --verbose.
#include "probe/describe.h"

#include <elf.h>

#include "attach/execute.h"
#include "base/format.h"
#include "elf/image.h"
#include "kernel/attach_method.h"
#include "output/escape.h"
#include "probe/program.h"

namespace uscope::probe {
namespace {

// Returns ", returns at 0x1234 0x1240, branches before returns at 0x1236".
std::string describe_exits(const elf::Image &image, const resolve::Site &site)
{
    std::vector<std::string> returns, branches;
    for (uint64_t offset : site.return_offsets)
        returns.push_back(fmt::format("{:#x}", image.vaddr(offset).value_or(0)));
    for (const resolve::BranchSite &branch : site.branches) {
        if (!branch.is_borrowed)
            branches.push_back(fmt::format("{:#x}", branch.branch.vaddr));
    }
    std::string text;
    if (!returns.empty())
        text += ", returns at " + join(returns, " ");
    if (!branches.empty())
        text += ", branches before returns at " + join(branches, " ");
    return text;
}

void add_sites(const std::vector<Part> &parts, size_t file, Sites &sites)
{
    for (const Part &part : parts)
        sites.insert(sites.end(), part.files[file].begin(), part.files[file].end());
}

attach::InstructionCounts count_instructions(const Program &program)
{
    attach::InstructionCounts counts;
    for (size_t i = 0; i < program.group.files.size(); i++) {
        const resolve::FileSites &file = program.group.files[i];
        Sites sites;
        add_sites(program.entry_parts, i, sites);
        add_sites(program.parts, i, sites);
        if (file.image && file.image->machine() == EM_X86_64)
            counts += attach::count_instructions(file.file.open_path, sites);
    }
    return counts;
}

}  // namespace

std::string describe(const ProbeSet &probes)
{
    std::string text;
    for (const auto &program : probes.programs()) {
        text += output::escaped(program->probe->spec.source) + '\n';
        for (const auto &file : program->group.files) {
            for (const auto &site : file.sites) {
                if (program->group.is_kernel) {
                    text +=
                        fmt::format("  {} {} at {:#x}\n", file.file.path, site.name, site.vaddr);
                    continue;
                }
                if (!file.image) {
                    text += fmt::format("  tracepoint {}\n", site.name);
                    continue;
                }
                text += fmt::format("  {} {} at {:#x} (file offset {:#x})", file.file.path,
                                    site.name, site.vaddr, site.file_offset);
                if (site.ref_ctr_offset)
                    text += fmt::format(", semaphore at file offset {:#x}", site.ref_ctr_offset);
                text += describe_exits(*file.image, site) + '\n';
            }
        }
        for (size_t i = 0; i < program->group.operand_texts.size(); i++)
            text += fmt::format("  arg{}: {}\n", i + 1, program->group.operand_texts[i]);
        if (program->entry)
            text += "  program at entry:\n" + expr::listing(*program->entry);
        text += "  program:\n" + expr::listing(program->main);
        if (auto counts = count_instructions(*program); counts.any())
            text += fmt::format("  {}{}\n", attach::describe(counts),
                                counts.executed ? " (on Linux 6.19 and newer, else stepped)" : "");
    }
    return text;
}

std::string describe_attached(const ProbeSet &probes)
{
    return fmt::format(
        "probes in programs: {}\ninstructions that the kernel does not emulate: {}\n{}",
        kernel::describe_attach_method(), attach::describe_execution(), describe(probes));
}

std::string quoted(const std::vector<std::string> &patterns)
{
    std::string text;
    for (const std::string &pattern : patterns)
        text += fmt::format("{}\"{}\"", text.empty() ? "" : ", ", output::escaped(pattern));
    return text;
}

std::string count_probes(const ProbeSet &probes)
{
    return fmt::format("{} probe{}", probes.site_count(), probes.site_count() == 1 ? "" : "s");
}

std::string count_functions(const ProbeSet &probes, const std::vector<std::string> &patterns)
{
    return fmt::format("{} function{} for {}", probes.site_count(),
                       probes.site_count() == 1 ? "" : "s", quoted(patterns));
}

}  // namespace uscope::probe
