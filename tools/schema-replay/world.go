package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// world is the remote side: what exists, which calls fail, and which calls changed something. A test writes it before
// a run and reads it afterwards.
type world struct {
	// Resource type → identity → attributes. "$delete_fails" beside them is why the object can not be deleted.
	Objects map[string]map[string]tree `json:"objects"`
	// How many objects of a type were ever created: made-up values follow from it, so that none comes twice.
	Created map[string]int `json:"created"`
	// Call, such as "b2_bucket.delete", "data.netbird_dns_zone.read" or "provider.configure" → message of its error.
	Failures map[string]string `json:"failures"`
	// "<type>.<call> <identity>" of every call that changed something, in order.
	Calls []string `json:"calls"`
}

// worldFile without a path remembers nothing: reads answer what is in state.
type worldFile struct{ path string }

// remembers: whether an object that is not found is gone.
func (f *worldFile) remembers() bool { return f.path != "" }

func emptyWorld() *world {
	return &world{Objects: map[string]map[string]tree{}, Created: map[string]int{}, Failures: map[string]string{}}
}

// read gives the world as it is.
func (f *worldFile) read() (*world, error) {
	empty := emptyWorld()
	if f.path == "" {
		return empty, nil
	}
	data, err := os.ReadFile(f.path)
	if errors.Is(err, os.ErrNotExist) {
		return empty, nil
	}
	if err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(strings.NewReader(string(data)))
	decoder.UseNumber()
	if err := decoder.Decode(empty); err != nil {
		return nil, fmt.Errorf("%s: %w", f.path, err)
	}
	return empty, nil
}

// change runs one call against the world and writes down what it did. Providers of one run share the file.
func (f *worldFile) change(call func(*world) error) error {
	if f.path == "" {
		now, _ := f.read()
		return call(now)
	}
	lock, err := os.OpenFile(f.path+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer func() { _ = lock.Close() }()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return err
	}
	now, err := f.read()
	if err != nil {
		return err
	}
	if err := call(now); err != nil {
		return err
	}
	return f.write(now)
}

// write renames into place: a reader sees the old world or the new one.
func (f *worldFile) write(now *world) error {
	data, err := json.Marshal(now)
	if err != nil {
		return err
	}
	aside, err := os.CreateTemp(filepath.Dir(f.path), ".world-*")
	if err != nil {
		return err
	}
	if _, err := aside.Write(data); err != nil {
		return err
	}
	if err := aside.Close(); err != nil {
		return err
	}
	return os.Rename(aside.Name(), f.path)
}

// fail gives the error that a call was told to end with.
func (w *world) fail(call string) error {
	if message, ok := w.Failures[call]; ok {
		return errors.New(message)
	}
	return nil
}

func (w *world) put(kind, identity string, attributes tree) {
	if w.Objects[kind] == nil {
		w.Objects[kind] = map[string]tree{}
	}
	w.Objects[kind][identity] = attributes
}

func (w *world) log(call, identity string) { w.Calls = append(w.Calls, call+" "+identity) }
