// Words of a fixed set and the values that they stand for: the values of an option such as --sort.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace uscope {

template <class T>
struct Named {
    std::string_view name;
    T value;
};

template <class T, size_t count>
constexpr std::optional<T> find_named(const Named<T> (&table)[count], std::string_view name)
{
    for (const Named<T> &entry : table)
        if (entry.name == name)
            return entry.value;
    return std::nullopt;
}

template <class T, size_t count>
std::vector<std::string> names_of(const Named<T> (&table)[count])
{
    std::vector<std::string> names;
    for (const Named<T> &entry : table)
        names.emplace_back(entry.name);
    return names;
}

// Returns "a, b or c".
std::string alternatives(const std::vector<std::string> &names);

}  // namespace uscope
