package actions

import "strings"

// Bounds of what is quoted, in runes.
const (
	maxTool = 64
	maxArgs = 160
	maxText = 300
)

// line says a decision in one line, without any text from the run but the
// tool's name.
func line(d Decision) string { return subject(d) + " " + what(d) }

func subject(d Decision) string {
	if d.Evidence.Tool == "" {
		return "This run"
	}
	return toolName(d.Evidence.Tool)
}

func what(d Decision) string {
	if d.Evidence.What == "" {
		return "repeats itself"
	}
	return d.Evidence.What
}

func toolName(name string) string { return Sanitise(name, maxTool) }

// observe writes the observation of a decision.
func observe(d Decision, texts Texts) string {
	var b strings.Builder
	b.WriteString(line(d) + ".")
	if !d.Evidence.Answer.IsZero() {
		b.WriteString(" It came back with " + Quoted(texts(d.Evidence.Answer).Result, maxText) + ".")
	}
	b.WriteString(" Repeating it will not change the answer.")
	return b.String()
}

// brief writes what a person needs to act.
func brief(d Decision, texts Texts) string {
	return line(d) + ". Look: loopwatch show " + d.Target.Run
}
