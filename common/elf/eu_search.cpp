// Defines six functions of elfutils that Debian 13's static libraries call but do not contain: its
// libdw.a and libelf.a (0.192) were packaged without the archive that defines them. The libraries
// of Debian 12 (0.188) do not call them; those of sid (0.196) contain them.
//
// They are tsearch(3) with a lock around it. The Makefile names libuscope.a once more after the
// libraries, so the linker uses this file only if the functions are still undefined by then. There
// is no lock here because Debian builds elfutils without its locks, and no tool uses it in two
// threads. elfutils' structure begins with the root; this file leaves the rest of it alone.
#include <search.h>

namespace {

struct SearchTree {
    void *root;
};
using Compare = int (*)(const void *, const void *);
using FreeNode = void (*)(void *);

}  // namespace

extern "C" {

void *eu_tsearch(const void *key, SearchTree *tree, Compare compare)
{
    return tsearch(key, &tree->root, compare);
}

void *eu_tfind(const void *key, SearchTree *tree, Compare compare)
{
    return tfind(key, &tree->root, compare);
}

void *eu_tdelete(const void *key, SearchTree *tree, Compare compare)
{
    return tdelete(key, &tree->root, compare);
}

void eu_tdestroy(SearchTree *tree, FreeNode free_node)
{
    tdestroy(tree->root, free_node);
    tree->root = nullptr;
}

void eu_search_tree_init(SearchTree *tree)
{
    tree->root = nullptr;
}

void eu_search_tree_fini(SearchTree *tree, FreeNode free_node)
{
    eu_tdestroy(tree, free_node);
}
}
