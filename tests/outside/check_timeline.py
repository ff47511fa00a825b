# SPDX-License-Identifier: Apache-2.0
"""The spans of all ranks are JSON as trace viewers read it, whatever stages are called."""

import json

from launch import expect, launch

run = launch(2)
expect(run.returncode == 0, run.stderr)
events = json.loads(run.stdout)
expect({event["pid"] for event in events} == {0, 1}, "both ranks have spans")
for event in events:
    expect(event["ph"] == "X" and event["ts"] >= 0 and event["dur"] >= 0, event)
    expect({"name", "cat", "ph", "ts", "dur", "pid", "tid"} == event.keys(), event)
names = {event["name"] for event in events}
for stage in ('say "halo"', "back\\slash", "two\nlines\tand a tab", "Überströmung", "x" * 400):
    expect(f"{stage} all" in names, (stage, names))
    expect(any(e["name"] == f"{stage} all" and e["cat"] == "all" for e in events), stage)
