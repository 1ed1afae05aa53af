package features

import (
	"bytes"
	"testing"
)

func TestMask(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"a time with zone", "at 2024-05-16T10:00:01.5+02:00 ok", "at <ts> ok"},
		{"a time without seconds", "2024-05-16 10:00", "<ts>"},
		{"a time in UTC, then a unit", "2024-05-16T10:00:00Z5s", "<ts><dur>"},
		{"a time of day", "[10:00:01,123] start", "[<ts>] start"},
		{"a day is data", "departs 2024-05-16", "departs 2024-05-16"},
		{"hours and minutes are data", "departs 10:30", "departs 10:30"},
		{"durations", "ran 1.5s, 20 ms, 3m20s, 4 seconds, 7µs", "ran <dur>, <dur>, <dur>, <dur>, <dur>"},
		{"minutes alone need their word", "5m and 5 minutes", "5m and <dur>"},
		{"a size is data", "5 messages, 3 MB, 12 items", "5 messages, 3 MB, 12 items"},
		{"a UUID", "id 123e4567-e89b-12d3-a456-426614174000.", "id <id>."},
		{"almost a UUID", "123e4567-e89b-12d3-a456-42661417400", "123e4567-e89b-12d3-a456-42661417400"},
		{"a long hexadecimal id", "commit 9f3c2ab41d", "commit <id>"},
		{"an address", "object at 0x7f3a", "object at <id>"},
		{"a long number is data", "1234567890123", "1234567890123"},
		{"a word of hexadecimal letters", "deadbeefcafe facade", "deadbeefcafe facade"},
		{"a short hexadecimal id is data", "9f3c2ab", "9f3c2ab"},
		{"a process", "pid 4711 and PID=4712", "pid <id> and PID=<id>"},
		{"named ids", `{"request_id": "req-1a", "trace-id":"7", "message id": 12}`, `{"request_id": "<id>", "trace-id":"<id>", "message id": <id>}`},
		{"a session", "session_id: a1, session abc9", "session_id: <id>, session <id>"},
		{"a thread by number", "thread 12345 of thread-7", "thread <id> of thread<id>"},
		{"a count is data", "process 5 of 9", "process 5 of 9"},
		{"an id without a digit is data", "request_id: none", "request_id: none"},
		{"a request is no id", "request 500 made, message 3", "request 500 made, message 3"},
		{"a word that begins alike", "required 5, processing 7, requests2", "required 5, processing 7, requests2"},
		{"a time as an id", "pid: 2024-05-16T10:00:00", "pid: <ts>"},
		{"signs of several bytes part words", "→5s —20 ms ✓ 0x1f", "→<dur> —<dur> ✓ <id>"},
		{"letters of several bytes do not", "é5s", "é5s"},
		{"nothing", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := string(mask(nil, []byte(tt.in), nil)); got != tt.want {
				t.Errorf("%q becomes %q, want %q", tt.in, got, tt.want)
			}
		})
	}
}

func TestMaskVolatileFields(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"a line", "etag: W/\"ab\" c\nnext: 1", "etag: <v>\nnext: 1"},
		{"in JSON text", `{"etag": "a, b", "n": 1}`, `{"etag": <v>, "n": 1}`},
		{"a parameter", "GET /x?etag=12&n=1", "GET /x?etag=<v>&n=1"},
		{"at the end", "etag:", "etag:"},
		{"as a word", "the etag changed", "the etag changed"},
		{"as a part of a name", "my_etag: 1, etags: 2", "my_etag: 1, etags: 2"},
		{"a name with a sign", "x-age: 7", "x-age: <v>"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := string(mask(nil, []byte(tt.in), []string{"etag", "x-age"})); got != tt.want {
				t.Errorf("%q becomes %q, want %q", tt.in, got, tt.want)
			}
		})
	}
}

func FuzzMask(f *testing.F) {
	for _, s := range []string{
		"2024-05-16T10:00:00Z5s", "pid: 1:23:45:67", "0x1f 9f3c2ab41d-", "session_id: a1", "1.5s20ms", "k: v\nk=v&k", `"k": "a`, "12:00:00.1.2", `k:""0`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, volatile := range [][]string{nil, {"k"}} {
			once := mask(nil, text, volatile)
			if twice := mask(nil, once, volatile); !bytes.Equal(once, twice) {
				t.Fatalf("%q becomes %q, then %q", text, once, twice)
			}
		}
	})
}
