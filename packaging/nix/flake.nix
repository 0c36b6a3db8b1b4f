# Not built yet: no Nix packages were at hand. Only its syntax is checked (tests/build/packages-parse.sh).
#     nix build ./packaging/nix    in a clone
{
  description = "Trace running programs through uprobes and USDT";
  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs = { self, nixpkgs }:
    let
      source = ../..;
      package = pkgs: pkgs.stdenv.mkDerivation {
        pname = "uscope";
        version = pkgs.lib.fileContents (source + "/VERSION");
        src = source;
        nativeBuildInputs = with pkgs; [ bpftools llvmPackages.clang-unwrapped llvmPackages.llvm pkg-config ];
        buildInputs = with pkgs; [ elfutils fmt libbpf libiberty libyaml xz zlib ];
        postPatch = "patchShebangs scripts";
        makeFlags = [ "STATIC=0" "CLANG=${pkgs.llvmPackages.clang-unwrapped}/bin/clang" "PREFIX=$(out)" "NAME_SUFFIX=-uscope" ];
        meta = {
          license = with pkgs.lib.licenses; [ asl20 gpl2Only bsd2 ];
          platforms = [ "x86_64-linux" "aarch64-linux" ];
          mainProgram = "uscope";
        };
      };
      systems = [ "x86_64-linux" "aarch64-linux" ];
    in {
      packages = nixpkgs.lib.genAttrs systems (system: { default = package nixpkgs.legacyPackages.${system}; });
    };
}
