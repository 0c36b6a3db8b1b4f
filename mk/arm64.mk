# arm64: its objects need only the cross compiler, because Debian's headers are the same for both
# architectures (the host's are searched last). Linking needs arm64 libraries, which
# tests/kernels/arm64-libraries puts into $(BUILD)/arm64/lib. The program for the tests is not
# optimized; that of a release is (mk/dist.mk).
cross := aarch64-linux-gnu
cross_headers := -idirafter /usr/include -idirafter /usr/include/$(shell uname -m)-linux-gnu
cross_with = $(filter %ccache,$(firstword $(CXX))) $(cross)
for_arm64 = ARCH=aarch64 LIBBPF= BUILD=$(1) CXX='$(strip $(cross_with)-g++)' CC='$(strip $(cross_with)-gcc)' \
    CPPFLAGS='$(cross_headers)' CXXFLAGS='$(2)' LDFLAGS=-L$(BUILD)/arm64/lib
for_arm64_tests = $(call for_arm64,$(BUILD)/arm64,-O0 -g0)
need_cross = @command -v $(cross)-g++ >/dev/null || { echo 'make $@ needs g++-aarch64-linux-gnu: install it' >&2; exit 1; }
.PHONY: check-arm64 objects arm64 tools-and-targets
check-arm64:  ## compile kernel and user side for arm64, if g++-aarch64-linux-gnu is installed
	@command -v $(cross)-g++ >/dev/null || { echo 'skipped: $(cross)-g++ is not installed'; exit 77; }
	$(again) $(for_arm64_tests) objects
arm64:  ## build the tools for arm64, or list what that needs
	$(need_cross)
	@[ -e $(BUILD)/arm64/lib/libbpf.a ] || { echo "make arm64 needs arm64's static libraries in $(BUILD)/arm64/lib:" \
	    "tests/kernels/arm64-libraries downloads them" >&2; exit 1; }
	$(again) $(for_arm64_tests) tools-and-targets
objects: $(call object,$(library_units) $(tool_units) $(main))
tools-and-targets: $(tools) $(targets)
