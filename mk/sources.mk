# What there is: the sources by room, the units in which they are compiled, what is made of them.

# common/rooms explains its columns: a room, its floor, what it is optimized for, its unit.
rooms_where = $(shell awk '!/^#/ && $(1) { print $$1 }' common/rooms)
live_rooms := $(call rooms_where,$$2 == "live" && !/\.cpp/)
cold       := $(call rooms_where,$$3 == "size")
hot        := $(addprefix common/,$(call rooms_where,/\.cpp/))
$(foreach row,$(shell awk '!/^#/ && NF { print $$1 ":=" $$4 }' common/rooms),$(eval unit_of_$(row)))

main       := $(wildcard common/run/main.cpp)
sources    := $(filter-out $(main),$(shell find common -name '*.cpp' | LC_ALL=C sort))
headers    := $(shell find common tests -name '*.h' | LC_ALL=C sort)
pure       := $(filter-out $(live_rooms:%=common/%/%),$(sources))
bpf_only_headers := bpf/lib/bpf.h $(wildcard bpf/*/*.bpf.h)
shared_headers   := $(filter-out $(bpf_only_headers),$(wildcard bpf/*.h bpf/*/*.h))

tool_sources := $(wildcard tools/*.cpp)
# Commands of uscope itself (uscope doctor), which have no link and no single program.
command_sources := $(wildcard tools/uscope/*.cpp)
test_sources := $(shell find tests/common -name '*_test.cpp' | LC_ALL=C sort)
# A room is a folder of common/, with the folders in it.
rooms_of      = $(sort $(foreach source,$(1),common/$(word 2,$(subst /, ,$(source)))))
rooms        := $(call rooms_of,$(filter-out $(main),$(sources)))

# Groups of sources that are compiled as one: the sources in `hot`, the tools with certain initials,
# a room, a room's tests.
together = common/$(or $(unit_of_$(notdir $(1))),$(notdir $(1)))
group    = $(if $(strip $(2)),$(1) $(2) --)
groups  := $(call group,common/hot,$(hot)) \
    $(foreach initials,a-m n-z,$(call group,tools/$(initials),$(wildcard tools/[$(initials)]*.cpp))) \
    $(call group,tools/uscope/commands,$(command_sources)) \
    $(foreach unit,$(sort $(foreach room,$(rooms),$(call together,$(room)))),$(call group,$(unit),\
        $(foreach room,$(rooms),$(if $(filter $(unit),$(call together,$(room))),$(filter-out $(hot),$(filter $(room)/%,$(sources))))))) \
    $(foreach room,$(rooms),$(call group,tests/$(room),$(filter tests/$(room)/%,$(test_sources))))
ifneq ($(filter-out 0,$(UNITS)),$(filter help clean dist-source format,$(or $(MAKECMDGOALS),all)))
units := $(shell scripts/units '$(BUILD)' $(groups))
else
units := $(hot) $(tool_sources) $(command_sources) $(filter-out $(hot),$(sources)) $(test_sources)
endif
object        = $(patsubst %,$(BUILD)/obj/%.o,$(basename $(1)))
library_units := $(filter common/%,$(units))
tool_units    := $(filter tools/%,$(units))
# TEST_ROOMS="elf dwarf": the unit tests of these rooms only.
test_units    := $(filter $(if $(TEST_ROOMS),$(foreach room,$(TEST_ROOMS),tests/common/$(room) tests/common/$(room)/%),tests/%),$(units))

tools      := $(patsubst tools/%.cpp,$(BUILD)/bin/%,$(tool_sources))
single     := $(patsubst tools/%.cpp,$(BUILD)/single/%,$(tool_sources))
bpf        := $(wildcard bpf/*.bpf.c bpf/shared/*.bpf.c)
skeletons  := $(patsubst %.bpf.c,$(BUILD)/skel/%.skel.h,$(notdir $(bpf)))
shared_skeletons := $(patsubst bpf/shared/%.bpf.c,%.skel.h,$(wildcard bpf/shared/*.bpf.c))
library    := $(BUILD)/libuscope.a
support    := $(wildcard tests/support/*.cpp)
unit_tests := $(BUILD)/tests/unit
targets    := $(patsubst tests/targets/%,$(BUILD)/targets/%,$(basename \
    $(foreach kind,c cpp,$(wildcard tests/targets/*.$(kind) tests/targets/*/*.$(kind)))))
fuzzers    := $(patsubst tests/fuzz/%.cpp,$(BUILD)/fuzz/%,$(wildcard tests/fuzz/*_fuzz.cpp))
benches    := $(patsubst bench/%.cpp,$(BUILD)/bench/%,$(wildcard bench/*_bench.cpp))
bench_helpers := $(patsubst bench/%.c,$(BUILD)/bench/%,$(filter-out %.bpf.c,$(wildcard bench/*.c)))
bench_skeletons := $(patsubst bench/%.bpf.c,$(BUILD)/skel/%.skel.h,$(wildcard bench/*.bpf.c))
