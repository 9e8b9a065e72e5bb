"""Plans of the same shape, worked off as one: what differs between them becomes rows."""

from belvedere.engines.alike.lift import CONSTANTS, MEMBER, NotAlike, constant_name, leaf_name, liftable, lifted
from belvedere.engines.alike.skeleton import Skeleton, skeleton

__all__ = [
    "CONSTANTS",
    "MEMBER",
    "NotAlike",
    "Skeleton",
    "constant_name",
    "leaf_name",
    "liftable",
    "lifted",
    "skeleton",
]
