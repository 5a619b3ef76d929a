"""The study: what may stand in its file, as models with their defaults.

One YAML file describes one study. Its sections are named after the notebooks; the keys of a
section are exactly the parameters that the notebook declares, plus those of the
:data:`SHARED` keys that it uses. Unknown keys are refused.
"""

from typing import Annotated, Literal

from pydantic import Field, model_validator

from posbias_kit.cluster import Compute
from posbias_kit.judge_kinds import LIVE, JudgeParams
from posbias_kit.section import Amount, Count, Section, Share, Slug, is_stored
from posbias_kit.study_analysis import Disagreement, Metrics, OrderEffect, QualityGap, Summary
from posbias_kit.study_arms import Arm, check_arms
from posbias_kit.study_plan import ORDERS, Plan, Sample
from posbias_kit.study_review import Decision, Review
from posbias_kit.table_mapping import TableMapping

LAYOUT_NAMES = (
    "fastchat_pair", "swap_columns", "arena_hard", "judgebench", "llmbar", "alpaca_eval",
    "listwise", "scores", "table",
)  # fmt: skip
"""Layouts of published judgments; each has a reader in :mod:`posbias_kit.data.layouts`."""

SHARED = (
    "run_name", "seed", "level", "draws", "families", "rs_threshold", "decision", "compute",
)  # fmt: skip
"""Keys of a study that any notebook may declare."""


def _default(section, key):
    return type(section).model_fields[key].get_default(call_default_factory=True)


def _told(section):
    """Return the keys of a section that say something else than their default."""
    return {key for key, value in section if value != _default(section, key)}


_IDLE = {  # keys of data_preparation that have no use with a format
    "paper": {"sample", "plan", "options"},
    "pilot": {"sample", "rule", "options"},
    "runs": {"benchmark", "sample", "plan", "rule", "options"},
    "verdicts": {"benchmark", "sample", "plan", "rule", "options"},
    True: {"sample", "plan", "rule"},  # of other judgments
    False: {"rule", "options"},  # of a benchmark
}


class DataPreparation(Section):
    """Questions and answers in; comparisons, orders and repeats planned; or judgments read."""

    format: Literal[
        "starter", "fastchat", "pilot", "paper", "verdicts", "runs", *LAYOUT_NAMES
    ] = "starter"  # fmt: skip
    """A benchmark (starter, fastchat), a rubric's pilot, layouts of judgments, or finished runs."""
    path: str | Annotated[list[str], Field(min_length=1)] | None = None
    """File or folder of `format`, or several; none for what comes with the kit: starter, pilot."""
    benchmark: str | None = None
    """Name in the tables; for `paper` also which part to read: MTBench or DevBench."""
    sample: Sample = Sample()
    """What to keep of the benchmark; not for recorded judgments."""
    plan: Plan = Plan()
    """Which comparisons are shown, and how often; not for recorded judgments."""
    cluster_by: str | None = None
    """Regular expression whose match in a question's id names its cluster, a project say."""
    rule: Literal["strict", "first_match"] = "strict"
    """How recorded replies are parsed; first_match is what the paper's code did."""
    mapping: TableMapping | None = None
    """What the columns of format `table` mean."""
    options: dict[str, str] = {}
    """What else the reader of `format` takes: baseline of arena_hard, stage of llmbar."""

    @property
    def reads(self):
        """Whether judgments are read, so that nobody is asked."""
        return self.format not in ("starter", "fastchat", "pilot")

    @model_validator(mode="after")
    def _check(self):
        if self.format != "pilot" and (self.format == "starter") != (self.path is None):
            needs = "takes no" if self.path else "needs"
            raise ValueError(f"format {self.format!r} {needs} `path`")
        if (self.format == "table") != (self.mapping is not None):
            raise ValueError("`mapping` says what the columns of format 'table' mean; there it is "
                             "needed, elsewhere it has no use")  # fmt: skip
        if isinstance(self.path, list) and self.format in ("fastchat", "paper"):
            raise ValueError(f"format {self.format!r} takes one `path`, not {len(self.path)}")
        idle = self.model_fields_set & _IDLE.get(self.format, _IDLE[self.reads])
        idle = {key for key in idle if getattr(self, key) != _default(self, key)}
        if idle:
            what = "reads judgments" if self.reads else "plans them anew"
            raise ValueError(f"{', '.join(sorted(idle))}: no use where {self.format!r} {what}")
        said = sorted(_told(self.plan) - {"repeats"})
        if self.format == "pilot" and said:
            raise ValueError(f"plan.{said[0]} cannot act: format 'pilot' shows its own pairs in "
                             "both orders; of `plan` it takes `repeats` alone")  # fmt: skip
        if self.format == "paper" and self.benchmark not in ("MTBench", "DevBench"):
            raise ValueError(f"benchmark {self.benchmark!r} is not MTBench or DevBench")
        return self


class Caps(Section):
    """What judging may use up in this run folder, earlier runs of the study included."""

    calls: Count | None = None
    """Attempts."""
    tokens: Count | None = None
    """Tokens, prompts and replies together."""
    money: Amount | None = None
    """Money, in the currency of the price tables."""
    confirm_above: Amount = 1.0
    """Ask before a run that may cost more than this; `posbias run --yes` does not ask."""


class Stop(Section):
    """When PC of the planned benchmark is known well enough; not about other questions."""

    rule: Literal["betting", "fixed_width"] = "betting"
    """Valid whenever one looks (betting), or cheaper and approximate (fixed_width)."""
    half_width: Annotated[float, Field(gt=0, lt=0.5)] = 0.03
    """Half of the interval's width at which to stop; its level is the study's."""
    batch: Count = 20
    """Comparisons asked between two looks, each in all orders and repeats."""
    strata: Literal["task", "cluster"] = "task"
    """Drawn from in proportion, only rule `fixed_width`; betting draws from all."""

    @model_validator(mode="after")
    def _check(self):
        if self.rule == "betting" and self.strata != "task":
            raise ValueError(f"strata {self.strata!r} cannot act with rule 'betting', which draws "
                             "from all: set `rule: fixed_width`, or leave it out")  # fmt: skip
        return self


class Judging(Section):
    """Who judges."""

    judges: Annotated[list[JudgeParams], Field(min_length=1)]
    """The judges; names must differ."""
    arms: list[Arm] = []
    """Other ways of asking the same judges about the same plan; the plain one is always asked."""
    caps: Caps = Caps()
    """What judging may use up; what is left when a cap is reached is said."""
    ask_invalid_again: bool = False
    """Ask again where a reply came back without a usable verdict; both replies are kept."""
    stop: Stop | None = None
    """Stop asking a judge by this rule; without one all that is planned is asked."""

    @model_validator(mode="after")
    def _check(self, info):
        if not is_stored(info):
            self._refuse_idle()
        names = [judge.name for judge in self.judges]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ValueError(f"judge names stand twice: {', '.join(twice)}")
        told = [judge.name for judge in self.judges if judge.kind == "recorded"]
        if self.stop and told:
            raise ValueError(f"`stop` has no use with recorded judges: {', '.join(told)}")
        sent = [judge.name for judge in self.judges if getattr(judge, "batch", False)]
        if self.stop and sent:
            raise ValueError("`stop` looks after each few comparisons, and a batch comes back as a "
                             f"whole: no `batch` for {', '.join(sent)}, or no `stop`")  # fmt: skip
        if self.stop and self.arms:
            raise ValueError("`stop` asks other comparisons in each arm, so that `arms` could not "
                             "be compared: make it a study of its own")  # fmt: skip
        check_arms(self.arms, self.judges)
        return self

    def _refuse_idle(self):
        """Refuse what acts on live judges alone, or on those whose prices are known."""
        live = [judge for judge in self.judges if isinstance(judge, LIVE)]
        free = [judge.name for judge in live if judge.kind != "local" and judge.prices is None]
        if self.caps.money is not None and free:
            raise ValueError(f"caps.money {self.caps.money:g} cannot act on {', '.join(free)}: no "
                             "`prices` are given; give them, or cap calls or tokens")  # fmt: skip
        idle = [f"caps.{key}" for key in sorted(_told(self.caps))]
        idle += ["ask_invalid_again"] * self.ask_invalid_again
        if idle and not live:
            raise ValueError(f"{', '.join(idle)} cannot act: simulated and recorded judges make no "
                             "call; leave it out, or name a live judge")  # fmt: skip


class Study(Section):
    """One study: shared keys, then one section for each notebook."""

    run_name: Slug
    """Folder under outputs/."""
    seed: int = 20240607
    """Seed of everything random."""
    level: Annotated[float, Field(gt=0, lt=1)] = 0.95
    """Level of every interval, two-sided."""
    draws: Annotated[int, Field(ge=0)] = 2000
    """Bootstrap draws; 0: stability, consistency, fairness and win rates without intervals."""
    families: dict[str, list[str]] = {}
    """Declared judge families: name -> judges."""
    rs_threshold: Share = 0.85
    """Repetition stability below this is marked unstable."""
    decision: Decision = Decision()
    compute: Compute = Compute()
    data_preparation: DataPreparation
    judging: Judging | None = None
    """Left out where `data_preparation` reads judgments: then nobody is asked."""
    metrics: Metrics = Metrics()
    quality_gap: QualityGap = QualityGap()
    disagreement: Disagreement = Disagreement()
    order_effect: OrderEffect = OrderEffect()
    review: Review = Review()
    summary: Summary = Summary()

    @model_validator(mode="after")
    def _check(self):
        reads = self.data_preparation.reads
        if reads and self.judging is not None:
            raise ValueError("`judging` has no place where data_preparation reads judgments")
        if not reads and self.judging is None:
            raise ValueError("`judging` is missing: name the judges")
        if self.summary.convention not in self.metrics.conventions:
            raise ValueError(f"summary.convention {self.summary.convention!r} is not computed: "
                             "add it to metrics.conventions")  # fmt: skip
        if self.judging and self.judging.stop and self.data_preparation.plan.orders == ORDERS[-1]:
            raise ValueError("`judging.stop` looks at consistency, which `plan.orders` "
                             f"{ORDERS[-1]!r} cannot show")  # fmt: skip
        judges = {judge.name for judge in self.judging.judges} if self.judging else None
        unknown = set(self.decision.judges or ()) - (judges or set())
        if judges is not None and unknown:
            raise ValueError(f"decision.judges: {sorted(unknown)}, judges are {sorted(judges)}")
        for section in ("metrics", "order_effect"):
            baseline = getattr(self, section).baseline
            if judges is not None and baseline not in {None, *judges}:
                raise ValueError(f"{section}.baseline is {baseline!r}, judges: {sorted(judges)}")
        named = {judge for members in self.families.values() for judge in members}
        if judges is not None and named - judges:
            raise ValueError(f"families name {sorted(named - judges)}, judges are {sorted(judges)}")
        return self
