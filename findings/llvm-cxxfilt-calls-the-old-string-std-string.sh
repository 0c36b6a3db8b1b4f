#!/bin/bash
# libstdc++ has two std::string: std::__cxx11::basic_string<char, …>, which programs use today, and the one from before
# C++11, which counts references and remains for old programs. The mangled names of the old one begin with the
# abbreviation "Ss", which the C++ ABI defines as std::string. llvm-cxxfilt 14 prints "std::string"; c++filt 2.40 prints
# the full type.
#
# So users that search LLVM's output for std::string::append, to trace it, only find the functions of the old string,
# which programs only call if they are built with _GLIBCXX_USE_CXX11_ABI=0; in the output of binutils, no name begins with
# std::string::. This also holds for arguments: f(std::string const&) in LLVM's output takes an old string.
#
# Also, c++filt demangles libstdc++'s transactional clones of functions (_ZGTt…), and llvm-cxxfilt does not.
#
# Result for libstdc++ 12.2.0: llvm-cxxfilt shows 161 functions in std::string::, each of which is _ZNSs… or _ZNKSs…;
# c++filt shows none. "append" in a program compiled by GCC 12 is std::__cxx11::basic_string<…>::append in both.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -qq libstdc++6=12.2.0-14+deb12u1 binutils-x86-64-linux-gnu=2.40-2 libbinutils=2.40-2 llvm-14=1:14.0.6-12 \
	libllvm14=1:14.0.6-12 2>/dev/null
for package in ./*.deb; do
	dpkg-deb -x "$package" unpacked
done
export LD_LIBRARY_PATH=$folder/unpacked/usr/lib/x86_64-linux-gnu
gnu=unpacked/usr/bin/x86_64-linux-gnu-c++filt llvm=unpacked/usr/lib/llvm-14/bin/llvm-cxxfilt
"$gnu" --version | head -n 1
"$llvm" --version | grep version

unpacked/usr/bin/x86_64-linux-gnu-nm -D --defined-only unpacked/usr/lib/x86_64-linux-gnu/libstdc++.so.6.0.30 |
	awk '$2 ~ /^[TW]$/ && $3 ~ /^_Z/ { sub("@.*", "", $3); print $3 }' | sort -u >mangled
"$gnu" <mangled >by-gnu
"$llvm" <mangled >by-llvm

echo "functions in std::string:: c++filt: $(grep -c '^std::string::' by-gnu || true), llvm-cxxfilt: $(grep -c '^std::string::' by-llvm)"
paste mangled by-llvm | grep -P '\tstd::string::' >in-string
grep -F 'std::string::append(' in-string
[ "$(wc -l <in-string)" = 161 ]
if grep -v -E '^_ZNK?Ss' in-string || grep '^std::string::' by-gnu; then
	exit 1
fi

# A function that a program calls today has the same name in both; it is not std::string::append.
echo '#include <string>
void lengthen(std::string &text) { text.append("x"); }' >today.cc
g++ -c today.cc
called=$(nm -u today.o | grep -o '_Z.*append.*')
grep -q -x "$called" mangled
for tool in "$gnu" "$llvm"; do
	"$tool" "$called" | tee name
	grep -q '^std::__cxx11::basic_string<char, .*>::append(char const\*)$' name
done

clones=$(grep -c '^_ZGTt' mangled)
echo "transactional clones: $clones; mangled still: c++filt: $(grep -c '^_ZGTt' by-gnu || true), llvm-cxxfilt: $(grep -c '^_ZGTt' by-llvm)"
[ "$clones" -gt 0 ] && [ "$(grep -c '^_ZGTt' by-llvm)" = "$clones" ]
if grep '^_ZGTt' by-gnu; then
	exit 1
fi
echo 'so it is: std::string is the old one for LLVM, and nothing for binutils'
