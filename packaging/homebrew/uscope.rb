# Not built yet: no Homebrew was at hand. Only its syntax is checked (tests/build/packages-parse.sh).
# For Linux; `url` and `sha256` are those of the archive when you publish it.
class Uscope < Formula
  desc "Trace running programs through uprobes and USDT"
  homepage "https://uscope.example.org"
  url "https://uscope.example.org/uscope-0.1.0.tar.xz"
  sha256 "0000000000000000000000000000000000000000000000000000000000000000"
  license all_of: ["Apache-2.0", { any_of: ["GPL-2.0-only", "BSD-2-Clause"] }]

  depends_on "bpftool" => :build
  depends_on "fmt" => :build
  depends_on "llvm" => :build
  depends_on "pkgconf" => :build
  depends_on "binutils"
  depends_on "elfutils"
  depends_on "libbpf"
  depends_on "libyaml"
  depends_on :linux
  depends_on "xz"
  depends_on "zlib"

  def install
    system "make", "STATIC=0"
    system "make", "install", "STATIC=0", "PREFIX=#{prefix}", "NAME_SUFFIX=-uscope"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/uscope --version")
  end
end
