// Prints instructions as text, in the notation of the kernel's verifier.
#include <algorithm>
#include <array>
#include <map>

#include "expr/program.h"

#include "base/format.h"

namespace uscope::expr {
namespace {

using Text = std::string;

const char *operation(uint8_t code)
{
    static constexpr std::array<const char *, 14> names = {
        "+=", "-=", "*=", "/=", "|=", "&=", "<<=", ">>=", "", "%=", "^=", "=", "s>>=", "",
    };
    size_t index = BPF_OP(code) >> 4;
    return index < names.size() ? names[index] : "?";
}

const char *comparison(uint8_t code)
{
    static constexpr std::array<const char *, 14> names = {
        "", "==", ">", ">=", "&", "!=", "s>", "s>=", "", "", "<", "<=", "s<", "s<=",
    };
    size_t index = BPF_OP(code) >> 4;
    return index < names.size() ? names[index] : "?";
}

const char *width_name(uint8_t code)
{
    switch (BPF_SIZE(code)) {
    case BPF_B:
        return "u8";
    case BPF_H:
        return "u16";
    case BPF_W:
        return "u32";
    default:
        return "u64";
    }
}

const char *map_name(MapSlot map)
{
    switch (map) {
    case MapSlot::Events:
        return "events";
    case MapSlot::Calls:
        return "calls";
    case MapSlot::Targets:
        return "targets";
    case MapSlot::Cgroup:
        return "cgroup";
    case MapSlot::Sampled:
        return "sampled";
    case MapSlot::CallZero:
        return "call_zero";
    case MapSlot::Table:
        return "table";
    case MapSlot::Sites:
        return "sites";
    case MapSlot::Exits:
        return "exits";
    case MapSlot::Cgroups:
        return "cgroups";
    }
    return "?";
}

Text helper_name(int32_t id)
{
    static const std::map<int32_t, const char *> names = {
        {BPF_FUNC_map_lookup_elem, "map_lookup_elem"},
        {BPF_FUNC_map_update_elem, "map_update_elem"},
        {BPF_FUNC_map_delete_elem, "map_delete_elem"},
        {BPF_FUNC_ktime_get_ns, "ktime_get_ns"},
        {BPF_FUNC_get_smp_processor_id, "get_smp_processor_id"},
        {BPF_FUNC_get_current_pid_tgid, "get_current_pid_tgid"},
        {BPF_FUNC_get_ns_current_pid_tgid, "get_ns_current_pid_tgid"},
        {BPF_FUNC_get_current_uid_gid, "get_current_uid_gid"},
        {BPF_FUNC_get_current_comm, "get_current_comm"},
        {BPF_FUNC_get_current_cgroup_id, "get_current_cgroup_id"},
        {BPF_FUNC_get_current_task, "get_current_task"},
        {BPF_FUNC_current_task_under_cgroup, "current_task_under_cgroup"},
        {BPF_FUNC_probe_read_user, "probe_read_user"},
        {BPF_FUNC_probe_read_user_str, "probe_read_user_str"},
        {BPF_FUNC_probe_read_kernel, "probe_read_kernel"},
        {BPF_FUNC_probe_read_kernel_str, "probe_read_kernel_str"},
        {BPF_FUNC_copy_from_user, "copy_from_user"},
        {BPF_FUNC_ringbuf_reserve, "ringbuf_reserve"},
        {BPF_FUNC_ringbuf_discard, "ringbuf_discard"},
    };
    auto found = names.find(id);
    return found == names.end() ? fmt::format("helper {}", id) : found->second;
}

Text source_operand(const bpf_insn &insn)
{
    if (BPF_SRC(insn.code) == BPF_X)
        return fmt::format("r{}", +insn.src_reg);
    return fmt::format("{}", insn.imm);
}

Text memory(const bpf_insn &insn, unsigned base)
{
    return fmt::format("*({} *)(r{} {} {})", width_name(insn.code), base, insn.off < 0 ? '-' : '+',
                       std::abs(insn.off));
}

Text call_text(const Program &program, size_t at)
{
    const bpf_insn &insn = program.insns[at];
    if (insn.src_reg == BPF_PSEUDO_KFUNC_CALL)
        return fmt::format("call kernel function {}", insn.imm);
    if (insn.src_reg != BPF_PSEUDO_CALL)
        return "call " + helper_name(insn.imm);
    for (const Program::CallUse &use : program.calls)
        if (use.insn == at)
            return "call " + use.function + "()";
    return fmt::format("call {}", at + 1 + insn.imm);
}

Text jump_text(const Program &program, size_t at)
{
    const bpf_insn &insn = program.insns[at];
    int64_t target = static_cast<int64_t>(at) + 1 + insn.off;
    switch (BPF_OP(insn.code)) {
    case BPF_EXIT:
        return "exit";
    case BPF_CALL:
        return call_text(program, at);
    case BPF_JA:
        return fmt::format("goto {}", target);
    default:
        return fmt::format("if r{} {} {} goto {}", +insn.dst_reg, comparison(insn.code),
                           source_operand(insn), target);
    }
}

Text wide_text(const Program &program, size_t at)
{
    const bpf_insn &insn = program.insns[at];
    for (const Program::MapUse &use : program.maps)
        if (use.insn == at)
            return fmt::format("r{} = map {}", +insn.dst_reg, map_name(use.map));
    uint32_t high = at + 1 < program.insns.size() ? program.insns[at + 1].imm : 0;
    uint64_t value = static_cast<uint64_t>(high) << 32 | static_cast<uint32_t>(insn.imm);
    return fmt::format("r{} = {:#x} ll", +insn.dst_reg, value);
}

Text insn_text(const Program &program, size_t at)
{
    const bpf_insn &insn = program.insns[at];
    switch (BPF_CLASS(insn.code)) {
    case BPF_LD:
        return wide_text(program, at);
    case BPF_LDX:
        return fmt::format("r{} = {}", +insn.dst_reg, memory(insn, insn.src_reg));
    case BPF_ST:
        return fmt::format("{} = {}", memory(insn, insn.dst_reg), insn.imm);
    case BPF_STX:
        return fmt::format("{} {} r{}", memory(insn, insn.dst_reg),
                           BPF_MODE(insn.code) == BPF_XADD ? "+=" : "=", +insn.src_reg);
    case BPF_ALU:
    case BPF_ALU64: {
        char bank = BPF_CLASS(insn.code) == BPF_ALU ? 'w' : 'r';
        if (BPF_OP(insn.code) == BPF_NEG)
            return fmt::format("{0}{1} = -{0}{1}", bank, +insn.dst_reg);
        Text source = source_operand(insn);
        if (BPF_SRC(insn.code) == BPF_X)
            source[0] = bank;
        return fmt::format("{}{} {} {}", bank, +insn.dst_reg, operation(insn.code), source);
    }
    default:
        return jump_text(program, at);
    }
}

}  // namespace

std::string listing(const Program &program)
{
    std::string text;
    for (size_t at = 0; at < program.insns.size(); at++) {
        text += fmt::format("{:4}: {}\n", at, insn_text(program, at));
        if (program.insns[at].code == (BPF_LD | BPF_DW | BPF_IMM))
            at++;
    }
    return text;
}

}  // namespace uscope::expr
