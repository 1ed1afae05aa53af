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
PATIENCE = 8  # turns after which the agent stops by itself
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


def agent(args: argparse.Namespace) -> None:
    """Works until the model is done, or for PATIENCE turns. The first ones are
    words only, each when a line arrives on standard input."""
    transcript = ["user: where is my parcel JD7?"]
    token = os.environ.get("LOOPWATCH_TOKEN")
    with loopwatch.Run(
        args.url, agent="support", run=args.run, tools=TOOLS, token=token, cafile=args.cafile, wait=args.wait
    ) as run:
        for _ in range(args.pace):
            run.turn(text=sys.stdin.readline().strip())
            print("said", flush=True)
        for _ in range(PATIENCE):
            for told in run.observations():
                print("told:", told["content"].splitlines()[0])
                transcript.append(f"{told['role']}: {told['content']}")
            tool = model(transcript, args.stubborn)
            if tool is None:
                print("done")
                return
            run.turn(text=f"Let me try {tool}.", cost_usd=0.01)
            result = str(run.tool(tool, {"parcel": "JD7"}, tools[tool]))
            print(f"{tool}: {result}".replace("\n", " "))
            transcript.append(result)
        print("out of patience")
        run.end("failed", "out of patience")


def main() -> int:
    parser = argparse.ArgumentParser(description="A scripted agent under loopwatch.")
    parser.add_argument("url", help="of the gateway")
    parser.add_argument("--run", help="name of the run")
    parser.add_argument("--wait", type=float, default=1, help="seconds that a call may wait for its verdict")
    parser.add_argument("--cafile", help="certificates of the authority to trust")
    parser.add_argument("--stubborn", action="store_true", help="do not listen")
    parser.add_argument("--pace", type=int, default=0, help="turns to begin with, one for each line on standard input")
    args = parser.parse_args()
    try:
        agent(args)
    except loopwatch.Halted as halt:
        print("halted:", halt.control.end_status)
    print("executed:", " ".join(f"{name}={n}" for name, n in executed.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
