#include "probe/describe.h"

#include "attach/path.h"
#include "output/escape.h"

namespace uscope::probe {
namespace {

std::string return_addresses(const elf::Image &image, const resolve::Site &site)
{
    std::vector<std::string> addresses;
    for (uint64_t offset : site.return_offsets)
        addresses.push_back(fmt::format("{:#x}", image.vaddr(offset).value_or(0)));
    return fmt::format("{}", fmt::join(addresses, " "));
}

}  // namespace

std::string describe(const Set &probes)
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
                if (!site.return_offsets.empty())
                    text += ", returns at " + return_addresses(*file.image, site);
                text += '\n';
            }
        }
        for (size_t i = 0; i < program->group.operand_texts.size(); i++)
            text += fmt::format("  arg{}: {}\n", i + 1, program->group.operand_texts[i]);
        if (program->entry)
            text += "  program at entry:\n" + expr::listing(*program->entry);
        text += "  program:\n" + expr::listing(program->main);
    }
    return text;
}

std::string describe_attached(const Set &probes)
{
    return fmt::format("probes in programs: {}\n{}", attach::describe_path(), describe(probes));
}

}  // namespace uscope::probe
