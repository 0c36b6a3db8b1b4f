// Decodes the end of a frame. Only for x86-64: on arm64 such code has frame pointers.
#include "unwind/epilogue.h"

#include <elf.h>

#include "unwind/rule.h"

namespace uscope::unwind {
namespace {

class Epilogue {
  public:
    Epilogue(Bytes code, bool is_exact) : code_(code), is_exact_(is_exact) {}

    std::optional<unwind_rule> rule()
    {
        while (!take("\xc3") && !take("\xf3\xc3"))  // ret
            if (!step())
                return std::nullopt;
        if (is_fp_lost_)
            return std::nullopt;
        unwind_rule rule = {};
        rule.kind = UNWIND_BY_SP;
        rule.cfa_offset = int32_t(sp_ + word);
        rule.return_offset = -word;
        if (fp_at_ && *fp_at_ >= 0) {
            rule.fp = UNWIND_AT_CFA;
            rule.fp_offset = int16_t(*fp_at_ - rule.cfa_offset);
        }
        return rule;
    }

  private:
    bool take(std::string_view bytes)
    {
        if (!code_.text().starts_with(bytes))
            return false;
        code_ = code_.from(bytes.size());
        return true;
    }

    template <class T>
    std::optional<T> take()
    {
        auto value = code_.read<T>(0);
        code_ = code_.from(sizeof(T));
        return value;
    }

    // Decodes one instruction that may come before the return.
    bool step() { return ends_frame() || (is_exact_ && begins_frame()); }

    bool ends_frame()
    {
        if (takes_poll())
            return true;
        if (take("\x48\x83\xc4"))  // add $imm8,%rsp
            return move_sp(take<int8_t>(), 1);
        if (take("\x48\x81\xc4"))  // add $imm32,%rsp
            return move_sp(take<int32_t>(), 1);
        auto reg = take_register(0x58);  // pop
        if (!reg)
            return false;
        if (*reg == rbp) {
            fp_at_ = sp_;
            is_fp_lost_ = false;
        }
        return *reg != rsp && move_sp<int64_t>(word, 1);
    }

    // What a JVM's compiled code does before it returns: vzeroupper; cmp off(%r15),%rsp; ja …
    bool takes_poll()
    {
        if (take("\xc5\xf8\x77"))
            return true;
        if (take("\x49\x3b\x67"))
            return take<int8_t>().has_value();
        if (take("\x49\x3b\xa7") || take("\x0f\x87"))
            return take<int32_t>().has_value();
        return false;
    }

    bool begins_frame()
    {
        if (take("\xf3\x0f\x1e\xfa"))  // endbr64
            return true;
        if (take("\x48\x89\xe5"))  // mov %rsp,%rbp
            return is_fp_lost_ = true;
        if (take("\x48\x83\xec"))  // sub $imm8,%rsp
            return move_sp(take<int8_t>(), -1);
        return take_register(0x50) ? move_sp<int64_t>(word, -1) : takes_call();
    }

    // call *%reg
    bool takes_call()
    {
        uint64_t prefix = code_.read<uint8_t>(0) == 0x41 ? 1 : 0;
        bool is_call = code_.read<uint8_t>(prefix) == 0xff &&
                       (code_.read<uint8_t>(prefix + 1).value_or(0) & 0xf8) == 0xd0;
        code_ = code_.from(is_call ? prefix + 2 : 0);
        return is_call;
    }

    // Decodes push or pop, whose first byte contains the register; `first`: the opcode for register
    // 0.
    std::optional<int> take_register(uint8_t first)
    {
        uint64_t prefix = code_.read<uint8_t>(0) == 0x41 ? 1 : 0;
        auto byte = code_.read<uint8_t>(prefix);
        if (!byte || *byte < first || *byte >= first + 8)
            return std::nullopt;
        code_ = code_.from(prefix + 1);
        return *byte - first + int(prefix) * 8;
    }

    template <class T>
    bool move_sp(std::optional<T> by, int64_t sign)
    {
        sp_ += sign * by.value_or(0);
        constexpr int64_t most = 1 << 14;  // the limit of a rule's fields
        return by && sp_ > -most && sp_ < most;
    }

    static constexpr int rsp = 4, rbp = 5;
    Bytes code_;
    bool is_exact_;
    int64_t sp_ = 0;  // relative to the frame's current stack pointer
    // where the caller's frame pointer is saved; negative: not saved yet
    std::optional<int64_t> fp_at_;
    bool is_fp_lost_ = false;
};

}  // namespace

std::optional<unwind_rule> epilogue_rule(Bytes code, bool is_exact)
{
    bool is_x86 = &own_machine() == unwind_machine(EM_X86_64);
    return is_x86 ? Epilogue(code, is_exact).rule() : std::nullopt;
}

}  // namespace uscope::unwind
