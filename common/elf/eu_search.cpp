// Defines six functions of elfutils that the static libraries of Debian 13 call but do not contain:
// Debian packaged libdw.a and libelf.a 0.192 without the archive that defines them. The libraries
// of Debian 12 (0.188) do not call them; those of Debian sid (0.196) contain them.
//
// The functions of elfutils are those of tsearch(3) with a lock around them. In the Makefile,
// libuscope.a follows these libraries once more, so the linker takes this file only if the
// functions are still undefined then. The functions here have no lock, because Debian builds
// elfutils without locks, and no tool uses elfutils in two threads. The structure that elfutils
// passes begins with the root of the tree; these functions do not use the rest of it.
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
