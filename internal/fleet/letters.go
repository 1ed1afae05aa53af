package fleet

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/loopwatch/loopwatch/internal/natsbus"
	"github.com/loopwatch/loopwatch/pkg/events"
)

// Letter is a dead letter: where a refused event is and why it was refused.
type Letter struct {
	Partition int       `json:"partition"`
	Stream    string    `json:"stream"`
	Seq       uint64    `json:"seq"`
	Stored    time.Time `json:"stored"` // the event
	Subject   string    `json:"subject"`
	Event     string    `json:"event,omitempty"` // its id, where it could be read
	Reason    string    `json:"reason"`
	Field     string    `json:"field,omitempty"`
	Detail    string    `json:"detail"`
	SHA256    string    `json:"sha256"` // of the event's bytes, in hex
	Bytes     int       `json:"bytes"`
	Written   time.Time `json:"written"` // the letter
}

// Letters lists the newest n dead letters of a partition, oldest first. It costs
// a round trip a letter.
func Letters(ctx context.Context, nb *natsbus.Bus, p, n int) ([]Letter, error) {
	all, err := nb.DeadLetters(ctx, p)
	if err != nil {
		return nil, err
	}
	seqs := slices.Sorted(maps.Keys(all))
	var out []Letter
	for _, seq := range seqs[max(len(seqs)-n, 0):] {
		l, err := LetterAt(ctx, nb, p, seq)
		if errors.Is(err, natsbus.ErrNotFound) { // it has just become too old
			continue
		}
		if err != nil {
			return nil, err
		}
		out = append(out, l)
	}
	return out, nil
}

// LetterAt returns one dead letter, or natsbus.ErrNotFound.
func LetterAt(ctx context.Context, nb *natsbus.Bus, p int, seq uint64) (Letter, error) {
	body, at, err := nb.DeadLetter(ctx, p, seq)
	if err != nil {
		return Letter{}, err
	}
	var l Letter
	if err := json.Unmarshal(body, &l); err != nil {
		return Letter{}, fmt.Errorf("read dead letter %d of partition %d: %w", seq, p, err)
	}
	l.Partition, l.Seq, l.Written = p, seq, at // the subject says which, the body may be anybody's
	return l, nil
}

// ErrGone says that the event of a dead letter is not in its stream any more.
var ErrGone = errors.New("the stream does not hold the event any more; say it anew with --file")

// Text returns the event of a dead letter as it was stored. What stands at its
// place and is not what was refused is ErrGone too.
func (l *Letter) Text(ctx context.Context, nb *natsbus.Bus) ([]byte, error) {
	m, err := nb.Event(ctx, l.Partition, l.Seq)
	if errors.Is(err, natsbus.ErrNotFound) {
		return nil, ErrGone
	}
	if err != nil {
		return nil, err
	}
	if sum := sha256.Sum256(m.Data); hex.EncodeToString(sum[:]) != l.SHA256 {
		return nil, ErrGone
	}
	return m.Data, nil
}

// Redrive publishes an event in the place of the one that a dead letter is
// about, and returns it as it was published: as a new event of its run under an
// id made of the letter's place, so that doing it again is a duplicate and
// changes nothing. Its seq stays: where the run has gone on it is applied as
// late. What would be refused for itself is refused here with its reason, and
// so are our own kinds.
func (l *Letter) Redrive(ctx context.Context, nb *natsbus.Bus, text []byte) (events.Event, error) {
	e, err := events.Decode(text, events.DefaultLimit)
	if err != nil {
		return e, fmt.Errorf("redrive %d.%d: %w: correct it (dlq show --raw) and give it with --file", l.Partition, l.Seq, err)
	}
	if e.Kind.Ours() || strings.HasPrefix(l.Subject, events.ReservedSubject(l.Partition, "")) {
		return e, fmt.Errorf("redrive %d.%d: a %s is not said again: act or push a policy instead", l.Partition, l.Seq, e.Kind)
	}
	e.ID = fmt.Sprintf("redrive-%d-%d-%s", l.Partition, l.Seq, l.SHA256[:min(16, len(l.SHA256))])
	e.Stored, e.StreamSeq, e.Partition = time.Time{}, 0, nil
	body, err := events.Encode(e)
	if err != nil {
		return e, fmt.Errorf("redrive %d.%d: %w", l.Partition, l.Seq, err)
	}
	if err := nb.PublishEvent(ctx, events.EventSubject(e.Tenant, e.Agent, e.Task, e.Run), e.ID, "", body); err != nil {
		return e, fmt.Errorf("redrive %d.%d: %w", l.Partition, l.Seq, err)
	}
	return e, nil
}
