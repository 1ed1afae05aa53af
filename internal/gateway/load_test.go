package gateway_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/loopwatch/loopwatch/internal/gateway"
	"github.com/loopwatch/loopwatch/internal/natsbus"
	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
)

// Environment of the load: what is asked for, and what makes the test binary a
// gateway, so that it can be measured from outside.
const (
	loadEnv  = "LOOPWATCH_GATEWAY_LOAD" // polls,checks a second,duration: 10000,2000,20s
	childEnv = "LOOPWATCH_GATEWAY_CHILD"
)

// child serves HTTP until it is stopped.
func child(natsURL, keyFile string) error {
	text, err := os.ReadFile(keyFile)
	if err != nil {
		return err
	}
	key, err := actions.ParsePublicKey(string(text))
	if err != nil {
		return err
	}
	nc, err := natsbus.Connect(natsbus.Dial{URL: natsURL})
	if err != nil {
		return err
	}
	defer nc.Close()
	bus, err := natsbus.New(nc, partitions)
	if err != nil {
		return err
	}
	front := gateway.Front{Addr: "127.0.0.1:0"}
	g, err := gateway.New(gateway.Config{Front: front, Conn: nc, Bus: bus, Trusted: actions.NewKeyRing(key)})
	if err != nil {
		return err
	}
	l, url, err := front.Listen()
	if err != nil {
		return err
	}
	fmt.Println(url)
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	return g.Serve(ctx, l)
}

// TestLoad reports what a gateway bears; it asserts nothing about time.
func TestLoad(t *testing.T) {
	spec := strings.Split(os.Getenv(loadEnv), ",")
	if len(spec) != 3 {
		t.Skip(loadEnv + " says nothing: polls,checks a second,duration")
	}
	polls, err1 := strconv.Atoi(spec[0])
	rate, err2 := strconv.Atoi(spec[1])
	lasting, err3 := time.ParseDuration(spec[2])
	if err1 != nil || err2 != nil || err3 != nil {
		t.Fatal(err1, err2, err3)
	}
	s := newStage(t, "default", nil)
	s.closeGate()
	gate := s.spawn()
	l := &load{stage: s, client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: polls + 1000}}}
	t.Logf("before: %s", usage(t, gate))
	l.begin(polls)
	applied := time.Now()
	for i := range 4 * partitions { // whatever was stored before is applied by then
		l.until("the processor is there", func() bool {
			return l.do("POST", "/v1/check?deadline_ms=30000", start(fmt.Sprintf("warm-%d-%d", i, time.Now().UnixNano()))).status == http.StatusOK
		})
	}
	t.Logf("%d runs are known after %v", polls, time.Since(applied).Round(time.Millisecond))
	answered := l.poll(polls)
	began := time.Now()
	waiting := 0
	l.until("most polls wait", func() bool { // some are always between two
		waiting, _ = strconv.Atoi(l.metric("loopwatch_gateway_polls_waiting"))
		return waiting >= polls*99/100
	})
	t.Logf("%d polls wait after %v: %s", waiting, time.Since(began).Round(time.Millisecond), usage(t, gate))
	before := cpu(t, gate)
	took := l.check(rate, lasting)
	if len(took) == 0 {
		t.Fatalf("no check was answered: %v", l.why.Load())
	}
	slices.Sort(took)
	at := func(q float64) time.Duration { return took[int(q*float64(len(took)-1))].Round(10 * time.Microsecond) }
	t.Logf("checks: %d verdicts in %v, %d without (last: %v); p50 %v, p90 %v, p99 %v, max %v; the gateway took %.2f cores",
		len(took), lasting, l.missed.Load(), l.why.Load(), at(0.5), at(0.9), at(0.99), at(1), (cpu(t, gate)-before).Seconds()/lasting.Seconds())
	t.Logf("with %d polls still waiting: %s", polls-int(answered.Load()), usage(t, gate))
	began = time.Now()
	l.halt()
	l.until("every poll is told of the halt", func() bool { return int(answered.Load()) == polls })
	t.Logf("a halt of all %d runs: every poll was told within %v", polls, time.Since(began).Round(time.Millisecond))
}

// halt halts all runs, as an operator of the processor.
func (l *load) halt() {
	c := l.app.Keys.Operator
	o, err := actions.SignOperator(c, events.Operator{Action: "halt", Scope: events.Scope{Agent: "support"}, Reason: "the load is over"})
	if err != nil {
		l.t.Fatal(err)
	}
	for p := range partitions {
		id := fmt.Sprintf("halt-%d", p)
		e := events.Event{V: 1, ID: id, Kind: events.OperatorAct, Time: time.Now(), Operator: &o}
		data, err := events.Encode(e)
		if err != nil {
			l.t.Fatal(err)
		}
		if _, err := l.bus.PublishOwn(l.t.Context(), p, "operator", id, data); err != nil {
			l.t.Fatal(err)
		}
	}
}

// load is a client of many.
type load struct {
	*stage
	client *http.Client
	missed atomic.Int64
	why    atomic.Value // a string, of the last one
}

func (l *load) miss(why string) {
	l.missed.Add(1)
	l.why.Store(why)
}

// spawn runs a gateway in a process of its own.
func (s *stage) spawn() *os.Process {
	s.t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+s.srv.URL()+" "+filepath.Join(s.data, "keys", "control.pub"))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	lines := bufio.NewScanner(out)
	if !lines.Scan() {
		s.t.Fatal("the gateway does not start")
	}
	s.url = lines.Text()
	return cmd.Process
}

// begin starts the runs, a thousand at once.
func (l *load) begin(runs int) {
	var body strings.Builder
	for i := range runs {
		body.WriteString(start(fmt.Sprintf("load-%d", i)) + "\n")
		if i%1000 == 999 || i == runs-1 {
			if got := l.take(body.String()); len(got.Rejected) > 0 {
				l.t.Fatalf("taken as %+v", got)
			}
			body.Reset()
		}
	}
}

// poll makes every run wait for its controls over and over, and counts those
// that were told something.
func (l *load) poll(runs int) *atomic.Int64 {
	var told atomic.Int64
	for i := range runs {
		go func() {
			for after := ""; ; {
				req, _ := http.NewRequestWithContext(l.t.Context(), http.MethodGet, fmt.Sprintf("%s/v1/runs/load-%d/control?agent=support&wait=60s&after=%s", l.url, i, after), nil)
				res, err := l.client.Do(req)
				if err != nil {
					return
				}
				body, err := io.ReadAll(res.Body)
				_ = res.Body.Close()
				if err != nil {
					return
				}
				if strings.Contains(string(body), `"kind":"halt"`) {
					told.Add(1)
					return
				}
				_, after, _ = strings.Cut(string(body), `"after":"`)
				after, _, _ = strings.Cut(after, `"`)
			}
		}()
	}
	return &told
}

// mostUnderWay bounds the checks under way: beyond it they count as missed.
const mostUnderWay = 1000

// check asks at a fixed rate, whether or not the answers keep up, and returns
// how long each verdict took.
func (l *load) check(rate int, lasting time.Duration) (took []time.Duration) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	room := make(chan struct{}, mostUnderWay)
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	began, n := time.Now(), 0
	for time.Since(began) < lasting {
		<-tick.C
		for ; n < int(time.Since(began).Seconds()*float64(rate)); n++ {
			run, seq := fmt.Sprintf("check-%d", n%500), n/500+1
			body := call(run, seq, fmt.Sprintf("c%d", seq), fmt.Sprintf(`{"id":%d}`, n))
			select {
			case room <- struct{}{}:
			default:
				l.miss("too many under way")
				continue
			}
			wg.Go(func() {
				defer func() { <-room }()
				asked := time.Now()
				req, _ := http.NewRequestWithContext(l.t.Context(), http.MethodPost, l.url+"/v1/check", strings.NewReader(body))
				req.Header.Set("Content-Type", "application/json")
				res, err := l.client.Do(req)
				if err != nil {
					l.miss(err.Error())
					return
				}
				text, _ := io.ReadAll(res.Body)
				_ = res.Body.Close()
				if res.StatusCode != http.StatusOK {
					l.miss(string(text))
					return
				}
				mu.Lock()
				took = append(took, time.Since(asked))
				mu.Unlock()
			})
		}
	}
	wg.Wait()
	return took
}

// usage says what memory a process holds.
func usage(t *testing.T, p *os.Process) string {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.Pid))
	if err != nil {
		return "unknown here"
	}
	for line := range strings.Lines(string(text)) {
		if v, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			return strings.TrimSpace(v) + " resident"
		}
	}
	return "unknown here"
}

// cpu is the processor time that a process has taken.
func cpu(t *testing.T, p *os.Process) time.Duration {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.Pid))
	f := strings.Fields(string(text))
	if err != nil || len(f) < 15 {
		return 0
	}
	user, _ := strconv.Atoi(f[13])
	system, _ := strconv.Atoi(f[14])
	return time.Duration(user+system) * 10 * time.Millisecond
}
