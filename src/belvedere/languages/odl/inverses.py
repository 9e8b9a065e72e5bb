"""Do the two sides of a relationship name each other?"""

from __future__ import annotations

from belvedere.errors import TypeMismatch, UnknownName, suggest
from belvedere.languages.odl.scope import Scope
from belvedere.languages.odl.syntax import ClassSyntax, RelationshipSyntax
from belvedere.objects.model import ObjectModel


def check_inverse(scope: Scope, model: ObjectModel, written: ClassSyntax, r: RelationshipSyntax) -> None:
    """`written::r` must lead to the class that holds its inverse, and the inverse back to `written`, by name."""
    here, there = f"{written.name.text}::{r.name.text}", f"{r.inverse_class.text}::{r.inverse.text}"
    if r.inverse_class.text not in model.classes:
        known = sorted(model.classes)
        message = f"the inverse of {here}: there is no class '{r.inverse_class.text}'{suggest(r.inverse_class.text, known)}"
        raise scope.error(UnknownName, message, r.inverse_class)
    if r.inverse_class.text != r.target.text:
        message = f"{here} leads to {r.target.text}, so its inverse must be a relationship of {r.target.text}, not {there}"
        raise scope.error(TypeMismatch, message, r.inverse_class)
    other = next((p for p in model.classes[r.inverse_class.text].own if p.name == r.inverse.text), None)
    if other is None:
        inherited = model.find(r.inverse_class.text, r.inverse.text)
        if inherited is not None:
            message = f"the inverse of {here}: '{r.inverse.text}' is defined in {inherited.cls}; relate it to that class"
            raise scope.error(TypeMismatch, message, r.inverse)
        known = [p.name for p in model.classes[r.inverse_class.text].own if p.inverse]
        message = f"the inverse of {here}: class {r.inverse_class.text} has no relationship '{r.inverse.text}'"
        raise scope.error(UnknownName, message + suggest(r.inverse.text, known), r.inverse)
    if other.inverse is None:
        message = f"the inverse of {here}: {there} is an attribute; declare it as a relationship with inverse {here}"
        raise scope.error(TypeMismatch, message, r.inverse)
    if other.target != written.name.text:
        message = f"the inverse of {here}: {there} leads to {other.target}, not to {written.name.text}"
        raise scope.error(TypeMismatch, message, r.inverse)
    if other.inverse != (written.name.text, r.name.text):
        said = "::".join(other.inverse)
        raise scope.error(TypeMismatch, f"{here} names {there} as its inverse, but {there} names {said}", r.inverse)
