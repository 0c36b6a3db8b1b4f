#!/bin/bash
# shares: sid
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/python-stacks.bash"

# CPython 3.15 as a library, as in programs that embed Python.
need_command cc
debian_root sid python3.15 libpython3.15
cat >"$T/embeds.c" <<'END'
#include <dlfcn.h>
int main(int argc, char **argv)
{
	void *library = dlopen("libpython3.15.so.1.0", RTLD_NOW | RTLD_GLOBAL);
	int (*run)(int, char **) = (int (*)(int, char **))dlsym(library, "Py_BytesMain");
	return run(argc, argv);
}
END
cc -O1 -o "$T/embeds" "$T/embeds.c"
python_stacks "${in_root[@]}" "$T/embeds"
