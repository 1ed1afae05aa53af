package actions

import "strings"

// worded reports whether an observation has two wordings. What operators say,
// and what a parent is told of a child, is said in one way.
func worded(d Decision) bool { return d.Detector != operatorDetector && other(d) == "" }

// ask writes the second wording of an observation: what is known by now, then
// the question what is missing and which step would bring it. The ways that
// remain are those of the first wording.
func ask(d Decision, texts Texts) string {
	return cut(strings.Join([]string{
		"The situation is the one of before. " + known(d, texts),
		"Before the next step, name in one sentence the one thing that is missing to reach the goal, then take the step that would bring it:\n- " +
			strings.Join(ways(d), "\n- "),
		"Where none of these brings it, report_blocked is a good end: say what was attempted, what blocks and what is needed.",
	}, "\n"), MaxObservation)
}

// known says what the run has learned from repeating itself.
func known(d Decision, texts Texts) string {
	switch d.Detector {
	case "reask":
		return "Already held" + fields(d, texts) + ". " + line(d) + "."
	case budgetDetector:
		return line(d) + "."
	}
	return "Known by now: " + lower(happened(d, texts))
}

// ways lists the steps that remain, without the end that ask names last.
func ways(d Decision) []string {
	person := giveUp[1]
	switch d.Detector {
	case "reask":
		return append(askOptions[:2:2], person)
	case budgetDetector:
		return append(budgetOptions[:1:1], person)
	}
	return []string{otherStep(d.Options), loopOptions[0], person}
}
