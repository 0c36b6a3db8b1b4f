// Chooses the sites whose instructions a program executes, and attaches that program.
#include "attach/execute.h"

#include <set>
#include <tuple>

#include <bpf/bpf.h>
#include <fcntl.h>

#include "abi/registers.h"
#include "attach/record.h"
#include "base/format.h"
#include "bpf/shared/execute.h"
#include "execute.skel.h"
#include "insn/decode.h"
#include "insn/execute.h"
#include "kernel/features.h"
#include "kernel/object.h"
#include "kernel/stats.h"

namespace uscope::attach {
namespace {

InstructionCounts instruction_counts;

bool is_step_forced()
{
    return getenv("USCOPE_FORCE_STEP") != nullptr;
}

// Does this kernel support the processor's shadow stacks? Then some traced programs may have one.
bool may_have_shadow_stacks()
{
    auto text = read_file("/proc/cpuinfo");
    return !text || text->find(" user_shstk") != text->npos;
}

// The executing program, loaded once and kept; -1 if the kernel refuses it.
int executing_program()
{
    static const Fd program = [] {
        auto object = kernel::Object<execute_bpf>::open();
        if (!object)
            return Fd();
        bool has_shadow_stacks = may_have_shadow_stacks();
        bpf_program *plain = (*object)->progs.execute_plain,
                    *other = (*object)->progs.execute_unless_shadow_stack;
        bpf_program__set_autoload(plain, !has_shadow_stacks);
        bpf_program__set_autoload(other, has_shadow_stacks);
        bpf_program *wanted = has_shadow_stacks ? other : plain;
        bpf_program__set_expected_attach_type(wanted, bpf_attach_type(kernel::trace_uprobe_multi));
        if (!object->load())
            return Fd();
        Fd fd(fcntl(bpf_program__fd(wanted), F_DUPFD_CLOEXEC, 0));
        kernel::remember_name(fd.get(), "instructions executed instead of stepped");
        return fd;
    }();
    return program.get();
}

// Is this the first call for this site? The executing program can only be attached before a site's
// first program: once other programs are attached, it would run before them.
bool is_new(const proc::FileId &file, uint64_t offset, pid_t pid)
{
    static std::set<std::tuple<proc::FileId, uint64_t, pid_t>> seen;
    return seen.emplace(file, offset, pid).second;
}

// Counts the instruction at the start of `code`. Returns the part of the attach cookie that makes
// the executing program execute it, or nullopt if no program can.
std::optional<uint64_t> count_instruction(Bytes code, bool may_return, InstructionCounts &counts)
{
    auto instruction = insn::decode(code);
    auto execution = insn::execution(code, may_return);
    bool is_emulated =
        instruction && (instruction->kind == insn::Kind::Nop || insn::is_emulated(*instruction));
    (is_emulated ? counts.emulated : execution ? counts.executed : counts.stepped)++;
    return execution;
}

// Returns those new sites of the request whose instructions can be executed, with the cookies for
// the executing program. Counts the instructions of all new sites.
std::vector<UprobeSite> executable_sites(const UprobeRequest &request, const proc::FileId &id,
                                         Bytes file)
{
    std::vector<UprobeSite> sites;
    for (const UprobeSite &site : request.sites) {
        if (!is_new(id, site.offset, request.pid))
            continue;
        auto execution =
            count_instruction(file.from(site.offset), site.may_return, instruction_counts);
        if (execution)
            sites.push_back({site.offset, 0, *execution | (site.offset & EXECUTE_OFFSET_MASK)});
    }
    return sites;
}

// Removes sites where other tools have programs: those would see changed registers.
void drop_noted(std::vector<UprobeSite> &sites, const proc::FileId &file)
{
    std::set<uint64_t> noted;
    for (const Noted &other : Record::others()) {
        if (other.file != file)
            continue;
        for (const UprobeSite &site : other.sites)
            noted.insert(site.offset);
    }
    std::erase_if(sites, [&](const UprobeSite &site) { return noted.count(site.offset) != 0; });
}

Result<Fd> attach_to(const std::vector<UprobeSite> &sites, const UprobeRequest &request)
{
    std::vector<uint64_t> offsets, cookies;
    for (const UprobeSite &site : sites) {
        offsets.push_back(site.offset);
        cookies.push_back(site.cookie);
    }
    return kernel::create_uprobe_multi_link({.program = executing_program(),
                                             .attach_type = kernel::trace_uprobe_multi,
                                             .path = request.path.c_str(),
                                             .offsets = offsets.data(),
                                             .ref_ctr_offsets = nullptr,
                                             .cookies = cookies.data(),
                                             .count = uint32_t(sites.size()),
                                             .is_return = false,
                                             .pid = uint32_t(request.pid)},
                                            request.name);
}

// Attaches the executing program to `sites`, after removing other tools' sites from them.
std::optional<Link> attach_to_unnoted(std::vector<UprobeSite> &sites, const proc::FileId &file,
                                      const UprobeRequest &request)
{
    drop_noted(sites, file);
    if (sites.empty() || executing_program() < 0)
        return std::nullopt;
    auto link = attach_to(sites, request);
    return link ? std::optional<Link>(std::move(*link)) : std::nullopt;
}

}  // namespace

bool are_instructions_executed()
{
    return abi::host_machine == abi::Machine::X86_64 && !is_step_forced() &&
           kernel::may_programs_write_registers();
}

std::optional<Link> attach_executing(const UprobeRequest &request)
{
    auto id = proc::file_id(request.path);
    auto file = MappedFile::open(request.path);
    if (abi::host_machine != abi::Machine::X86_64 || !id || !file)
        return std::nullopt;
    std::vector<UprobeSite> sites = executable_sites(request, *id, file->bytes());
    size_t executable = sites.size();
    auto link = executable && are_instructions_executed() ? attach_to_unnoted(sites, *id, request)
                                                          : std::nullopt;
    size_t stepped = link ? executable - sites.size() : executable;
    instruction_counts.executed -= stepped;
    instruction_counts.stepped += stepped;
    return link;
}

const InstructionCounts &attached_instructions()
{
    return instruction_counts;
}

InstructionCounts count_instructions(const std::string &path, const std::vector<UprobeSite> &sites)
{
    InstructionCounts counts;
    auto file = MappedFile::open(path);
    std::set<uint64_t> seen;
    for (const UprobeSite &site : sites) {
        if (file && seen.insert(site.offset).second)
            count_instruction(file->bytes().from(site.offset), site.may_return, counts);
    }
    return counts;
}

std::string describe_execution()
{
    if (is_step_forced())
        return "single-stepped (by USCOPE_FORCE_STEP)";
    if (!are_instructions_executed())
        return "single-stepped (programs can execute them since Linux 6.19)";
    if (may_have_shadow_stacks())
        return "executed by a program if possible, but no returns in processes with a shadow stack";
    return "executed by a program if possible";
}

std::string describe(const InstructionCounts &counts)
{
    std::vector<std::string> parts;
    auto add = [&](size_t sites, const char *what) {
        if (sites)
            parts.push_back(fmt::format("{} {}", sites, what));
    };
    add(counts.emulated, "emulated by the kernel");
    add(counts.executed, "executed by a program");
    add(counts.stepped, "single-stepped");
    return fmt::format("instructions under probes: {}", join(parts, ", "));
}

}  // namespace uscope::attach
