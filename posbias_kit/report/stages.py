"""The stages of a study: which notebook each one runs, and what it needs."""

from dataclasses import dataclass, replace

from posbias_kit.errors import ParamsError


@dataclass(frozen=True)
class Stage:
    """One notebook of the chain."""

    name: str
    """Its name on the command line, and of its section in a study."""
    notebook: str
    """File in notebooks/."""
    needs: tuple[str, ...] = ()
    """Stages whose results it reads."""
    timeout: int | None = 1800
    """Seconds one cell may run; none for no limit."""

    @property
    def stem(self):
        """Name of the executed notebook and of its page, without the ending."""
        return self.notebook.removesuffix(".ipynb")


STAGES = (
    Stage("data_preparation", "01_data_preparation.ipynb"),
    Stage("judging", "02_judging.ipynb", ("data_preparation",), timeout=None),
    Stage("metrics", "03_metrics.ipynb", ("judging",)),
    Stage("quality_gap", "04_quality_gap.ipynb", ("judging",)),
    Stage("disagreement", "05_disagreement.ipynb", ("judging",)),
    Stage("order_effect", "06_order_effect.ipynb", ("judging",)),
    Stage("review", "07_review.ipynb", ("judging",)),
    Stage(
        "summary",
        "08_summary.ipynb",
        ("metrics", "quality_gap", "disagreement", "order_effect", "review"),
    ),
)
"""Every stage, in the order in which they run."""


def active_stages(skipped=()):
    """Return the stages that a study runs, in order.

    Parameters
    ----------
    skipped : collection of str
        Stages the study leaves out. Whoever needs one of them needs what it needs instead.

    Returns
    -------
    list of Stage

    Examples
    --------
    >>> [stage.needs for stage in active_stages(skipped={"judging"})][:2]
    [(), ('data_preparation',)]
    """
    known = {stage.name: stage for stage in STAGES}

    def through(names):
        found = []
        for name in names:
            found += through(known[name].needs) if name in skipped else [name]
        return tuple(dict.fromkeys(found))

    return [
        replace(stage, needs=through(stage.needs)) for stage in STAGES if stage.name not in skipped
    ]


def check_stage(name, stages, place):
    """Return `name` if one of `stages` bears it, else raise ParamsError.

    Examples
    --------
    >>> check_stage("metrics", STAGES, "--only")
    'metrics'
    """
    names = [stage.name for stage in stages]
    if name in names:
        return name
    known = name in [stage.name for stage in STAGES]
    raise ParamsError(
        f"stage {name!r} is not part of this study" if known else f"unknown stage {name!r}",
        place=place,
        allowed=", ".join(names),
        cure="name one of these stages",
    )
