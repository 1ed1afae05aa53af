package provision

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/nats-io/nkeys"
)

// Report says what Write did, by file names relative to the directory.
type Report struct {
	Made    []string // did not exist
	Changed []string // were generated and are different now
	Unknown []string // seeds of users that the server does not know any more
	Store   string   // directory for JetStream
	Context string   // path of the processors' context
	Seed    string   // path of their seed
	Inbox   string   // prefix of their inboxes

	Partitions, Replicas int
}

// Nothing reports whether the directory was as it is.
func (r Report) Nothing() bool { return len(r.Made)+len(r.Changed) == 0 }

// Names of the files.
const (
	noteFile     = "provision.json"
	serverFile   = "nats-server.conf"
	accountsFile = "accounts.conf"
	seeds        = "users"    // directory of <user>.nk
	contexts     = "contexts" // directory of <user>.json
)

// Write brings a directory to what the options say. What exists already stays
// as it is: every seed, and the server file, whatever was edited in it. The
// error names every option that cannot be; then nothing was written.
func Write(o Options) (Report, error) {
	if o.Dir == "" {
		return Report{}, errors.New("--out: required: a directory for the configuration and the keys")
	}
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return Report{}, fmt.Errorf("find %s: %w", o.Dir, err)
	}
	have, err := readNote(filepath.Join(dir, noteFile))
	if err != nil {
		return Report{}, err
	}
	n := o.merge(have)
	if err := n.check(have); err != nil {
		return Report{}, err
	}
	w := writer{dir: dir}
	w.report = Report{
		Partitions: n.Partitions, Replicas: n.Replicas,
		Store: filepath.Join(dir, "jetstream"), Context: filepath.Join(dir, contexts, "processor.json"),
		Seed: filepath.Join(dir, seeds, "processor.nk"), Inbox: staff()[0].inbox,
	}
	err = w.all(n)
	return w.report, err
}

// all writes the seeds first: a directory that was left half written is
// completed the next time.
func (w *writer) all(n note) error {
	for _, d := range []string{w.dir, filepath.Join(w.dir, seeds), filepath.Join(w.dir, contexts)} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			return fmt.Errorf("make directory: %w", err)
		}
	}
	keys := map[string]string{}
	for _, u := range n.users() {
		key, err := w.seed(u.name)
		if err != nil {
			return err
		}
		keys[u.name] = key
		if err := w.generated(filepath.Join(contexts, u.name+".json"), n.context(w.dir, u), 0o600); err != nil {
			return err
		}
	}
	if err := w.generated(accountsFile, []byte(n.accounts(keys)), 0o600); err != nil {
		return err
	}
	if err := w.once(serverFile, []byte(n.server(w.report.Store)), 0o600); err != nil {
		return err
	}
	text, err := json.MarshalIndent(n, "", "  ")
	if err != nil {
		return fmt.Errorf("encode %s: %w", noteFile, err)
	}
	if err := w.generated(noteFile, append(text, '\n'), 0o600); err != nil {
		return err
	}
	return w.left(keys)
}

// context is the connection context of a user, as natscli reads it.
func (n note) context(dir string, u user) []byte {
	scheme := "nats://"
	if n.TLSCert != "" {
		scheme = "tls://"
	}
	text, err := json.MarshalIndent(map[string]string{
		"description": "loopwatch " + u.name, "url": scheme + n.Listen, "ca": n.TLSCA,
		"nkey": filepath.Join(dir, seeds, u.name+".nk"), "inbox_prefix": u.inbox,
	}, "", "  ")
	if err != nil {
		panic(err) // strings
	}
	return append(text, '\n')
}

// writer writes into one directory and notes what it did.
type writer struct {
	dir    string
	report Report
}

// seed returns the public key of a user, whose seed it makes where there is
// none.
func (w *writer) seed(user string) (string, error) {
	file := filepath.Join(seeds, user+".nk")
	pair, err := nkeys.CreateUser()
	if err != nil {
		return "", fmt.Errorf("make seed of %s: %w", user, err)
	}
	fresh, err := pair.Seed()
	if err != nil {
		return "", fmt.Errorf("make seed of %s: %w", user, err)
	}
	if err := w.once(file, append(fresh, '\n'), 0o600); err != nil {
		return "", err
	}
	path := filepath.Join(w.dir, file)
	info, err := os.Stat(path)
	if err != nil {
		return "", fmt.Errorf("read seed: %w", err)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return "", fmt.Errorf("read seed %s: mode %o lets others read it: chmod 600 it, or remove it to make a new one", path, info.Mode().Perm())
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("read seed: %w", err)
	}
	if pair, err = nkeys.ParseDecoratedUserNKey(text); err != nil {
		return "", fmt.Errorf("read seed %s: %w: restore it, or remove it to make a new one", path, err)
	}
	return pair.PublicKey()
}

// once writes a file that does not exist; one that does stays.
func (w *writer) once(file string, text []byte, mode fs.FileMode) error {
	path := filepath.Join(w.dir, file)
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	w.report.Made = append(w.report.Made, file)
	_, err = f.Write(text)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		_ = os.Remove(path) // half a file would stay for ever
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

// generated writes a file that nobody edits, whole, where it is not the same.
func (w *writer) generated(file string, text []byte, mode fs.FileMode) error {
	path := filepath.Join(w.dir, file)
	have, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return w.once(file, text, mode)
	case err != nil:
		return fmt.Errorf("read %s: %w", path, err)
	case bytes.Equal(have, text):
		return nil
	}
	w.report.Changed = append(w.report.Changed, file)
	if err := os.WriteFile(path+".new", text, mode); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

// left finds the seeds of users that are not in the configuration.
func (w *writer) left(keys map[string]string) error {
	all, err := os.ReadDir(filepath.Join(w.dir, seeds))
	if err != nil {
		return fmt.Errorf("list seeds: %w", err)
	}
	for _, f := range all {
		if user, ok := strings.CutSuffix(f.Name(), ".nk"); ok && keys[user] == "" {
			w.report.Unknown = append(w.report.Unknown, filepath.Join(seeds, f.Name()))
		}
	}
	return nil
}

// readNote returns what a directory was written with, the zero note where it is
// new.
func readNote(path string) (n note, err error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return note{}, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &n)
	}
	if err != nil {
		return note{}, fmt.Errorf("read %s: %w: restore it, or say everything anew in another directory", path, err)
	}
	return n, nil
}
