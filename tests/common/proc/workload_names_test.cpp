#include "proc/workload_names.h"

#include <gtest/gtest.h>

#include "common/proc/fixture.h"

using namespace uscope;
using namespace uscope::proc;

namespace {

const std::string named_id = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
const std::string second_id = "f" + named_id.substr(1);
const std::string named_uid = "0f5ac5b4-2a41-4b08-9d35-b4bd7ffe7d25";

class Names : public testing::Test {
  protected:
    std::string container(const std::string &path)
    {
        return names_of(workload_of_path(path), folder_.path()).container;
    }
    std::string pod(const std::string &path)
    {
        return names_of(workload_of_path(path), folder_.path()).pod;
    }

    tests::TempFolder folder_;
};

TEST_F(Names, OfDocker)
{
    std::string path = "/system.slice/docker-" + named_id + ".scope";
    EXPECT_EQ(container(path), "");
    folder_.write(
        "var/lib/docker/containers/" + named_id + "/config.v2.json",
        R"({"State":{"Name":"no"},"ID":")" + named_id + R"(","Name":"/web","Driver":"overlay2"})");
    EXPECT_EQ(container(path), "web");
    EXPECT_EQ(container("/docker/" + named_id), "web");
    EXPECT_EQ(container("/docker/" + second_id), "");
    EXPECT_EQ(container("/machine.slice/libpod-" + named_id + ".scope"), "");
}

TEST_F(Names, OfPodman)
{
    std::string path = "/machine.slice/libpod-" + named_id + ".scope";
    std::string storage = "var/lib/containers/storage/overlay-containers/";
    folder_.write(
        storage + "containers.json", R"([{"id":")" + second_id +
                                         R"(","names":["other","second"],"layer":"x"},
                      {"id":")" + named_id +
                                         R"(","names":["web"],"metadata":"{\"name\":\"no\"}"}])");
    EXPECT_EQ(container(path), "web");
    EXPECT_EQ(container("/libpod_parent/libpod-" + second_id), "other");
    EXPECT_EQ(container("/libpod_parent/libpod-0" + second_id.substr(1)), "web");
}

TEST_F(Names, OfPodmanContainersThatAreRemovedAtTheirEnd)
{
    folder_.write("var/lib/containers/storage/overlay-containers/volatile-containers.json",
                  R"([{"names":["passing"],"id":")" + named_id + R"("}])");
    EXPECT_EQ(container("/machine.slice/libpod-" + named_id + ".scope/container"), "passing");
}

TEST_F(Names, OfUsersContainers)
{
    folder_.write("etc/passwd",
                  "root:x:0:0:root:/root:/bin/sh\nbroken\nana:x:1000:1000::/home/ana:/bin/sh\n");
    folder_.write("home/ana/.local/share/containers/storage/overlay-containers/containers.json",
                  R"([{"id":")" + named_id + R"(","names":["mine"]}])");
    folder_.write("home/ana/.local/share/docker/containers/" + second_id + "/config.v2.json",
                  R"({"Name":"/hers"})");
    std::string user = "/user.slice/user-1000.slice/user@1000.service/user.slice";
    EXPECT_EQ(container(user + "/libpod-" + named_id + ".scope/container"), "mine");
    EXPECT_EQ(container(user + "/docker-" + second_id + ".scope"), "hers");
}

TEST_F(Names, AreNotReadFromWhatIsNoFile)
{
    folder_.write("etc/passwd", "ana:x:1000:1000::/home/ana:/bin/sh\n");
    std::string user = "/user.slice/user-1000.slice/user@1000.service/user.slice";
    std::string share = "home/ana/.local/share/";
    std::string pipe =
        folder_.write(share + "docker/containers/" + named_id + "/config.v2.json", "");
    unlink(pipe.c_str());
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    EXPECT_EQ(container(user + "/docker-" + named_id + ".scope"), "");
    folder_.link(share + "containers/storage/overlay-containers/containers.json", "/dev/zero");
    EXPECT_EQ(container(user + "/libpod-" + named_id + ".scope"), "");
}

TEST_F(Names, OfKubernetes)
{
    std::string path = "/kubepods/burstable/pod" + named_uid + "/" + named_id;
    EXPECT_EQ(pod(path), "");
    folder_.write("var/log/pods/default_web-0_" + named_uid + "/nginx/0.log", "");
    folder_.write("var/log/containers/web-0_default_nginx-" + named_id + ".log", "");
    EXPECT_EQ(pod(path), "default/web-0");
    EXPECT_EQ(container(path), "nginx");
    EXPECT_EQ(container("/kubepods/burstable/pod" + named_uid + "/" + second_id), "");
}

TEST_F(Names, OfMachinesAreTheirIds)
{
    EXPECT_EQ(container("/lxc.payload.web"), "");
    EXPECT_EQ((NamedWorkload{workload_of_path("/lxc.payload.web"), {}}.container()), "web");
    EXPECT_EQ((NamedWorkload{workload_of_path("/docker/" + named_id), {}}.container()),
              named_id.substr(0, 12));
}

TEST_F(Names, AreRememberedForProcesses)
{
    Workloads workloads(folder_ / "proc", folder_.path());
    folder_.write("proc/7/cgroup", "0::/docker/" + named_id + "\n");
    folder_.write("proc/8/cgroup", "0::/docker/" + named_id + "\n");
    folder_.write("var/lib/docker/containers/" + named_id + "/config.v2.json",
                  R"({"Name":"/web"})");
    EXPECT_EQ(workloads.of(7).container(), "web");
    folder_.write("proc/7/cgroup", "0::/\n");
    EXPECT_EQ(workloads.of(7).container(), "web");  // read less than a second ago
    EXPECT_EQ(&workloads.of(7), &workloads.of(8));
    EXPECT_TRUE(workloads.of(9).workload.empty());
}

}  // namespace
