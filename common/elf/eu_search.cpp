// Stands in for six functions of elfutils that Debian 13's static libraries call and do not have:
// its libdw.a and libelf.a (0.192) were packaged without the archive that defines them. Those of
// Debian 12 (0.188) do not call them, those of sid (0.196) have them.
//
// They are tsearch(3) with a lock around it. The Makefile names libuscope.a once more behind the
// libraries: the linker takes this file only where something is still missing by then. Debian
// builds elfutils without its locks, and no tool uses it in two threads: so there is no lock here
// either. elfutils' structure begins with the root, and what follows that is left alone.
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
