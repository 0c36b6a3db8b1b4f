// Functions with symbol names that a C compiler would not generate here: those of Rust and Go, and
// of the copies and parts into which an optimizing compiler divides a function.
#include <stdio.h>

#define NAMED(function, symbol)                                    \
    __attribute__((noinline)) int function(int a) __asm__(symbol); \
    int function(int a)                                            \
    {                                                              \
        return a + __LINE__;                                       \
    }

// Rust's legacy mangling: serve::net::Server::accept, two instances of the generic serve::net::pump
NAMED(rust_legacy, "_ZN5serve3net6Server6accept17h2f9a7c41d05e8b36E")
NAMED(rust_generic_1, "_ZN5serve3net4pump17h1a2b3c4d5e6f7089E")
NAMED(rust_generic_2, "_ZN5serve3net4pump17h9f8e7d6c5b4a3021E.llvm.123456789")
// legacy: <serve::net::Server as core::ops::drop::Drop>::drop
NAMED(rust_trait,
      "_ZN60_$LT$serve..net..Server$u20$as$u20$core..ops..drop..Drop$GT$4drop17h0f1e2d3c4b5a6978E")
// Rust's v0 mangling: serve::disk::flush, serve::disk::_sync, serve::disk::copy::<u32>,
// <serve::Disk>::close
NAMED(rust_v0, "_RNvNtCs4fqI2P2rA04_5serve4disk5flush")
NAMED(rust_v0_underscore, "_RNvNtCs4fqI2P2rA04_5serve4disk5__sync")
NAMED(rust_v0_generic, "_RINvNtCs4fqI2P2rA04_5serve4disk4copymE")
NAMED(rust_v0_method, "_RNvMCs4fqI2P2rA04_5serveNtB2_4Disk5close")

NAMED(go_method, "\"main.(*Server).Do\"")
NAMED(go_closure, "\"main.(*Server).Do.func1\"")

NAMED(whole, "parse")
NAMED(whole_cold, "parse.cold")
NAMED(whole_part, "parse.part.0")
NAMED(only_copy, "scan.constprop.0.isra.0")
NAMED(only_copy_cold, "scan.constprop.0.isra.0.cold")
NAMED(two_copies_0, "print.constprop.0")
NAMED(two_copies_1, "print.constprop.1")
NAMED(only_part, "check.part.0")
NAMED(cpp_copy, "_ZN2ns4copyEi.constprop.0")
NAMED(cpp_cold, "_ZN2ns4copyEi.cold")

__attribute__((noinline)) int many_names(int a)
{
    return a;
}
__attribute__((alias("many_names"))) int __many_names(int a);

int exported_object = 42;
static int hidden_object = 43;

int main(void)
{
    printf("%d\n", rust_legacy(1) + many_names(exported_object) + *(volatile int *)&hidden_object);
}
