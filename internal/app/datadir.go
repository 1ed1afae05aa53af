package app

import (
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/loopwatch/loopwatch/internal/features"
)

// Keys are what a data directory holds to prove who wrote something.
type Keys struct {
	Hash     features.Key       // of the hashes in the store
	Control  ed25519.PrivateKey // signs controls, verdicts and records
	Operator ed25519.PrivateKey // signs the acts of operators who come through this instance
}

// ensureDir makes the directory for its owner alone.
func ensureDir(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make data directory: %w", err)
	}
	return nil
}

// loadKeys reads the keys of a data directory, making those that are missing.
func loadKeys(dir string) (Keys, error) {
	var k Keys
	dir = filepath.Join(dir, "keys")
	if err := ensureDir(dir); err != nil {
		return k, err
	}
	hash, err := secret(filepath.Join(dir, "hash.key"), len(k.Hash))
	if err != nil {
		return k, err
	}
	copy(k.Hash[:], hash)
	if k.Control, err = signing(filepath.Join(dir, "control.key")); err != nil {
		return k, err
	}
	k.Operator, err = signing(filepath.Join(dir, "operator.key"))
	return k, err
}

func signing(path string) (ed25519.PrivateKey, error) {
	seed, err := secret(path, ed25519.SeedSize)
	if err != nil {
		return nil, err
	}
	return ed25519.NewKeyFromSeed(seed), nil
}

// secret reads size random bytes from a file, writing them first where there
// is none. A file that others may read is refused.
func secret(path string, size int) ([]byte, error) {
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		b = make([]byte, size)
		if _, err := rand.Read(b); err != nil {
			return nil, fmt.Errorf("make key: %w", err)
		}
		if err := writeOnce(path, b); err != nil {
			return nil, err
		}
		return b, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read key: %w", err)
	}
	if len(b) != size {
		return nil, fmt.Errorf("read key %s: %d bytes, want %d: restore it, or remove it to start with a new one", path, len(b), size)
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("read key: %w", err)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf("read key %s: mode %o lets others read it: chmod 600 it", path, info.Mode().Perm())
	}
	return b, nil
}

// writeOnce writes a file whole or not at all, for its owner alone.
func writeOnce(path string, b []byte) error {
	tmp := path + ".new"
	f, err := os.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("write key: %w", err)
	}
	_, err = f.Write(b)
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(tmp, path)
	}
	if err != nil {
		return fmt.Errorf("write key %s: %w", path, err)
	}
	return nil
}
