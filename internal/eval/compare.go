package eval

// Difference is a run or a case that two policies answer differently.
type Difference struct {
	Name   string `json:"name"`
	Label  string `json:"label,omitempty"` // of a run
	First  string `json:"first"`           // what the first policy did
	Second string `json:"second"`
	Better string `json:"better,omitempty"` // which of both is nearer to the reader: first, second, or empty for neither
}

// Compare lists the runs on which two measurements of the same runs differ, in
// their order.
func Compare(first, second []Verdict) []Difference {
	other := make(map[string]Verdict, len(second))
	for _, v := range second {
		other[v.Run] = v
	}
	var out []Difference
	for _, a := range first {
		b, ok := other[a.Run]
		if !ok || a.did() == b.did() {
			continue
		}
		d := Difference{Name: a.Run, Label: a.Label, First: a.did(), Second: b.did()}
		switch ra, rb := a.wrong(), b.wrong(); {
		case ra < rb:
			d.Better = "first"
		case rb < ra:
			d.Better = "second"
		}
		out = append(out, d)
	}
	return out
}

// CompareCases does the same for cases.
func CompareCases(first, second []Outcome) []Difference {
	other := make(map[string]Outcome, len(second))
	for _, o := range second {
		other[o.Case] = o
	}
	var out []Difference
	for _, a := range first {
		b, ok := other[a.Case]
		if !ok || a.did() == b.did() {
			continue
		}
		d := Difference{Name: a.Case, First: a.did(), Second: b.did()}
		switch {
		case a.Right && !b.Right:
			d.Better = "first"
		case b.Right && !a.Right:
			d.Better = "second"
		}
		out = append(out, d)
	}
	return out
}

// did says in a word what was done to a run.
func (v Verdict) did() string {
	switch {
	case v.Halted:
		return "halted, first by " + v.Detector
	case v.Hinted:
		return "hinted by " + v.Detector
	}
	return "silent"
}

// wrong counts what the policy got wrong on a run: a false halt weighs more
// than a missed loop, and that more than a halt that was deserved.
func (v Verdict) wrong() int {
	n := 0
	for _, f := range []struct {
		yes    bool
		weight int
	}{
		{v.Label == Productive && v.Halted, 8},
		{v.Label == Productive && v.Hinted, 4},
		{v.Label == Loop && !v.Hinted, 4},
		{v.Deserves && !v.Halted, 1},
	} {
		if f.yes {
			n += f.weight
		}
	}
	return n
}

// did says what was done in a case.
func (o Outcome) did() string {
	if len(o.Did) == 0 {
		return "silent"
	}
	s := o.Did[0]
	for _, d := range o.Did[1:] {
		s += " " + d
	}
	return s
}
