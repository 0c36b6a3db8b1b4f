// Demangles C++, Rust (legacy and v0) and D names, with libiberty.
#pragma once

#include <string>
#include <string_view>

namespace uscope::elf {

// May `name` be mangled? If not, demangle() would only copy it.
bool is_mangled(std::string_view name);

// Returns the readable form of `name`. It has the parameter list, but not the return type that C++
// mangles for template functions: "f<int>(int)". The hash of Rust's names is removed. The function
// that GCC generates for the body of a coroutine is shown as "f(int) [clone .actor]". Returns
// `name` itself if it is not mangled, if it is a C++ or D name of more than 1,024 bytes, or if the
// readable form has more than 64 KB. Never fails, and hostile names cannot cause unlimited
// recursion.
std::string demangle(std::string_view name);

// Like demangle(), but keeps the return type, as c++filt and nm -C do: "int f<int>(int)".
std::string demangle_with_return_type(std::string_view name);

// Removes the parameter list and trailing qualifiers: "ns::f(int) const" -> "ns::f". Parentheses
// inside template arguments, "operator()" and "(anonymous namespace)" stay.
std::string_view without_parameters(std::string_view demangled);

// Removes trailing qualifiers: "ns::f(int) const [clone .isra.0]" -> "ns::f(int)".
std::string_view without_qualifiers(std::string_view demangled);

// Removes the template arguments from a name that has no parameter list: "ns::A<int>::f<char>" ->
// "ns::A::f", "m::f::<u8>" -> "m::f"; also removes "[abi:cxx11]". Does not change operators such as
// "operator<<", and a "<T as Trait>" at the start of a Rust name.
std::string without_template_arguments(std::string_view name);

}  // namespace uscope::elf
