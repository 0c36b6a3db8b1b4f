#include "proc/workload.h"

#include <gtest/gtest.h>

#include "common/proc/fixture.h"

using namespace uscope;
using namespace uscope::proc;

namespace {

const std::string id = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
const std::string other_id = "f" + id.substr(1);
const std::string uid = "0f5ac5b4-2a41-4b08-9d35-b4bd7ffe7d25";
const std::string uid_in_slice = "0f5ac5b4_2a41_4b08_9d35_b4bd7ffe7d25";
const std::string static_uid = "e0a1b2c3d4e5f60718293a4b5c6d7e8f";

// "RUNTIME:ID pod=UID unit=UNIT", without what is empty.
std::string text(const Workload &workload)
{
    std::string text;
    auto add = [&](const std::string &part) { text += (text.empty() ? "" : " ") + part; };
    if (!workload.container_id.empty())
        add(std::string(workload.runtime) + ":" + workload.container_id);
    if (!workload.pod_uid.empty())
        add("pod=" + workload.pod_uid);
    if (!workload.unit.empty())
        add("unit=" + workload.unit);
    return text;
}

std::string of(const std::string &path)
{
    return text(workload_of_path(path));
}

TEST(Workload, OfDocker)
{
    EXPECT_EQ(of("/docker/" + id), "docker:" + id);
    EXPECT_EQ(of("/docker/" + id + "/init"), "docker:" + id);
    EXPECT_EQ(of("/system.slice/docker-" + id + ".scope"), "docker:" + id);
    EXPECT_EQ(
        of("/user.slice/user-1000.slice/user@1000.service/user.slice/docker-" + id + ".scope"),
        "docker:" + id);
    EXPECT_EQ(of("/my.slice/docker-" + id + ".scope"), "docker:" + id);
    EXPECT_EQ(of("/docker/" + id + "/docker/" + other_id), "docker:" + other_id);
    EXPECT_EQ(of("/system.slice/docker.service"), "unit=docker.service");
}

TEST(Workload, OfContainerd)
{
    EXPECT_EQ(of("/default/" + id), ":" + id);
    EXPECT_EQ(of("/system.slice/nerdctl-" + id + ".scope"), "containerd:" + id);
    EXPECT_EQ(of("/system.slice/containerd.service/kubepods-burstable-pod" + uid_in_slice +
                 ".slice:cri-containerd:" + id),
              "containerd:" + id + " pod=" + uid);
}

TEST(Workload, OfPodman)
{
    EXPECT_EQ(of("/machine.slice/libpod-" + id + ".scope"), "podman:" + id);
    EXPECT_EQ(of("/machine.slice/libpod-" + id + ".scope/container"), "podman:" + id);
    EXPECT_EQ(of("/machine.slice/libpod-" + id + ".scope/container/system.slice/cron.service"),
              "podman:" + id + " unit=cron.service");
    EXPECT_EQ(
        of("/machine.slice/machine-libpod_pod_" + other_id + ".slice/libpod-" + id + ".scope"),
        "podman:" + id);
    EXPECT_EQ(of("/libpod_parent/libpod-" + id), "podman:" + id);
    EXPECT_EQ(of("/libpod_parent/" + other_id + "/libpod-" + id), "podman:" + id);
    std::string user = "/user.slice/user-1000.slice/user@1000.service";
    EXPECT_EQ(of(user + "/user.slice/libpod-" + id + ".scope/container"), "podman:" + id);
    EXPECT_EQ(of("/system.slice/web.service/libpod-payload-" + id),
              "podman:" + id + " unit=web.service");
    EXPECT_EQ(of("/system.slice/web.service/supervisor"), "unit=web.service");
    EXPECT_EQ(of("/machine.slice/libpod-conmon-" + id + ".scope"), "");
    EXPECT_EQ(of("/libpod_parent/libpod-" + id + "/conmon"), "podman:" + id);
}

TEST(Workload, OfKubernetes)
{
    std::string slices =
        "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod" + uid_in_slice + ".slice";
    EXPECT_EQ(of(slices + "/cri-containerd-" + id + ".scope"), "containerd:" + id + " pod=" + uid);
    EXPECT_EQ(of(slices + "/crio-" + id + ".scope"), "cri-o:" + id + " pod=" + uid);
    EXPECT_EQ(of(slices + "/crio-" + id + ".scope/container"), "cri-o:" + id + " pod=" + uid);
    EXPECT_EQ(of(slices + "/crio-conmon-" + id + ".scope"), "pod=" + uid);
    EXPECT_EQ(of(slices + "/docker-" + id + ".scope"), "docker:" + id + " pod=" + uid);
    EXPECT_EQ(of(slices), "pod=" + uid);
    EXPECT_EQ(of("/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-pod" +
                 uid_in_slice + ".slice/cri-containerd-" + id + ".scope"),
              "containerd:" + id + " pod=" + uid);
    EXPECT_EQ(of("/kubepods.slice/kubepods-pod" + uid_in_slice + ".slice/crio-" + id + ".scope"),
              "cri-o:" + id + " pod=" + uid);
    EXPECT_EQ(of("/kubepods.slice/kubepods-pod" + static_uid + ".slice/crio-" + id + ".scope"),
              "cri-o:" + id + " pod=" + static_uid);
    for (std::string quality : {"/burstable", "/besteffort", ""}) {
        std::string pod = "/kubepods" + quality + "/pod" + uid;
        EXPECT_EQ(of(pod + "/" + id), ":" + id + " pod=" + uid);
        EXPECT_EQ(of(pod + "/crio-" + id), "cri-o:" + id + " pod=" + uid);
    }
    EXPECT_EQ(of("/kubepods/burstable/pod" + static_uid + "/" + id),
              ":" + id + " pod=" + static_uid);
    // kind: a node is a container of docker
    EXPECT_EQ(of("/system.slice/docker-" + other_id +
                 ".scope/kubelet.slice/kubelet-kubepods.slice/kubelet-kubepods-burstable.slice/"
                 "kubelet-kubepods-burstable-pod" +
                 uid_in_slice + ".slice/cri-containerd-" + id + ".scope"),
              "containerd:" + id + " pod=" + uid);
    EXPECT_EQ(of("/docker/" + other_id + "/kubelet/kubepods/besteffort/pod" + uid + "/" + id),
              ":" + id + " pod=" + uid);
    EXPECT_EQ(of("/docker/" + other_id + "/kubelet.slice/kubelet.service"),
              "docker:" + other_id + " unit=kubelet.service");
}

TEST(Workload, OfMachines)
{
    EXPECT_EQ(of("/machine.slice/machine-web\\x2d1.scope/payload"), "machine:web-1");
    EXPECT_EQ(of("/machine.slice/machine-web.scope/payload/system.slice/nginx.service"),
              "machine:web unit=nginx.service");
    EXPECT_EQ(of("/machine.slice/systemd-nspawn@web\\x2d1.service/payload"),
              "machine:web-1 unit=systemd-nspawn@web\\x2d1.service");
    EXPECT_EQ(of("/machine.slice/systemd-nspawn@web.service/payload/init.scope"),
              "machine:web unit=init.scope");
    EXPECT_EQ(of("/machine.slice/machine-lxc\\x2d4711\\x2dweb\\x2d1.scope"), "lxc:web-1");
    EXPECT_EQ(of("/machine.slice/machine-qemu\\x2d3\\x2dvm.scope/libvirt/emulator"),
              "unit=machine-qemu\\x2d3\\x2dvm.scope");
    EXPECT_EQ(of("/lxc.payload.web/system.slice/cron.service"), "lxc:web unit=cron.service");
    EXPECT_EQ(of("/lxc.payload/web"), "lxc:web");
    EXPECT_EQ(of("/lxc/web/init.scope"), "lxc:web unit=init.scope");
    EXPECT_EQ(of("/lxc.monitor.web"), "");
}

TEST(Workload, OfUnits)
{
    EXPECT_EQ(of("/system.slice/nginx.service"), "unit=nginx.service");
    EXPECT_EQ(of("/system.slice/foo.service/worker"), "unit=foo.service");
    EXPECT_EQ(of("/system.slice/system-getty.slice/getty@tty1.service"), "unit=getty@tty1.service");
    EXPECT_EQ(of("/system.slice/_cpu.service"), "unit=cpu.service");
    EXPECT_EQ(of("/user.slice/user-1000.slice/session-3.scope"), "unit=session-3.scope");
    EXPECT_EQ(of("/init.scope"), "unit=init.scope");
    std::string user = "/user.slice/user-1000.slice/user@1000.service";
    EXPECT_EQ(of(user + "/app.slice/foo.service"), "unit=foo.service");
    EXPECT_EQ(of(user), "unit=user@1000.service");

    auto all = workload_of_path(user + "/user.slice/libpod-" + id + ".scope").units;
    EXPECT_EQ(all, std::vector<std::string>{"user@1000.service"});
}

TEST(Workload, OfPathsInAnotherNamespace)
{
    EXPECT_EQ(of("/"), "");
    EXPECT_EQ(of(""), "");
    EXPECT_EQ(of("/../docker-" + id + ".scope"), "docker:" + id);
    EXPECT_EQ(of("/../../../system.slice/nginx.service"), "unit=nginx.service");
    EXPECT_EQ(of("/system.slice/nginx.service (deleted)"), "unit=nginx.service");
    EXPECT_EQ(of("/system.slice/docker-" + id + ".scope (deleted)"), "docker:" + id);
}

TEST(Workload, OfNothingThatOnlyLooksSo)
{
    EXPECT_EQ(of("/docker/" + id.substr(1)), "");
    EXPECT_EQ(of("/docker/" + id + "0"), "");
    EXPECT_EQ(of("/docker-ABCDEF" + id.substr(6) + ".scope"),
              "unit=docker-ABCDEF" + id.substr(6) + ".scope");
    EXPECT_EQ(of("/system.slice/-" + id + ".scope"), ":" + id);
    EXPECT_EQ(of("/kubepods/podXYZ/x"), "");
    EXPECT_EQ(of("/kubepods.slice/kubepods-pod.slice"), "");
    EXPECT_EQ(of("/tripod" + static_uid), "");
    EXPECT_EQ(of("/.service/.scope"), "");
    EXPECT_EQ(of("/machine.slice/machine-a\\x.scope"), "machine:a\\x");
    EXPECT_EQ(of("/machine.slice/machine-a\\xzz.scope"), "machine:a\\xzz");
}

TEST(Workload, IsTakenFromTheHierarchyThatHasIt)
{
    auto of_lines = [](const std::string &lines) { return text(workload_of_cgroups(lines)); };
    EXPECT_EQ(of_lines(""), "");
    EXPECT_EQ(of_lines("0::/\n"), "");
    EXPECT_EQ(of_lines("0::/system.slice/nginx.service\n"), "unit=nginx.service");
    // docker on version 1 and on both versions; a named hierarchy; a colon in a path
    EXPECT_EQ(of_lines("5:cpu,memory:/docker/" + id + "\n1:name=systemd:/docker/" + id + "\n"),
              "docker:" + id);
    EXPECT_EQ(
        of_lines("4:memory:/docker/" + id + "\n1:name=systemd:/system.slice/x.service\n0::/\n"),
        "docker:" + id);
    EXPECT_EQ(of_lines("4:memory:/other\n1:name=systemd:/system.slice/x.service\n0::/\n"),
              "unit=x.service");
    EXPECT_EQ(of_lines("4:memory:/a.service\n1:name=systemd:/b.service\n0::/c.service\n"),
              "unit=c.service");
    EXPECT_EQ(of_lines("1:name=systemd:/b.service\n4:memory:/a.service\n"), "unit=b.service");
    EXPECT_EQ(of_lines("4:memory:/x/kubepods-pod" + uid_in_slice + ".slice:cri-containerd:" + id),
              "containerd:" + id + " pod=" + uid);
    EXPECT_EQ(of_lines("nonsense\n:\n0:\n"), "");
}

TEST(Workload, OfAProcess)
{
    tests::TempFolder folder;
    folder.write("7/cgroup", "0::/docker/" + id + "\n");
    auto found = workload_of(7, folder.path());
    ASSERT_TRUE(found);
    EXPECT_EQ(text(*found), "docker:" + id);
    EXPECT_EQ(short_id(*found), "0123456789ab");
    EXPECT_EQ(short_id(workload_of_path("/lxc.payload.a-long-name-of-a-container")),
              "a-long-name-of-a-container");
    EXPECT_FALSE(workload_of(8, folder.path()));
}

}  // namespace
