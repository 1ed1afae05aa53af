package actions

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// reportBlocked is the tool by which an agent gives up properly.
const reportBlocked = "report_blocked"

// MaxObservation bounds an observation in runes.
const MaxObservation = 2000

// observe writes an observation: what was repeated and what came back, that
// repeating it does not help, and what remains. It informs, it does not scold.
func observe(d Decision, texts Texts) string {
	var parts []string
	switch {
	case d.Detector == operatorDetector:
		parts = []string{line(d) + ".", "Go on with the task from here."}
	case other(d) != "":
		parts = []string{line(d) + ".", "Starting the same work again would meet the same situation.", remains(parentOptions)}
	case d.Detector == "reask":
		parts = []string{line(d) + fields(d, texts) + ".", advice(d), remains(askOptions)}
	case d.Detector == budgetDetector:
		parts = []string{line(d) + ".", advice(d), remains(budgetOptions)}
	default:
		parts = []string{happened(d, texts), advice(d), remains(append([]string{otherStep(d.Options)}, loopOptions...))}
	}
	return cut(strings.Join(parts, "\n"), MaxObservation)
}

// Options that every agent has. The last two end the run or hand it over.
var (
	giveUp        = []string{"report_blocked, with what was attempted, what blocks and what is needed", "a person, for what cannot be found out here"}
	loopOptions   = append([]string{"an answer from what is already known"}, giveUp...)
	askOptions    = append([]string{"going on with what is already held", "asking only for what is missing"}, giveUp...)
	budgetOptions = append([]string{"finishing with what is already known"}, giveUp...)
	parentOptions = append([]string{"going on without its result", "the same goal in another way"}, giveUp...)
)

func remains(options []string) string { return "What remains:\n- " + strings.Join(options, "\n- ") }

// happened names what was repeated and what came back.
func happened(d Decision, texts Texts) string {
	said := calls(d.Evidence.Calls, texts)
	var s string
	switch {
	case len(said) == 1 && d.Evidence.Tool != "":
		s = said[0] + " " + found(d) + "."
	case len(said) > 0:
		s = clause(d, "This run") + ": " + strings.Join(said, "; ") + "."
	default:
		s = clause(d, "This run") + "."
	}
	if d.Evidence.Answer.IsZero() {
		return s
	}
	if back := cameBack(texts(d.Evidence.Answer)); back != "" {
		s += " " + back
	}
	return s
}

// advice says why repeating does not help.
func advice(d Decision) string {
	switch {
	case d.Evidence.Advice != "":
		return cut(d.Evidence.Advice, maxClause)
	case len(d.Evidence.Calls) > 1:
		return "Going round again will not change the answers."
	}
	return "Repeating it will not change the answer."
}

// otherStep offers the run's tools that are not exhausted.
func otherStep(tools []string) string {
	var names []string
	left, more := maxOffered, 0
	for _, t := range tools {
		if t == reportBlocked || slices.Contains(names, toolName(t)) {
			continue
		}
		name := toolName(t)
		if left -= utf8.RuneCountInString(name) + 2; left < 0 {
			more++
			continue
		}
		names = append(names, name)
	}
	switch {
	case len(names) == 0:
		return "another way to the goal"
	case more > 0:
		return fmt.Sprintf("another step: %s and %d more tools", strings.Join(names, ", "), more)
	}
	return "another step: " + strings.Join(names, ", ")
}

// fields names the fields that were asked for although they are held, where
// the turn says which they are.
func fields(d Decision, texts Texts) string {
	turn := texts(d.Cause)
	held := turn.Asks
	if len(turn.Known) > 0 {
		held = nil
		for _, a := range turn.Asks {
			if slices.Contains(turn.Known, a) {
				held = append(held, a)
			}
		}
	}
	if len(held) == 0 || len(held) != d.Evidence.Count {
		return ""
	}
	var names []string
	for _, h := range held[:min(len(held), 8)] {
		names = append(names, toolName(h))
	}
	return ": " + strings.Join(names, ", ")
}
