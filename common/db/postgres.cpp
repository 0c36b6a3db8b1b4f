// A PostgreSQL server has one process for each client, which executes messages in the loop of
// PostgresMain() (bpf/servers/statement.bpf.h). The functions that the loop calls are exported. But
// if whole-program optimization has inlined them, nothing calls them, and probes on them never
// fire. So we check that PostgresMain()'s code contains the calls:
//
//     PostgresMain:  … e8 df 7c ed ff        call pq_getbyte
//                    89 c3                   mov %eax,%ebx
//                    83 f8 ff                cmp $-1,%eax
//                    0f 84 61 ff ff ff       je …
//                    (PostgreSQL 15)
//
// When the loop calls AbortCurrentTransaction(), a message has failed, and its error is on top of a
// stack of structures. When errfinish() calls proc_exit(), it has just popped a FATAL error, whose
// memory is still unchanged. The exported function geterrcode() reads the packed SQL state of the
// error on top, so its code contains the stack's address and form:
//
//     geterrcode:  48 63 05 81 1f 2d 00   movslq errordata_stack_depth(%rip),%rax
//                  85 c0  0f 88 …         test %eax,%eax; js …            or jns over the no-error code
//                  48 69 c0 b8 00 00 00   imul $0xb8,%rax,%rax             the size of a structure
//                  48 8d 15 03 d5 2e 00   lea errordata(%rip),%rdx
//                  8b 44 02 30            mov 0x30(%rdx,%rax,1),%eax       its sqlerrcode
//                  c3                     ret
//                  (PostgreSQL 15)
//
// Two sources show which session a process serves:
//
//  - The title that it sets, in /proc/PID/cmdline:
//        postgres: 15/main: alice shop [local] idle
//                  cluster  user  database
//    It is ambiguous alone: the cluster may be missing, and names may contain blanks.
//  - MyProcPort, an exported variable: a pointer to a structure with two adjacent pointers,
//    `char *database_name, *user_name`, whose offset differs between versions.
//
// Together they are unambiguous: the right pair of adjacent pointers is the one whose texts are in
// the title.
#include "db/postgres.h"

#include <algorithm>

#include <elf.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/fd.h"
#include "db/code.h"
#include "db/reach.h"
#include "elf/functions.h"
#include "elf/image.h"
#include "elf/variables.h"
#include "insn/decode.h"
#include "insn/parts.h"
#include "insn/returned_value.h"
#include "proc/maps.h"
#include "proc/process.h"

namespace uscope::db {
namespace {

constexpr size_t name_bytes = 64;   // NAMEDATALEN, with the terminator
constexpr size_t port_bytes = 512;  // of *MyProcPort to search; the names are at offsets 100 to 300

// Reads a process's memory; the result ends before the first unreadable byte.
class Memory {
  public:
    explicit Memory(const std::string &path) : file_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}

    std::string read(uint64_t address, size_t bytes) const
    {
        std::string data(bytes, '\0');
        ssize_t got = file_ ? pread(file_.get(), data.data(), bytes, off_t(address)) : -1;
        data.resize(got > 0 ? got : 0);
        return data;
    }
    std::optional<std::string> name(uint64_t address) const
    {
        std::string data = read(address, name_bytes);
        auto text = Bytes(data).cstring(0);
        return text && !text->empty() ? std::optional<std::string>(*text) : std::nullopt;
    }

  private:
    Fd file_;
};

// The address of the variable MyProcPort in the process.
std::optional<uint64_t> port_variable(pid_t pid, const std::string &proc)
{
    auto objects = proc::mapped_objects(pid, proc);
    if (!objects)
        return {};
    for (const proc::MappedObject &object : *objects) {
        if (!is_postgres_server(object.path.substr(object.path.rfind('/') + 1)))
            continue;
        auto image = elf::Image::open(object.open_path);
        if (!image || image->segments().empty())
            return {};
        auto variable = elf::find_object(*image, "MyProcPort", {.debug_files = false});
        const elf::Segment &first = image->segments().front();
        auto start = object.address_of(first.offset);
        if (!variable || !start)
            return {};
        return *start - first.vaddr + *variable;
    }
    return {};
}

PostgresFailure failure_at(const elf::Image &image, const elf::Function &function, uint64_t offset)
{
    PostgresFailure failure;
    failure.offset = offset;
    auto code = find_one(image, "geterrcode");
    auto errors = code ? parse_error_code(code_of(image, *code)) : std::nullopt;
    if (!errors)
        return failure;
    int64_t distance = code->vaddr - (function.vaddr + offset);
    failure.errors = {errors->depth + distance, errors->codes + distance, errors->stride};
    return failure;
}

std::optional<PostgresFailure> find_failure(const elf::Image &image, const elf::Function &loop)
{
    auto failed = find_one(image, "AbortCurrentTransaction");
    if (!failed || !reaches(image, loop, *failed))
        return std::nullopt;
    return failure_at(image, *failed, insn::entry_offset(code_of(image, *failed)));
}

// Finds the call of proc_exit() in errfinish(). A probe on proc_exit() itself would also see its
// other callers.
std::optional<PostgresFailure> find_exit(const elf::Image &image)
{
    auto finish = find_one(image, "errfinish"), exit = find_one(image, "proc_exit");
    auto all = finish && exit ? branches(code_of(image, *finish)) : std::nullopt;
    for (const Branch &branch : all.value_or(std::vector<Branch>())) {
        if (finish->vaddr + branch.to == exit->vaddr)
            return failure_at(image, *finish, branch.from);
    }
    return std::nullopt;
}

}  // namespace

bool is_postgres_server(std::string_view executable)
{
    return executable == "postgres" || executable == "postmaster";
}

namespace {

// Skips the conditional jump that separates "no error" from "error". Afterwards, `code` begins with
// what runs if there is an error.
bool skip_to_error_path(Code &code)
{
    constexpr uint8_t sign = 8, no_sign = 9;
    if (code.jump(sign))
        return true;
    auto distance = code.jump(no_sign);
    return distance && code.skip(*distance);
}

}  // namespace

std::optional<PostgresMessage> parse_message_loop(Bytes code, int64_t next)
{
    auto all = branches(code).value_or(std::vector<Branch>());
    auto is_call = [&](const Branch &branch) { return int64_t(branch.to) == next; };
    auto call = std::find_if(all.begin(), all.end(), is_call);
    if (call == all.end() || std::count_if(all.begin(), all.end(), is_call) != 1)
        return std::nullopt;
    auto instruction = insn::decode(code.from(call->from));
    if (!instruction || instruction->kind != insn::Kind::CallRelative)
        return std::nullopt;
    uint64_t returned = call->from + instruction->length, at = returned;
    for (;;) {
        instruction = insn::decode(code.from(at));
        auto parts = insn::take_apart(code.from(at));
        if (!instruction || !parts)
            return std::nullopt;
        if (instruction->kind == insn::Kind::JumpRelative)
            break;
        bool writes_rax = insn::written_registers(*parts) & 1;
        if (instruction->kind != insn::Kind::Other || writes_rax)
            return std::nullopt;
        at += instruction->length;
    }
    bool is_only_way = std::none_of(all.begin(), all.end(), [&](const Branch &branch) {
        return branch.to >= returned && branch.to <= at;
    });
    if (!is_only_way || !insn::is_emulated(*instruction))
        return std::nullopt;
    return PostgresMessage{at, at - returned};
}

std::optional<PostgresErrors> parse_error_code(Bytes bytes)
{
    PostgresErrors errors;
    Code code(bytes);
    code.skip_prologue();
    if (!code.take({0x48, 0x63, 0x05}) && !code.take({0x8b, 0x05}))
        return std::nullopt;
    auto depth = code.number<int32_t>();
    errors.depth = int64_t(code.at()) + depth.value_or(0);
    if (!depth || !code.take({0x85, 0xc0}) || !skip_to_error_path(code) ||
        !code.take({0x48, 0x69, 0xc0}))
        return std::nullopt;
    auto stride = code.number<int32_t>();
    if (!stride || *stride <= 0 || !code.take({0x48, 0x8d}))
        return std::nullopt;
    errors.stride = *stride;
    // The target register of the lea is %rcx, %rdx, %rsi or %rdi; %rax holds the index.
    std::optional<uint8_t> table;
    for (uint8_t reg : {1, 2, 6, 7}) {
        if (!table && code.take({uint8_t(reg << 3 | 5)}))
            table = reg;
    }
    auto first = table ? code.number<int32_t>() : std::nullopt;
    errors.codes = int64_t(code.at()) + first.value_or(0);
    if (!first || !code.take({0x8b}))
        return std::nullopt;
    bool is_far = code.take({0x84});
    uint8_t table_and_rax = *table, rax_and_table = *table << 3;
    if ((!is_far && !code.take({0x44})) ||
        (!code.take({table_and_rax}) && !code.take({rax_and_table})))
        return std::nullopt;
    auto member = is_far ? code.number<int32_t>() : code.number<int8_t>();
    if (!member || *member < 0 || !code.is_return())
        return std::nullopt;
    errors.codes += *member;
    return errors;
}

Result<PostgresServer> find_postgres_server(const elf::Image &image, const std::string &path)
{
    auto loop = find_one(image, "PostgresMain"), next = find_one(image, "pq_getbyte");
    if (!next || !find_one(image, "pgstat_report_activity"))
        return fail(
            "{} has no {}(), which PostgreSQL exports and calls for each message of a client", path,
            next ? "pgstat_report_activity" : "pq_getbyte");
    if (image.machine() != EM_X86_64)
        return PostgresServer{};
    if (!loop || !reaches(image, *loop, *next))
        return fail(
            "{}: its PostgresMain() does not call pq_getbyte() (a program optimized as a whole?)",
            path);
    return PostgresServer{parse_message_loop(code_of(image, *loop), next->vaddr - loop->vaddr),
                          find_failure(image, *loop), find_exit(image)};
}

bool is_postgres_title(std::string_view title, const PostgresSession &session)
{
    return title.starts_with("postgres: ") &&
           title.find(": " + session.user + " " + session.database + " ") != title.npos;
}

std::optional<PostgresSession> postgres_session(pid_t pid, const std::string &proc)
{
    auto variable = port_variable(pid, proc);
    if (!variable)
        return {};
    std::string title = proc::command_line(pid, proc);
    Memory memory(proc + "/" + std::to_string(pid) + "/mem");
    std::string pointer = memory.read(*variable, sizeof(uint64_t));
    std::string port = memory.read(Bytes(pointer).read<uint64_t>(0).value_or(0), port_bytes);
    for (size_t at = 0; at + 16 <= port.size(); at += 8) {
        auto database = memory.name(*Bytes(port).read<uint64_t>(at));
        auto user = database ? memory.name(*Bytes(port).read<uint64_t>(at + 8)) : database;
        if (user && is_postgres_title(title, {*database, *user}))
            return PostgresSession{*database, *user};
    }
    return {};
}

}  // namespace uscope::db
