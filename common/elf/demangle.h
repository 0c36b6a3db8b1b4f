// Demangles C++, Rust (legacy and v0) and D names, with libiberty.
#pragma once

#include <string>
#include <string_view>

namespace uscope::elf {

// May `name` be mangled? If not, a call of demangle() is a waste of time.
bool is_mangled(std::string_view name);

// Returns the readable form: with the parameter list, without the return type of template functions
// ("f<int>(int)"), Rust without its hash, the body that GCC makes of a coroutine as "f(int) [clone
// .actor]". Returns the name itself if it is not mangled, or longer than libiberty accepts (1,024
// bytes). Never fails, and never recurses without bound on hostile names.
std::string demangle(std::string_view name);

// Like demangle(), but with the return type, as c++filt and nm -C show it: "int f<int>(int)".
std::string demangle_with_return_type(std::string_view name);

// Removes the parameter list and trailing qualifiers: "ns::f(int) const" -> "ns::f". Parentheses
// inside template arguments, "operator()" and "(anonymous namespace)" stay.
std::string_view without_parameters(std::string_view demangled);

// Removes trailing qualifiers: "ns::f(int) const [clone .isra.0]" -> "ns::f(int)".
std::string_view without_qualifiers(std::string_view demangled);

// Removes the template arguments of a name without parameters: "ns::A<int>::f<char>" -> "ns::A::f",
// "m::f::<u8>" -> "m::f"; also removes "[abi:cxx11]". Operators made of angle brackets and Rust's
// leading "<T as Trait>" stay.
std::string without_template_arguments(std::string_view name);

}  // namespace uscope::elf
