"""A row of the table of benchmarks, the machine it was made on, and how both are printed."""

import os
import platform
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path

PACKAGES = ("posbias-kit", "numpy", "pandas", "pyarrow", "scipy", "openai", "papermill")


@dataclass(frozen=True)
class Row:
    """One thing that was measured."""

    what: str
    measured: float
    unit: str = ""
    least: float | None = None
    """Target: not less than this."""
    most: float | None = None
    """Target: not more than this."""
    beside: str = ""
    """What to read beside it, from the same run."""

    @property
    def target(self):
        """The target in words."""
        if self.least is not None:
            return f"at least {spell(self.least, self.unit)}"
        return f"at most {spell(self.most, self.unit)}" if self.most is not None else ""

    @property
    def met(self):
        """Whether the target is met; empty where there is none."""
        if self.least is None and self.most is None:
            return ""
        low = self.least is None or self.measured >= self.least
        return "yes" if low and (self.most is None or self.measured <= self.most) else "no"

    def told(self):
        """The row as JSON keeps it."""
        return asdict(self) | {"target": self.target, "met": self.met}


def spell(value, unit):
    """Spell a number with its unit.

    >>> spell(0.971, "share"), spell(3.16, "GB"), spell(12345, "bytes")
    ('97.1%', '3.2 GB', '12,345 bytes')
    """
    if unit == "share":
        return f"{value:.1%}"
    digits = 0 if value == int(value) or abs(value) >= 1000 else 1 if abs(value) >= 3 else 2
    return f"{value:,.{digits}f} {unit}".strip()


def as_table(rows):
    """Return rows as a table in Markdown."""
    lines = ["| what | measured | target | met | beside |", "| --- | ---: | ---: | --- | --- |"]
    for row in rows:
        cells = [row.what, spell(row.measured, row.unit), row.target, row.met, row.beside]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def describe_machine():
    """Return processor, cores, memory, system and versions; no names of places."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return {
        "processor": _field("/proc/cpuinfo", "model name") or platform.machine(),
        "cores": cores,
        "memory_gb": round(int((_field("/proc/meminfo", "MemTotal") or "0").split()[0]) / 1e6),
        "system": platform.system(),
        "python": platform.python_version(),
        "versions": {name: version(name) for name in PACKAGES},
    }


def _field(path, name):
    lines = Path(path).read_text("utf-8").splitlines() if Path(path).exists() else []
    found = (line.split(":", 1)[1].strip() for line in lines if line.startswith(name))
    return next(found, None)
