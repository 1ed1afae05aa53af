package natsbus

import (
	"log/slog"

	"github.com/nats-io/nats.go"
)

// Dial says which NATS to connect to. With neither URL nor Context it is
// natscli's selected context, or else nats://127.0.0.1:4222.
type Dial struct {
	URL     string       // servers, comma separated
	Context string       // name of a natscli context; not together with URL
	Creds   string       // path of a credentials file; overrides the context's
	Name    string       // what the server shows of this connection
	Logger  *slog.Logger // receives disconnects, reconnects and asynchronous errors; nil discards them
}

// Connect connects, or returns a connection that keeps trying in the
// background where no server answers yet. It reconnects for ever.
func Connect(d Dial) (*nats.Conn, error) { return nil, errSketch }
