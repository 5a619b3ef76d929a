"""Reading YAML in which every key stands once."""

import yaml


def load_yaml(text):
    r"""Return the value of a YAML text.

    Plain YAML readers take the last of two equal keys without a word; a setting that somebody
    wrote would then not act.

    Parameters
    ----------
    text : str

    Raises
    ------
    yaml.YAMLError
        Not YAML, or a key stands twice in one mapping; the message names both lines.

    Examples
    --------
    >>> load_yaml("{a: 1, b: [2]}")
    {'a': 1, 'b': [2]}
    >>> load_yaml("a: 1\nb: 2\na: 3")
    Traceback (most recent call last):
    yaml.error.YAMLError: key 'a' stands twice, in lines 1 and 3: keep one
    """
    loader = yaml.SafeLoader(text)
    try:
        node = loader.get_single_node()
        if node is None:
            return None
        _refuse_twice(node, set())
        return loader.construct_document(node)
    except ValueError as error:  # a date that is none, say
        raise yaml.YAMLError(str(error)) from None
    finally:
        loader.dispose()


def _refuse_twice(node, seen):
    """Look through a node and all below it; an anchor's once, however often it is used."""
    if id(node) in seen or not isinstance(node, yaml.CollectionNode):
        return
    seen.add(id(node))
    if isinstance(node, yaml.SequenceNode):
        for inner in node.value:
            _refuse_twice(inner, seen)
        return
    lines = {}
    for key, value in node.value:
        line = key.start_mark.line + 1
        if isinstance(key, yaml.ScalarNode):
            first, before = lines.setdefault((key.tag, key.value), (key, line))
            if first is not key:
                where = f"lines {before} and {line}" if before < line else f"line {line}"
                raise yaml.YAMLError(f"key {key.value!r} stands twice, in {where}: keep one")
        _refuse_twice(value, seen)
