package detectors

import (
	"slices"

	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/state"
)

// Registry returns the detectors in the order in which their findings are
// judged: of two that see the same thing, the more telling comes first.
func Registry() []Spec {
	return slices.Concat(ofSteps(), ofWrites(), ofTexts(), ofTasks(), ofProgress())
}

// ofSteps see calls and what they bring.
func ofSteps() []Spec {
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
	}
}

// ofWrites see changes that lead nowhere, and the lack of any.
func ofWrites() []Spec {
	results := []events.Kind{events.ToolResult}
	return []Spec{
		{
			Name: "write_again", Wants: results, New: func() Detector { return NewWriteAgain() },
			Doc: "Fires when a command writes the same text to the same target again; not for short texts or other targets.",
		},
		{
			Name: "restore", Wants: results, New: func() Detector { return NewRestore() },
			Doc: "Fires when one target is put back to an earlier state again and again within a few calls; not when the restores lie further apart.",
		},
		{
			Name: "same_check", Wants: results, Text: true, New: func() Detector { return NewSameCheck() },
			Doc: "Fires when a check fails in the same words after several different changes; not when the words differ, or nothing was changed in between.",
		},
		{
			Name: "thrash", Wants: results, Text: true, New: func() Detector { return NewThrash() },
			Doc: "Fires when most of the last calls, however different, showed only lines seen before; not after an effective change.",
		},
	}
}

// ofTexts see what the model says.
func ofTexts() []Spec {
	said := []events.Kind{events.TurnKind}
	return []Spec{
		{
			Name: "restate", Wants: said, Text: true, New: func() Detector { return NewRestate() },
			Doc: "Fires when a run says the same passage in many of its turns; not for what others said, nor across user messages.",
		},
		{
			Name: "plan", Wants: said, Text: true, New: func() Detector { return NewPlan() },
			Doc: "Fires when a turn's text is stated again word for word with nothing done in between; not after an effective change or a user message.",
		},
		{
			Name: "monologue", Wants: said, Text: true, New: func() Detector { return NewMonologue() },
			Doc: "Fires when turns without calls say the same, or a text ends in one phrase over and over; not when a call or another thought comes in between.",
		},
		{
			Name: "compaction_loop", Wants: said, New: func() Detector { return NewCompactionLoop() },
			Doc: "Fires when the context is compacted again and again without anything new done in between; not when work goes on.",
		},
	}
}

// ofTasks see beyond one run, and what does not come.
func ofTasks() []Spec {
	results := []events.Kind{events.ToolResult}
	return []Spec{
		{
			Name: "echo", Wants: []events.Kind{events.Said}, Text: true, New: func() Detector { return NewEcho() },
			Doc: "Fires when a run sends the same words to the same other run of its task again; not for other words, other receivers, or what users and results say.",
		},
		{
			Name: "lineage", Wants: results, Text: true, New: func() Detector { return NewLineage() },
			Doc: "Fires when several attempts at a task make the same call and fail the same way; not within one attempt, or for runs that another run spawned.",
		},
		{
			Name: "spawn", Tree: true, New: func() Detector { return NewSpawn() },
			Doc: "Fires when runs spawn runs that spawn runs, charged to the root of the tree; not for a shallow tree, however long it lives.",
		},
		{
			Name: "hung_call", New: func() Detector { return NewHungCall() },
			Due: func(d Detector, w state.View) int64 { return d.(HungCall).Due(w) },
			Doc: "Fires when a call has not returned long after its timeout, or for a long time where it declares none; not within its timeout, for a sleep, or when the run has gone on.",
		},
	}
}

// ofProgress see what does not move, and what runs out.
func ofProgress() []Spec {
	turns := []events.Kind{events.TurnKind, events.ToolCall, events.ToolResult}
	return []Spec{
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
