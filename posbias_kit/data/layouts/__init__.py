"""Layouts in which judgments are published, each with its reader."""

from posbias_kit.data.layouts.alpaca_eval import ALPACA_EVAL
from posbias_kit.data.layouts.listwise import LISTWISE
from posbias_kit.data.layouts.llmbar import LLMBAR
from posbias_kit.data.layouts.swap_columns import SWAP_COLUMNS
from posbias_kit.data.layouts.table import TABLE

_ALL = (
    SWAP_COLUMNS,
    LLMBAR,
    LISTWISE,
    ALPACA_EVAL,
    TABLE,
)
LAYOUTS = {layout.name: layout for layout in _ALL}
"""Readers by name; :func:`posbias_kit.data.judgments.read_judgments` runs them."""
