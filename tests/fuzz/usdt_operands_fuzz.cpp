// Any text as the arguments of a USDT probe gives valid operands. The first byte selects the
// machine and the other properties of the file.
#include "require.h"
#include "usdt/operands.h"

using namespace uscope;
using abi::Operand;

namespace {

void check_register(const abi::Register &r)
{
    require(r.pt_regs_offset % 8 == 0 && r.pt_regs_offset < 272);
}

void check(const Operand &operand)
{
    if (operand.kind == Operand::Kind::Unsupported) {
        require(!operand.why.empty());
        return;
    }
    require(operand.why.empty());
    require(operand.size == 1 || operand.size == 2 || operand.size == 4 || operand.size == 8);
    require(!operand.is_float || operand.size >= 4);
    if (operand.kind != Operand::Kind::Constant && operand.has_base)
        check_register(operand.base);
    if (operand.has_index) {
        check_register(operand.index);
        require(operand.scale == 1 || operand.scale == 2 || operand.scale == 4 ||
                operand.scale == 8);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    usdt::OperandContext context;
    context.machine = data[0] & 1 ? abi::Machine::Aarch64 : abi::Machine::X86_64;
    context.fixed_addresses = data[0] & 2;
    context.vaddr = 0x401000;
    if (data[0] & 4)
        context.find_object = [](std::string_view) { return 0x602000; };

    std::string_view text(reinterpret_cast<const char *>(data + 1), size - 1);
    size_t end = 0;
    for (const usdt::NotedOperand &noted : usdt::parse_operands(text, context)) {
        check(noted.operand);
        // The operands' texts are parts of the whole, one after another.
        size_t start = noted.text.data() - text.data();
        require(!noted.text.empty() && start >= end && start + noted.text.size() <= text.size());
        end = start + noted.text.size();
    }
    return 0;
}
