# Releases: the source archive, an archive with the static program for each architecture, their
# bills of materials and checksums, in $(BUILD)/dist. SOURCE_DATE_EPOCH sets the time of all files;
# the default is the last commit's, or that of the archive from which the tree was unpacked.

dist := $(BUILD)/dist
epoch = $(or $(SOURCE_DATE_EPOCH),$(shell [ -e .git ] && git log -1 --format=%ct || stat -c %Y VERSION))
.PHONY: dist dist-source dist-binary dist-arm64 dist-sums
dist: dist-source dist-binary $(if $(filter x86_64,$(ARCH)),dist-arm64)  ## write the release's archives for x86-64 and arm64 to build/dist
	+$(q)$(MAKE) -s --no-print-directory dist-sums
dist-sums:
	$(call say,DIST,$(dist)/SHA256SUMS)
	$(q)cd $(dist) && sha256sum $(sort $(notdir $(wildcard $(dist)/uscope-$(VERSION).tar.xz $(dist)/uscope-$(VERSION)-*))) >SHA256SUMS
dist-source:  ## write the archive of the sources to build/dist
	$(call say,DIST,$(dist)/uscope-$(VERSION).tar.xz)
	$(q)scripts/dist-source '$(BUILD)' $(epoch) $(dist)/uscope-$(VERSION).tar.xz
dist-binary: $(tools)  ## write the archive of the static program to build/dist
	$(if $(static)$(sanitize),,$(error the archive holds a static program: make it without STATIC=0))
	$(q)rm -rf $(BUILD)/stage
	+$(q)$(MAKE) -s --no-print-directory install DESTDIR=$(BUILD)/stage PREFIX=
	$(call say,DIST,$(dist)/uscope-$(VERSION)-linux-$(ARCH).tar.xz)
	$(q)scripts/dist-binary $(BUILD)/stage $(BUILD)/uscope.map $(epoch) $(dist)/uscope-$(VERSION)-linux-$(ARCH)
dist-arm64:
	$(need_cross)
	$(q)tests/kernels/arm64-libraries '$(BUILD)'
	$(again) $(call for_arm64,$(BUILD)/arm64-release,) dist='$(dist)' SOURCE_DATE_EPOCH=$(epoch) dist-binary

.PHONY: site
site:  ## make a static site of README.md and docs/ in build/site
	$(call say,SITE,$(BUILD)/site)
	$(q)scripts/site '$(BUILD)'
