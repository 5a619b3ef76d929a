"""Choices in a notebook: judges, tasks and settings, with figure and table beside them."""

import base64
import io
from html import escape

from posbias_kit.report.tables import ROWS, table_html

DPI = 96
SUBSETS = ("experiment", "arm", "judge", "task")
"""Columns of the verdict table to choose from, where they hold several values."""


def explore(view, verdicts, *tables, **choices):
    """Let whoever has the notebook open choose, and show what was chosen at once.

    Judges and tasks, and experiments and arms where there are several, are chosen from the
    verdicts; each of `choices` is one more list to choose from. What is shown is worked out
    anew from the chosen verdicts alone, by the functions that the chapter uses.

    Parameters
    ----------
    view : callable
        ``view(verdicts, *tables, **chosen)`` returns a table and a plot, such as
        :func:`posbias_kit.report.view_bias`; None in place of a plot where the table is all.
    verdicts : DataFrame
        The verdict table, or another with some of its columns.
    *tables
        Handed to the view as they are.
    **choices
        Keyword of the view -> what it may be; the first is shown first.

    Returns
    -------
    Explorer or None
        None where nobody can choose: under papermill and nbconvert, and outside notebooks.

    Examples
    --------
    >>> explore(print, None) is None  # nobody sits in front of a doctest
    True
    """
    return Explorer(view, verdicts, tables, choices) if can_choose() else None


def can_choose():
    """Say whether this cell was run by a front end: those can be asked for input, runners not."""
    from IPython import get_ipython

    parent = getattr(get_ipython(), "get_parent", dict)()
    return bool(parent.get("content", {}).get("allow_stdin"))


class Explorer:
    """Controls, and what they show; a notebook displays it as widgets.

    Parameters
    ----------
    view, verdicts, tables, choices
        As for :func:`explore`.
    """

    def __init__(self, view, verdicts, tables=(), choices=None):
        import ipywidgets  # a third of a second that only a person in front should pay

        self._view, self._verdicts, self._tables = view, verdicts, tables
        self.subsets = {name: _several(verdicts, name) for name in SUBSETS if name in verdicts}
        self.subsets = {name: control for name, control in self.subsets.items() if control}
        """Column -> control whose value is a tuple of what is chosen."""
        self.settings = {name: _one(name, values) for name, values in (choices or {}).items()}
        """Keyword of the view -> control whose value is what is chosen."""
        self.figure, self.numbers = ipywidgets.HTML(), ipywidgets.HTML()
        self.table = None
        """What the view returned for the present choice; None where it could not be made."""
        controls = [*self.subsets.values(), *self.settings.values()]
        row = ipywidgets.HBox(controls, layout=ipywidgets.Layout(flex_flow="row wrap"))
        self.box = ipywidgets.VBox([row, self.figure, self.numbers])
        for control in controls:
            control.observe(self._update, names="value")
        self._update()

    def _ipython_display_(self):
        from IPython.display import display

        display(self.box)

    def _update(self, change=None):
        """Work out table and figure of what is chosen, or say why there is none."""
        self.table = None
        empty = [name for name, control in self.subsets.items() if not control.value]
        if empty:
            self._show(f"<p>Choose at least one {empty[0]}.</p>")
            return
        chosen = {name: control.value for name, control in self.settings.items()}
        try:
            table, plot = self._view(self._subset(), *self._tables, **chosen)
            picture = "" if plot is None else _picture(plot)
        except Exception as error:  # else the last choice would stay in sight, as if it were this
            said = escape(f"{type(error).__name__}: {error}")
            self._show(f"<pre>This choice cannot be shown. {said}</pre>")
            return
        self.table = table
        self._show(picture, table_html(table, ROWS))

    def _subset(self):
        verdicts = self._verdicts
        for name, control in self.subsets.items():
            if len(control.value) < len(control.options):
                verdicts = verdicts[verdicts[name].isin(control.value)]
        return verdicts

    def _show(self, figure, numbers=""):
        self.figure.value, self.numbers.value = figure, numbers


def _several(verdicts, name):
    """Return a control that chooses some values of a column, or None where there is only one.

    All are chosen to begin with; of arms the plain one, which is never pooled with others.
    """
    import ipywidgets

    values = sorted(verdicts[name].unique())
    if len(values) < 2:
        return None
    options = [(value or ("plain" if name == "arm" else "–"), value) for value in values]
    rows, width = min(len(values), 8), ipywidgets.Layout(width="22em")
    control = ipywidgets.SelectMultiple(
        options=options, value=values, rows=rows, layout=width, description=f"{name}s"
    )
    if name == "arm":
        control.value = values[:1]
    return control


def _one(name, values):
    import ipywidgets

    options = [(str(value), value) for value in values]
    return ipywidgets.Dropdown(options=options, description=name.replace("_", " "))


def _picture(plot):
    """Return a plot as an HTML image with its alt text, and close its figure."""
    from matplotlib import pyplot as plt
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    from posbias_kit.report.pictures import figure_of

    figure, buffer = figure_of(plot), io.BytesIO()
    if figure.get_layout_engine():
        figure.set_dpi(DPI)
        FigureCanvasAgg(figure).print_png(buffer)  # savefig would lay it out twice
    else:
        figure.savefig(buffer, format="png", dpi=DPI, bbox_inches="tight")
    plt.close(figure)
    data = base64.b64encode(buffer.getvalue()).decode("ascii")
    alt = escape(str(figure.get_label()), quote=True)
    return f'<img alt="{alt}" style="max-width: 100%" src="data:image/png;base64,{data}">'
