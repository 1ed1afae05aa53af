package gateway

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/loopwatch/loopwatch/pkg/events"
)

// tooLarge is the code of a message that is larger than its stream takes.
const tooLarge jetstream.ErrorCode = 10054

// abreast is how many runs of one body are published side by side.
const abreast = 16

// storeAll publishes items, those of one run in order and one after the other.
// What the bus refuses for good is returned; any other error ends its run, and
// the first one is returned beside what was stored.
func (g *Gateway) storeAll(ctx context.Context, items []item) (stored int, refused []Rejected, err error) {
	ctx, cancel := context.WithTimeout(ctx, g.cfg.StoreWait)
	defer cancel()
	var mu sync.Mutex
	var wg sync.WaitGroup
	room := make(chan struct{}, abreast)
	for _, run := range byRun(items) {
		room <- struct{}{}
		wg.Go(func() {
			defer func() { <-room }()
			n, no, failed := g.storeRun(ctx, run)
			mu.Lock()
			defer mu.Unlock()
			stored += n
			refused = append(refused, no...)
			if err == nil {
				err = failed
			}
		})
	}
	wg.Wait()
	return stored, refused, err
}

// byRun groups items by their run, in order within each.
func byRun(items []item) [][]item {
	at := map[string]int{}
	var runs [][]item
	for _, it := range items {
		i, ok := at[laneOf(&it.event)]
		if !ok {
			i = len(runs)
			at[laneOf(&it.event)] = i
			runs = append(runs, nil)
		}
		runs[i] = append(runs[i], it)
	}
	return runs
}

func laneOf(e *events.Event) string { return e.Tenant + "." + e.Task + "." + e.Run }

// storeRun publishes the items of one run.
func (g *Gateway) storeRun(ctx context.Context, items []item) (stored int, refused []Rejected, err error) {
	leave, err := g.lanes.enter(ctx, laneOf(&items[0].event))
	if err != nil {
		return 0, nil, g.notStored(err)
	}
	defer leave()
	for i := range items {
		err := g.publish(ctx, &items[i], "")
		var rej *events.Reject
		switch {
		case errors.As(err, &rej):
			refused = append(refused, rejection(items[i].index, rej))
		case err != nil:
			return stored, refused, err
		default:
			stored++
		}
	}
	return stored, refused, nil
}

// publish stores one item. The error is a *Fault, or a *events.Reject where the
// bus will never take it.
func (g *Gateway) publish(ctx context.Context, it *item, check string) error {
	if !g.conn.IsConnected() {
		return busAway()
	}
	e := &it.event
	err := g.bus.PublishEvent(ctx, events.EventSubject(e.Tenant, e.Agent, e.Task, e.Run), e.ID, check, it.data)
	var api *jetstream.APIError
	switch {
	case err == nil:
		g.metrics.stored.Inc()
		return nil
	case errors.Is(err, nats.ErrMaxPayload), errors.As(err, &api) && api.ErrorCode == tooLarge:
		return &events.Reject{Reason: events.ReasonTooLarge, Detail: fmt.Sprintf("%d bytes are more than the bus takes", len(it.data))}
	}
	return g.notStored(err)
}

// notStored says why the bus has not taken an event.
func (g *Gateway) notStored(err error) *Fault {
	var api *jetstream.APIError
	switch {
	case errors.As(err, &api):
		g.cfg.Logger.Warn("the bus takes no events", "error", err)
		return &Fault{
			Status: http.StatusTooManyRequests, Code: "bus_full", Message: "the bus takes no events at the moment",
			Hint: "send the same body again later; what was stored already is a duplicate then", Retry: 5,
		}
	case !g.conn.IsConnected():
		return busAway()
	}
	return &Fault{
		Status: http.StatusServiceUnavailable, Code: "not_stored", Message: "the bus did not confirm every event in time",
		Hint: "send the same body again; what was stored already is a duplicate then", Retry: 1,
	}
}

func busAway() *Fault {
	return &Fault{
		Status: http.StatusServiceUnavailable, Code: "bus_away", Message: "the gateway has no connection to its bus",
		Hint: "send the same request again; the gateway reconnects by itself", Retry: 1,
	}
}

// taken is how events are taken.
type taken struct {
	Accepted int        `json:"accepted"` // stored now, or stored before under the same id
	Rejected []Rejected `json:"rejected"` // ordered by index
}

// postEvents stores what its body holds.
func (g *Gateway) postEvents(w http.ResponseWriter, r *http.Request, who Caller) error {
	body, done, err := g.read(w, r)
	if err != nil {
		return err
	}
	defer done()
	parts, err := split(body)
	if err != nil {
		return err
	}
	items, refused, err := g.admit(who, parts)
	if err != nil {
		return err
	}
	stored, late, err := g.storeAll(r.Context(), items)
	if err != nil {
		return err
	}
	refused = append(refused, late...)
	slices.SortFunc(refused, func(a, b Rejected) int { return a.Index - b.Index })
	g.metrics.refused.Add(float64(len(refused)))
	return answer(w, http.StatusAccepted, taken{Accepted: stored, Rejected: refused})
}
