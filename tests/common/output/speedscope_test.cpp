#include "output/speedscope.h"

#include <gtest/gtest.h>

namespace uscope::output {
namespace {

TEST(Speedscope, NamesFramesOnceAndWeighsStacks)
{
    std::string out;
    append_speedscope(out, "CPU", "nanoseconds", 10,
                      {{.frames = {"shop", "main"}, .count = 2}, {.frames = {"shop"}, .count = 1}});
    EXPECT_EQ(
        out,
        "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"name\":\"CPU\","
        "\"exporter\":\"uscope\",\"shared\":{\"frames\":[{\"name\":\"shop\"},{\"name\":\"main\"}]},"
        "\"profiles\":[{\"type\":\"sampled\",\"name\":\"CPU\",\"unit\":\"nanoseconds\","
        "\"startValue\":0,\"endValue\":30,\"samples\":[[0,1],[0]],\"weights\":[20,10]}]}\n");
}

}  // namespace
}  // namespace uscope::output
