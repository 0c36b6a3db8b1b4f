// Tests programs that read Go interfaces.
#include "expr/interface.h"

#include "support/expr_machine.h"

namespace uscope::expr {
namespace {

using namespace test;
namespace part = interface_part;

constexpr uint64_t table_at = node_at, value_at = node_at + 0x1000, type_at = 0x4000'0000;
constexpr uint32_t rip = 128;

// `err` is an interface with methods; rdi and rsi hold its two words.
std::optional<Variable> interface_variable(std::string_view name)
{
    if (name != "err")
        return test_variable(name);
    auto type = std::make_shared<types::Type>();
    type->kind = types::Type::Kind::Struct;
    type->name = "error";
    type->size = 16;
    type->interface = types::Type::Interface::WithMethods;
    Parts parts;
    parts.parts.push_back({0, register_operand("rdi", 8, false)});
    parts.parts.push_back({8, register_operand("rsi", 8, false)});
    return Variable{type, parts};
}

TestRequest request_of_error()
{
    TestRequest request;
    request.scope.find = [](std::string_view name) -> Result<std::optional<Variable>> {
        return interface_variable(name);
    };
    request.values = {{"err"}, {"arg3"}};
    return request;
}

std::string words(std::initializer_list<uint64_t> list)
{
    std::string bytes(list.size() * 8, '\0');
    memcpy(bytes.data(), list.begin(), bytes.size());
    return bytes;
}

// Makes `err` point to a structure that starts with the string "hello".
void hold_text(BpfInterpreter &run)
{
    run.set_context(rdi, table_at);
    run.set_context(rsi, value_at);
    run.add_user_memory(table_at, words({0, type_at}));
    run.add_user_memory(value_at, words({text_at, 5, 0, 0}));
    run.add_user_memory(text_at, "hello, and more");
}

TEST(ProgramInterface, TellsTheTypeAndWhatItHolds)
{
    TestRequest request = request_of_error();
    Machine machine(request);
    hold_text(machine.run);
    machine.run.set_context(96, 181);  // rdx
    std::string record = machine.record();
    auto number = [&](size_t index) {
        return *Bytes(record).read<uint64_t>(machine.field(index).offset);
    };
    EXPECT_EQ(number(0), type_at);
    ASSERT_EQ(machine.field(0).shape, Shape::Interface);
    ASSERT_EQ(machine.field(0).parts, size_t{part::Parts});
    EXPECT_EQ(number(1 + part::Base), 0u);
    EXPECT_EQ(number(1 + part::Word), text_at);
    EXPECT_EQ(machine.text(1 + part::Text), (Machine::Text{5, 5, "hello"}));
    EXPECT_EQ(machine.text(1 + part::InnerText).status, -EFAULT) << "there is no error within it";
    EXPECT_EQ(number(1 + part::Parts), 181u) << "what comes behind";
}

TEST(ProgramInterface, OfANilNothingIsRead)
{
    TestRequest request = request_of_error();
    Machine machine(request);
    EXPECT_EQ(machine.integer(0), 0u);
    auto status = [&](size_t index) {
        return Bytes(*machine.run.emitted[0].record)
            .read<int32_t>(machine.field(index).status_offset);
    };
    EXPECT_EQ(status(0), 0);
}

TEST(ProgramInterface, KnowsWhereTheProgramWasLoaded)
{
    TestRequest request = request_of_error();
    request.scope.code = {0x1100, 0x1230, 0x2344};
    Machine machine(request);
    hold_text(machine.run);
    machine.run.set_context(rip, 0x5555'0000'0000 + 0x1230);
    EXPECT_EQ(machine.integer(1 + part::Base), 0x5555'0000'0000u);
}

TEST(ProgramInterface, IsComparedByItsFirstWord)
{
    for (std::string condition : {"err == 0", "err != 0"}) {
        TestRequest request = request_of_error();
        request.predicate = condition;
        Machine machine(request);
        EXPECT_EQ(machine.fire().size(), condition == "err == 0");
    }
}

TEST(ProgramInterface, InAKeyPointersAreLeftOut)
{
    constexpr uint8_t pointer = 22 | 32, integer = 2;
    for (uint8_t kind : {pointer, integer}) {
        TestRequest request = request_of_error();
        request.request.event_output.kind = OutputKind::Key;
        Machine machine(request);
        ASSERT_EQ(machine.program.layouts[0].fields[0].parts, size_t{part::KeyParts});
        hold_text(machine.run);
        std::string type(48, '\0');
        type[23] = char(kind);
        machine.run.add_user_memory(type_at, type);
        machine.fire();
        const Field &word = machine.program.layouts[0].fields[1 + part::Word];
        EXPECT_EQ(Bytes(*machine.run.emitted[0].record).read<uint64_t>(word.offset),
                  kind == integer ? text_at : 0);
    }
}

}  // namespace
}  // namespace uscope::expr
