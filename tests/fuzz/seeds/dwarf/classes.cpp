// Classes and functions whose debug information is a seed of dwarf_fuzz.
namespace ns {

struct Base {
    int x;
};

struct Thing : Base {
    enum class E : char { A = 1 };
    Thing *next;
    virtual ~Thing() = default;
    int f(E e, const int &a) { return x + static_cast<int>(e) + a; }
};

int g(Thing &t, Base *b)
{
    return t.f(Thing::E::A, b->x);
}

}  // namespace ns
