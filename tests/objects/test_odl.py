"""ODL: what it declares, and every way it can be wrong, with the place."""

from __future__ import annotations

import json

import pytest
from tests.objects.schemas import COMPANY, SHAPES, TYPES

import belvedere as bv
from belvedere.languages.odl import declare
from belvedere.objects.document import read_model, write_model
from belvedere.objects.model import Backwards, InColumn, Linked, ObjectModel
from belvedere.objects.types import PRIMITIVES, CollectionType, DictionaryType, Enum, Ref, StructType


def model_of(text: str, *taken: str) -> ObjectModel:
    return declare(text, ObjectModel(), lambda n: "table" if n.lower() in taken else None)


def test_the_papers_schema() -> None:
    m = model_of(COMPANY)
    assert list(m.classes) == ["person", "department", "employee"]
    assert m.above("employee") == ("employee", "person")
    assert m.below("person") == ("person", "employee")
    assert [p.name for p in m.properties("employee")] == ["name", "age", "address", "salary", "dependents", "dept", "manager"]
    assert m.by_extent("Employees") == m.classes["employee"]
    columns = "oid bigint, name string, age int, address string, salary bigint, dept bigint, manager bigint"
    assert str(m.schema("employee")) == columns
    storage = {p.name: p.storage for p in m.properties("employee")}
    assert storage["dept"] == InColumn("dept")
    assert storage["dependents"] == Linked("employee.dependents", "owner", "member", False)
    found = m.find("department", "employees")
    assert found is not None
    assert found.storage == Backwards("employee", "Employees", "dept")


def test_every_type() -> None:
    m = model_of(TYPES)
    types = {p.name: p.type for p in m.properties("thing")}
    colour = Enum("Colour", ("red", "green", "blue"))
    address = StructType((("street", PRIMITIVES["string"]), ("city", PRIMITIVES["string"]), ("door", colour)))
    assert types["a_ushort"] == PRIMITIVES["unsigned short"]
    assert types["a_longlong"] == PRIMITIVES["long long"]
    assert types["colour"] == colour
    assert types["size"] == m.types["Size"] == Enum("Size", ("small", "large"))
    assert types["a_set"] == CollectionType("set", PRIMITIVES["long"])
    assert types["a_list"] == CollectionType("list", address)
    assert types["a_dictionary"] == DictionaryType(PRIMITIVES["string"], PRIMITIVES["long"])
    assert types["nested"] == CollectionType("set", CollectionType("set", PRIMITIVES["long"]))
    assert types["named"] == DictionaryType(PRIMITIVES["string"], Ref("thing"))
    assert m.classes["thing"].keys == (("id",), ("code", "colour"))
    assert m.constants["MOST"] == (PRIMITIVES["long"], 40)
    assert m.constants["BEST"] == (colour, "green")
    assert m.constants["GREETING"][1] == 'say "hello"'
    found = m.find("thing", "born")
    assert found is not None
    assert found.readonly


def test_where_relationships_are_kept() -> None:
    m = model_of(SHAPES)
    kept = {f"{c.name}.{p.name}": p.storage for c in m.classes.values() for p in c.own}
    assert kept["a.twin"] == InColumn("twin")
    assert kept["a.friends"] == Linked("a.friends", "owner", "member", False)
    assert kept["b.children"] == Backwards("a", "As", "parent")
    assert kept["a.keeper"] == InColumn("keeper")
    assert kept["b.kept"] == Linked("b.kept", "owner", "member", True)
    assert kept["a.many"] == Linked("a.many", "owner", "member", False)
    assert kept["b.many"] == Linked("a.many", "member", "owner", False)
    assert kept["a.ordered"] == Linked("a.ordered", "owner", "member", True)
    assert kept["b.unordered"] == Linked("b.unordered", "owner", "member", False)
    assert kept["a.left"] == Linked("a.left", "owner", "member", True)
    assert kept["b.right"] == Linked("b.right", "owner", "member", True)


@pytest.mark.parametrize("text", [COMPANY, TYPES, SHAPES])
def test_the_document_says_it_all(text: str) -> None:
    m = model_of(text)
    assert read_model(json.loads(json.dumps(write_model(m)))) == m


def test_several_parents_and_a_class_without_an_extent() -> None:
    m = model_of("class a { attribute long x; }; class b { attribute long y; }; class c extends a : b (extent Cs) {};")
    assert m.classes["a"].table == "a"
    assert m.above("c") == ("c", "a", "b")
    assert [p.name for p in m.properties("c")] == ["y", "x"]


def test_a_diamond_inherits_once() -> None:
    m = model_of("class a { attribute long x; }; class b extends a {}; class c extends a {}; class d extends b : c {};")
    assert [p.name for p in m.properties("d")] == ["x"]


def test_a_text_may_use_the_classes_before_it() -> None:
    before = model_of(COMPANY)
    after = declare("class boss extends employee (extent Bosses) { attribute person idol; };", before, lambda n: None)
    assert after.above("boss") == ("boss", "employee", "person")
    assert after.classes["boss"].number == 4


def test_an_attribute_may_be_called_like_a_word_of_odl() -> None:
    m = model_of("class a (extent As key key) { attribute date date; attribute long key; attribute time extent; };")
    assert [p.name for p in m.properties("a")] == ["date", "key", "extent"]


TWO = "class a (extent As) {{ {0} }};\nclass b (extent Bs) {{ {1} }};"
WRONG: list[tuple[str, type[bv.ParseError], str, int, int]] = [
    ("class a { attribute longg x; };", bv.UnknownName, "no class or type 'longg'; did you mean 'long", 1, 21),
    ("class person {}; class a { attribute persn x; };", bv.UnknownName, "did you mean 'person'", 1, 38),
    ("class a extends b {};", bv.UnknownName, "no class 'b' to extend", 1, 17),
    ("class a extends b {};\nclass b extends c {};\nclass c extends a {};", bv.ParseError, "itself: a → b → c → a", 3, 17),
    ("class a extends a {};", bv.ParseError, "'a' extends itself", 1, 17),
    ("class a {};\nclass a {};", bv.ParseError, "there is a class 'a' already", 2, 7),
    ("class a { attribute long x; attribute string x; };", bv.ParseError, "property 'x' is in the class a twice", 1, 46),
    ("class a { attribute long x; attribute string X; };", bv.ParseError, "SQL does not tell 'x' from 'X'", 1, 46),
    ("class a { attribute long x; };\nclass b extends a { attribute long x; };", bv.ParseError, "inherits 'x' from a", 2, 36),
    ("class a { attribute long x; }; class b { attribute long x; };\nclass c extends a : b {};", bv.ParseError,
     "inherits 'x' from", 2, 7),
    ("class a { attribute long oid; };", bv.ParseError, "kept for inner use", 1, 26),
    ("class a (extent orders) {};", bv.ParseError, "extent 'orders' is called like a table", 1, 17),
    ("class orders {};", bv.ParseError, "class 'orders' is called like a table; give the class an extent", 1, 7),
    ("class a (extent Xs) {};\nclass b (extent xs) {};", bv.ParseError, "called like the extent of class a", 2, 17),
    ("class a (extent As key nme) { attribute string name; };", bv.UnknownName, "for its key; did you mean 'name'", 1, 24),
    ("class a (extent As keys x, (x, y)) { attribute long x; };", bv.UnknownName, "no attribute 'y'", 1, 32),
    ("class a (extent As key x) { attribute set<long> x; };", bv.TypeMismatch, "a key consists of single values", 1, 24),
    (TWO.format("relationship c x inverse c::y;", ""), bv.UnknownName, "there is no class 'c'", 1, 36),
    (TWO.format("relationship b x inverse c::y;", ""), bv.UnknownName, "inverse of a::x: there is no class 'c'", 1, 48),
    (TWO.format("relationship b x inverse b::y;", ""), bv.UnknownName, "class b has no relationship 'y'", 1, 51),
    (TWO.format("relationship b x inverse b::yy;", "relationship a y inverse a::x;"), bv.UnknownName, "did you mean 'y'", 1, 51),
    (TWO.format("relationship b x inverse b::y;", "attribute a y;"), bv.TypeMismatch, "b::y is an attribute", 1, 51),
    (TWO.format("relationship b x inverse a::x;", ""), bv.TypeMismatch, "must be a relationship of b", 1, 48),
    (TWO.format("relationship b x inverse b::y;", "relationship b y inverse b::y;"), bv.TypeMismatch,
     "b::y leads to b, not to a", 1, 51),
    (TWO.format("relationship b x inverse b::y; relationship b z inverse b::y;", "relationship a y inverse a::x;"),
     bv.TypeMismatch, "a::z names b::y as its inverse, but b::y names a::x", 1, 82),
    ("struct s { long x; t y; };\nstruct t { s z; };", bv.ParseError, "holds itself: s → t → s", 2, 12),
    ("struct s { long x; long x; };", bv.ParseError, "the field 'x' is in the struct twice", 1, 25),
    ("enum e { a, b, a };", bv.ParseError, "the word 'a' is in the enum twice", 1, 16),
    ("typedef lonng n;", bv.UnknownName, "did you mean 'long'", 1, 9),
    ("typedef long string;", bv.ParseError, "a type of ODL's own", 1, 14),
    ("const short n = 70000;", bv.TypeMismatch, "70000 is not a short", 1, 17),
    ("const octet n = -1;", bv.TypeMismatch, "-1 is not a octet", 1, 17),
    ("const char c = 'ab';", bv.TypeMismatch, "give one character", 1, 16),
    ("const long n = m;", bv.UnknownName, "no constant 'm'", 1, 16),
    ("enum e { a, b };\nconst e n = c;", bv.UnknownName, "no constant 'c'", 2, 13),
    ("const set<long> n = 1;", bv.TypeMismatch, "a constant is", 1, 21),
    ("class a { attribute dictionary<set<long>, long> x; };", bv.TypeMismatch, "keys of a dictionary", 1, 21),
    ("class a { attribute set<dictionary<long, long>> x; };", bv.Unsupported, "cannot be compared", 1, 21),
    ("class a { attribute unsigned double x; };", bv.ParseError, "short or long", 1, 30),
    ("class a { attribute unsigned long long x; };", bv.ParseError, "short or long, once", 1, 35),
    ("class a { attribute long x }", bv.ParseError, "';' after a member is expected, and here is '}'", 1, 28),
    ("class a { atribute long x; };", bv.ParseError, "did you mean 'attribute'", 1, 11),
    ("class a { readonly relationship a x inverse a::x; };", bv.ParseError, "attribute is expected", 1, 20),
    ("class a { relationship array<a> x inverse a::x; };", bv.ParseError, "a class, or set, bag or list", 1, 24),
    ("class a { relationship a x; };", bv.ParseError, "'inverse' after relationship x", 1, 27),
    ("clas a {};", bv.ParseError, "did you mean 'class'", 1, 1),
    ("class {};", bv.ParseError, "the class's name is expected", 1, 7),
    ("class a (extnt As) {};", bv.ParseError, "did you mean 'extent'", 1, 10),
    ("class a {", bv.ParseError, "the end of the text", 1, 10),
    ("class a { attribute set<long x; };", bv.ParseError, "'>'", 1, 30),
    ("class a { attribute struct { } x; };", bv.ParseError, "a struct needs a field", 1, 21),
    ("struct { long x; };", bv.ParseError, "needs a name here", 1, 1),
    ("class a {}; /* so", bv.ParseError, "a comment that does not end", 1, 13),
    ("const string s = \"x;", bv.ParseError, "a text that does not end", 1, 18),
    ("class a { attribute long x; @ };", bv.ParseError, "'@' has no meaning", 1, 29),
]  # fmt: skip


@pytest.mark.parametrize(("text", "kind", "said", "line", "column"), WRONG, ids=[str(i) for i in range(len(WRONG))])
def test_every_way_to_be_wrong(text: str, kind: type[bv.ParseError], said: str, line: int, column: int) -> None:
    with pytest.raises(kind) as caught:
        model_of(text, "orders")
    assert said in str(caught.value)
    assert (caught.value.line, caught.value.column) == (line, column), str(caught.value)


def test_an_inverse_on_an_earlier_class_must_be_there_already() -> None:
    with pytest.raises(bv.UnknownName, match="class person has no relationship 'pets'"):
        declare("class pet { relationship person owner inverse person::pets; };", model_of(COMPANY), lambda n: None)


def test_what_was_declared_before_is_not_declared_again() -> None:
    with pytest.raises(bv.ParseError, match="there is a class 'person' already"):
        declare("class person {};", model_of(COMPANY), lambda n: None)


def test_the_class_of_the_inverse_is_the_one_that_defines_it() -> None:
    text = "class a { relationship b x inverse b::y; }; class b { relationship a y inverse a::x; };"
    with pytest.raises(bv.TypeMismatch, match="'y' is defined in b"):
        model_of(text + "class c extends b {}; class d { relationship c z inverse c::y; };")
