"""NumPy reads every .npz below a folder as this project documents it.

    python tests/numpy/check_npz.py <folder>

Every member loads without pickles; numbers are little endian or one byte wide, in C order; sparse arrays
are well formed; the files of one folder carry one graph_hash, and it is the one that NumPy computes from
g_nodes.npz and g_edges.npz by itself. Ends with 1 and one line a fault.
"""

import hashlib
import pathlib
import struct
import sys

import numpy as np

NODES = ["q", "qdot", "gripper", "task_id", "owner", "phase", "frame", "strand_start"]
RELATIONS = [f"{way}{step}" for way in ("next", "prev") for step in (1, 2, 4, 8, 16)] + ["sibling", "align"]
NODE_TYPES = dict(
    q="<f8", qdot="<f8", gripper="|u1", task_id="<i4", owner="<i4", phase="<f8", frame="<i4", strand_start="<i4"
)


def load(path):
    with np.load(path, allow_pickle=False) as file:
        return {name: file[name] for name in file.files}


def canonical_bytes(name, array):
    """An array as the graph's identity sees it."""
    kind = array.dtype.str.encode()
    shape = b"".join(struct.pack("<Q", n) for n in array.shape)
    return (
        struct.pack("<I", len(name)) + name.encode()
        + struct.pack("<I", len(kind)) + kind
        + struct.pack("<I", array.ndim) + shape
        + array.tobytes(order="C")
    )  # fmt: skip


def graph_hash(nodes, edges):
    digest = hashlib.sha256()
    for name in NODES:
        digest.update(canonical_bytes(name, nodes[name]))
    for relation in RELATIONS:
        for part in ("indptr", "indices"):
            name = f"{relation}_{part}"
            digest.update(canonical_bytes(name, edges[name]))
    return digest.hexdigest()


def faults_of_arrays(arrays):
    for name, array in arrays.items():
        if array.dtype.kind not in "biufU" or array.dtype.str[0] not in "<|":
            yield f"`{name}` has type {array.dtype.str}"
        if not array.flags.c_contiguous:
            yield f"`{name}` is not in C order"
    for name in [n for n in arrays if n.endswith("_indptr")]:
        starts, columns = arrays[name], arrays.get(name.removesuffix("indptr") + "indices")
        if columns is None or starts[0] != 0 or starts[-1] != len(columns) or (np.diff(starts) < 0).any():
            yield f"`{name}` does not cut its indices"


def faults_of_graph(nodes, edges):
    n = len(nodes["phase"])
    for name, kind in NODE_TYPES.items():
        if nodes[name].dtype.str != kind:
            yield f"`{name}` has type {nodes[name].dtype.str}, documented as {kind}"
    for relation in RELATIONS:
        starts, columns = edges[f"{relation}_indptr"], edges[f"{relation}_indices"]
        if len(starts) != n + 1 or (len(columns) and not 0 <= columns.min() <= columns.max() < n):
            yield f"relation `{relation}` does not fit {n} nodes"
    found = graph_hash(nodes, edges)
    if found != str(nodes["graph_hash"]):
        yield f"NumPy computes graph_hash {found}, the file says {nodes['graph_hash']}"


def main(folder):
    paths = sorted(pathlib.Path(folder).rglob("*.npz"))
    faults = [] if paths else [f"{folder}: no npz"]
    hashes = {}
    for path in paths:
        arrays = load(path)
        faults += [f"{path}: {fault}" for fault in faults_of_arrays(arrays)]
        if "graph_hash" in arrays:
            hashes.setdefault(path.parent, set()).add(str(arrays["graph_hash"]))
        if path.name == "g_nodes.npz":
            edges = load(path.with_name("g_edges.npz"))
            faults += [f"{path}: {fault}" for fault in faults_of_graph(arrays, edges)]
    faults += [f"{where}: files of different graphs" for where, found in hashes.items() if len(found) > 1]
    for fault in faults:
        print(fault)
    print(f"{len(paths)} files read, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1]))
