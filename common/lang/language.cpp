// The list of languages, and lookups in their tables.
#include "lang/language.h"

#include "base/format.h"

namespace uscope::lang {

const char *Hook::find(Role role) const
{
    for (const Value &value : values) {
        if (value.role == role)
            return value.expression;
    }
    return nullptr;
}

const std::vector<const Language *> &languages()
{
    static const std::vector<const Language *> all = {&java,   &node, &perl, &php,
                                                      &python, &ruby, &tcl};
    return all;
}

std::vector<std::string> names_of_languages(bool with_c)
{
    std::vector<std::string> names;
    for (const Language *language : languages())
        names.emplace_back(language->name);
    if (with_c)
        names.emplace_back(c.name);
    return names;
}

Result<const Language *> find_language(std::string_view name, bool with_c)
{
    std::vector<const Language *> known = languages();
    if (with_c)
        known.push_back(&c);
    for (const Language *language : known) {
        if (language->name == name)
            return language;
    }
    return fail_usage("there is no language {}: -l takes {}", name,
                      join(names_of_languages(with_c), ", "));
}

}  // namespace uscope::lang
