package app

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// ops serves metrics and probes. They say nothing about runs, so any address
// will do.
func (a *App) ops(reg *prometheus.Registry) (part, error) {
	l, err := net.Listen("tcp", a.opts.Ops)
	if err != nil {
		return part{}, fmt.Errorf("listen for metrics: %w", err)
	}
	a.OpsAddr = l.Addr().String()
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(reg, promhttp.HandlerOpts{EnableOpenMetrics: true}))
	mux.HandleFunc("GET /livez", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		if !a.ready() {
			w.WriteHeader(http.StatusServiceUnavailable)
			fmt.Fprintln(w, "not ready: still applying what was stored before the start, or not connected")
			return
		}
		fmt.Fprintln(w, "ok")
	})
	s := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	a.onClose(func() error { _ = s.Close(); return nil })
	return part{"metrics and probes", func(ctx context.Context) error {
		done := make(chan error, 1)
		go func() { done <- s.Serve(l) }()
		select {
		case err := <-done:
			return err
		case <-ctx.Done():
		}
		bound, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer cancel()
		err := s.Shutdown(bound)
		if errors.Is(err, context.DeadlineExceeded) {
			err = s.Close()
		}
		return err
	}}, nil
}

func (a *App) ready() bool {
	select {
	case <-a.Processor.Ready():
		return a.nc.IsConnected()
	default:
		return false
	}
}
