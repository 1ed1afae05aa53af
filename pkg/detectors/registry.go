package detectors

import "github.com/loopwatch/loopwatch/pkg/events"

// Registry returns the detectors in the order in which their findings are
// judged: of two that see the same thing, the more telling comes first.
func Registry() []Spec {
	results := []events.Kind{events.ToolResult}
	step := []events.Kind{events.ToolCall, events.ToolResult}
	turns := []events.Kind{events.TurnKind, events.ToolCall, events.ToolResult}
	return []Spec{
		{
			Name: "cycle", Wants: turns, New: func() Detector { return NewCycle() },
			Doc: "Fires when a sequence of 2 to 8 different calls has gone round with the same answers; not when answers move on, when it waits or polls with spacing, or when a user steers it.",
		},
		{
			Name: "repeat", Wants: step, New: func() Detector { return NewRepeat() },
			Doc: "Fires when the same call brings the same answer again and nothing changed in between; not after an effective change, for spaced polling, or for calls of one round.",
		},
		{
			Name: "same_error", Wants: results, Text: true, New: func() Detector { return NewSameError() },
			Doc: "Fires when calls keep failing with the same kind of error, whatever their arguments; not for shell commands, infrastructure weather, or failures of one round.",
		},
		{
			Name: "failing_again", Wants: results, Text: true, New: func() Detector { return NewFailingAgain() },
			Doc: "Fires when one tool fails several times in a row, twice in the same way; not for a sweep of different commands, failures of one round, or infrastructure weather.",
		},
		{
			Name: "same_result", Wants: results, Text: true, New: func() Detector { return NewSameResult() },
			Doc: "Fires when one tool gives the same answer whatever it is asked; not for short positive answers, writes, or when something took effect in between.",
		},
		{
			Name: "stale", Wants: results, New: func() Detector { return NewStale() },
			Doc: "Fires when rounds in a row bring only what the same calls had brought; not after an effective change or a user message, and not for polling.",
		},
		{
			Name: "stagnation", Wants: turns, New: func() Detector { return NewStagnation() },
			Doc: "Fires when turns in a row had no side effect and brought no new result; not while any result is new or a declared write succeeds.",
		},
		{
			Name: "no_progress", Wants: []events.Kind{events.TurnKind}, New: func() Detector { return NewNoProgress() },
			Doc: "Fires when the run's structured state stays the same over turns; not for runs that report none, or when a plan step was finished.",
		},
		{
			Name: "reask", Wants: []events.Kind{events.TurnKind}, New: func() Detector { return NewReask() },
			Doc: "Fires when a draft asks the user for a field that the run already holds; not for fields it does not hold.",
		},
		{
			Name: "budget", New: func() Detector { return NewBudget() },
			Wants: []events.Kind{
				events.RunStart, events.TurnKind, events.ToolCall, events.ToolResult, events.Said,
			},
			Doc: "Fires before a bound of turns, cost, wall clock or tokens is reached and halts when it is passed; not without bounds, and never halts on a cost that nobody reported.",
		},
	}
}

// Lookup returns the spec of that name.
func Lookup(name string) (Spec, bool) {
	for _, s := range Registry() {
		if s.Name == name {
			return s, true
		}
	}
	return Spec{}, false
}
