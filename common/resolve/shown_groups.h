// Splits the functions that a pattern matches by what is shown of them when the user gives no
// format: each has its own parameters, or its own type of result, so each such list needs a program
// of its own.
#pragma once

#include <vector>

#include "resolve/resolve.h"

namespace uscope::resolve {

// The limits: a program takes some milliseconds to load, and a function's parameters some to find.
constexpr size_t max_shown_groups = 64, max_shown_sites = 512;

// Returns groups of functions with the same list (Group::shows_the_same). Functions beyond the
// limits stay together in the last group, Group::without_values.
std::vector<Group> split_by_values(const spec::Probe &probe, Group group);

// Returns a group for each function; the whole group if these are too many.
std::vector<Group> split_by_functions(const Group &group);

// Returns a group for each name of a function, within the same limits.
std::vector<Group> split_by_names(Group group);

}  // namespace uscope::resolve
