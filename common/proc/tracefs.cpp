// Parses the descriptions of tracepoints in tracefs, events/CATEGORY/NAME/format. For example
// (shortened):
//
//     name: sched_process_exec
//     ID: 312
//     format:
//             field:unsigned short common_type;       offset:0;       size:2; signed:0;
//
//             field:__data_loc char[] filename;       offset:8;       size:4; signed:0;
//             field:char comm[16];    offset:12;      size:16;        signed:0;
//             field:const char * const * argv;        offset:32;      size:8; signed:0;
//
//     print fmt: …
//
// The last word of a declaration is the field's name; the bounds of an array follow it and belong
// to the type ("char[16]"). Kernels before 5.x show some bounds by name ("comm[TASK_COMM_LEN]"):
// the number of elements then follows from the field's size. A __data_loc field says where its
// content is in the record: the low 16 bits are the offset, the high 16 bits the length. In a
// __rel_loc field (5.17), the offset counts from the end of the field.
#include "proc/tracefs.h"

#include <algorithm>

#include <fcntl.h>
#include <linux/magic.h>
#include <linux/mount.h>
#include <sys/syscall.h>
#include <sys/vfs.h>

#include "base/format.h"
#include "base/text.h"

namespace uscope::proc {
namespace {

// Returns the value from "KEY:value;" in the line of a field.
std::optional<uint32_t> attribute(std::string_view line, std::string_view key)
{
    for (std::string_view part : split(line, ';')) {
        part = trim(part);
        if (part.starts_with(key) && part.substr(key.size()).starts_with(':')) {
            auto number = parse_number(part.substr(key.size() + 1));
            if (number && *number <= UINT32_MAX)
                return uint32_t(*number);
        }
    }
    return std::nullopt;
}

// Returns the size in bytes of an element of an array whose bounds are shown by name; 1 for unknown
// types.
uint32_t element_size(std::string_view type)
{
    auto holds = [&](std::string_view word) { return type.find(word) != type.npos; };
    if (holds("*") || holds("long") || holds("64") || holds("size_t"))
        return 8;
    if (holds("int") && !holds("8") && !holds("16"))
        return 4;
    return holds("32") ? 4 : holds("16") || holds("short") ? 2 : 1;
}

// Splits "const char * name" or "char comm[16]" into type and name.
bool parse_declaration(std::string_view text, TracepointField &field)
{
    std::string_view bounds;
    if (text.ends_with(']')) {
        size_t open = text.find('[');
        if (open == text.npos)
            return false;
        bounds = text.substr(open);
        text = trim(text.substr(0, open));
    }
    size_t start = text.size();
    while (start > 0 && is_identifier(text[start - 1]))
        start--;
    field.name = text.substr(start);
    std::string_view type = trim(text.substr(0, start));
    field.type = fmt::format("{}{}", type, bounds);
    field.is_data_loc = type.starts_with("__data_loc");
    field.is_rel_loc = type.starts_with("__rel_loc");
    field.is_array = !bounds.empty();
    if (field.is_array) {
        auto count = parse_number(bounds.substr(1, bounds.size() - 2));
        field.count = count && *count <= field.size ? *count : field.size / element_size(type);
    }
    return !field.name.empty() && !type.empty();
}

std::optional<TracepointField> parse_field(std::string_view line)
{
    TracepointField field;
    auto offset = attribute(line, "offset"), size = attribute(line, "size");
    if (!offset || !size)
        return std::nullopt;
    field.offset = *offset;
    field.size = *size;
    field.is_signed = attribute(line, "signed") == 1u;
    std::string_view declaration = line.substr(line.find(':') + 1);
    if (!parse_declaration(trim(declaration.substr(0, declaration.find(';'))), field))
        return std::nullopt;
    return field;
}

// Mounts tracefs. No other process sees the mount, and it vanishes when its descriptor is closed.
Result<Fd> private_mount()
{
    Fd context(syscall(SYS_fsopen, "tracefs", FSOPEN_CLOEXEC));
    if (!context)
        return fail_errno("cannot open tracefs");
    if (syscall(SYS_fsconfig, context.get(), FSCONFIG_CMD_CREATE, nullptr, nullptr, 0) != 0)
        return fail_errno("cannot set up tracefs");
    Fd mount(syscall(SYS_fsmount, context.get(), FSMOUNT_CLOEXEC, 0));
    if (!mount)
        return fail_errno("cannot mount tracefs");
    return mount;
}

// Reads through the descriptor, because a private mount has no path.
Result<std::string> read_under(const Fd &directory, std::string_view file)
{
    return read_file(fmt::format("/proc/self/fd/{}/{}", directory.get(), file));
}

}  // namespace

Result<Tracepoint> parse_format(std::string_view text)
{
    Tracepoint point;
    for (std::string_view line : split(text, '\n')) {
        line = trim(line);
        if (line.starts_with("print fmt:"))
            break;
        if (line.starts_with("name:")) {
            point.name = trim(line.substr(5));
        } else if (line.starts_with("ID:")) {
            auto id = parse_number(trim(line.substr(3)));
            if (!id || *id > UINT32_MAX)
                return fail("cannot parse this line of a tracepoint's format: \"{}\"", line);
            point.id = uint32_t(*id);
        } else if (line.starts_with("field:")) {
            auto field = parse_field(line);
            if (!field)
                return fail("cannot parse this line of a tracepoint's format: \"{}\"", line);
            if (!field->name.starts_with("common_"))
                point.fields.push_back(std::move(*field));
        }
    }
    if (point.name.empty() || point.id == 0)
        return fail("a tracepoint's format has no name or no ID");
    return point;
}

Result<uint32_t> Tracepoint::offset_of(std::string_view field, uint32_t bytes) const
{
    for (const TracepointField &known : fields) {
        if (known.name != field)
            continue;
        if (known.size == bytes)
            return known.offset;
        return fail("the field {} of the tracepoint {}:{} has {} bytes on this kernel, not {}",
                    field, category, name, known.size, bytes);
    }
    return fail("the tracepoint {}:{} has no field {} on this kernel", category, name, field);
}

Result<Tracefs> Tracefs::open()
{
    bool is_forbidden = false;
    for (const char *folder : {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"}) {
        Fd directory(::open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
        is_forbidden |= !directory && errno == EACCES;
        struct statfs info;
        if (directory && fstatfs(directory.get(), &info) == 0 && info.f_type == TRACEFS_MAGIC) {
            Tracefs tracefs;
            tracefs.directory_ = std::move(directory);
            return tracefs;
        }
    }
    auto mount = private_mount();
    if (!mount && is_forbidden)
        return fail("this user cannot read /sys/kernel/tracing; run as root");
    if (!mount)
        return fail(
            "{}; mounting it needs CAP_SYS_ADMIN: as root, mount -t tracefs tracefs "
            "/sys/kernel/tracing; start a container with -v "
            "/sys/kernel/tracing:/sys/kernel/tracing",
            mount.error().text);
    Tracefs tracefs;
    tracefs.directory_ = std::move(*mount);
    return tracefs;
}

Result<Tracefs> Tracefs::at(const std::string &folder)
{
    Tracefs tracefs;
    tracefs.directory_ = Fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!tracefs.directory_)
        return fail_errno("cannot open {}", folder);
    return tracefs;
}

Result<std::vector<std::string>> Tracefs::list() const
{
    std::string text = TRY(read_under(directory_, "available_events"));
    std::vector<std::string> events;
    for (std::string_view line : split(text, '\n'))
        if (!line.empty())
            events.emplace_back(line);
    std::sort(events.begin(), events.end());
    return events;
}

Result<std::string> Tracefs::traceable_functions() const
{
    return read_under(directory_, "available_filter_functions");
}

Result<Tracepoint> Tracefs::read(std::string_view category, std::string_view name) const
{
    // The arguments are names, not paths: "a/../b" is invalid.
    bool is_path = category.find('/') != category.npos || name.find('/') != name.npos;
    auto text = read_under(directory_, fmt::format("events/{}/{}/format", category, name));
    if (!text || is_path) {
        std::string wanted = fmt::format("{}:{}", category, name);
        return fail("there is no tracepoint {}{}", wanted,
                    did_you_mean(near_names(wanted, TRY(list()))));
    }
    Tracepoint point = TRY(parse_format(*text));
    point.category = category;
    return point;
}

}  // namespace uscope::proc
