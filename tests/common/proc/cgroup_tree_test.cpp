#include "proc/cgroup_tree.h"

#include <set>

#include <gtest/gtest.h>
#include <poll.h>

#include "common/proc/fixture.h"

using namespace uscope;
using namespace uscope::proc;

namespace {

// Folders stand in for cgroups: both have inode numbers and are watched by inotify.
class CgroupTreeTest : public testing::Test {
  protected:
    void open()
    {
        tree_.emplace(std::move(*CgroupTree::open(
            folder_.path(), [this](auto path) { return path.find(wanted_) != path.npos; })));
        tree_->report_to({[this](uint64_t id) { EXPECT_TRUE(known_.insert(id).second); },
                          [this](uint64_t id) { EXPECT_EQ(known_.erase(id), 1u); }});
    }
    void make(const std::string &path) { std::filesystem::create_directories(folder_ / path); }
    void remove(const std::string &path) { std::filesystem::remove_all(folder_ / path); }
    std::set<uint64_t> ids(std::initializer_list<const char *> paths)
    {
        std::set<uint64_t> ids;
        for (const char *path : paths)
            ids.insert(file_id(folder_ / path).value_or(FileId()).inode);
        return ids;
    }

    tests::TempFolder folder_;
    std::string wanted_ = "web";
    std::optional<CgroupTree> tree_;
    std::set<uint64_t> known_;
};

TEST_F(CgroupTreeTest, KnowsThoseThatAreThere)
{
    make("a/web.scope/inner/deep");
    make("a/other");
    open();
    EXPECT_EQ(known_, ids({"a/web.scope", "a/web.scope/inner", "a/web.scope/inner/deep"}));
    EXPECT_EQ(tree_->wanted(), 3u);
    EXPECT_FALSE(tree_->is_incomplete());
}

TEST_F(CgroupTreeTest, FollowsThoseThatComeAndGo)
{
    make("a");
    open();
    EXPECT_EQ(tree_->wanted(), 0u);
    make("a/web1/inner");
    make("b/c/web2");
    make("b/c/other");
    pollfd readable = {tree_->fd(), POLLIN, 0};
    EXPECT_EQ(poll(&readable, 1, 0), 1);
    tree_->drain();
    EXPECT_EQ(poll(&readable, 1, 0), 0);
    EXPECT_EQ(known_, ids({"a/web1", "a/web1/inner", "b/c/web2"}));
    make("a/web1/later");
    remove("b");
    tree_->drain();
    EXPECT_EQ(known_, ids({"a/web1", "a/web1/inner", "a/web1/later"}));
    remove("a/web1");
    tree_->drain();
    EXPECT_TRUE(known_.empty());
    make("a/web1");
    tree_->drain();
    EXPECT_EQ(known_, ids({"a/web1"}));
}

TEST_F(CgroupTreeTest, NoticesAFolderThatWasMadeAgain)
{
    make("web/inner");
    open();
    remove("web");
    make("between");  // so that the new folder has another inode
    make("web");
    tree_->drain();
    EXPECT_EQ(known_, ids({"web"}));
    EXPECT_EQ(tree_->wanted(), 1u);
}

TEST_F(CgroupTreeTest, LooksAgainAtNewOnes)
{
    make("old");
    open();
    make("new/inner");
    tree_->drain();
    wanted_ = "new";  // its name has become known
    tree_->look_again();
    EXPECT_EQ(known_, ids({"new", "new/inner"}));
    wanted_ = "old";
    tree_->look_again();
    EXPECT_EQ(known_, ids({"new", "new/inner"}));
}

TEST_F(CgroupTreeTest, SurvivesMoreChangesThanTheKernelReports)
{
    make("web0/inner");
    open();
    remove("web0");
    for (int i = 0; i < 20'000; i++) {  // fs.inotify.max_queued_events is 16,384
        make("other");
        remove("other");
    }
    make("web1");
    tree_->drain();
    EXPECT_EQ(known_, ids({"web1"}));
}

TEST(Cgroup2Mount, ShowsMostOfTheTree)
{
    tests::TempFolder folder;
    auto mount = [&](const std::string &lines) {
        folder.write("self/mountinfo", lines);
        return cgroup2_mount(folder.path()).value_or("none");
    };
    std::string v1 = "30 24 0:26 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu\n";
    EXPECT_EQ(mount(v1), "none");
    EXPECT_EQ(mount(v1 + "42 24 0:39 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n"),
              "/sys/fs/cgroup/unified");
    EXPECT_EQ(mount("42 24 0:39 / /sys/fs/cgroup rw shared:9 - cgroup2 cgroup rw\n"
                    "77 24 0:39 /../../.. /host/cgroup rw - cgroup2 cgroup rw\n"
                    "78 24 0:39 / /other rw - cgroup2 cgroup rw\n"),
              "/host/cgroup");
}

}  // namespace
