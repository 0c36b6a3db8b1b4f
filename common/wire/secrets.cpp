// Decides by name which headers and query parameters are secret, and hides the parameters' values.
#include "wire/secrets.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace uscope::wire {
namespace {

constexpr std::string_view hidden = "***";

// A header or parameter is secret if its name contains one of these, as is_secret_name() decides.
constexpr auto secret_words = std::to_array<std::string_view>(
    {"token",       "key",     "password",      "passwd",    "pass", "pwd",
     "secret",      "auth",    "authorization", "signature", "sig",  "credential",
     "credentials", "session", "sessionid",     "sid",       "jwt",  "code",
     "apikey",      "otp",     "pin",           "bearer"});

bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// Does the name contain a secret word? The secret word may stand alone ("access_token",
// "X-Amz-Signature", "apiKey"). A secret word of five letters or more may also start or end a
// longer word ("mytoken").
bool is_secret_name(std::string_view name)
{
    std::string text = lower_case(name);
    for (std::string_view word : secret_words) {
        for (size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
            bool begins = at == 0 || !is_letter(name[at - 1]) ||
                          (name[at] >= 'A' && name[at] <= 'Z' && name[at - 1] >= 'a');
            size_t end = at + word.size();
            bool ends = end == text.size() || !is_letter(name[end]);
            bool is_long = word.size() >= 5 && (ends || begins);  // "mytoken", "tokens"
            if ((begins && ends) || is_long)
                return true;
        }
    }
    return false;
}

}  // namespace

bool is_secret_header(std::string_view name)
{
    constexpr auto names = std::to_array<std::string_view>(
        {"authorization", "cookie", "set-cookie", "proxy-authorization"});
    std::string text = lower_case(name);
    return std::find(names.begin(), names.end(), text) != names.end() || is_secret_name(text);
}

std::string without_secrets(std::string_view target)
{
    std::string result;
    size_t query = target.find('?');
    std::string_view before = target.substr(0, query);
    size_t scheme = before.find("://");
    if (scheme != before.npos && !before.starts_with('/')) {
        size_t authority = scheme + 3;
        size_t at = before.substr(0, before.find('/', authority)).rfind('@');
        if (at != before.npos && at >= authority) {
            result.append(before.substr(0, authority)).append(hidden);
            before.remove_prefix(at);
        }
    }
    result += before;
    if (query == target.npos)
        return result;
    result += '?';
    std::string_view rest = target.substr(query + 1);
    while (!rest.empty()) {
        size_t end = std::min(rest.find_first_of("&;#"), rest.size());
        std::string_view parameter = rest.substr(0, end);
        size_t equals = parameter.find('=');
        if (equals != parameter.npos && equals + 1 < parameter.size() &&
            is_secret_name(parameter.substr(0, equals)))
            result.append(parameter.substr(0, equals + 1)).append(hidden);
        else
            result += parameter;
        if (end < rest.size())
            result += rest[end++];
        rest.remove_prefix(end);
    }
    return result;
}

}  // namespace uscope::wire
