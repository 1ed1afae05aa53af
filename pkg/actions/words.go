package actions

import (
	"strings"

	"github.com/loopwatch/loopwatch/pkg/state"
)

// Bounds of what is said and quoted, in runes.
const (
	maxTool    = 64
	maxArgs    = 160 // arguments of a single call
	maxArgsOf  = 60  // arguments of each of several calls
	maxAnswer  = 300
	maxClause  = 240 // of a detector's words
	maxOffered = 400 // names of the tools that remain, together
	maxNote    = 600 // an operator's words
)

// operatorDetector is what an operator's acts are filed under.
const operatorDetector = "operator"

// line says a decision in one line. It needs no text of events: all it takes
// from the run are names.
func line(d Decision) string {
	from := other(d)
	switch {
	case d.Detector == operatorDetector:
		return operatorLine(d, from)
	case from == "":
		return clause(d, "This run")
	case d.Evidence.What == "":
		return "Run " + from + " of this task was halted by " + d.Detector + "; resume it first"
	case d.Kind == Inject:
		return "Run " + from + ", which works for this one, was halted: " + clause(d, "it")
	}
	return "Run " + from + " was halted, and this one with it: " + clause(d, "it")
}

// other returns the run whose halt caused the decision, empty where it is the
// decision's own.
func other(d Decision) string {
	if d.Facts.From == d.Target.Run {
		return ""
	}
	return d.Facts.From
}

// clause says what the detector found, of the tool where there is one, else of
// who.
func clause(d Decision, who string) string {
	if d.Evidence.Tool != "" {
		who = toolName(d.Evidence.Tool)
	}
	return who + " " + found(d)
}

func found(d Decision) string {
	if d.Evidence.What == "" {
		return "repeats itself"
	}
	return cut(d.Evidence.What, maxClause)
}

func operatorLine(d Decision, from string) string {
	who, what := "This run", d.Evidence.What
	if from != "" {
		who = "Run " + from
	}
	if what == "" {
		what = "was halted by an operator"
	}
	s := who + " " + cut(what, maxClause)
	if d.Facts.By != "" {
		s += ", " + Quoted(d.Facts.By, maxTool)
	}
	if d.Note != "" {
		s += ": " + Quoted(d.Note, maxNote)
	}
	return s
}

// toolName says a tool's name: as it is where it is a plain word, else quoted,
// since a model may call anything by any name.
func toolName(name string) string {
	for i := range len(name) {
		if !plainByte(name[i]) {
			return Quoted(name, maxTool)
		}
	}
	if name == "" || len(name) > maxTool {
		return Quoted(name, maxTool)
	}
	return name
}

func plainByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("_-.:/", c) >= 0
}

// callText says a call with its arguments.
func callText(q Quote, limit int) string {
	if q.Args == "" || q.Args == "{}" || q.Args == "null" {
		return toolName(q.Tool)
	}
	return toolName(q.Tool) + " " + Quoted(q.Args, limit)
}

// calls says the calls at refs, oldest first, each at most once; what is not to
// be had is left out.
func calls(refs []state.Ref, texts Texts) []string {
	limit := maxArgs
	if len(refs) > 1 {
		limit = maxArgsOf
	}
	var out []string
	for _, r := range refs[:min(len(refs), state.MaxPeriod)] {
		if q := texts(r); q.Tool != "" {
			out = append(out, callText(q, limit))
		}
	}
	return out
}

// cameBack says what a result brought; empty where it is not to be had.
func cameBack(q Quote) string {
	switch {
	case q.ID == "":
		return ""
	case q.Error != "":
		return "It failed with " + Quoted(q.Error, maxAnswer) + "."
	case q.Result == "":
		return "It came back empty."
	}
	return "It came back with " + Quoted(q.Result, maxAnswer) + "."
}

// shortBack says in few words what a result brought; empty where it is not to
// be had.
func shortBack(q Quote) string {
	switch {
	case q.ID == "":
		return ""
	case q.Error != "":
		return " → error " + Quoted(q.Error, maxArgsOf)
	}
	return " → " + Quoted(q.Result, maxArgsOf)
}
