// Demangles C++, Rust (legacy and v0) and D names, with libiberty.
#pragma once

#include <string>
#include <string_view>

namespace uscope::elf {

// May `name` be mangled? If not, demangle() would only copy it.
bool is_mangled(std::string_view name);

// May `mangled` be a Rust name? The v0 mangling is _R…; the legacy one is
// _ZN…17h<16 hexadecimal digits>E, perhaps followed by .llvm.123.
bool is_rust(std::string_view mangled);

// Returns the readable form of `name`. It has the parameter list, but not the return type that C++
// mangles for template functions: "f<int>(int)". The hash of Rust's names is removed, and methods
// are written like plain_rust_name() does. The function
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

// Rust's two manglings write the implementation of a method in different ways; neither is how
// people write it. Returns the name in the form that is the same for both:
//     v0                       legacy                      result
//     <a::Type<u8>>::f         a::Type<T>::f               a::Type<u8>::f, a::Type<T>::f
//     <a::Type>::f             b::<impl a::Type>::f        a::Type::f
//     <[u8]>::f                b::<impl [T]>::f            <[u8]>::f, <[T]>::f
//     <u32 as a::Trait>::f     b::<impl a::Trait for u32>::f    <u32 as a::Trait>::f
std::string plain_rust_name(std::string_view name);

// Returns the trait of a Rust method: "a::Trait<u8>" for "<a::Type as a::Trait<u8>>::f"; else "".
std::string_view trait_of(std::string_view name);

// Removes the template arguments from a name that has no parameter list: "ns::A<int>::f<char>" ->
// "ns::A::f", "m::f::<u8>" -> "m::f", "<a::B<u8> as T<u8>>::f" -> "<a::B as T>::f"; also removes
// "[abi:cxx11]". Does not change operators such as "operator<<".
std::string without_template_arguments(std::string_view name);

}  // namespace uscope::elf
