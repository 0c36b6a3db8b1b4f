# Installation.

installed = $(NAME_PREFIX)$(1)$(NAME_SUFFIX)
share := $(DESTDIR)$(PREFIX)/share
ZSH_COMPLETIONS ?= $(PREFIX)/share/zsh/site-functions
# All tools, and the aliases for them.
aliases := $(shell while read -r alias tool options; do [ ! -e "tools/$$tool.cpp" ] || echo "$$alias"; done <tools/aliases)
installed_names = $(foreach name,$(notdir $(tools)) $(aliases),$(call installed,$(name)))
.PHONY: install
install: $(BUILD)/bin/uscope  ## install into PREFIX=/usr/local (DESTDIR= NAME_PREFIX= NAME_SUFFIX=)
	install -d $(DESTDIR)$(PREFIX)/bin $(share)/man/man1 $(share)/man/man7 $(share)/doc/uscope
	install -m 755 $(BUILD)/bin/uscope $(DESTDIR)$(PREFIX)/bin/uscope
	$(call install_pages,uscope,uscope)
	$(foreach page,$(wildcard man/*.7),$(call install_page,$(page),man7/$(notdir $(page))))
	$(foreach tool,$(notdir $(tools)),$(call install_tool,$(tool),$(call installed,$(tool))))
	while read -r alias tool options; do \
	    [ ! -e "tools/$$tool.cpp" ] || scripts/install-alias '$(DESTDIR)$(PREFIX)' \
	        "$(call installed,$$alias)" "$(call installed,$$tool)" || exit 1; \
	done <tools/aliases
	scripts/install-completions '$(share)' '$(DESTDIR)$(ZSH_COMPLETIONS)' uscope $(call installed_names)
	install -d $(share)/doc/uscope/docs/pictures
	install -m 644 README.md HACKING.md SECURITY.md CHANGELOG.md LICENSE $(share)/doc/uscope
	install -m 644 docs/*.md $(share)/doc/uscope/docs
	install -m 644 docs/pictures/*.svg $(share)/doc/uscope/docs/pictures
	packaging/systemd/make-units $(PREFIX)/bin $(share)/doc/uscope/examples/systemd
	install -d $(share)/doc/uscope/examples/kubernetes
	install -m 644 packaging/kubernetes/uscope.yaml $(share)/doc/uscope/examples/kubernetes
	install -d $(share)/doc/uscope/examples/grafana
	install -m 644 packaging/grafana/uscope.json $(share)/doc/uscope/examples/grafana

define install_tool
ln -sf uscope $(DESTDIR)$(PREFIX)/bin/$(2)
$(call install_pages,$(1),$(2))

endef

define install_pages
$(if $(wildcard man/$(1).1),$(call install_page,man/$(1).1,man1/$(2).1))
endef

define install_page
scripts/install-man $(1) $(share)/man/$(2) '$(NAME_PREFIX)' '$(NAME_SUFFIX)' $(notdir $(tools))

endef
