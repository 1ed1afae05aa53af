package worker

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/loopwatch/loopwatch/pkg/events"
)

// ParseBlocked reads the arguments of a call of report_blocked as the model
// wrote them: text, bytes, or a value that is marshalled. A list in place of a
// text, and a text in place of a list, are taken; text that is no JSON is the
// blocker. It fails where no blocker is named: hand the error to the model.
func ParseBlocked(args any) (events.Blocker, error) {
	parsed, raw, err := arguments(args)
	if err != nil {
		return events.Blocker{}, fmt.Errorf("read blocker: %w", err)
	}
	var in struct {
		Attempted texts `json:"attempted"`
		Blocker   texts `json:"blocker"`
		Needs     texts `json:"needs"`
	}
	if parsed == nil {
		in.Blocker = texts{raw}
	} else if err := json.Unmarshal(parsed, &in); err != nil {
		return events.Blocker{}, fmt.Errorf("read blocker: %w", err)
	}
	b := events.Blocker{Attempted: in.Attempted, Blocker: strings.Join(in.Blocker, "; "), Needs: strings.Join(in.Needs, "; ")}
	if strings.TrimSpace(b.Blocker) == "" {
		return events.Blocker{}, errors.New("read blocker: say in blocker what stands in the way")
	}
	return b, nil
}

// ReportBlocked ends the run as blocked with the arguments that the model gave
// to report_blocked, and waits like End. Where it says of the arguments that
// they name no blocker, the run goes on.
func (r *Run) ReportBlocked(ctx context.Context, args any) error {
	b, err := ParseBlocked(args)
	if err != nil {
		return err
	}
	return r.Blocked(ctx, b)
}

// texts is a list of texts, or one text.
type texts []string

// UnmarshalJSON reads either form; null is none.
func (t *texts) UnmarshalJSON(raw []byte) error {
	*t = nil
	if len(raw) > 0 && raw[0] == '"' {
		var one string
		if err := json.Unmarshal(raw, &one); err != nil || one == "" {
			return err
		}
		*t = texts{one}
		return nil
	}
	var many []string
	if err := json.Unmarshal(raw, &many); err != nil {
		return err
	}
	*t = many
	return nil
}
