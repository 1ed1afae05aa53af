package events

// body reads the body of that name; only those of what a worker does all the
// time are known here.
func (d *Decoder) body(h *head, e *Event, name []byte) bool {
	var seen uint32
	s := &d.scan
	switch string(name) {
	case "turn":
		d.turn, e.Turn, h.body = Turn{}, &d.turn, TurnKind
		return s.object(func(name []byte) bool { return d.ofTurn(&seen, name) })
	case "call":
		d.call, e.Call, h.body = Call{}, &d.call, ToolCall
		return s.object(func(name []byte) bool { return d.ofCall(&seen, name) })
	case "result":
		d.result, e.Result, h.body = Result{}, &d.result, ToolResult
		return s.object(func(name []byte) bool { return d.ofResult(&seen, name) })
	case "message":
		d.message, e.Message, h.body = Message{}, &d.message, Said
		return s.object(func(name []byte) bool { return d.ofMessage(&seen, name) })
	case "start":
		d.start, e.Start, h.body = Start{}, &d.start, RunStart
		return s.object(func(name []byte) bool { return d.ofStart(&seen, name) })
	case "end":
		d.end, e.End, h.body = End{}, &d.end, RunEnd
		return s.object(func(name []byte) bool { return d.ofEnd(&seen, name) })
	}
	return false
}

func (d *Decoder) ofTurn(seen *uint32, name []byte) bool {
	t, s := &d.turn, &d.scan
	switch string(name) {
	case "text":
		return once(seen, 0) && s.text(&t.Text)
	case "model":
		return once(seen, 1) && s.text(&t.Model)
	case "usage":
		var within uint32
		d.usage, t.Usage = Usage{}, &d.usage
		return once(seen, 2) && s.object(func(name []byte) bool { return d.ofUsage(&within, name) })
	case "cost_usd":
		t.CostUSD = &d.cost
		return once(seen, 3) && s.number(&d.cost)
	case "state":
		return once(seen, 4) && s.raw(&t.State)
	case "state_hash":
		return once(seen, 5) && s.text(&t.StateHash)
	case "steps_completed":
		t.StepsCompleted = &d.steps
		return once(seen, 6) && s.small(&d.steps)
	case "compacted":
		return once(seen, 7) && s.truth(&t.Compacted)
	}
	return false
}

func (d *Decoder) ofUsage(seen *uint32, name []byte) bool {
	switch string(name) {
	case "input_tokens":
		return once(seen, 0) && d.scan.whole(&d.usage.InputTokens)
	case "output_tokens":
		return once(seen, 1) && d.scan.whole(&d.usage.OutputTokens)
	case "cached_tokens":
		return once(seen, 2) && d.scan.whole(&d.usage.CachedTokens)
	}
	return false
}

func (d *Decoder) ofCall(seen *uint32, name []byte) bool {
	c, s := &d.call, &d.scan
	switch string(name) {
	case "id":
		return once(seen, 0) && s.text(&c.ID)
	case "tool":
		return once(seen, 1) && s.text(&c.Tool)
	case "args":
		return once(seen, 2) && s.raw(&c.Args)
	case "raw_args":
		return once(seen, 3) && s.text(&c.RawArgs)
	case "timeout_ms":
		return once(seen, 4) && s.whole(&c.TimeoutMS)
	}
	return false
}

func (d *Decoder) ofResult(seen *uint32, name []byte) bool {
	r, s := &d.result, &d.scan
	switch string(name) {
	case "call_id":
		return once(seen, 0) && s.text(&r.CallID)
	case "tool":
		return once(seen, 1) && s.text(&r.Tool)
	case "content":
		return once(seen, 2) && s.raw(&r.Content)
	case "content_sha":
		return once(seen, 3) && s.text(&r.ContentSHA)
	case "truncated":
		return once(seen, 4) && s.truth(&r.Truncated)
	case "error":
		var within uint32
		d.fault, r.Error = Error{}, &d.fault
		return once(seen, 5) && s.object(func(name []byte) bool { return d.ofError(&within, name) })
	case "changed":
		r.Changed = &d.changed
		return once(seen, 6) && s.truth(&d.changed)
	case "duration_ms":
		return once(seen, 7) && s.whole(&r.DurationMS)
	case "replayed":
		return once(seen, 8) && s.truth(&r.Replayed)
	}
	return false
}

func (d *Decoder) ofError(seen *uint32, name []byte) bool {
	switch string(name) {
	case "message":
		return once(seen, 0) && d.scan.text(&d.fault.Message)
	case "code":
		return once(seen, 1) && d.scan.text(&d.fault.Code)
	case "retryable":
		return once(seen, 2) && d.scan.truth(&d.fault.Retryable)
	}
	return false
}

func (d *Decoder) ofMessage(seen *uint32, name []byte) bool {
	switch string(name) {
	case "role":
		return once(seen, 0) && d.scan.text(&d.message.Role)
	case "to":
		return once(seen, 1) && d.scan.text(&d.message.To)
	case "text":
		return once(seen, 2) && d.scan.text(&d.message.Text)
	}
	return false
}

func (d *Decoder) ofStart(seen *uint32, name []byte) bool {
	switch string(name) {
	case "attempt":
		return once(seen, 0) && d.scan.small(&d.start.Attempt)
	case "model":
		return once(seen, 1) && d.scan.text(&d.start.Model)
	case "goal":
		return once(seen, 2) && d.scan.text(&d.start.Goal)
	}
	return false
}

func (d *Decoder) ofEnd(seen *uint32, name []byte) bool {
	switch string(name) {
	case "status":
		var status string
		ok := once(seen, 0) && d.scan.text(&status)
		d.end.Status = statusOf(status)
		return ok && d.end.Status != ""
	case "reason":
		return once(seen, 1) && d.scan.text(&d.end.Reason)
	}
	return false
}

// statusOf returns the constant of that name, empty for none.
func statusOf(name string) Status {
	for _, s := range [...]Status{Done, Blocked, Failed, Halted, Stuck, Cancelled} {
		if string(s) == name {
			return s
		}
	}
	return ""
}
