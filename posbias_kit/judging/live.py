"""Live judges: models that are asked, with the log between them and the verdict table."""

import copy
import zlib
from contextlib import contextmanager
from pathlib import Path

import pandas as pd

from posbias_kit.judge_kinds import AnthropicParams, LocalParams, OpenAIParams
from posbias_kit.judging.ask import Call
from posbias_kit.judging.budget import estimate_tokens, price
from posbias_kit.judging.local import serve
from posbias_kit.judging.log_table import Totals, identify_call
from posbias_kit.judging.prompts import load_template
from posbias_kit.judging.protocol import Usage
from posbias_kit.schema import Status
from posbias_kit.study_arms import PLAIN

_ALONE = "points"
"""Template of arms that show one answer alone."""
_OUTPUT = 1024
"""Tokens a reply may have where no limit is sent."""


class LiveJudge:
    """A model that is asked over the network.

    Parameters
    ----------
    params : OpenAIParams, AnthropicParams or LocalParams
    seed : int
        Of the order of the calls.
    template : posbias_kit.judging.prompts.Template, optional
        By default the one that the arm names, or the params.
    arm : posbias_kit.study_arms.Arm
        How it is asked.
    """

    def __init__(self, params, seed=0, template=None, arm=PLAIN):
        self.name, self.params, self.arm = params.name, params, arm
        self.seed = [seed, zlib.crc32(params.name.encode())]
        self._hosted = _hosted(params) if isinstance(params, LocalParams) else params
        named = arm.template or (_ALONE if arm.scale else params.template)
        self.template = template or load_template(named, arm)
        self.settings = self._client().configure(self._hosted)
        if getattr(params, "labels", "plain") != "plain":
            self.settings["labels"] = params.labels
        if isinstance(params, LocalParams):
            self.settings["context"] = params.context

    def _client(self):
        if isinstance(self.params, AnthropicParams):
            from posbias_kit.judging.anthropic_client import AnthropicClient

            return AnthropicClient
        from posbias_kit.judging.openai_client import OpenAIClient

        return OpenAIClient

    def connect(self):
        """Return an adapter to each endpoint; the key is read here, not before."""
        urls = self._hosted.base_url
        urls = urls if isinstance(urls, list) else [urls]
        told = [self._hosted.model_copy(update={"base_url": url}) for url in urls]
        return [self._client()(params) for params in told]

    @property
    def has_own_endpoint(self):
        """Whether each worker of a cluster asks an endpoint of its own."""
        local = isinstance(self.params, LocalParams)
        return local or self.params.base_url_env is not None

    @contextmanager
    def served(self, orders=2):
        """Run the endpoint meanwhile, where it is this machine's own; it keeps so many prompts."""
        if not isinstance(self.params, LocalParams):
            yield
            return
        told = {"threads": self.params.threads, "context": self.params.context}
        told["parallel"] = orders
        with serve(self.params.model, **told) as url:
            self._hosted = self._hosted.model_copy(update={"base_url": url})
            yield

    def narrowed(self, flight):
        """Return the same judge with `flight` of its calls in flight, and as much of its rates."""
        limits = self.params.limits
        rates = {"requests_per_minute": limits.requests_per_minute,
                 "tokens_per_minute": limits.tokens_per_minute}  # fmt: skip
        part = flight / limits.concurrency
        told = {name: rate and rate * part for name, rate in rates.items()}
        limits = limits.model_copy(update={"concurrency": flight, **told})
        judge = copy.copy(self)
        judge.params = self.params.model_copy(update={"limits": limits})
        return judge

    def identify(self, shown):
        """Return the identity of each planned call: (row, repeat) -> key."""
        keys = shown.identities.get(self.name)
        if keys is not None:
            return keys
        keys = shown.identities[self.name] = {}
        for row, repeats in enumerate(shown.repeats):
            digest = shown.render(self.template, row).digest
            for repeat in range(1, repeats + 1):
                keys[row, repeat] = identify_call(
                    self.name, self.settings, digest, shown.keys[row], repeat
                )
        return keys

    def open_calls(self, shown, keys, states, again=False, drawn=None):
        """Yield the series that have calls without a reply, each as a list of Call.

        Parameters
        ----------
        shown : Shown
        keys : dict
            From :meth:`identify`.
        states : dict
            What the log knows.
        again : bool
            Ask also where there was a reply without a usable verdict.
        drawn : iterable of list of (row, repeat), optional
            The series to ask; by default all, in a seeded random order.
        """
        for series in shown.series(self.seed) if drawn is None else drawn:
            calls = []
            for row, repeat in series:
                state = states.get(keys[row, repeat])
                if not is_done(state, again):
                    prompt = shown.render(self.template, row)
                    calls.append(
                        Call(keys[row, repeat], prompt, shown.keys[row], shown.shown[row], repeat,
                             state.attempts if state else 0, self.most(prompt))
                    )  # fmt: skip
            if calls:
                yield calls

    def collect(self, shown, states):
        """Return the calls of this judge as the log has them.

        Returns
        -------
        DataFrame
            One row a call that was made: row (position among the presentations), repeat, status,
            reason, choice, margin.
        """
        keys = self.identify(shown)
        rows = [(*at, *states[key][:4]) for at, key in keys.items() if key in states]
        columns = ["row", "repeat", "status", "reason", "choice", "margin"]
        return pd.DataFrame(rows, columns=columns).astype({"choice": "Int64", "margin": float})

    def most(self, prompt):
        """Return what one call may use up: calls, tokens, money."""
        usage = Usage(estimate_tokens(prompt), 0, self.most_written)
        tokens = usage.input + usage.output
        return Totals(1, tokens, self._price(usage) or 0.0)

    def _price(self, usage):
        return price(usage, self.params.prices, self.params.batching is not None)

    @property
    def most_written(self):
        """Tokens that a reply may have."""
        return self.params.max_tokens or _OUTPUT


def is_done(state, again=False):
    """Tell whether a call needs no more asking.

    Examples
    --------
    >>> from posbias_kit.judging.log_table import State
    >>> is_done(None), is_done(State("invalid", "empty", None, None, 1))
    (False, True)
    """
    return state is not None and state.status in (
        {Status.OK} if again else {Status.OK, Status.INVALID}
    )


def _hosted(params):
    """Return a local judge as what its server speaks."""
    told = params.model_dump(exclude={"kind", "threads", "context", "model"})
    model = Path(params.model).name
    return OpenAIParams.model_validate(told | {"kind": "openai", "model": model, "key_env": None})
