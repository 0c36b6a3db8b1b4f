// Executes BPF instructions, and emulates the helper functions.
#include "support/bpf_interpreter.h"

#include <algorithm>

namespace uscope::test {
namespace {

constexpr uint64_t lost = 0xdead'beef'dead'beef;  // the value of r1-r5 after a call
constexpr uint64_t map_tag = 0xffff'a000'0000'0000;
constexpr size_t max_steps = 1'000'000;
constexpr uint64_t page = 4096;

const std::string *find_bytes(const std::map<uint64_t, std::string> &memory, uint64_t address,
                              uint64_t &offset)
{
    auto after = memory.upper_bound(address);
    if (after == memory.begin())
        return nullptr;
    auto &[start, bytes] = *std::prev(after);
    offset = address - start;
    return offset < bytes.size() ? &bytes : nullptr;
}

// The result of an arithmetic instruction; nullopt: no such operation.
std::optional<uint64_t> computed(uint8_t operation, uint64_t left, uint64_t right, bool is_32)
{
    uint64_t count = right & (is_32 ? 31 : 63);
    switch (operation) {
    case BPF_ADD:
        return left + right;
    case BPF_SUB:
        return left - right;
    case BPF_MUL:
        return left * right;
    case BPF_DIV:
        return right ? left / right : 0;
    case BPF_MOD:
        return right ? left % right : left;
    case BPF_OR:
        return left | right;
    case BPF_AND:
        return left & right;
    case BPF_XOR:
        return left ^ right;
    case BPF_LSH:
        return left << count;
    case BPF_RSH:
        return left >> count;
    case BPF_ARSH:
        return is_32 ? uint32_t(int32_t(left) >> count) : uint64_t(int64_t(left) >> count);
    case BPF_NEG:
        return -left;
    case BPF_MOV:
        return right;
    default:
        return std::nullopt;
    }
}

}  // namespace

BpfInterpreter::BpfInterpreter(const expr::Program &program) : context(168), program_(program)
{
    value_bytes[expr::MapSlot::Calls] = program.call_bytes;
}

void BpfInterpreter::set_context(uint32_t offset, uint64_t value)
{
    memcpy(context.data() + offset, &value, sizeof(value));
}

Result<uint8_t *> BpfInterpreter::at(uint64_t address, uint64_t size, bool writes)
{
    auto after = regions_.upper_bound(address);
    if (after != regions_.begin()) {
        auto &[start, region] = *std::prev(after);
        uint64_t offset = address - start;
        if (offset <= region.bytes.size() && region.bytes.size() - offset >= size &&
            (region.is_writable || !writes))
            return reinterpret_cast<uint8_t *>(region.bytes.data()) + offset;
    }
    return fail("{} of {} bytes at {:#x}", writes ? "write" : "read", size, address);
}

Result<uint64_t> BpfInterpreter::load(uint64_t address, uint64_t size)
{
    uint64_t value = 0;
    memcpy(&value, TRY(at(address, size, false)), size);
    return value;
}

Result<> BpfInterpreter::store(uint64_t address, uint64_t size, uint64_t value)
{
    memcpy(TRY(at(address, size, true)), &value, size);
    return {};
}

void BpfInterpreter::enter_frame()
{
    constexpr uint64_t stack_bytes = 512;
    uint64_t stack = next_address_;
    next_address_ += 0x10000;
    regions_[stack] = {std::string(stack_bytes, '\xa5'), true};
    frames_.push_back({0, {regs_[6], regs_[7], regs_[8], regs_[9]}, stack});
    regs_[10] = stack + stack_bytes;
}

uint64_t BpfInterpreter::source(const bpf_insn &insn) const
{
    return BPF_SRC(insn.code) == BPF_X ? regs_[insn.src_reg]
                                       : static_cast<uint64_t>(static_cast<int64_t>(insn.imm));
}

Result<> BpfInterpreter::alu(const bpf_insn &insn)
{
    bool is_32 = BPF_CLASS(insn.code) == BPF_ALU;
    uint64_t left = regs_[insn.dst_reg], right = source(insn);
    if (is_32)
        left = uint32_t(left), right = uint32_t(right);
    if (BPF_SRC(insn.code) == BPF_K && right == 0 &&
        (BPF_OP(insn.code) == BPF_DIV || BPF_OP(insn.code) == BPF_MOD))
        return fail("division by the constant 0");
    if (is_32 && BPF_OP(insn.code) == BPF_END) {  // to the order of the network
        regs_[insn.dst_reg] = __builtin_bswap64(regs_[insn.dst_reg]) >> (64 - insn.imm);
        return {};
    }
    auto result = computed(BPF_OP(insn.code), left, right, is_32);
    if (!result)
        return fail("unknown operation {:#x}", insn.code);
    regs_[insn.dst_reg] = is_32 ? uint32_t(*result) : *result;
    return {};
}

bool BpfInterpreter::jump_taken(const bpf_insn &insn) const
{
    uint64_t left = regs_[insn.dst_reg], right = source(insn);
    auto signed_left = int64_t(left), signed_right = int64_t(right);
    switch (BPF_OP(insn.code)) {
    case BPF_JA:
        return true;
    case BPF_JEQ:
        return left == right;
    case BPF_JNE:
        return left != right;
    case BPF_JGT:
        return left > right;
    case BPF_JGE:
        return left >= right;
    case BPF_JLT:
        return left < right;
    case BPF_JLE:
        return left <= right;
    case BPF_JSET:
        return left & right;
    case BPF_JSGT:
        return signed_left > signed_right;
    case BPF_JSGE:
        return signed_left >= signed_right;
    case BPF_JSLT:
        return signed_left < signed_right;
    default:
        return signed_left <= signed_right;
    }
}

Result<uint64_t> BpfInterpreter::run()
{
    regions_[context_address] = {std::string(context.begin(), context.end()), false};
    regs_.fill(lost);
    enter_frame();
    regs_[1] = context_address;

    static constexpr int sizes[] = {4, 2, 1, 8};
    size_t pc = 0;
    for (size_t step = 0; step < max_steps; step++) {
        if (pc >= program_.insns.size())
            return fail("ran off the end");
        const bpf_insn &insn = program_.insns[pc];
        uint64_t size = sizes[BPF_SIZE(insn.code) >> 3];
        switch (BPF_CLASS(insn.code)) {
        case BPF_LD: {
            regs_[insn.dst_reg] =
                uint64_t(uint32_t(program_.insns[pc + 1].imm)) << 32 | uint32_t(insn.imm);
            for (const auto &use : program_.maps)
                if (use.insn == pc)
                    regs_[insn.dst_reg] = map_tag + uint64_t(use.map);
            pc++;
            break;
        }
        case BPF_LDX: {
            uint64_t address = regs_[insn.src_reg] + insn.off;
            if (address % size)
                return fail("{}: not aligned: {} bytes at {:#x}", pc, size, address);
            regs_[insn.dst_reg] = TRY(load(address, size));
            break;
        }
        case BPF_ST:
            TRY(store(regs_[insn.dst_reg] + insn.off, size, int64_t(insn.imm)));
            break;
        case BPF_STX: {
            uint64_t address = regs_[insn.dst_reg] + insn.off, value = regs_[insn.src_reg];
            if (BPF_MODE(insn.code) == BPF_XADD)
                value += TRY(load(address, size));
            TRY(store(address, size, value));
            break;
        }
        case BPF_ALU:
        case BPF_ALU64:
            TRY(alu(insn));
            break;
        default:
            if (insn.code == (BPF_JMP | BPF_CALL)) {
                TRY(call(pc));
            } else if (insn.code == (BPF_JMP | BPF_EXIT)) {
                Frame frame = frames_.back();
                frames_.pop_back();
                regions_.erase(frame.stack);
                if (frames_.empty()) {
                    if (record_)
                        return fail("a record was reserved and never given back");
                    return regs_[0];
                }
                std::copy(frame.saved.begin(), frame.saved.end(), regs_.begin() + 6);
                regs_[10] = frames_.back().stack + 512;
                pc = frame.return_to;
            } else if (jump_taken(insn)) {
                pc += insn.off;
            }
        }
        pc++;
    }
    return fail("does not end");
}

Result<> BpfInterpreter::call(size_t &pc)
{
    const bpf_insn &insn = program_.insns[pc];
    for (const auto &use : program_.calls) {
        if (use.insn == pc) {
            regs_[0] = TRY(emit(use.function));
            std::fill_n(regs_.begin() + 1, 5, lost);
            return {};
        }
    }
    if (insn.src_reg == BPF_PSEUDO_CALL) {
        enter_frame();
        frames_.back().return_to = pc;
        pc += insn.imm;
        return {};
    }
    helper_calls[insn.imm]++;
    regs_[0] = TRY(helper(insn.imm));
    std::fill_n(regs_.begin() + 1, 5, lost);
    return {};
}

std::map<std::string, std::string> BpfInterpreter::contents(expr::MapSlot slot)
{
    auto values = maps[slot];
    for (const auto &[address, lent] : map_values_)
        if (lent.first == slot && values.count(lent.second))
            values[lent.second] = regions_[address].bytes;
    return values;
}

Result<uint64_t> BpfInterpreter::emit(const std::string &function)
{
    if (regs_[1] != context_address)
        return fail("the emit function wants the context first");
    if (function == "ask") {
        asked++;
        return answer;
    }
    if (regs_[2] == map_tag + uint64_t(expr::MapSlot::Table))
        return emit_key();
    if (regs_[2] != record_)
        return fail("what is emitted is no record");
    Emitted event{std::nullopt, regs_[3]};
    if (record_)
        event.record = regions_[record_].bytes;
    regions_.erase(record_);
    record_ = 0;
    emitted.push_back(std::move(event));
    return 0;
}

Result<uint64_t> BpfInterpreter::emit_key()
{
    Emitted event{std::nullopt, 0, regs_[4], int64_t(regs_[5])};
    if (regs_[3]) {
        uint32_t size = program_.layouts[0].record_bytes;
        auto *bytes = TRY(at(regs_[3], size, false));
        event.record = std::string(reinterpret_cast<char *>(bytes), size);
    }
    emitted.push_back(std::move(event));
    return 0;
}

Result<uint64_t> BpfInterpreter::helper(int number)
{
    switch (number) {
    case BPF_FUNC_map_lookup_elem:
    case BPF_FUNC_map_update_elem:
    case BPF_FUNC_map_delete_elem:
        return helper_maps(number);
    case BPF_FUNC_get_current_pid_tgid:
        return pid_tgid;
    case BPF_FUNC_get_ns_current_pid_tgid:
        if (regs_[4] != 8)
            return fail("struct bpf_pidns_info has 8 bytes");
        TRY(store(regs_[3], 8, ns_pid_tgid));
        return ns_pid_tgid ? 0 : uint64_t(-EINVAL);
    case BPF_FUNC_get_current_uid_gid:
        return uid_gid;
    case BPF_FUNC_ktime_get_ns:
        return now_ns;
    case BPF_FUNC_get_smp_processor_id:
        return cpu;
    case BPF_FUNC_get_current_cgroup_id:
        return cgroup;
    case BPF_FUNC_current_task_under_cgroup:
        if (regs_[1] != map_tag + uint64_t(expr::MapSlot::Cgroup) || regs_[2] != 0)
            return fail("not the cgroup that was asked for");
        return in_cgroup;
    case BPF_FUNC_get_current_comm: {
        // Like Linux 6.1, do not write the bytes after the terminator.
        uint64_t length = std::min<uint64_t>(comm.size(), regs_[2] - 1);
        memcpy(TRY(at(regs_[1], regs_[2], true)), comm.c_str(), length);
        memset(TRY(at(regs_[1] + length, 1, true)), 0, 1);
        return 0;
    }
    case BPF_FUNC_ringbuf_reserve:
        if (record_)
            return fail("a second record is reserved");
        if (regs_[1] != map_tag + uint64_t(expr::MapSlot::Events) || regs_[3])
            return fail("wrong arguments of ringbuf_reserve");
        if (ring_full)
            return 0;
        record_ = next_address_;
        next_address_ += 0x100'0000;
        regions_[record_] = {std::string(regs_[2], '\xa5'), true};
        return record_;
    case BPF_FUNC_ringbuf_discard:
        if (!record_ || regs_[1] != record_)
            return fail("what is discarded is no record");
        regions_.erase(record_);
        record_ = 0;
        discarded++;
        return 0;
    default:
        return helper_reads(number);
    }
}

Result<std::string> BpfInterpreter::key_of(expr::MapSlot map, uint64_t address)
{
    size_t size = map == expr::MapSlot::Calls ? 16 : map == expr::MapSlot::Cgroups ? 8 : 4;
    auto *bytes = TRY(at(address, size, false));
    return std::string(reinterpret_cast<char *>(bytes), size);
}

Result<uint64_t> BpfInterpreter::helper_maps(int number)
{
    if (regs_[1] < map_tag || regs_[1] > map_tag + uint64_t(expr::MapSlot::Cgroups))
        return fail("no map");
    auto slot = expr::MapSlot(regs_[1] - map_tag);
    std::string key = TRY(key_of(slot, regs_[2]));
    auto &map = maps[slot];
    if (number == BPF_FUNC_map_delete_elem) {
        std::erase_if(map_values_, [&](const auto &lent) {
            bool gone = lent.second.first == slot && lent.second.second == key;
            if (gone)
                regions_.erase(lent.first);  // the map may reuse its bytes
            return gone;
        });
        return map.erase(key) ? 0 : uint64_t(-ENOENT);
    }
    if (number == BPF_FUNC_map_update_elem) {
        uint32_t size = value_bytes[slot];
        auto *value = TRY(at(regs_[3], size, false));
        map[key] = std::string(reinterpret_cast<char *>(value), size);
        return 0;
    }
    auto found = map.find(key);
    if (found == map.end())
        return 0;
    uint64_t address = next_address_;
    next_address_ += 0x100'0000;
    regions_[address] = {found->second, true};
    map_values_[address] = {slot, key};
    return address;
}

std::string BpfInterpreter::peek(Space space, uint64_t address, uint64_t size, bool faults_in)
{
    std::string result;
    for (; result.size() < size; address++) {
        uint64_t offset = 0;
        if (space == Space::User) {
            uint64_t start = address & ~(page - 1);
            const std::string *bytes = find_bytes(user_, address, offset);
            if (bytes && faults_in)
                absent_.erase(start);
            if (!bytes || absent_.count(start))
                break;
            result += (*bytes)[offset];
        } else if (const std::string *bytes = find_bytes(kernel_, address, offset)) {
            result += (*bytes)[offset];
        } else if (auto inside = at(address, 1, false)) {
            result += char(**inside);
        } else {
            break;
        }
    }
    return result;
}

Result<uint64_t> BpfInterpreter::helper_reads(int number)
{
    bool is_user = number != BPF_FUNC_probe_read_kernel && number != BPF_FUNC_probe_read_kernel_str;
    bool is_string =
        number == BPF_FUNC_probe_read_user_str || number == BPF_FUNC_probe_read_kernel_str;
    if (number != BPF_FUNC_probe_read_user && number != BPF_FUNC_copy_from_user && is_user &&
        !is_string)
        return fail("unknown helper {}", number);
    uint64_t size = regs_[2];
    auto *target = TRY(at(regs_[1], size, true));
    std::string bytes = peek(is_user ? Space::User : Space::Kernel, regs_[3], size,
                             number == BPF_FUNC_copy_from_user);
    if (is_string) {
        size_t end = bytes.find('\0');
        if (end != std::string::npos)
            bytes.resize(end + 1);
        else if (bytes.size() == size && size)
            bytes.back() = '\0';
        else
            bytes.clear();
        if (!bytes.empty())
            size = bytes.size();
    }
    if (bytes.size() < size || (is_string && bytes.empty())) {
        memset(target, 0, regs_[2]);
        return uint64_t(-EFAULT);
    }
    memcpy(target, bytes.data(), size);
    return is_string ? size : 0;
}

}  // namespace uscope::test
