"""The program that runs beside the kit: llama.cpp's server, until the kit closes its input.

It is started by :mod:`posbias_kit.judging.local` as a script and imports nothing of the kit, so
that a crash of the native code takes no verdict with it.
"""

import json
import os
import sys


def main():
    """Read the settings from the first line of input, serve, and say where."""
    told = json.loads(sys.stdin.readline())
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path, params.model_alias = told["path"], {told["alias"]}
    params.hostnames, params.port = ["127.0.0.1"], 0  # this machine only; a free port
    params.n_ctx, params.n_parallel = told["context"] * told["parallel"], told["parallel"]
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = told["threads"]
    # A slot is taken up again only for the very prompt it holds, else the one idle longest: so
    # each order of a comparison keeps its slot while the repeats go round. By default the slot
    # with the most similar prompt is taken, and the orders push each other out.
    params.slot_prompt_similarity, params.cache_ram_mib = 0.99, 1024
    params.ui, params.offline, params.verbosity = False, True, 1
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)  # noqa: T201
    sys.stdin.read()  # ends when the kit stops, however it stops
    os._exit(0)


if __name__ == "__main__":
    main()
