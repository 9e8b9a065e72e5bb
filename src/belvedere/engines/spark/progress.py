"""How far a job has come, told while it runs."""

from __future__ import annotations

from collections.abc import Callable
from threading import Thread
from typing import TYPE_CHECKING, TypeVar
from uuid import uuid4

if TYPE_CHECKING:
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

T = TypeVar("T")

#: seconds between two looks
LOOK = 0.25


def watched(
    session: SparkSession, context: SparkContext | None, work: Callable[[], T], tasks: int, progress: Callable[[float], None]
) -> T:
    """Do the work, in another thread, and tell `progress`, in this one, the share of its first `tasks` tasks that are over. Spark
    Connect tells nothing meanwhile."""
    if context is None:
        return work()
    from pyspark import InheritableThread

    token = f"belvedere-{uuid4().hex}"
    done: list[T] = []
    failed: list[BaseException] = []

    def run() -> None:
        try:
            context.setJobGroup(token, "belvedere: first load")
            done.append(work())
        except BaseException as e:
            failed.append(e)

    thread = InheritableThread(target=run, session=session, name="belvedere-load")
    thread.start()
    told = 0
    try:
        while thread.is_alive():
            thread.join(LOOK)
            over = _over(context, token, tasks)
            if over > told:
                told = over
                progress(told / tasks)
    except BaseException:
        _stop(context, token, thread)
        raise
    if failed:
        raise failed[0]
    return done[0]


def _stop(context: SparkContext, token: str, thread: Thread) -> None:
    """Nobody wants it any more: when this is over nothing is written, and nothing is read at the source. The work may have
    several jobs, and the next one may begin at any moment."""
    while thread.is_alive():
        context.cancelJobGroup(token)
        thread.join(LOOK)


def _over(context: SparkContext, token: str, tasks: int) -> int:
    """Finished tasks of the group's first stage."""
    tracker = context.statusTracker()
    stages = sorted(s for j in tracker.getJobIdsForGroup(token) for s in getattr(tracker.getJobInfo(j), "stageIds", ()))
    infos = [i for i in map(tracker.getStageInfo, stages) if i is not None and i.numTasks == tasks]
    return infos[0].numCompletedTasks if infos else 0
