// The names of arguments at kernel functions, by the type information of the running kernel.
#include <gtest/gtest.h>

#include "resolve/kernel_types.h"
#include "resolve/names.h"

namespace uscope::resolve {
namespace {

class NamesOfTheKernel : public testing::Test {
  protected:
    void SetUp() override
    {
        if (!kernel_types())
            GTEST_SKIP() << "a kernel without type information";
    }

    Names &at(spec::ProbeKind kind, std::vector<std::string> functions)
    {
        probe_.kind = kind;
        probe_.function.text = functions[0];
        group_ = Group();
        group_.is_kernel = true;
        group_.files.push_back({{"vmlinux", "vmlinux"}, nullptr, {}});
        for (std::string &name : functions)
            group_.files[0].sites.push_back({.name = std::move(name)});
        names_.emplace(probe_, group_);
        return *names_;
    }

    static std::optional<expr::Variable> find(const expr::Scope &scope, std::string_view name)
    {
        auto found = scope.find(name);
        return found ? *found : std::nullopt;
    }

    spec::Probe probe_;
    Group group_;
    std::optional<Names> names_;
};

TEST_F(NamesOfTheKernel, ParametersHaveTheirTypes)
{
    const expr::Scope &scope = at(spec::ProbeKind::Entry, {"vfs_read"}).scope();
    EXPECT_TRUE(scope.kernel_memory);
    auto file = find(scope, "file");
    ASSERT_TRUE(file);
    EXPECT_EQ(file->type->name, "struct file *");
    EXPECT_TRUE(file->type->target->find_member("f_path"));
    EXPECT_FALSE(find(scope, "no_such"));
    EXPECT_TRUE(find(scope, "arg4"));
    EXPECT_FALSE(scope.find("arg5"));  // the function has four arguments
}

TEST_F(NamesOfTheKernel, InsideOfAFunctionTheyAreTheSame)
{
    auto file = find(at(spec::ProbeKind::Entry, {"vfs_read+0x9"}).scope(), "file");
    ASSERT_TRUE(file);
    EXPECT_EQ(file->type->name, "struct file *");
}

TEST_F(NamesOfTheKernel, ResultsHaveTheirType)
{
    const expr::Scope &scope = at(spec::ProbeKind::Return, {"vfs_read"}).scope();
    EXPECT_EQ(find(scope, "retval")->type->name, "ssize_t");
    EXPECT_FALSE(scope.find("file"));
    EXPECT_TRUE(find(*scope.entry, "file"));
    EXPECT_EQ(
        find(at(spec::ProbeKind::Return, {"vfs_read", "vfs_write"}).scope(), "retval")->type->name,
        "ssize_t");
    EXPECT_TRUE(find(at(spec::ProbeKind::Return, {"vfs_read", "vfs_open"}).scope(), "retval")
                    ->type->is_register);
}

TEST_F(NamesOfTheKernel, CastsKnowTheKernelsTypes)
{
    const expr::Scope &scope = at(spec::ProbeKind::Entry, {"vfs_read"}).scope();
    EXPECT_EQ(scope.find_type("struct inode")->name, "struct inode");
    EXPECT_EQ(scope.find_type("struct no_such"), nullptr);
}

TEST_F(NamesOfTheKernel, TheTask)
{
    auto task = find(at(spec::ProbeKind::Entry, {"vfs_read"}).scope(), "$task");
    ASSERT_TRUE(task);
    EXPECT_EQ(std::get<expr::Builtin>(task->source), expr::Builtin::Task);
    EXPECT_TRUE(task->type->target->find_member("real_parent"));
}

TEST_F(NamesOfTheKernel, ASystemCallsArgumentsAreInTheRegistersOfTheProgram)
{
    std::string function =
        abi::host_machine == abi::Machine::X86_64 ? "__x64_sys_openat" : "__arm64_sys_openat";
    const expr::Scope &scope = at(spec::ProbeKind::Entry, {function}).scope();
    auto second = find(scope, "arg2");
    ASSERT_TRUE(second);
    EXPECT_TRUE(second->type->is_user);
    const auto &operand = std::get<abi::Operand>(second->source);
    EXPECT_EQ(operand.kind, abi::Operand::Kind::Memory);
    EXPECT_EQ(operand, *syscall_argument(2));
    // If a probe matches system calls and other functions, argN is an argument of the C function.
    auto mixed = find(at(spec::ProbeKind::Entry, {function, "vfs_read"}).scope(), "arg2");
    EXPECT_EQ(std::get<abi::Operand>(mixed->source).kind, abi::Operand::Kind::Register);
}

TEST(Syscalls, NamesOfTheirFunctions)
{
    bool is_x86 = abi::host_machine == abi::Machine::X86_64;
    EXPECT_EQ(syscall_name(is_x86 ? "__x64_sys_openat" : "__arm64_sys_openat"), "openat");
    EXPECT_FALSE(syscall_name("do_sys_open"));
    EXPECT_FALSE(syscall_name("ksys_read"));
}

TEST(Syscalls, HaveSixArguments)
{
    EXPECT_FALSE(syscall_argument(0));
    EXPECT_FALSE(syscall_argument(7));
    // System calls pass the fourth argument in r10, C functions in rcx.
    if (abi::host_machine == abi::Machine::X86_64) {
        EXPECT_EQ(syscall_argument(4)->value,
                  abi::find_register(abi::Machine::X86_64, "r10")->pt_regs_offset);
    }
}

}  // namespace
}  // namespace uscope::resolve
