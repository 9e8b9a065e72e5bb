"""Collections as immutable runs of weighted rows; epochs, time travel, compaction and Iceberg."""

from belvedere.store.commit import Commit
from belvedere.store.maintain import Merger
from belvedere.store.model import Collection, Run
from belvedere.store.store import Store

__all__ = ["Collection", "Commit", "Merger", "Run", "Store"]
