"""Lorel text → algebra over the tables of graphs; updates and OEM text → trees."""

from belvedere.languages.lorel.binding import bind
from belvedere.languages.lorel.bound import LONG, LorelBound
from belvedere.languages.lorel.catalog import OemNames
from belvedere.languages.lorel.constants import Constant, satisfies
from belvedere.languages.lorel.oem_text import OemTree, parse_oem
from belvedere.languages.lorel.parser import is_update, parse_query, parse_update, parse_view
from belvedere.languages.lorel.spec import Spec
from belvedere.languages.lorel.updates import UpdateBound, bind_update

__all__ = [
    "LONG",
    "Constant",
    "LorelBound",
    "OemNames",
    "OemTree",
    "Spec",
    "UpdateBound",
    "bind",
    "bind_update",
    "is_update",
    "parse_oem",
    "parse_query",
    "parse_update",
    "parse_view",
    "satisfies",
]
