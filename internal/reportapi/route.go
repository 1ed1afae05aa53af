package reportapi

import (
	"bytes"
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/loopwatch/loopwatch/internal/fleet"
	"github.com/loopwatch/loopwatch/internal/gateway"
	"github.com/loopwatch/loopwatch/internal/natsbus"
	"github.com/loopwatch/loopwatch/internal/report"
	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
)

// atOnce is how many reports are made at the same time; each reads the whole
// bus.
const atOnce = 2

// Route serves GET /v1/report/{name} over the bus: one of report.Names or all,
// as JSON, or with format=html as a page. The query may say tenant, agent,
// since, until, within and bucket, as the flags of loopwatch report do. A viewer
// that is bound to a tenant or an agent sees only that.
func Route(nb *natsbus.Bus) gateway.Route {
	s := &server{bus: nb, slots: make(chan struct{}, atOnce), now: time.Now}
	return gateway.Route{Method: http.MethodGet, Path: "/v1/report/{name}", Needs: gateway.Viewer, Serve: s.serve}
}

type server struct {
	bus   *natsbus.Bus
	slots chan struct{}
	now   func() time.Time
}

func (s *server) serve(w http.ResponseWriter, r *http.Request, who gateway.Caller) error {
	name := r.PathValue("name")
	if _, ok := (report.Report{}).Only(name); !ok {
		return &gateway.Fault{
			Status: http.StatusNotFound, Code: "no_report", Message: "there is no report of this name",
			Hint: "there are " + strings.Join(report.Names(), ", ") + " and all",
		}
	}
	format := r.URL.Query().Get("format")
	if format != "" && format != "json" && format != "html" {
		return badQuery("format", "want json or html")
	}
	opts, err := s.options(r, who)
	if err != nil {
		return err
	}
	select {
	case s.slots <- struct{}{}:
		defer func() { <-s.slots }()
	default:
		return &gateway.Fault{
			Status: http.StatusTooManyRequests, Code: "busy", Message: "other reports are under way", Hint: "ask again", Retry: 5,
		}
	}
	all, err := s.collect(r.Context(), opts)
	if err != nil {
		return err
	}
	part, _ := all.Only(name)
	return write(w, part, format)
}

// options reads the query.
func (s *server) options(r *http.Request, who gateway.Caller) (report.Options, error) {
	q := r.URL.Query()
	scope, err := who.Narrow(events.Scope{Tenant: q.Get("tenant"), Agent: q.Get("agent")})
	if err != nil {
		return report.Options{}, err
	}
	o := report.Options{Tenant: scope.Tenant, Agent: scope.Agent}
	if o.Since, err = report.ParseTime(q.Get("since"), s.now()); err != nil {
		return o, badQuery("since", "want a time (RFC 3339) or a duration")
	}
	if o.Until, err = report.ParseTime(q.Get("until"), s.now()); err != nil {
		return o, badQuery("until", "want a time (RFC 3339) or a duration")
	}
	if text := q.Get("within"); text != "" {
		if o.Within, err = strconv.Atoi(text); err != nil || o.Within < 1 || o.Within > 1000 {
			return o, badQuery("within", "want 1 to 1000")
		}
	}
	if text := q.Get("bucket"); text != "" {
		if o.Bucket, err = time.ParseDuration(text); err != nil || o.Bucket < time.Minute {
			return o, badQuery("bucket", "want a duration of 1m or more")
		}
	}
	return o, nil
}

func badQuery(field, want string) error {
	return &gateway.Fault{Status: http.StatusBadRequest, Code: "bad_query", Message: field + ": " + want}
}

// collect reads every partition.
func (s *server) collect(ctx context.Context, o report.Options) (report.Report, error) {
	c, err := report.New(o)
	if err != nil {
		return report.Report{}, err
	}
	for p := range s.bus.Partitions() {
		whole, err := fleet.Retell(ctx, s.bus, p, fleet.Listener{
			Event:    func(e *events.Event) error { c.Event(e); return nil },
			Decision: func(m *actions.Message) error { c.Decision(m); return nil },
		})
		if err != nil {
			return report.Report{}, err
		}
		if !whole {
			c.Partial()
		}
	}
	return c.Finish(), nil
}

// writeWait is how long a caller may take to read a report.
const writeWait = 30 * time.Second

func write(w http.ResponseWriter, r report.Report, format string) error {
	var body bytes.Buffer
	kind := "application/json"
	var err error
	if format == "html" {
		kind = "text/html; charset=utf-8"
		err = r.HTML(&body)
	} else {
		err = json.MarshalWrite(&body, r, json.Deterministic(true))
	}
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", kind)
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'")
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writeWait)) // a writer without deadlines is a test's
	w.WriteHeader(http.StatusOK)
	_, _ = w.Write(body.Bytes()) // a caller that is gone asks again
	return nil
}
