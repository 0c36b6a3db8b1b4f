// Finds files for tests.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include <glob.h>
#include <string.h>

namespace uscope::tests {

// Returns the path of a program in tests/targets, which the Makefile builds before the tests run. A
// test must fail if it does not exist.
inline std::string target(const std::string &name)
{
    if (const char *folder = getenv("USCOPE_TARGETS"))
        return std::string(folder) + "/" + name;
    auto tests = std::filesystem::read_symlink("/proc/self/exe").parent_path();
    return (tests / "../targets" / name).lexically_normal();
}

// Returns the file with the highest version among those that match a shell pattern; "" if none
// does.
inline std::string installed(const char *pattern)
{
    std::string newest;
    glob_t found = {};
    if (glob(pattern, 0, nullptr, &found) == 0) {
        for (size_t i = 0; i < found.gl_pathc; i++) {
            if (strverscmp(found.gl_pathv[i], newest.c_str()) > 0)
                newest = found.gl_pathv[i];
        }
    }
    globfree(&found);
    return newest;
}

}  // namespace uscope::tests
