# arm64: its objects need only the cross compiler, because Debian's headers are the same for both
# architectures (the host's are searched last). Linking needs arm64 libraries, which
# tests/kernels/run puts into $(BUILD)/arm64/lib.
cross := aarch64-linux-gnu
cross_headers := -idirafter /usr/include -idirafter /usr/include/$(shell uname -m)-linux-gnu
cross_with = $(filter %ccache,$(firstword $(CXX))) $(cross)
for_arm64 = ARCH=aarch64 LIBBPF= BUILD=$(BUILD)/arm64 CXX='$(strip $(cross_with)-g++)' CC='$(strip $(cross_with)-gcc)' \
    CPPFLAGS='$(cross_headers)' CXXFLAGS='-O0 -g0' LDFLAGS=-L$(BUILD)/arm64/lib
.PHONY: check-arm64 objects arm64 tools-and-targets
check-arm64:  ## compile kernel and user side for arm64, if g++-aarch64-linux-gnu is installed
	@command -v $(cross)-g++ >/dev/null || { echo 'skipped: $(cross)-g++ is not installed'; exit 77; }
	$(again) $(for_arm64) objects
arm64:  ## build the tools for arm64, or list what that needs
	@command -v $(cross)-g++ >/dev/null || { echo 'make arm64 needs g++-aarch64-linux-gnu: install it' >&2; exit 1; }
	@[ -e $(BUILD)/arm64/lib/libbpf.a ] || { echo "make arm64 needs arm64's static libraries in $(BUILD)/arm64/lib:" \
	    "tests/kernels/run arm64 downloads them" >&2; exit 1; }
	$(again) $(for_arm64) tools-and-targets
objects: $(call object,$(library_units) $(tool_units) $(main))
tools-and-targets: $(tools) $(targets)
