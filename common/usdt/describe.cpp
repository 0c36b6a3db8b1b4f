// Formats operands like BCC's tplist.
#include "usdt/describe.h"

#include "base/format.h"

namespace uscope::usdt {

std::string describe_location(const NotedOperand &noted, abi::Machine machine)
{
    const abi::Operand &operand = noted.operand;
    auto name = [machine](const abi::Register &reg) {
        return abi::pt_regs_name(machine, reg.pt_regs_offset);
    };
    switch (operand.kind) {
    case abi::Operand::Kind::Constant:
        return operand.is_signed ? fmt::format("{}", operand.value)
                                 : fmt::format("{}", uint64_t(operand.value));
    case abi::Operand::Kind::Register:
        return operand.base.shift ? fmt::format("{} >> {}", name(operand.base), operand.base.shift)
                                  : name(operand.base);
    case abi::Operand::Kind::Memory: {
        std::vector<std::string> terms;
        if (!noted.symbol.empty())
            terms.push_back("&" + noted.symbol);
        else if (operand.has_base)
            terms.push_back(name(operand.base));
        int64_t displacement = noted.symbol.empty() ? operand.value : noted.symbol_offset;
        if (displacement < 0 && !terms.empty())
            terms.back() += fmt::format(" - {}", -static_cast<uint64_t>(displacement));
        else if (displacement || (terms.empty() && !operand.has_index))
            terms.push_back(std::to_string(displacement));
        if (operand.has_index)
            terms.push_back(fmt::format("{} * {}", name(operand.index), operand.scale));
        return fmt::format("*({})", join(terms, " + "));
    }
    case abi::Operand::Kind::Unsupported:
        break;
    }
    return fmt::format("? ({})", operand.why);
}

std::string describe_size(const NotedOperand &noted)
{
    bool is_float = noted.operand.is_float, is_signed = noted.operand.is_signed;
    std::string size = std::to_string(noted.size);
    std::string_view prefix = noted.text.substr(0, noted.text.find('@'));
    if (noted.operand.kind == abi::Operand::Kind::Unsupported &&
        prefix.size() < noted.text.size()) {
        is_signed = prefix.starts_with('-');
        is_float = prefix.ends_with('f');
        size = prefix.substr(is_signed, prefix.size() - is_signed - is_float);
    }
    return fmt::format("{} {} bytes", size,
                       is_float    ? "float   "
                       : is_signed ? "signed  "
                                   : "unsigned");
}

}  // namespace uscope::usdt
