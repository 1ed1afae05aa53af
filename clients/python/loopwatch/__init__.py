"""loopwatch for agents in Python: report what the agent does, ask before a tool
is dispatched, hand back the earlier result instead of executing a duplicate,
put observations into the next model call, stop when told.

    with loopwatch.Run("http://127.0.0.1:8787", agent="support") as run:
        while not done:
            messages += run.observations()
            reply = model(messages)
            run.turn(text=reply.text)
            messages.append(str(run.tool(reply.tool, reply.args, tools[reply.tool])))

The agent never suffers because the gateway is away: events wait in a bounded
queue and are sent in order once it is back. Start at Run.
"""

from ._blocked import report_blocked_tool
from ._call import Call, Output
from ._control import Control, Halted, NoVerdict, Over
from ._ids import escape_name
from ._run import Run
from ._types import Limits, Observation, Status, Tool, Usage

__all__ = [
    "Call", "Control", "Halted", "Limits", "NoVerdict", "Observation", "Output", "Over", "Run", "Status", "Tool",
    "Usage", "escape_name", "report_blocked_tool",
]  # fmt: skip
