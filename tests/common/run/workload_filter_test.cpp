#include "run/workload_filter.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/format.h"

namespace uscope::run {
namespace {

const std::string container_id = std::string(63, 'a') + "b";
const std::string pod_uid = "0f5ac5b4-2a41-4b08-9d35-b4bd7ffe7d25";
const std::string docker_path = "/system.slice/docker-" + container_id + ".scope";

TEST(WorkloadFilter, IncludesEverythingWithoutOptions)
{
    WorkloadFilter filter;
    EXPECT_FALSE(filter.any());
    EXPECT_TRUE(filter.includes_path("/"));
    EXPECT_TRUE(filter.includes(getpid()));
    EXPECT_EQ(filter.text(), "");
}

TEST(WorkloadFilter, IncludesContainersByTheirIds)
{
    auto is_in = [](const std::string &value, const std::string &path) {
        WorkloadFilter filter;
        filter.containers = {"other", value};
        return filter.includes_path(path);
    };
    EXPECT_TRUE(is_in(container_id, docker_path));
    EXPECT_TRUE(is_in(container_id, docker_path + "/init"));
    EXPECT_TRUE(is_in(container_id.substr(0, 12), docker_path));
    EXPECT_FALSE(is_in(container_id.substr(0, 11), docker_path));
    EXPECT_FALSE(is_in(container_id, "/system.slice"));
    EXPECT_TRUE(is_in("web", "/lxc.payload.web"));
    EXPECT_TRUE(is_in("web", "/lxc.payload.web" + docker_path));  // a container in it
    EXPECT_TRUE(is_in(container_id, "/lxc.payload.web" + docker_path));
    EXPECT_FALSE(is_in("we", "/lxc.payload.web"));
}

TEST(WorkloadFilter, IncludesPodsAndUnits)
{
    WorkloadFilter pods;
    pods.pods = {pod_uid};
    EXPECT_TRUE(pods.includes_path("/kubepods/burstable/pod" + pod_uid));
    EXPECT_TRUE(pods.includes_path("/kubepods/pod" + pod_uid + "/" + container_id));
    EXPECT_FALSE(pods.includes_path("/kubepods/burstable"));

    WorkloadFilter units;
    units.units = {"nginx", "session-3.scope", "user@1000.service"};
    EXPECT_TRUE(units.includes_path("/system.slice/nginx.service/worker"));
    EXPECT_TRUE(units.includes_path("/user.slice/session-3.scope"));
    EXPECT_TRUE(units.includes_path("/user@1000.service/app.slice/foo.service"));
    EXPECT_FALSE(units.includes_path("/system.slice/nginx.socket"));
    EXPECT_FALSE(units.includes_path("/system.slice/nginx2.service"));
}

TEST(WorkloadFilter, IncludesWhatIsInAllThatIsGiven)
{
    WorkloadFilter filter;
    filter.pods = {pod_uid};
    filter.containers = {container_id};
    EXPECT_FALSE(filter.includes_path("/kubepods/pod" + pod_uid));
    EXPECT_FALSE(filter.includes_path(docker_path));
    EXPECT_TRUE(filter.includes_path("/kubepods/pod" + pod_uid + "/" + container_id));
    EXPECT_EQ(filter.text(), fmt::format("container {} in pod {}", container_id, pod_uid));
}

TEST(WorkloadFilter, NamesWhatIsMissing)
{
    WorkloadFilter filter;
    filter.containers = {"no such container", "other"};
    EXPECT_FALSE(filter.includes(getpid()));
    EXPECT_TRUE(filter.running().empty());
    std::string error = Result<>(filter.nothing_is_in_it()).error().text;
    EXPECT_TRUE(error.starts_with("there is no container no such container or other; ")) << error;
}

}  // namespace
}  // namespace uscope::run
