// C++, Rust (legacy and v0) and D names for people, by libiberty.
#pragma once

#include <string>
#include <string_view>

namespace uscope::elf {

// May it be a mangled name? Only then is it worth a call of demangle().
bool is_mangled(std::string_view name);

// The readable form, with parameter list, without the return type that template functions have
// ("f<int>(int)"), Rust without its hash, GCC's body of a coroutine as "f(int) [clone .actor]"; the name itself when it is not mangled, or longer than
// libiberty accepts (1,024 bytes). Never fails and never recurses without bound on hostile names.
std::string demangle(std::string_view name);

// The same with the return type, as c++filt and nm -C show it: "int f<int>(int)".
std::string demangle_with_return_type(std::string_view name);

// A demangled name without its parameter list and trailing qualifiers: "ns::f(int) const" ->
// "ns::f". Parentheses inside template arguments, "operator()" and "(anonymous namespace)" stay.
std::string_view without_parameters(std::string_view demangled);

// "ns::f(int) const [clone .isra.0]" -> "ns::f(int)".
std::string_view without_qualifiers(std::string_view demangled);

// Of a name without parameters: "ns::A<int>::f<char>" -> "ns::A::f", "m::f::<u8>" -> "m::f", also
// without "[abi:cxx11]". Operators made of angle brackets and Rust's leading "<T as Trait>" stay.
std::string without_template_arguments(std::string_view name);

}  // namespace uscope::elf
