// A PostgreSQL server has one process for each client. Two things in it tell whom it serves:
//
//  - The title that it gives itself, which /proc/PID/cmdline shows:
//        postgres: 15/main: alice shop [local] idle
//                  cluster  user  database
//    The cluster may be missing, and names may hold blanks: alone it is ambiguous.
//  - MyProcPort, an exported variable: a pointer to a structure with two pointers side by side,
//    `char *database_name, *user_name`. Where they are in it differs from version to version.
//
// Together they are certain: of all pointers side by side in the structure those two are meant
// whose texts the title shows.
#include "db/postgres.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/fd.h"
#include "elf/functions.h"
#include "elf/image.h"
#include "proc/maps.h"
#include "proc/process.h"

namespace uscope::db {
namespace {

constexpr size_t name_bytes = 64;   // NAMEDATALEN, with the terminator
constexpr size_t port_bytes = 512;  // of the structure are looked at: the names are at 100 to 300

// A process's memory, as far as it can be read.
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

}  // namespace

bool is_postgres_server(std::string_view executable)
{
    return executable == "postgres" || executable == "postmaster";
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
