package natsbus

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"strconv"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/loopwatch/loopwatch/pkg/events"
)

// readyWait bounds how long a started server may take to listen; recovering
// the streams comes before and is not bounded.
const readyWait = 10 * time.Second

// ServerConfig says how to run a server inside this process.
type ServerConfig struct {
	Listen     string       // host:port; empty means a free port of the loopback interface
	StoreDir   string       // JetStream's directory, made where missing
	Partitions int          // P of the mapping from lw.ev to lw.evp
	MaxStore   int64        // bytes JetStream may use on disk; 0 means what the server thinks fit
	SyncAlways bool         // fsync before every acknowledgement
	Logger     *slog.Logger // receives the server's log; nil discards it
}

// Server is a NATS server with JetStream inside this process.
type Server struct {
	ns *server.Server
}

// Embedded starts a server and returns when it takes connections. It knows no
// users: whoever reaches Listen may do everything.
func Embedded(cfg ServerConfig) (*Server, error) {
	opts, err := cfg.options()
	if err != nil {
		return nil, fmt.Errorf("configure server: %w", err)
	}
	ns, err := server.NewServer(opts)
	if err != nil {
		return nil, fmt.Errorf("make server: %w", err)
	}
	log := newServerLog(cfg.Logger)
	ns.SetLoggerV2(log, false, false, false)
	if err := ns.GlobalAccount().AddMapping(events.PublishFilter, events.PartitionMapping(cfg.Partitions)); err != nil {
		return nil, fmt.Errorf("map %s: %w", events.PublishFilter, err)
	}
	ns.Start()
	s := &Server{ns: ns}
	if err := s.await(log); err != nil {
		s.Shutdown()
		return nil, fmt.Errorf("start server: %w", err)
	}
	return s, nil
}

// options turns the configuration into the server's own.
func (c ServerConfig) options() (*server.Options, error) {
	if c.Partitions < 1 {
		return nil, fmt.Errorf("partitions are %d, must be 1 or more", c.Partitions)
	}
	if c.StoreDir == "" {
		return nil, errors.New("store directory is missing")
	}
	if err := os.MkdirAll(c.StoreDir, 0o700); err != nil {
		return nil, err
	}
	host, port := "127.0.0.1", server.RANDOM_PORT
	if c.Listen != "" {
		h, p, err := net.SplitHostPort(c.Listen)
		if err != nil {
			return nil, err
		}
		if port, err = strconv.Atoi(p); err != nil {
			return nil, fmt.Errorf("port %q: %w", p, err)
		}
		if host = h; port == 0 {
			port = server.RANDOM_PORT
		}
	}
	return &server.Options{
		ServerName: "loopwatch", Host: host, Port: port,
		JetStream: true, StoreDir: c.StoreDir, JetStreamMaxStore: c.MaxStore, SyncAlways: c.SyncAlways,
		NoSigs: true, NoSystemAccount: false,
	}, nil
}

// await returns when the server listens, or with what it died of.
func (s *Server) await(log *serverLog) error {
	for deadline := time.Now().Add(readyWait); ; {
		if err := log.fatal(); err != nil {
			return err
		}
		if s.ns.ReadyForConnections(50 * time.Millisecond) {
			break
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("not ready after %v", readyWait)
		}
	}
	if !s.ns.JetStreamEnabled() {
		return errors.New("JetStream did not start")
	}
	return nil
}

// URL is where clients connect.
func (s *Server) URL() string { return s.ns.ClientURL() }

// Shutdown stops the server and returns when it has ended.
func (s *Server) Shutdown() {
	s.ns.Shutdown()
	s.ns.WaitForShutdown()
}
