// C++ with templates and exceptions that counts its own calls, for tests that strip it: the tools
// must count the same.
#include <cstdio>
#include <map>
#include <stdexcept>
#include <string>

#ifdef __clang__
#define TRACED __attribute__((noinline, used))
#else
#define TRACED __attribute__((noipa, used))
#endif

namespace {

struct Calls {
    int begun, returned;
} parsed, served, put_text, put_number;

TRACED int parse(const std::string &text)
{
    parsed.begun++;
    if (text.empty() || text[0] == 'x')
        throw std::runtime_error("not a number");
    parsed.returned++;
    return std::stoi(text);
}

template <class Key>
struct Store {
    TRACED int put(const Key &key, int number, Calls &calls)
    {
        calls.begun++;
        if (number < 0)
            throw std::invalid_argument("negative");
        all[key] += number;
        calls.returned++;
        return all[key];
    }
    std::map<Key, int> all;
};

template struct Store<std::string>;
template struct Store<long>;

Store<std::string> texts;
Store<long> numbers;

TRACED int serve(const std::string &request)
{
    served.begun++;
    int result = -1;
    try {
        int number = parse(request);
        texts.put(request, number, put_text);
        result = numbers.put(number, number, put_number);
    } catch (const std::exception &) {
    }
    served.returned++;
    return result;
}

}  // namespace

int main()
{
    for (int round = 1; round <= 7; round++)
        for (const char *request : {"1", "13", "x1", "-4", "7", "x", "-9", "x2"})
            serve(request);
    printf("parse %d %d\n", parsed.begun, parsed.returned);
    printf("serve %d %d\n", served.begun, served.returned);
    printf("text %d %d\n", put_text.begun, put_text.returned);
    printf("number %d %d\n", put_number.begun, put_number.returned);
}
