package app

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/loopwatch/loopwatch/internal/features"
	"github.com/loopwatch/loopwatch/pkg/actions"
)

// Keys prove who wrote something. All instances of a fleet have the same.
type Keys struct {
	Hash     features.Key   // of the hashes in the store
	Control  actions.Signer // signs controls, verdicts and records
	Operator actions.Signer // signs the acts of operators who come through this instance
}

// LoadKeys reads the keys in a directory, making those that are missing, also
// where several processes start on it at once. The public halves lie beside
// them, for workers to trust.
func LoadKeys(dir string) (Keys, error) {
	var k Keys
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return k, fmt.Errorf("make key directory: %w", err)
	}
	hash, err := secret(filepath.Join(dir, "hash.key"), func() ([]byte, error) {
		b := make([]byte, len(k.Hash))
		_, err := rand.Read(b)
		return b, err
	})
	if err != nil {
		return k, err
	}
	if copy(k.Hash[:], hash) != len(hash) || len(hash) != len(k.Hash) {
		return k, fmt.Errorf("read key %s: want %d bytes: restore it, or remove the data directory to start anew", filepath.Join(dir, "hash.key"), len(k.Hash))
	}
	if k.Control, err = signer(filepath.Join(dir, "control")); err != nil {
		return k, err
	}
	k.Operator, err = signer(filepath.Join(dir, "operator"))
	return k, err
}

// signer reads path.key, making it where missing, and sees that path.pub says
// its public half.
func signer(path string) (actions.Signer, error) {
	text, err := secret(path+".key", func() ([]byte, error) {
		s, err := actions.GenerateSigner(rand.Reader)
		return []byte(s.Secret() + "\n"), err
	})
	if err != nil {
		return actions.Signer{}, err
	}
	s, err := actions.ParseSigner(string(text))
	if err != nil {
		return s, fmt.Errorf("read key %s.key: %w: restore it, or remove it to start with a new one", path, err)
	}
	public := []byte(s.Public().String() + "\n")
	if have, err := os.ReadFile(path + ".pub"); err == nil && bytes.Equal(have, public) {
		return s, nil
	}
	return s, writeWhole(path+".pub", public, 0o644)
}

// secret reads a file that only its owner may read, writing it first where
// there is none.
func secret(path string, generate func() ([]byte, error)) ([]byte, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		b, gerr := generate()
		if gerr != nil {
			return nil, fmt.Errorf("make key %s: %w", path, gerr)
		}
		if err := writeFirst(path, b, 0o600); err != nil {
			return nil, err
		}
		info, err = os.Stat(path)
	}
	if err != nil {
		return nil, fmt.Errorf("read key: %w", err)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf("read key %s: mode %o lets others read it: chmod 600 it", path, info.Mode().Perm())
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read key: %w", err)
	}
	return b, nil
}

// writeFirst writes a file whole, unless there is one: then that stays.
func writeFirst(path string, b []byte, mode fs.FileMode) error {
	own := fmt.Sprintf("%s.%d", path, os.Getpid())
	defer func() { _ = os.Remove(own) }()
	if err := writeWhole(own, b, mode); err != nil {
		return err
	}
	if err := os.Link(own, path); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("write key %s: %w", path, err)
	}
	return nil
}

// writeWhole writes a file whole or not at all.
func writeWhole(path string, b []byte, mode fs.FileMode) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return fmt.Errorf("write key: %w", err)
	}
	_, err = f.Write(b)
	if err == nil {
		err = f.Chmod(mode)
	}
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
		return fmt.Errorf("write key %s: %w", path, err)
	}
	return nil
}
