#!/usr/bin/env python3
"""Reads one deploy log in plain Python: the baseline that the log reader is timed against.

    python3 benches/baselines/read_log.py LOG [RUNS]

The reading is the straightforward one: the whole file as text, its lines as a list, and for each rule of the
reference page (sections 3 and 6, F2 to F6) one walk over that list with `in` or a regular expression. Each run reads
the file anew. Prints one JSON object: the facts, and the best and the median of RUNS runs (default 1) in seconds.
"""

import json
import re
import shlex
import statistics
import sys
import time

EXCEPTION = "[ERROR] [launch]: Caught exception in launch"
STAMP = re.compile(r"\[(\d{9,11}\.\d+)\]")
BOND = re.compile(r"Have not received a heartbeat from ([\w_]+)")
LIFECYCLE = re.compile(r"transition '([\w]+)' on '([^']*)' did not advance the FSM within ([\d.]+)s")
EARLY_BOND_S = 120.0


def stop(lines):
    """The first usable `safety.collision` line (3.1)."""
    for line in lines:
        if "safety.collision" not in line:
            continue
        tail = line.split("safety.collision", 1)[1]
        keys = dict(token.split("=", 1) for token in tail.split() if "=" in token)
        if "a" not in keys or "min_distance_m" not in keys:
            continue
        sweep = keys.get("sweep_min_distance_m")
        return {
            "kind": keys.get("kind", ""),
            "party_a": keys["a"],
            "party_b": keys.get("b", ""),
            "horizon_step": int(keys.get("step", -1)),
            "min_distance_m": float(keys["min_distance_m"]),
            "sweep_min_distance_m": None if sweep is None else float(sweep),
            "place_allowance_active": keys.get("place_allowance_active") == "1",
            "place_target": keys.get("place_target", ""),
            "depth_is_box_bound": keys.get("depth_is_box_bound") == "1",
        }
    return None


def witness(lines):
    """Counts and presence of the kernel's other lines (3.2)."""
    return {
        "kernel_witness_armed": sum("safety.support_witness_armed" in line for line in lines),
        "kernel_witness_separated": sum("safety.support_witness_separated" in line for line in lines),
        "place_region_armed": any("safety.place_region_armed" in line for line in lines),
        "place_allowance_active_lines": sum("place_allowance_active=1" in line for line in lines),
    }


def event(lines, name):
    """The first line of an event whose rest, from the brace on, is a JSON object (3.3)."""
    for line in lines:
        at = line.find(name)
        if at < 0:
            continue
        brace = line.find("{", at)
        if brace < 0:
            continue
        try:
            value = json.loads(line[brace:])
        except ValueError:
            continue
        if isinstance(value, dict):
            return value
    return None


def first_line(lines):
    return next((line for line in lines if line.strip()), "")


def launch_exception(lines):
    for line in lines:
        if EXCEPTION in line:
            detail = line.split(EXCEPTION, 1)[1].replace("(see debug for traceback):", "").strip()
            return detail
    return ""


def usage_error(lines):
    banner = first_line(lines)
    if not banner.startswith("Usage: openral"):
        return ""
    for line in lines:
        if "No such option" in line or "Error:" in line or "Missing option" in line:
            return line.strip(" │|")
    return banner.strip()


def early_bond_loss(lines):
    if not first_line(lines).startswith("deploy sim"):
        return ""
    begin = None
    for line in lines:
        stamp = STAMP.search(line)
        if not stamp:
            continue
        at = float(stamp.group(1))
        if begin is None:
            begin = at
        lost = BOND.search(line)
        if lost:
            elapsed = at - begin
            return f"{lost.group(1)} after {elapsed:.1f} s" if elapsed <= EARLY_BOND_S else ""
    return ""


def lifecycle_timeout(lines):
    for line in lines:
        found = LIFECYCLE.search(line)
        if found:
            return f"{found.group(1)} of {found.group(2) or '<unnamed>'} after {found.group(3)} s"
    return ""


def launch_failure(lines):
    """The first cause that matches, F2 to F6 (section 6)."""
    if detail := launch_exception(lines):
        return {"cause": "F2", "detail": detail}
    if not lines:
        return {"cause": "F3", "detail": "no deploy log"}
    for cause, test in (("F4", usage_error), ("F5", early_bond_loss), ("F6", lifecycle_timeout)):
        if detail := test(lines):
            return {"cause": cause, "detail": detail}
    return None


def argv(lines):
    """The launch command as echoed (3.6)."""
    for line in lines:
        if "argv: " not in line:
            continue
        try:
            tokens = shlex.split(line.split("argv: ", 1)[1])
        except ValueError:
            continue
        if "launch" in tokens:
            return tokens
    return []


def read(path):
    with open(path, "rb") as file:
        lines = file.read().decode("utf-8", errors="replace").splitlines()
    task = event(lines, "sim.task_success_final") or {}
    snapshot = event(lines, "sim.estop_ground_truth_snapshot")
    pairs = {}
    if snapshot is not None:
        for key in sorted(snapshot):
            if key.startswith("nearest_") and key.endswith("_pairs"):
                pairs[key] = len(snapshot[key] or [])
    return {
        "lines": len(lines),
        "stop": stop(lines),
        "witness": witness(lines),
        "task_success_ever": task.get("ever_succeeded"),
        "task_success_final": task.get("success"),
        "task_success_steps": task.get("steps"),
        "task_success_transitions": task.get("transitions"),
        "snapshot_pairs": None if snapshot is None else pairs,
        "initial_configuration": event(lines, "sim.estop_initial_configuration") is not None,
        "launch_failure": launch_failure(lines),
        "argv_tokens": len(argv(lines)),
        "dds_transport_ready": any("dds_transport_ready:" in line for line in lines),
    }


def main(arguments):
    if len(arguments) not in (1, 2):
        sys.exit(__doc__)
    path, runs = arguments[0], int(arguments[1]) if len(arguments) == 2 else 1
    if runs < 1:
        sys.exit("RUNS must be at least 1")
    times = []
    for _ in range(runs):
        begin = time.perf_counter()
        facts = read(path)
        times.append(time.perf_counter() - begin)
    seconds = {"runs": runs, "best": min(times), "median": statistics.median(times)}
    print(json.dumps({"facts": facts, "seconds": seconds}, indent=2, ensure_ascii=False))


if __name__ == "__main__":
    main(sys.argv[1:])
