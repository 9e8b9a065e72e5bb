"""Schemas that several tests share."""

from __future__ import annotations

COMPANY = """
class person (extent Persons) {
  attribute string name;
  attribute unsigned short age;
  attribute string address;
};
class department (extent Departments) {
  attribute string name;
  attribute string address;
  relationship set<employee> employees inverse employee::dept;
};
class employee extends person (extent Employees) {
  attribute unsigned long salary;
  attribute set<person> dependents;
  relationship department dept inverse department::employees;
  attribute employee manager;
};
"""

TYPES = """
// every type of ODL, once
enum Colour { red, green, blue };
struct Address { string street, city; Colour door; };
typedef long Number, Count;
typedef set<Number> Numbers;
const long LIMIT = 40;
const Count MOST = LIMIT;
const Colour BEST = green;
const string GREETING = "say \\"hello\\"";
class thing (extent Things keys id, (code, colour)) {
  attribute long id;
  attribute short a_short;
  attribute unsigned short a_ushort;
  attribute unsigned long a_ulong;
  attribute long long a_longlong;
  attribute float a_float;
  attribute double a_double;
  attribute boolean a_boolean;
  attribute char a_char;
  attribute octet an_octet;
  attribute string code;
  attribute date a_date;
  attribute time a_time;
  attribute interval an_interval;
  attribute timestamp a_timestamp;
  attribute Colour colour;
  attribute enum Size { small, large } size;
  attribute Address address;
  attribute struct Spot { double x; double y; } spot;
  attribute Numbers a_set;
  attribute bag<string> a_bag;
  attribute list<Address> a_list;
  attribute array<double> an_array;
  attribute dictionary<string, long> a_dictionary;
  attribute set<set<long>> nested;
  readonly attribute string born;
  attribute thing other;
  attribute list<thing> others;
  attribute dictionary<string, thing> named;
  attribute struct Pair { thing left; thing right; } pair;
};
"""

#: every shape of a relationship, with itself as the other side too
SHAPES = """
class a (extent As) {
  attribute string name;
  relationship a twin inverse a::twin;
  relationship set<a> friends inverse a::friends;
  relationship b one inverse b::one;
  relationship b parent inverse b::children;
  relationship b keeper inverse b::kept;
  relationship set<b> many inverse b::many;
  relationship list<b> ordered inverse b::unordered;
  relationship list<b> left inverse b::right;
  attribute bag<b> several;
};
class b (extent Bs) {
  attribute string name;
  relationship a one inverse a::one;
  relationship set<a> children inverse a::parent;
  relationship list<a> kept inverse a::keeper;
  relationship bag<a> many inverse a::many;
  relationship set<a> unordered inverse a::ordered;
  relationship list<a> right inverse a::left;
};
class c extends a (extent Cs) { attribute long n; };
"""
