package e2e

import (
	"bufio"
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/loopwatch/loopwatch/pkg/events"
)

// front is the real binary with its own bus and an HTTP API.
type front struct {
	t         *testing.T
	bin, data string
	bus, http string // addresses
	nats, url string
	flags     []string
	cmd       *exec.Cmd
}

// serve starts one.
func serve(t *testing.T, bin string, flags ...string) *front {
	t.Helper()
	f := &front{t: t, bin: bin, data: t.TempDir(), bus: "127.0.0.1:0", http: "127.0.0.1:0", flags: flags}
	f.start()
	t.Cleanup(f.kill)
	return f
}

var readyLine = regexp.MustCompile(`^ready.* NATS at (nats://([^\s,]+)), API at (https?://([^\s,]+))`)

// start starts it; after kill at the same addresses and with the same data.
func (f *front) start() {
	f.t.Helper()
	args := []string{"run", "--embedded", "--listen", f.bus, "--http", f.http, "--data", f.data, "--policy", "sundry"}
	f.cmd = exec.Command(f.bin, append(args, f.flags...)...)
	out, err := f.cmd.StderrPipe()
	if err != nil {
		f.t.Fatal(err)
	}
	if err := f.cmd.Start(); err != nil {
		f.t.Fatal(err)
	}
	ready := make(chan []string, 1)
	var said bytes.Buffer
	go func() {
		defer close(ready)
		found := false
		for s := bufio.NewScanner(out); s.Scan(); {
			if m := readyLine.FindStringSubmatch(s.Text()); m != nil && !found {
				found = true
				ready <- m
			} else if !found {
				said.WriteString(s.Text() + "\n")
			}
		}
	}()
	m := receive(f.t, "the gateway to become ready", ready)
	if m == nil {
		f.t.Fatalf("the gateway ended:\n%s", &said)
	}
	f.nats, f.bus, f.url, f.http = m[1], m[2], m[3], m[4]
}

// kill ends the process as hard as the system can.
func (f *front) kill() {
	_ = f.cmd.Process.Kill() // it may have ended already
	_ = f.cmd.Wait()
}

// until waits for a condition.
func (f *front) until(what string, ok func() bool) {
	f.t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for over := time.After(patience); !ok(); {
		select {
		case <-tick.C:
		case <-over:
			f.t.Fatalf("waited in vain until %s", what)
		}
	}
}

// dump returns what is stored of a run, in stream order.
func (f *front) dump(t *testing.T, run string) []events.Event {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), f.bin, "dump", "--nats", f.nats, "--run", run).Output()
	if err != nil {
		t.Fatalf("dump %s: %v", run, err)
	}
	var all []events.Event
	for line := range bytes.Lines(out) {
		e, err := events.Decode(line, 0)
		if err != nil {
			t.Fatalf("dump %s: %v in %s", run, err, line)
		}
		if e.Run == run {
			all = append(all, e)
		}
	}
	return all
}

// certificate makes a certificate for 127.0.0.1 that vouches for itself, and
// returns the files of it and of its key.
func certificate(t *testing.T) (certFile, keyFile string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	tmpl := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	cert, err := x509.CreateCertificate(rand.Reader, tmpl, tmpl, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name, kind string, der []byte) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	return write("cert.pem", "CERTIFICATE", cert), write("key.pem", "PRIVATE KEY", secret)
}
