package gateway_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/hex"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/loopwatch/loopwatch/internal/gateway"
)

// write makes a file that only its owner may read.
func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// certificate makes one for gateway.example and 127.0.0.1.
func certificate(t *testing.T) (cert, key string, pool *x509.CertPool) {
	t.Helper()
	k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	tmpl := x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"}, NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
		DNSNames: []string{"gateway.example"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, &tmpl, &tmpl, &k.PublicKey, k)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := x509.MarshalPKCS8PrivateKey(k)
	if err != nil {
		t.Fatal(err)
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	pool = x509.NewCertPool()
	pool.AppendCertsFromPEM(text)
	return write(t, "cert.pem", string(text)), write(t, "key.pem", string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: raw}))), pool
}

const oneToken = "tokens: {a: {token: 0123456789abcdef, role: viewer}}\n"

func TestOptions(t *testing.T) {
	cert, key, _ := certificate(t)
	tokens := write(t, "tokens.yaml", oneToken)
	signer := write(t, "operator.key", operator().Secret()+"\n")
	open := write(t, "open.key", operator().Secret())
	if err := os.Chmod(open, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		o    gateway.Options
		want []string // parts of the error, in order; none where the options can be
	}{
		{"loopback", gateway.Options{HTTP: "127.0.0.1:0"}, nil},
		{"loopback by name", gateway.Options{HTTP: "localhost:80"}, nil},
		{"loopback of IPv6", gateway.Options{HTTP: "[::1]:80"}, nil},
		{"loopback with everything", gateway.Options{HTTP: "127.0.0.1:0", TokensFile: tokens, TLSCert: cert, TLSKey: key, OperatorKey: signer, Hosts: []string{"a.example"}}, nil},
		{"any with TLS and tokens", gateway.Options{HTTP: ":8787", TokensFile: tokens, TLSCert: cert, TLSKey: key}, nil},
		{"any", gateway.Options{HTTP: ":8787"}, []string{"--http: :8787 is not the loopback interface: give --tls-cert, --tls-key and --tokens"}},
		{"any without TLS", gateway.Options{HTTP: "0.0.0.0:8787", TokensFile: tokens}, []string{"--http: "}},
		{"any without tokens", gateway.Options{HTTP: "192.0.2.1:8787", TLSCert: cert, TLSKey: key}, []string{"--http: "}},
		{"a name that may be anything", gateway.Options{HTTP: "gateway.example:8787"}, []string{"--http: "}},
		{"no port", gateway.Options{HTTP: "127.0.0.1"}, []string{"--http: address 127.0.0.1: missing port"}},
		{"no number", gateway.Options{HTTP: "127.0.0.1:http"}, []string{`port "http" is not a number`}},
		{"everything wrong, all at once", gateway.Options{HTTP: "nowhere", TokensFile: "nowhere", TLSCert: cert, Hosts: []string{"https://x"}, OperatorKey: open, MaxBody: 1},
			[]string{"--http: ", "--tokens: ", "--tls-cert, --tls-key: want both or none", "--operator-key: ", "chmod 600", "--host: ", "--max-body: "}},
		{"a key nobody can use", gateway.Options{HTTP: "127.0.0.1:0", OperatorKey: signer}, []string{"--operator-key: needs --tokens"}},
		{"no certificate", gateway.Options{HTTP: "127.0.0.1:0", TLSCert: tokens, TLSKey: key}, []string{"--tls-cert, --tls-key: "}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := c.o.Load()
			if c.want == nil {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			rest := fmt.Sprint(err)
			for _, w := range c.want {
				_, after, ok := strings.Cut(rest, w)
				if !ok {
					t.Fatalf("%q is not in its place in: %v", w, err)
				}
				rest = after
			}
		})
	}
}

func TestTokenFiles(t *testing.T) {
	sum := sha256.Sum256([]byte("0123456789abcdef"))
	hash := hex.EncodeToString(sum[:])
	for _, c := range []struct{ name, text, want string }{
		{"a token", oneToken, ""},
		{"JSON", `{"tokens": {"a": {"token": "0123456789abcdef", "role": "operator"}}}`, ""},
		{"a hash", "tokens: {a: {sha256: " + hash + ", role: viewer}}", ""},
		{"nothing", "tokens: {}", "is missing or empty"},
		{"no file of tokens", "a: b", "is not a known key"},
		{"no role", "tokens: {a: {token: 0123456789abcdef}}", "role: want worker, viewer or operator"},
		{"another role", "tokens: {a: {token: 0123456789abcdef, role: admin}}", "admin"},
		{"a worker of nobody", "tokens: {a: {token: 0123456789abcdef, role: worker, tenant: t}}", "names its tenant and agent"},
		{"a short token", "tokens: {a: {token: 0123456789, role: viewer}}", "at least 16 bytes"},
		{"a token of words", "tokens: {a: {token: 0123456789 abcdef, role: viewer}}", "one word"},
		{"both", "tokens: {a: {token: 0123456789abcdef, sha256: " + hash + ", role: viewer}}", "want token or sha256"},
		{"neither", "tokens: {a: {role: viewer}}", "want token or sha256"},
		{"half a hash", "tokens: {a: {sha256: abcd, role: viewer}}", "64 hex digits"},
		{"a tenant that is none", "tokens: {a: {token: 0123456789abcdef, role: viewer, tenant: a.b}}", "tenant and agent: want"},
		{"the same twice", "tokens: {a: {token: 0123456789abcdef, role: viewer}, b: {sha256: " + hash + ", role: viewer}}", "is the same token as a"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := gateway.ReadTokens(write(t, "tokens.yaml", c.text))
			if (err == nil) != (c.want == "") || !strings.Contains(fmt.Sprint(err), c.want) {
				t.Errorf("read with %v, want %q", err, c.want)
			}
		})
	}
	path := write(t, "tokens.yaml", oneToken)
	hashed := write(t, "hashed.yaml", "tokens: {a: {sha256: "+hash+", role: viewer}}")
	for p, ok := range map[string]bool{path: false, hashed: true} {
		if err := os.Chmod(p, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := gateway.ReadTokens(p); (err == nil) != ok {
			t.Errorf("%s, which others may read: %v", filepath.Base(p), err)
		}
	}
}

// Over TLS the names of the certificate are the gateway's, and HTTP/2 is spoken.
func TestTLS(t *testing.T) {
	cert, key, pool := certificate(t)
	front, err := gateway.Options{HTTP: "127.0.0.1:0", TLSCert: cert, TLSKey: key}.Load()
	if err != nil {
		t.Fatal(err)
	}
	s := newStage(t, "default", func(c *gateway.Config) { c.Front = front })
	tr := &http.Transport{ForceAttemptHTTP2: true, TLSClientConfig: &tls.Config{RootCAs: pool}}
	defer tr.CloseIdleConnections()
	for host, status := range map[string]int{"gateway.example": 202, "evil.example": 421} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+"/v1/events", strings.NewReader("[]"))
		if err != nil {
			t.Fatal(err)
		}
		req.Host = host
		req.Header.Set("Content-Type", "application/json")
		res, err := (&http.Client{Transport: tr}).Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if res.StatusCode != status || res.ProtoMajor != 2 || !strings.HasPrefix(s.url, "https://") {
			t.Errorf("%s: %d over HTTP/%d", host, res.StatusCode, res.ProtoMajor)
		}
	}
}

// Nobody's word could be believed without a key.
func TestAGatewayNeedsATrustedKey(t *testing.T) {
	if _, err := gateway.New(gateway.Config{}); err == nil || !strings.Contains(err.Error(), "no trusted key") {
		t.Errorf("made with %v", err)
	}
}
