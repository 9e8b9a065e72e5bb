"""The object model as the catalog has it, read again only when it has changed."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from belvedere.objects.document import read_model, write_model
from belvedere.objects.model import ObjectModel
from belvedere.store.store import Store

KIND = "odl"
MODEL = "model"
"""The document of the catalog that holds the object model."""


class ModelCache:
    """The model at one epoch, or as a transaction has declared it."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._epoch = -1
        self._declared = False
        self._document: dict[str, Any] | None = None
        self._value = ObjectModel()
        self._fingerprint: str | None = None

    def copy(self) -> ModelCache:
        """For a reader that may look at another epoch."""
        other = ModelCache(self._store)
        other._epoch, other._declared = self._epoch, self._declared
        other._document, other._value, other._fingerprint = self._document, self._value, self._fingerprint
        return other

    def at(self, epoch: int) -> ObjectModel:
        if not self._declared and epoch != self._epoch:
            document = self._store.doc(KIND, MODEL, epoch)
            if document != self._document:
                self._keep(document, read_model(document) if document else ObjectModel())
            self._epoch = epoch
        return self._value

    def declared(self, model: ObjectModel) -> None:
        """What a transaction sees from now on."""
        self._keep(write_model(model), model)
        self._declared = True

    def _keep(self, document: dict[str, Any] | None, model: ObjectModel) -> None:
        self._document, self._value, self._fingerprint = document, model, None

    @property
    def fingerprint(self) -> str:
        """Changes when any class does."""
        if self._fingerprint is None:
            self._fingerprint = hashlib.sha256(json.dumps(self._document, sort_keys=True).encode()).hexdigest()
        return self._fingerprint
