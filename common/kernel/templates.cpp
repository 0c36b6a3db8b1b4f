// Keeps the relocated instructions of templates, and builds and loads programs from them.
#include "kernel/templates.h"

#include <algorithm>
#include <map>
#include <set>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/text.h"
#include "bpf/lib/site.h"
#include "expr/program.h"
#include "kernel/features.h"
#include "kernel/link_info.h"
#include "kernel/stats.h"

namespace uscope::kernel {
namespace {

bool is_local_call(const bpf_insn &insn)
{
    return insn.code == (BPF_JMP | BPF_CALL) && insn.src_reg == BPF_PSEUDO_CALL;
}

// A 64-bit load takes two instruction slots; the second has only the upper half of the value.
bool is_site_placeholder(const bpf_insn &low, const bpf_insn &high)
{
    return low.code == (BPF_LD | BPF_DW | BPF_IMM) && low.src_reg == 0 &&
           uint32_t(low.imm) == uint32_t(SITE_PLACEHOLDER) &&
           uint32_t(high.imm) == SITE_PLACEHOLDER >> 32;
}

// Replaces the placeholder in each load of the site's number.
void set_site(std::vector<bpf_insn> &insns, uint64_t site)
{
    for (size_t i = 0; i + 1 < insns.size(); i++) {
        if (is_site_placeholder(insns[i], insns[i + 1])) {
            insns[i].imm = site;
            insns[i + 1].imm = site >> 32;
        }
    }
}

// The line of the verifier's log with the reason: the last one before its statistics.
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

// The kernel accepts no other characters in names.
bool is_name_character(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// A template as libbpf was about to load it, with all maps and constants relocated.
struct Relocated {
    std::vector<bpf_insn> insns;
    int btf = -1;  // the object's
    std::vector<bpf_func_info> functions;
};

std::map<const bpf_program *, Relocated> &relocated_templates()
{
    static std::map<const bpf_program *, Relocated> templates;
    return templates;
}

// The types of a program whose main replaces a template's first `own_length` instructions. A main
// may have functions of its own. They get the type of the template's first function, which is
// static, so the verifier checks them at each call.
std::vector<bpf_func_info> types_of(const std::vector<bpf_func_info> &of_template,
                                    size_t own_length, const std::vector<bpf_insn> &insns,
                                    size_t main_length)
{
    std::set<uint32_t> starts;
    for (size_t i = 0; i < main_length; i++) {
        if (size_t start = i + 1 + insns[i].imm; is_local_call(insns[i]) && start < main_length)
            starts.insert(start);
    }
    std::vector<bpf_func_info> types = {of_template.at(0)};
    for (uint32_t start : starts)
        types.push_back({start, of_template.at(1).type_id});
    for (size_t i = 1; i < of_template.size(); i++)
        types.push_back(
            {uint32_t(of_template[i].insn_off - own_length + main_length), of_template[i].type_id});
    return types;
}

// libbpf calls this before it loads a template. The kernel gets an empty program instead, so that
// the verifier does not have to check code that never runs.
int keep_template(bpf_program *program, bpf_prog_load_opts *options, long /*cookie*/)
{
    const bpf_insn *insns = bpf_program__insns(program);
    Relocated kept;
    kept.insns.assign(insns, insns + bpf_program__insn_cnt(program));
    if (options->prog_btf_fd > 0 && options->func_info_rec_size == sizeof(bpf_func_info)) {
        auto *functions = static_cast<const bpf_func_info *>(options->func_info);
        kept.btf = int(options->prog_btf_fd);
        kept.functions.assign(functions, functions + options->func_info_cnt);
    }
    relocated_templates()[program] = std::move(kept);

    options->prog_btf_fd = 0;
    options->func_info_cnt = options->line_info_cnt = 0;
    options->func_info = options->line_info = nullptr;
    bpf_insn nothing[] = {{BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_0, 0, 0, 0},
                          {BPF_JMP | BPF_EXIT, 0, 0, 0, 0}};
    return bpf_program__set_insns(program, nothing, std::size(nothing));
}

// Registered before any object is opened: makes SEC("template") a program of this kind.
const int template_handler = [] {
    LIBBPF_OPTS(libbpf_prog_handler_opts, options, .prog_prepare_load_fn = keep_template);
    return libbpf_register_prog_handler("template", BPF_PROG_TYPE_KPROBE, bpf_attach_type(0),
                                        &options);
}();

}  // namespace

Templates::Templates(const bpf_object *object)
{
    constexpr std::string_view suffix = "_template", separator = "_and_";
    bpf_program *program;
    bpf_object__for_each_program(program, object)
    {
        std::string_view names = bpf_program__name(program);
        if (!names.ends_with(suffix))
            continue;
        names.remove_suffix(suffix.size());
        Template &added = templates_.emplace_back(program, bpf_program__insn_cnt(program));
        for (size_t end; (end = names.find(separator)) != names.npos;) {
            added.functions.emplace_back(names.substr(0, end));
            names.remove_prefix(end + separator.size());
        }
        added.functions.emplace_back(names);
    }
}

Result<> Templates::load_only(const std::set<std::string> &functions) const
{
    std::set<std::string> missing = functions;
    for (const Template &code : templates_) {
        bpf_program__set_autoload(code.program, functions.contains(code.functions[0]));
        for (const std::string &function : code.functions)
            missing.erase(function);
    }
    if (!missing.empty())
        return fail("the BPF object has no {}_template", *missing.begin());
    return {};
}

Result<const Templates::Template *> Templates::find(const std::string &function) const
{
    for (const Template &code : templates_) {
        if (code.functions[0] == function && bpf_program__autoload(code.program))
            return &code;
    }
    return fail("the BPF object has no {}_template", function);
}

// Appends the template's functions to `insns`, which are those of `main`, and makes the main's
// calls reach them.
Result<> Templates::Template::link(const expr::Program &main, std::vector<bpf_insn> &insns) const
{
    const std::vector<bpf_insn> &own = relocated_templates().at(program).insns;
    std::map<std::string, size_t> offsets;
    for (size_t i = 0, next = 0; i < own_length && next < functions.size(); i++) {
        if (is_local_call(own[i]))
            offsets[functions[next++]] = i + 1 + own[i].imm - own_length;
    }
    for (const auto &use : main.calls) {
        auto offset = offsets.find(use.function);
        if (offset == offsets.end())
            return fail("{} does not call {}", bpf_program__name(program), use.function);
        insns[use.insn].src_reg = BPF_PSEUDO_CALL;
        insns[use.insn].imm = main.insns.size() + offset->second - (use.insn + 1);
    }
    insns.insert(insns.end(), own.begin() + own_length, own.end());
    return {};
}

Result<Fd> Templates::load(const expr::Program &main, const std::map<expr::MapSlot, int> &maps,
                           const LoadOptions &options) const
{
    std::vector<bpf_insn> insns = main.insns;
    for (const auto &use : main.maps) {
        insns[use.insn].src_reg = BPF_PSEUDO_MAP_FD;
        insns[use.insn].imm = maps.at(use.map);
    }
    const Template *code = nullptr;
    if (!main.calls.empty()) {
        code = TRY(find(main.calls[0].function));
        TRY(code->link(main, insns));
    }

    set_site(insns, options.site);

    LIBBPF_OPTS(bpf_prog_load_opts, load,
                .expected_attach_type = bpf_attach_type(options.attach_type),
                .prog_flags = options.sleepable ? BPF_F_SLEEPABLE : 0u);
    // Before Linux 6.8 the verifier checks global functions even if nothing calls them, and a
    // locked-down kernel refuses their reads. Without BTF types they are ordinary functions.
    std::string locked = lockdown();
    std::vector<bpf_func_info> types;
    if (code && relocated_templates().at(code->program).btf >= 0 && locked.empty()) {
        const Relocated &relocated = relocated_templates().at(code->program);
        types = types_of(relocated.functions, code->own_length, insns, main.insns.size());
        load.prog_btf_fd = relocated.btf;
        load.func_info = types.data();
        load.func_info_cnt = types.size();
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

    // Load it again, to get the log with the reason.
    int error = errno;
    // The largest log that Linux 5.10 accepts. A smaller one would lack the end, with the verdict.
    std::vector<char> log((1 << 24) - 1);
    load.log_level = 1;
    load.log_buf = log.data();
    load.log_size = log.size();
    fd = bpf_prog_load(type, name.c_str(), "Dual BSD/GPL", insns.data(), insns.size(), &load);
    if (fd >= 0)
        return Fd(fd);
    if (getenv("USCOPE_VERIFIER_LOG"))
        fprintf(stderr, "%s\n", log.data());
    std::string_view why = verdict(log.data());
    if (!locked.empty() && why.find("probe_read") != why.npos)
        return fail("{}", locked);
    return fail("the kernel refused the program{}{}: {}", why.empty() ? "" : ": ", why,
                errno_text(error));
}

}  // namespace uscope::kernel
