#include "proc/tracefs.h"

#include <algorithm>

#include <sched.h>
#include <sys/mount.h>
#include <sys/vfs.h>

#include <gtest/gtest.h>

#include "base/format.h"
#include "common/proc/fixture.h"

namespace uscope::proc {
namespace {

using tests::Child;
using tests::TempFolder;

constexpr const char *format_text = R"(name: sched_process_exec
ID: 312
format:
	field:unsigned short common_type;	offset:0;	size:2;	signed:0;
	field:int common_pid;	offset:4;	size:4;	signed:1;

	field:__data_loc char[] filename;	offset:8;	size:4;	signed:0;
	field:char comm[16];	offset:12;	size:16;	signed:0;
	field:const char * const * argv;	offset:32;	size:8;	signed:0;
	field:unsigned long args[6];	offset:40;	size:48;	signed:0;
	field:char old_comm[TASK_COMM_LEN];	offset:88;	size:16;	signed:0;
	field:u32 ids[MOST_IDS];	offset:104;	size:16;	signed:0;
	field:__rel_loc char[] path;	offset:120;	size:4;	signed:0;
	field:pid_t pid;	offset:124;	size:4;	signed:1;
	field:char buf[];	offset:128;	size:0;	signed:0;

print fmt: "field:%s;", __get_str(filename)
)";

TracepointField field(const char *name)
{
    auto point = parse_format(format_text);
    if (point)
        for (const TracepointField &field : point->fields)
            if (field.name == name)
                return field;
    ADD_FAILURE() << "no field " << name;
    return {};
}

TEST(TracepointFormat, HasNameIdAndOwnFields)
{
    auto point = parse_format(format_text);
    ASSERT_TRUE(point) << point.error().text;
    EXPECT_EQ(point->name, "sched_process_exec");
    EXPECT_EQ(point->id, 312u);
    EXPECT_EQ(point->fields.size(), 9u);
    EXPECT_EQ(point->fields.front().name, "filename");
}

TEST(TracepointFormat, SaysWhereAFieldOfASizeIs)
{
    auto point = parse_format(format_text);
    ASSERT_TRUE(point);
    point->category = "sched";
    EXPECT_EQ(point->offset_of("pid", 4), 124u);
    auto other_size = point->offset_of("pid", 8), missing = point->offset_of("tgid", 4);
    ASSERT_FALSE(other_size || missing);
    EXPECT_EQ(other_size.error().text,
              "the field pid of the tracepoint sched:sched_process_exec has 4 bytes on this "
              "kernel, not 8");
    EXPECT_EQ(missing.error().text,
              "the tracepoint sched:sched_process_exec has no field tgid on this kernel");
}

TEST(TracepointFormat, ReadsASignedNumber)
{
    TracepointField pid = field("pid");
    EXPECT_EQ(pid.type, "pid_t");
    EXPECT_EQ(pid.offset, 124u);
    EXPECT_EQ(pid.size, 4u);
    EXPECT_TRUE(pid.is_signed);
    EXPECT_FALSE(pid.is_array || pid.is_data_loc || pid.is_rel_loc);
}

TEST(TracepointFormat, ReadsPlacesInTheRecord)
{
    EXPECT_TRUE(field("filename").is_data_loc);
    EXPECT_EQ(field("filename").type, "__data_loc char[]");
    EXPECT_TRUE(field("path").is_rel_loc);
    EXPECT_FALSE(field("path").is_data_loc);
}

TEST(TracepointFormat, MovesBoundsToTheType)
{
    EXPECT_EQ(field("comm").type, "char[16]");
    EXPECT_TRUE(field("comm").is_array);
    EXPECT_EQ(field("comm").count, 16u);
    EXPECT_EQ(field("args").count, 6u);
    EXPECT_EQ(field("argv").type, "const char * const *");
}

TEST(TracepointFormat, CountsBoundsShownByNameFromTheSize)
{
    EXPECT_EQ(field("old_comm").count, 16u);
    EXPECT_EQ(field("ids").count, 4u);
    EXPECT_EQ(field("buf").count, 0u);
}

TEST(TracepointFormat, RefusesAFieldWithoutItsPlace)
{
    auto point = parse_format("name: x\nID: 1\nformat:\n\tfield:int y;\tsize:4;\tsigned:1;\n");
    ASSERT_FALSE(point);
    EXPECT_NE(point.error().text.find("field:int y;"), std::string::npos);
    EXPECT_FALSE(parse_format("name: x\nID: 1\n\tfield:int y];\toffset:0;\tsize:4;\tsigned:1;\n"));
    EXPECT_FALSE(parse_format("name: x\nID: 99999999999\n"));
    EXPECT_FALSE(parse_format(""));
}

TEST(Tracefs, ListsAndReadsAFolder)
{
    TempFolder folder;
    folder.write("available_events", "sched:sched_switch\nblock:block_rq\n");
    folder.write("events/sched/sched_switch/format", format_text);
    auto tracefs = Tracefs::at(folder.path());
    ASSERT_TRUE(tracefs);
    EXPECT_EQ(tracefs->list().value(),
              (std::vector<std::string>{"block:block_rq", "sched:sched_switch"}));
    auto point = tracefs->read("sched", "sched_switch");
    ASSERT_TRUE(point) << point.error().text;
    EXPECT_EQ(point->category, "sched");
}

TEST(Tracefs, NamesTracepointsThatAreNear)
{
    TempFolder folder;
    folder.write("available_events", "sched:sched_switch\n");
    auto tracefs = Tracefs::at(folder.path());
    EXPECT_EQ(tracefs->read("sched", "sched_swich").error().text,
              "there is no tracepoint sched:sched_swich, did you mean sched:sched_switch?");
}

// Can Tracefs::open() read the tracepoints of the running kernel?
bool reads_the_kernels()
{
    auto tracefs = Tracefs::open();
    if (!tracefs)
        return false;
    auto events = tracefs->list();
    auto point = tracefs->read("sched", "sched_process_exec");
    return events &&
           std::binary_search(events->begin(), events->end(), "sched:sched_process_exec") &&
           point && point->id > 0 && point->fields.at(0).name == "filename";
}

TEST(Tracefs, WorksWhereItIsNotMounted)
{
    Child child([] {
        if (unshare(CLONE_NEWNS) != 0)
            return false;
        mount("", "/", nullptr, MS_REC | MS_PRIVATE, nullptr);
        umount2("/sys/kernel/tracing", MNT_DETACH);
        return mount("none", "/sys/kernel", "tmpfs", 0, nullptr) == 0 && reads_the_kernels();
    });
    if (geteuid() != 0)
        GTEST_SKIP() << "a private mount needs root";
    EXPECT_TRUE(child.ready());
}

TEST(Tracefs, UsesTheOneThatIsMounted)
{
    Child child([] {
        if (unshare(CLONE_NEWNS) != 0)
            return false;
        mount("", "/", nullptr, MS_REC | MS_PRIVATE, nullptr);
        mount("none", "/sys/kernel/tracing", "tracefs", 0, nullptr);
        struct statfs mounted, opened;
        auto tracefs = Tracefs::open();
        return tracefs && statfs("/sys/kernel/tracing", &mounted) == 0 &&
               fstatfs(tracefs->directory(), &opened) == 0 && mounted.f_type == opened.f_type &&
               std::filesystem::read_symlink(fmt::format(
                   "/proc/self/fd/{}", tracefs->directory())) == "/sys/kernel/tracing" &&
               reads_the_kernels();
    });
    if (geteuid() != 0)
        GTEST_SKIP() << "mounting needs root";
    EXPECT_TRUE(child.ready());
}

TEST(Tracefs, DoesNotTakeAnEmptyMountPointForIt)
{
    Child child([] {
        if (unshare(CLONE_NEWNS) != 0)
            return false;
        mount("", "/", nullptr, MS_REC | MS_PRIVATE, nullptr);
        return mount("none", "/sys/kernel/tracing", "tmpfs", 0, nullptr) == 0 &&
               reads_the_kernels();
    });
    if (geteuid() != 0)
        GTEST_SKIP() << "mounting needs root";
    EXPECT_TRUE(child.ready());
}

}  // namespace
}  // namespace uscope::proc
