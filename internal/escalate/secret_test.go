package escalate

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The vector of the Standard Webhooks reference implementations.
func TestTheSignatureIsThatOfTheScheme(t *testing.T) {
	const id, want = "msg_p5jXN8AQM9LWM0D4loKWxJek", "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
	s, err := ParseSecret(testSecret)
	if err != nil {
		t.Fatal(err)
	}
	at, body := time.Unix(1614265330, 0), []byte(`{"test": 2432232314}`)
	if got := sign([]Secret{s}, id, at, body); got != want {
		t.Errorf("signature %s, want %s", got, want)
	}
	other, err := ParseSecret("whsec_" + strings.Repeat("A", 40))
	if err != nil {
		t.Fatal(err)
	}
	both := strings.Split(sign([]Secret{other, s}, id, at, body), " ")
	if len(both) != 2 || both[1] != want || both[0] == want {
		t.Errorf("while one secret replaces another: %q, want a signature of each", both)
	}
	for name, got := range map[string]string{
		"another id":   sign([]Secret{s}, id+"x", at, body),
		"another time": sign([]Secret{s}, id, at.Add(time.Second), body),
		"another body": sign([]Secret{s}, id, at, []byte(`{}`)),
	} {
		if got == want {
			t.Errorf("%s has the same signature", name)
		}
	}
}

func TestSecretsThatAreNone(t *testing.T) {
	for name, text := range map[string]string{
		"no prefix": "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "no base64": "whsec_%%%%", "short": "whsec_c2hvcnQ=",
		"long": "whsec_" + strings.Repeat("A", 88), "empty": "",
	} {
		if _, err := ParseSecret(text); err == nil || len(text) > 8 && strings.Contains(err.Error(), text) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func TestASecretPrintsAsNothing(t *testing.T) {
	s, err := ParseSecret(testSecret)
	if err != nil {
		t.Fatal(err)
	}
	for _, verb := range []string{"%v", "%s", "%+v", "%#v"} {
		if got := fmt.Sprintf(verb, s); got != "whsec_…" {
			t.Errorf("%s prints %s", verb, got)
		}
	}
}

func TestReadSecrets(t *testing.T) {
	write := func(mode os.FileMode, text string) string {
		path := filepath.Join(t.TempDir(), "secrets")
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	got, err := ReadSecrets(write(0o600, "# new\n"+testSecret+"\n\n"+testSecret+"\n"))
	if err != nil || len(got) != 2 {
		t.Errorf("%d secrets, %v", len(got), err)
	}
	if _, err := ReadSecrets(write(0o640, testSecret)); err != nil {
		t.Errorf("a file that its group may read, as mounted secrets are: %v", err)
	}
	for name, c := range map[string]struct {
		path string
		want []string
	}{
		"none":        {filepath.Join(t.TempDir(), "none"), []string{"none"}},
		"open to all": {write(0o604, testSecret), []string{"chmod 600"}},
		"empty":       {write(0o600, "# nothing\n"), []string{"holds none"}},
		"two faults":  {write(0o600, "secret-one\n"+testSecret+"\nwhsec_!\n"), []string{":1:", ":3:"}},
	} {
		_, err := ReadSecrets(c.path)
		for _, w := range c.want {
			if err == nil || !strings.Contains(err.Error(), w) {
				t.Errorf("%s: error %v does not say %s", name, err, w)
			}
		}
		if err != nil && strings.Contains(err.Error(), "secret-one") {
			t.Errorf("%s: the error repeats the secret", name)
		}
	}
}
