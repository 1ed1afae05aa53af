package natsbus

import (
	"errors"
	"fmt"
	"log/slog"
	"sync"
)

// serverLog passes the server's log on. The server's notices are of interest
// to who debugs it, not to who runs loopwatch.
type serverLog struct {
	log  *slog.Logger
	mu   sync.Mutex
	died error // first fatal message
}

func newServerLog(l *slog.Logger) *serverLog {
	if l == nil {
		l = slog.New(slog.DiscardHandler)
	}
	return &serverLog{log: l.With("from", "nats-server")}
}

// fatal returns what the server died of, nil while it lives.
func (l *serverLog) fatal() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.died
}

func (l *serverLog) Fatalf(format string, v ...any) {
	msg := fmt.Sprintf(format, v...)
	l.mu.Lock()
	if l.died == nil {
		l.died = errors.New(msg)
	}
	l.mu.Unlock()
	l.log.Error(msg)
}

func (l *serverLog) Errorf(format string, v ...any)  { l.log.Error(fmt.Sprintf(format, v...)) }
func (l *serverLog) Warnf(format string, v ...any)   { l.log.Warn(fmt.Sprintf(format, v...)) }
func (l *serverLog) Noticef(format string, v ...any) { l.log.Debug(fmt.Sprintf(format, v...)) }
func (l *serverLog) Debugf(string, ...any)           {}
func (l *serverLog) Tracef(string, ...any)           {}
