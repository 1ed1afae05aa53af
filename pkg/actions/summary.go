package actions

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// brief writes what a person needs to act: what happened and to whom, what was
// tried, what was repeated and what came back, the last rounds, what it cost
// so far, and how to look and how to resume.
func brief(d Decision, texts Texts) string {
	var b strings.Builder
	put := func(name, s string) {
		if s != "" {
			fmt.Fprintf(&b, "\n%s: %s", name, s)
		}
	}
	b.WriteString("Run " + d.Target.Run + " " + outcome(d) + ": " + lower(line(d)) + ".")
	put("Who", fmt.Sprintf("agent %s, task %s, tenant %s", d.Agent, d.Target.Task, d.Target.Tenant))
	put("Tried", tried(d.Facts))
	if said := calls(d.Evidence.Calls, texts); len(said) > 0 {
		put("Repeated", strings.Join(said, "; "))
	}
	if !d.Evidence.Answer.IsZero() {
		put("Answer", cameBack(texts(d.Evidence.Answer)))
	}
	put("Last rounds", lastRounds(d.Facts, texts))
	put("So far", spent(d.Facts))
	put("Since round "+strconv.Itoa(d.Evidence.Since), wasted(d))
	put("Look", "loopwatch show "+named(d.Target.Run, ""))
	switch {
	case d.Detector == ignoredDetector:
		put("Stop", "its worker does not obey; end it where it runs")
	case d.Status == "":
		put("Stop", "loopwatch halt "+named(d.Target.Run, `--reason "…"`))
	default:
		put("Resume", "loopwatch resume "+named(d.Target.Run, resumeFlags(d)))
	}
	return b.String()
}

// ignoredDetector is what a worker that acts past its halt is filed under.
const ignoredDetector = "halt_ignored"

func outcome(d Decision) string {
	switch d.Status {
	case "":
		return "needs a look"
	case "halted":
		return "was halted"
	}
	return "was halted as " + d.Status
}

// lower lets a sentence follow a colon.
func lower(s string) string {
	if rest, ok := strings.CutPrefix(s, "This run "); ok {
		return "it " + rest
	}
	return s
}

func tried(f Facts) string {
	s := count(f.Calls, "tool call") + " in " + count(f.Turns, "turn")
	switch f.Observations {
	case 0:
		return s + "; it was told nothing before"
	case 1:
		return s + "; it was told once and went on"
	case 2:
		return s + "; it was told twice and went on"
	}
	return s + fmt.Sprintf("; it was told %d times and went on", f.Observations)
}

// lastRounds quotes the last calls with their rounds and what came back.
func lastRounds(f Facts, texts Texts) string {
	var out []string
	for _, l := range f.Last {
		q := texts(l.Call)
		if q.Tool == "" {
			continue
		}
		s := strconv.Itoa(q.Round) + " " + callText(q, maxArgsOf)
		if !l.Answer.IsZero() {
			s += shortBack(texts(l.Answer))
		}
		out = append(out, s)
	}
	return strings.Join(out, "; ")
}

func spent(f Facts) string {
	parts := []string{count(f.Turns, "turn")}
	if f.Tokens > 0 {
		parts = append(parts, strconv.FormatInt(f.Tokens, 10)+" tokens")
	}
	parts = append(parts, price(f))
	if f.ElapsedMS >= 1000 {
		parts = append(parts, (time.Duration(f.ElapsedMS) * time.Millisecond).Truncate(time.Second).String())
	}
	return strings.Join(parts, ", ")
}

// price says what was reported, and for how many turns nothing was.
func price(f Facts) string {
	switch {
	case f.Unpriced == 0:
		return usd(f.CostUSD) + " reported"
	case f.CostUSD == 0:
		return "no cost reported"
	}
	return usd(f.CostUSD) + " reported, " + count(f.Unpriced, "turn") + " without a price"
}

// wasted estimates what went into the repetition; nothing for what is no
// repetition.
func wasted(d Decision) string {
	if d.Detector == budgetDetector || d.Evidence.Since <= 0 || d.Facts.WastedTurns <= 0 {
		return ""
	}
	s := count(d.Facts.WastedTurns, "turn") + " without result"
	if d.Facts.WastedUSD > 0 {
		s += ", about " + usd(d.Facts.WastedUSD)
	}
	return s
}

func usd(x float64) string {
	if x != 0 && x < 0.1 {
		return strconv.FormatFloat(x, 'f', 4, 64) + " USD"
	}
	return strconv.FormatFloat(x, 'f', 2, 64) + " USD"
}

// count says how many of something there are.
func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}

func resumeFlags(d Decision) string {
	if d.Detector == budgetDetector {
		return `--budget +N --note "…"`
	}
	return `--note "…"`
}

// named writes a run's name and flags for the command line; a name that begins
// with a dash comes after --.
func named(run, flags string) string {
	switch {
	case strings.HasPrefix(run, "-") && flags != "":
		return flags + " -- " + run
	case strings.HasPrefix(run, "-"):
		return "-- " + run
	case flags != "":
		return run + " " + flags
	}
	return run
}
