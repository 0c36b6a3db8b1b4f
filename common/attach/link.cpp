#include "attach/link.h"

#include <algorithm>
#include <set>

#include <bpf/bpf.h>

#include "attach/cost.h"
#include "attach/info.h"
#include "attach/kernel.h"
#include "base/text.h"
#include "lib/site.h"

namespace uscope::attach {
namespace {

bool is_local_call(const bpf_insn &insn)
{
    return insn.code == (BPF_JMP | BPF_CALL) && insn.src_reg == BPF_PSEUDO_CALL;
}

// A load of 64 bits takes two instructions, the second of which is none of its own.
bool is_site_placeholder(const bpf_insn &low, const bpf_insn &high)
{
    return low.code == (BPF_LD | BPF_DW | BPF_IMM) && low.src_reg == 0 &&
           uint32_t(low.imm) == uint32_t(SITE_PLACEHOLDER) &&
           uint32_t(high.imm) == SITE_PLACEHOLDER >> 32;
}

// The line of the verifier's log that says what is wrong: the last but its statistics.
std::string_view verdict(std::string_view log)
{
    std::string_view last;
    for (std::string_view line : split(log, '\n')) {
        if (!trim(line).empty() && !line.starts_with("processed ") &&
            !line.starts_with("verification time") && !line.starts_with("stack depth"))
            last = trim(line);
    }
    return last;
}

// The kernel takes no others.
bool is_name_character(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// The types of a program's functions, in the order of these.
struct FunctionTypes {
    Fd btf;
    std::vector<bpf_func_info> functions;
};

FunctionTypes function_types(int program)
{
    FunctionTypes types;
    auto info = info_of<bpf_prog_info>(program);
    if (!info || !info->btf_id || info->func_info_rec_size != sizeof(bpf_func_info))
        return types;
    types.functions.resize(info->nr_func_info);
    bpf_prog_info wanted = {};
    wanted.nr_func_info = types.functions.size();
    wanted.func_info_rec_size = sizeof(bpf_func_info);
    wanted.func_info = reinterpret_cast<uintptr_t>(types.functions.data());
    if (info_of(program, wanted))
        types.btf = Fd(bpf_btf_get_fd_by_id(info->btf_id));
    return types;
}

// Where the functions begin that are called.
std::set<uint32_t> function_starts(const std::vector<bpf_insn> &insns)
{
    std::set<uint32_t> starts = {0};
    for (size_t i = 0; i < insns.size(); i++) {
        if (is_local_call(insns[i]))
            starts.insert(i + 1 + insns[i].imm);
    }
    return starts;
}

}  // namespace

Template::Template(const bpf_program *program, std::vector<std::string> functions, bool has_globals)
    : program_(program),
      own_length_(bpf_program__insn_cnt(program)),
      functions_(std::move(functions)),
      has_globals_(has_globals)
{
}

Result<Fd> Template::load(const expr::Program &main, const std::map<expr::MapSlot, int> &maps,
                          const LoadOptions &options) const
{
    const bpf_insn *own = bpf_program__insns(program_);
    size_t length = bpf_program__insn_cnt(program_);

    // Where the functions are: their order is that of the template's first calls to them.
    std::map<std::string, size_t> functions;
    size_t next = 0;
    for (size_t i = 0; i < own_length_ && next < functions_.size(); i++) {
        if (is_local_call(own[i]))
            functions[functions_[next++]] = i + 1 + own[i].imm - own_length_;
    }

    std::vector<bpf_insn> insns = main.insns;
    for (const auto &use : main.maps) {
        insns[use.insn].src_reg = BPF_PSEUDO_MAP_FD;
        insns[use.insn].imm = maps.at(use.map);
    }
    for (const auto &use : main.calls) {
        auto function = functions.find(use.function);
        if (function == functions.end())
            return fail("the program calls {}, which its template does not have", use.function);
        insns[use.insn].src_reg = BPF_PSEUDO_CALL;
        insns[use.insn].imm = main.insns.size() + function->second - (use.insn + 1);
    }
    if (!main.calls.empty())
        insns.insert(insns.end(), own + own_length_, own + length);

    for (size_t i = 0; i + 1 < insns.size(); i++) {
        if (is_site_placeholder(insns[i], insns[i + 1])) {
            insns[i].imm = options.site;
            insns[i + 1].imm = options.site >> 32;
        }
    }

    bool all = getenv("USCOPE_VERIFIER_LOG") != nullptr;
    LIBBPF_OPTS(bpf_prog_load_opts, load,
                .expected_attach_type = bpf_attach_type(options.attach_type),
                .prog_flags = options.sleepable ? BPF_F_SLEEPABLE : 0u);
    FunctionTypes types;
    if (has_globals_ && !main.calls.empty())
        types = function_types(bpf_program__fd(program_));
    if (auto starts = function_starts(insns);
        types.btf && starts.size() == types.functions.size()) {
        auto function = types.functions.begin();
        for (uint32_t start : starts)
            (function++)->insn_off = start;
        load.prog_btf_fd = types.btf.get();
        load.func_info = types.functions.data();
        load.func_info_cnt = types.functions.size();
        load.func_info_rec_size = sizeof(bpf_func_info);
    }
    std::string name = options.name.substr(0, BPF_OBJ_NAME_LEN - 1);
    std::replace_if(
        name.begin(), name.end(), [](char c) { return !is_name_character(c); }, '_');
    auto type = bpf_prog_type(options.program_type);
    int fd = bpf_prog_load(type, name.c_str(), "Dual BSD/GPL", insns.data(), insns.size(), &load);
    if (fd >= 0) {
        remember_name(fd, options.label);
        return Fd(fd);
    }

    // Once more, for the reason.
    int error = errno;
    std::vector<char> log(
        (1 << 24) -
        1);  // the most that Linux 5.10 takes: what is missing is the end, with the verdict
    load.log_level = 1;
    load.log_buf = log.data();
    load.log_size = log.size();
    fd = bpf_prog_load(type, name.c_str(), "Dual BSD/GPL", insns.data(), insns.size(), &load);
    if (fd >= 0)
        return Fd(fd);
    if (all)
        fprintf(stderr, "%s\n", log.data());
    std::string_view why = verdict(log.data());
    if (std::string locked = lockdown(); !locked.empty() && why.find("probe_read") != why.npos)
        return fail("{}", locked);
    return fail("the kernel refused the program{}{}: {}", why.empty() ? "" : ": ", why,
                errno_text(error));
}

}  // namespace uscope::attach
