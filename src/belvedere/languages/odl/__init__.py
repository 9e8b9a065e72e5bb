"""ODL text → the object model, with errors that point into the text."""

from __future__ import annotations

from belvedere.languages.odl.classes import declare

__all__ = ["declare"]
