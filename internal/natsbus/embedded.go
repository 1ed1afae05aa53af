package natsbus

import (
	"log/slog"
)

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
type Server struct{}

// Embedded starts a server and returns when it takes connections.
func Embedded(cfg ServerConfig) (*Server, error) { return nil, errSketch }

// URL is where clients connect.
func (s *Server) URL() string { return "" }

// Shutdown stops the server and returns when it has ended.
func (s *Server) Shutdown() {}
