package natsbus

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"
)

const (
	pullMessages = 1024             // asked for and not yet here, at most
	pullExpiry   = 30 * time.Second // after which the server forgets a request
	pullBytes    = 2 << 20          // of one request; raised to the largest message where that is larger
	abandoned    = time.Minute      // after which the server drops a consumer that nobody pulls from
)

// errLost says that a consumer skipped a delivery or has ended: what it has
// not delivered must be read again through another.
var errLost = errors.New("consumer lost")

// session reads one stream from one sequence on through a consumer of its own,
// without acknowledgements. It speaks the pull protocol itself: a status is
// told from a message by its missing reply subject, never by a header, which
// whoever stores messages could set.
type session struct {
	nc     *nats.Conn
	stream string
	name   string // of the consumer
	ask    string // subject of pull requests
	inbox  string
	sub    *nats.Subscription
	in     chan *nats.Msg
	owed   int    // messages requested and not delivered
	bytes  int    // limit of one request
	order  uint64 // consumer sequence of the last delivery
	left   uint64 // messages of the stream that were not delivered yet, as of the last delivery
	quit   <-chan struct{}
}

// openSession makes a consumer that starts at sequence from.
func (b *Bus) openSession(ctx context.Context, stream, prefix string, from uint64) (*session, error) {
	s := &session{
		nc: b.nc, stream: stream, name: prefix + "_" + nuid.Next(), inbox: b.nc.NewInbox(),
		in: make(chan *nats.Msg, 2*pullMessages), bytes: max(pullBytes, int(b.nc.MaxPayload())+64<<10),
	}
	s.ask = apiPrefix + "CONSUMER.MSG.NEXT." + stream + "." + s.name
	consumer, err := b.js.CreateConsumer(ctx, stream, jetstream.ConsumerConfig{
		Name: s.name, AckPolicy: jetstream.AckNonePolicy, MemoryStorage: true, Replicas: 1, InactiveThreshold: abandoned,
		DeliverPolicy: jetstream.DeliverByStartSequencePolicy, OptStartSeq: max(from, 1),
	})
	if err != nil {
		return nil, fmt.Errorf("make consumer of %s: %w", stream, err)
	}
	s.left = consumer.CachedInfo().NumPending
	if s.sub, err = b.nc.ChanSubscribe(s.inbox, s.in); err != nil {
		return nil, fmt.Errorf("subscribe for %s: %w", stream, err)
	}
	return s, nil
}

// close gives up the consumer; where the server cannot be told, it finds out by itself.
func (s *session) close(b *Bus) {
	_ = s.sub.Unsubscribe()
	if !b.nc.IsConnected() {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = b.js.DeleteConsumer(ctx, s.stream, s.name)
}

// next returns the next message, as soon as there is one. After an error other
// than ctx's the session is of no more use.
func (s *session) next(ctx context.Context) (*nats.Msg, *nats.MsgMetadata, error) {
	for {
		if s.owed <= pullMessages/2 {
			if err := s.pull(); err != nil {
				return nil, nil, err
			}
		}
		select {
		case m := <-s.in:
			if m.Reply == "" {
				if err := s.status(m); err != nil {
					return nil, nil, err
				}
				continue
			}
			meta, err := m.Metadata()
			if err != nil || meta.Consumer != s.name || meta.Sequence.Consumer != s.order+1 {
				return nil, nil, fmt.Errorf("%w: delivery after %d is missing", errLost, s.order)
			}
			s.owed--
			s.order++
			s.left = meta.NumPending
			return m, meta, nil
		case <-s.quit:
			return nil, nil, errLost
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		}
	}
}

// pull requests as many messages as may be under way.
func (s *session) pull() error {
	batch := pullMessages - s.owed
	req, err := json.Marshal(map[string]any{"batch": batch, "max_bytes": s.bytes, "expires": pullExpiry})
	if err != nil {
		return err
	}
	if err := s.nc.PublishRequest(s.ask, s.inbox, req); err != nil {
		return fmt.Errorf("%w: %w", errLost, err)
	}
	s.owed += batch
	return nil
}

// status reads what the server says instead of a message. A request that ended
// says how much of it is left; everything else ends the session.
func (s *session) status(m *nats.Msg) error {
	switch code := m.Header.Get("Status"); code {
	case "100":
		return nil
	case "408", "409":
		if left, err := strconv.Atoi(m.Header.Get("Nats-Pending-Messages")); err == nil && left >= 0 {
			s.owed = max(s.owed-left, 0)
			return nil
		}
		fallthrough
	default:
		return fmt.Errorf("%w: %s %s", errLost, code, m.Header.Get("Description"))
	}
}
