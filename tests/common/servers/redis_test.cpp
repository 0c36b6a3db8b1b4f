#include "servers/redis.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "bpf/servers/redis.h"
#include "probe/build_options.h"
#include "probe/program.h"
#include "support/files.h"

namespace uscope::servers {
namespace {

Result<probe::ProbeSet> probes_of(const char *target, uint64_t min_us)
{
    std::string path = tests::target(target);
    proc::FoundFile file;
    file.path = file.open_path = path;
    return redis_probes(file, min_us, {});
}

TEST(RedisProbes, HandOverACommandsArguments)
{
    auto set = probes_of("redis", 1'500'000);  // ns
    ASSERT_TRUE(set) << set.error().text;
    ASSERT_EQ(set->programs().size(), 1u);
    const probe::Program &program = *set->programs()[0];
    EXPECT_EQ(program.site_name(0), "slowlogPushEntryIfNeeded");
    EXPECT_EQ(program.probe->event_output.function, "redis_command");
    EXPECT_EQ(program.main.layouts[0].record_bytes, sizeof(redis_key));
    EXPECT_EQ(program.probe->predicate->text, ">=");
    EXPECT_EQ(program.probe->predicate->children[1]->number, 1500u);
}

TEST(RedisProbes, AreNotInAProgramThatDoesNotCallWhatIsProbed)
{
    auto set = probes_of("redis_inlined", 0);
    ASSERT_FALSE(set);
    EXPECT_NE(set.error().text.find(tests::target("redis_inlined")), std::string::npos);
}

TEST(RedisServers, AreKnownByTheirPrograms)
{
    run::Processes processes;
    Servers::Wanted wanted = redis_servers(processes, "/opt/keydb");
    EXPECT_EQ(wanted.program, "/opt/keydb");
    EXPECT_TRUE(wanted.is_program("redis-server"));
    EXPECT_TRUE(wanted.is_program("valkey-server"));
    EXPECT_FALSE(wanted.is_program("bash"));
    EXPECT_FALSE(wanted.is_server(getpid()));
}

}  // namespace
}  // namespace uscope::servers
