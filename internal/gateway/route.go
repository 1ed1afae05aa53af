package gateway

import (
	"cmp"
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// Route is one method of one path.
type Route struct {
	Method string // GET, POST or DELETE
	Path   string // as http.ServeMux writes it, without a method
	Needs  Role   // one of these roles; 0 is open to everybody
	Probe  bool   // says nothing about runs and is answered under any Host

	// Serve answers, or returns an error before it has written anything: a
	// *Fault says what to answer. It keeps to what
	// who.Narrow lets it see.
	Serve func(w http.ResponseWriter, r *http.Request, who Caller) error
}

// name is the route's label in metrics.
func (r Route) name() string {
	if r.Method == "" {
		return "_other"
	}
	return r.Method + " " + r.Path
}

// routes lists everything that is served, but for what the configuration adds.
func (g *Gateway) routes() []Route {
	return []Route{
		{Method: "POST", Path: "/v1/events", Needs: Worker, Serve: g.postEvents},
		{Method: "POST", Path: "/v1/check", Needs: Worker, Serve: g.postCheck},
		{Method: "GET", Path: "/v1/runs/{run}/control", Needs: Worker, Serve: g.getControl},
		{Method: "GET", Path: "/v1/runs", Needs: Viewer, Serve: g.getRuns},
		{Method: "GET", Path: "/v1/runs/{run}", Needs: Viewer, Serve: g.getRun},
		{Method: "GET", Path: "/v1/halts", Needs: Viewer, Serve: g.getHalts},
		{Method: "POST", Path: "/v1/halts", Needs: Operator, Serve: g.postHalts},
		{Method: "DELETE", Path: "/v1/halts", Needs: Operator, Serve: g.deleteHalts},
		{Method: "GET", Path: "/openapi.json", Serve: g.getOpenAPI},
		{Method: "GET", Path: "/livez", Probe: true, Serve: g.getLive},
		{Method: "GET", Path: "/readyz", Probe: true, Serve: g.getReady},
		{Method: "GET", Path: "/metrics", Probe: true, Serve: g.getMetrics},
	}
}

// mux serves the routes. What is not among them is answered in JSON, too.
func (g *Gateway) mux(routes []Route) http.Handler {
	mux := http.NewServeMux()
	byPath := map[string]map[string]Route{}
	for _, r := range routes {
		if byPath[r.Path] == nil {
			byPath[r.Path] = map[string]Route{}
		}
		byPath[r.Path][r.Method] = r
	}
	for path, methods := range byPath {
		mux.Handle(path, g.path(methods))
	}
	mux.Handle("/", g.serve(Route{Probe: true, Serve: func(http.ResponseWriter, *http.Request, Caller) error {
		return &Fault{Status: http.StatusNotFound, Code: "no_route", Message: "nothing is served here", Hint: "see /openapi.json"}
	}}))
	return mux
}

// path serves the methods of one path; HEAD is GET without its body.
func (g *Gateway) path(methods map[string]Route) http.Handler {
	handlers, none := map[string]http.Handler{}, g.noMethod(methods)
	for method, route := range methods {
		handlers[method] = g.serve(route)
	}
	handlers[http.MethodHead] = handlers[http.MethodGet]
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := handlers[r.Method]
		if h == nil {
			h = none
		}
		h.ServeHTTP(w, r)
	})
}

func (g *Gateway) noMethod(methods map[string]Route) http.Handler {
	var allowed []string
	for m := range methods {
		allowed = append(allowed, m)
	}
	slices.Sort(allowed)
	return g.serve(Route{Probe: true, Serve: func(w http.ResponseWriter, _ *http.Request, _ Caller) error {
		w.Header().Set("Allow", strings.Join(allowed, ", "))
		return &Fault{Status: http.StatusMethodNotAllowed, Code: "no_method", Message: "the path takes " + strings.Join(allowed, ", ")}
	}})
}

// serve puts a route behind what protects it: the Host it is reached by, the
// origin of writes, and who asks.
func (g *Gateway) serve(route Route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rec := &recorder{ResponseWriter: w}
		c := http.NewResponseController(rec)
		_ = c.SetWriteDeadline(time.Time{})
		if r.Body != nil && r.Body != http.NoBody {
			_ = c.SetReadDeadline(time.Now().Add(g.cfg.BodyWait)) // of what nobody reads, too
		}
		if err := g.through(rec, r, route); err != nil {
			g.refuse(rec, r, err)
		}
		g.metrics.answered(route, rec.status)
	})
}

func (g *Gateway) through(w http.ResponseWriter, r *http.Request, route Route) error {
	if !route.Probe && !g.hosts.allow(r.Host) {
		return &Fault{
			Status: http.StatusMisdirectedRequest, Code: "wrong_host", Message: "the gateway is not known by this Host",
			Hint: "reach it by its address, or start it with --host NAME",
		}
	}
	if err := g.origin.Check(r); err != nil {
		return &Fault{Status: http.StatusForbidden, Code: "cross_origin", Message: "a page of another origin may not write here"}
	}
	who, err := g.who(r, route)
	if err != nil {
		return err
	}
	if route.Needs != 0 {
		if err := plainQuery(r); err != nil {
			return err
		}
	}
	return route.Serve(w, r, who)
}

// plainQuery refuses a query that would be read in part only: a part that is
// left out widens a scope.
func plainQuery(r *http.Request) error {
	q, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return badQuery("query", "want name=value&name=value, each escaped as in a URL")
	}
	for _, name := range slices.Sorted(maps.Keys(q)) {
		if len(q[name]) > 1 {
			return badQuery(name, "want it once")
		}
	}
	return nil
}

// who tells the caller from the token; without tokens everybody is local.
func (g *Gateway) who(r *http.Request, route Route) (Caller, error) {
	if route.Needs == 0 {
		return Caller{}, nil
	}
	who := local
	if t := g.cfg.Front.Tokens; t != nil {
		token, bearer := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		var known bool
		if who, known = t.find(token); !known || !bearer {
			return who, &Fault{
				Status: http.StatusUnauthorized, Code: "no_token", Message: "the request carries no token that is known here",
				Hint: "send Authorization: Bearer TOKEN",
			}
		}
	}
	if who.Roles&route.Needs == 0 {
		f := &Fault{Status: http.StatusForbidden, Code: "wrong_role", Message: "the token is not for this"}
		if g.cfg.Front.Tokens == nil {
			f.Message, f.Hint = "without tokens nobody is an operator", "start the gateway with --tokens and --operator-key"
		}
		return who, f
	}
	return who, nil
}

// hosts are the names by which a gateway may be reached: a page that makes its
// own name resolve here must not get in.
type hosts struct {
	names []string
	cert  func(name string) bool // of the certificate; nil without
}

func (h hosts) allow(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.TrimSuffix(strings.ToLower(strings.Trim(host, "[]")), ".")
	return slices.Contains(h.names, host) || h.cert != nil && host != "" && h.cert(host)
}

// recorder remembers the status of a response.
type recorder struct {
	http.ResponseWriter
	status int
}

// WriteHeader notes the status.
func (r *recorder) WriteHeader(status int) {
	r.status = cmp.Or(r.status, status)
	r.ResponseWriter.WriteHeader(status)
}

// Unwrap leads to the deadlines of the connection.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }
