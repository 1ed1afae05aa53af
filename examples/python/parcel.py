"""A whole agent under loopwatch. Its model is a script: it asks for the same
parcel again until it is told that this does not help. A stubborn one does not
listen either.

    loopwatch run --embedded --http 127.0.0.1:8080 --policy sundry
    python examples/python/parcel.py http://127.0.0.1:8080 [--stubborn]
"""

from __future__ import annotations

import argparse
import os
import sys

import loopwatch

ANSWERS = {"track_parcel": "no scans recorded", "ask_seller": "the seller looks for it"}
TOOLS: list[loopwatch.Tool] = [{"name": "track_parcel", "effect": "read"}, {"name": "ask_seller", "effect": "write"}]
executed = {name: 0 for name in ANSWERS}


def track_parcel(parcel: str) -> str:
    executed["track_parcel"] += 1
    return ANSWERS["track_parcel"]


def ask_seller(parcel: str) -> str:
    executed["ask_seller"] += 1
    return ANSWERS["ask_seller"]


tools = {"track_parcel": track_parcel, "ask_seller": ask_seller}


def model(transcript: list[str], stubborn: bool) -> str | None:
    """Stands for a language model: a function of its context, which repeats
    itself while that says nothing new."""
    if ANSWERS["ask_seller"] in transcript:
        return None
    told = any(line.startswith("system: ") for line in transcript)
    return "ask_seller" if told and not stubborn else "track_parcel"


def agent(url: str, run_name: str | None, wait: float, stubborn: bool, pace: int) -> None:
    """Works until the model is done. pace more turns are words only, each when
    a line arrives on standard input."""
    transcript = ["user: where is my parcel JD7?"]
    token = os.environ.get("LOOPWATCH_TOKEN")
    with loopwatch.Run(url, agent="support", run=run_name, tools=TOOLS, token=token, wait=wait) as run:
        for _ in range(pace):
            run.turn(text=sys.stdin.readline().strip())
            print("said", flush=True)
        while True:
            for told in run.observations():
                print("told:", told["content"].splitlines()[0])
                transcript.append(f"{told['role']}: {told['content']}")
            tool = model(transcript, stubborn)
            if tool is None:
                break
            run.turn(text=f"Let me try {tool}.", cost_usd=0.01)
            result = str(run.tool(tool, {"parcel": "JD7"}, tools[tool]))
            print(f"{tool}: {result}".replace("\n", " "))
            transcript.append(result)


def main() -> int:
    parser = argparse.ArgumentParser(description="A scripted agent under loopwatch.")
    parser.add_argument("url", help="of the gateway")
    parser.add_argument("--run", help="name of the run")
    parser.add_argument("--wait", type=float, default=1, help="seconds that a call may wait for its verdict")
    parser.add_argument("--stubborn", action="store_true", help="do not listen")
    parser.add_argument("--pace", type=int, default=0, help="turns to begin with, one for each line on standard input")
    args = parser.parse_args()
    try:
        agent(args.url, args.run, args.wait, args.stubborn, args.pace)
        print("done")
    except loopwatch.Halted as halt:
        print("halted:", halt.control.end_status)
    print("executed:", " ".join(f"{name}={n}" for name, n in executed.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
