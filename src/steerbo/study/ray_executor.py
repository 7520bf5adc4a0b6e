"""Evaluations on a Ray cluster, through the interface of `concurrent.futures`. Needs Ray (`steerbo[ray]`).

Ray ships no executor of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor, Future
from concurrent.futures import wait as await_all
from functools import partial
from typing import Any

from ..errors import MissingExtra

# seconds after which a task is stopped once more: Ray may lose the word while a worker starts
_AGAIN = 2.0


class RayExecutor(Executor):
    """Executor of Ray tasks: ``study.run(objective, executor=RayExecutor(num_cpus=2), parallel=8)``.

    The Ray that `ray.init` has connected to is used, else one is started on this machine. Ray
    itself runs a task again whose worker was lost (``max_retries``, 3 times by default); the
    suggestion's token is then the same.

    Args:
        options: of the tasks, such as `num_cpus`, `num_gpus`, `max_retries`; see `ray.remote`.

    Raises:
        MissingExtra: Ray is not installed.
    """

    def __init__(self, **options: Any) -> None:
        try:
            import ray
        except ImportError:
            raise MissingExtra("ray", "ray") from None
        self._ray = ray
        self._task = ray.remote(**options)(_call) if options else ray.remote(_call)
        self._out: dict[Future[Any], Any] = {}

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        """Start a task."""
        reference = self._task.remote(function, arguments, named)
        future: Future[Any] = Future()
        future.set_running_or_notify_cancel()  # only `shutdown` cancels: Ray may have begun at once
        self._out[future] = reference
        reference.future().add_done_callback(partial(self._settle, future))
        return future

    def _settle(self, future: Future[Any], done: Future[Any]) -> None:
        """Set the result; of an error the function's own exception, without Ray's traceback."""
        error = done.exception()
        if error is None:
            future.set_result(done.result())
        else:
            future.set_exception(getattr(error, "cause", None) or error)
        self._out.pop(future, None)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Wait for submitted tasks, or stop them. Ray itself is left running for its owner."""
        out = dict(self._out)
        while True:
            if cancel_futures:
                for future, reference in out.items():
                    if not future.done():
                        self._ray.cancel(reference, force=True)
            if not wait or not await_all(out, timeout=_AGAIN if cancel_futures else None).not_done:
                return


def _call(function: Callable[..., Any], arguments: tuple[Any, ...], named: dict[str, Any]) -> Any:
    return function(*arguments, **named)
