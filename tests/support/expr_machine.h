// Runs a generated BPF program once, on registers and memory that a test defines, and keeps the
// records that it emitted.
#pragma once

#include <gtest/gtest.h>

#include "base/bytes.h"
#include "support/bpf_interpreter.h"
#include "support/expr_program.h"

namespace uscope::test {

// Offsets of registers in pt_regs, and addresses where tests put a text and a struct node.
constexpr uint32_t rax = 80, rdi = 112, rsi = 104, r8d = 72, r14 = 8, rsp = 152;
constexpr uint64_t text_at = 0x7000'0000'1000, node_at = 0x7000'0000'5000;

struct Machine {
    expr::Program program;
    BpfInterpreter run{program};

    Machine(const Machine &) = delete;  // `run` refers to `program`
    explicit Machine(expr::Program compiled) : program(std::move(compiled)) {}
    explicit Machine(TestRequest &request) : program(must_compile(request)) {}

    // Runs the program; returns the records that it passed to the emit function.
    const std::vector<BpfInterpreter::Emitted> &fire()
    {
        auto result = run.run();
        EXPECT_TRUE(result.has_value()) << result.error().text << "\n" << expr::listing(program);
        return run.emitted;
    }

    std::string record()
    {
        fire();
        if (run.emitted.size() != 1 || !run.emitted[0].record) {
            ADD_FAILURE() << "no record";
            return {};
        }
        return *run.emitted[0].record;
    }

    const expr::Field &field(size_t index)
    {
        return program.layouts.at(run.emitted.at(0).tag >> 32).fields.at(index);
    }

    uint64_t integer(size_t index)
    {
        std::string bytes = record();
        return Bytes(bytes).read<uint64_t>(field(index).offset).value_or(0xbad);
    }

    struct Text {
        int32_t status;
        uint32_t length;
        std::string bytes;
        bool operator==(const Text &) const = default;
    };
    Text text(size_t index)
    {
        std::string bytes = run.emitted.empty() ? record() : *run.emitted[0].record;
        const expr::Field &where = field(index);
        auto slot = Bytes(bytes).read<expr::StringSlot>(where.offset).value();
        EXPECT_LE(slot.status, int32_t(where.capacity));
        Text result = {slot.status, slot.length, {}};
        if (slot.status > 0)
            result.bytes = bytes.substr(where.offset + sizeof(slot), slot.status);
        return result;
    }
};

inline std::ostream &operator<<(std::ostream &out, const Machine::Text &text)
{
    return out << text.status << " " << text.length << " \"" << text.bytes.substr(0, 40) << "\"";
}

}  // namespace uscope::test
