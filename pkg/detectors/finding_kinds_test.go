package detectors_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopwatch/loopwatch/pkg/detectors"
)

const paragraph = "I will first read the configuration file and then change the port that the server listens on"

// TestFindingsOfOtherKinds: what the detectors say that neither look at a call
// alone nor at rounds.
func TestFindingsOfOtherKinds(t *testing.T) {
	heredoc := "call bash {\"command\":\"cat > a.txt <<'E'\\nthis text is long enough to be told from a set phrase\\nE\"}\nresult ok\n"
	back := "call bash {\"command\":\"git checkout -- a.go\"}\nresult ok\n"
	lines := "result \"one line of the file\\nanother line of it\\nand the third line of it\"\n"
	tests := []struct {
		name, story string
		d           detectors.Detector
		want        []said
	}{
		{"failures in a row, two of them the same", "call a {\"x\":1}\nerror no such order\ncall a {\"x\":2}\nerror the field is missing\ncall a {\"x\":1}\nerror no such order\n", detectors.NewFailingAgain(), []said{
			{At: 6, Weight: 6, Need: 6, Tool: "a", Count: 3, Since: 1, Events: []uint64{1, 5, 6}, Calls: []uint64{5}, Answer: 6,
				What: "has failed 3 times in a row, and more than once in the same way"},
		}},
		{"failures in a row, each another", "call a {\"x\":1}\nerror no such order\ncall a {\"x\":2}\nerror the field is missing\ncall a {\"x\":3}\nerror no such order\n", detectors.NewFailingAgain(), nil},
		{"one answer to adjusted arguments, then in a row", "call find {\"in\":\"src\",\"q\":\"a\"}\nresult nothing found\ncall find {\"in\":\"src\",\"q\":\"b\"}\nresult nothing found\ncall find {\"in\":\"src\",\"q\":\"c\"}\nresult nothing found\n", detectors.SameResult{InARow: 3, Negative: 3}, []said{
			{At: 4, Weight: 6, Need: 12, Tool: "find", Count: 2, Since: 1, Events: []uint64{2, 3, 4}, Calls: []uint64{3}, Answer: 4,
				What: "has given the same negative answer twice, with slightly different arguments"},
			{At: 6, Weight: 6, Need: 6, Tool: "find", Count: 3, Since: 1, Events: []uint64{1, 5, 6}, Calls: []uint64{5}, Answer: 6,
				What: "has given the same answer 3 times in a row, whatever it was asked"},
		}},
		{"rounds of what is known", "call a {}\nresult " + long + "\ncall b {}\nresult the other\ncall a {}\nresult " + long + "\ncall b {}\nresult the other\n", detectors.Stale{Rounds: 2}, []said{
			{At: 8, Weight: 6, Need: 6, Tool: "b", Count: 2, Since: 3, Events: []uint64{5, 7, 8}, Calls: []uint64{7}, Answer: 8,
				What: "is the last of 2 rounds in a row that brought only answers which the same calls had brought before"},
		}},
		{"a text written again", heredoc + heredoc, detectors.NewWriteAgain(), []said{
			{At: 4, Weight: 6, Need: 12, Tool: "bash", Count: 2, Since: 1, Events: []uint64{1, 3, 4}, Calls: []uint64{3}, Answer: 4,
				What: "has written the same text to the same place twice"},
		}},
		{"a file put back", back + "call bash {\"command\":\"ls\"}\nresult a.go\n" + back, detectors.Restore{Times: 2, Within: 10}, []said{
			{At: 6, Weight: 6, Need: 6, Slow: true, Tool: "bash", Count: 2, Since: 1, Events: []uint64{1, 5, 6}, Calls: []uint64{5}, Answer: 6,
				What: "has put the same thing back twice within 3 calls"},
		}},
		{"a plan stated again", "turn " + paragraph + "\nturn " + paragraph + "\n", detectors.Plan{Times: 2, Words: 12}, []said{
			{At: 2, Weight: 6, Need: 6, Slow: true, Ground: detectors.Words, Count: 2, Since: 1, Events: []uint64{1, 2},
				What: "has stated the same text word for word twice; nothing took effect in between"},
		}},
		{"a farewell", "turn thank you and goodbye to you\nturn thank you and goodbye to you\nturn thank you and goodbye to you\n", detectors.NewMonologue(), []said{
			{At: 3, Weight: 6, Need: 6, Slow: true, Ground: detectors.Talk, Count: 3, Since: 1, Events: []uint64{1, 3},
				What: "has said the same words in 3 turns in a row without a call"},
		}},
		{"a passage in other words", "turn hm\nturn " + paragraph + "\ncall a {}\nresult 1\nturn so " + paragraph + "\n", detectors.Restate{Turns: 2, Among: 30}, []said{
			{At: 5, Weight: 6, Need: 6, Slow: true, Ground: detectors.Words, Count: 2, Since: 2, Events: []uint64{2, 5},
				What: "has said the same thing in 2 turns of the last 2 turns"},
		}},
		{"compactions", "turn a {\"compacted\":true}\nturn b {\"compacted\":true}\n", detectors.CompactionLoop{Compactions: 2}, []said{
			{At: 2, Weight: 6, Need: 6, Slow: true, Ground: detectors.Words, Count: 2, Since: 1, Events: []uint64{1, 2},
				What: "has had its context compacted twice without doing anything new in between"},
		}},
		{"a message sent again", "turn hm\ntell r2 please go on with it\ntell r2 please go on with it\n", detectors.NewEcho(), []said{
			{At: 3, Weight: 6, Need: 12, Count: 2, Since: 1, Events: []uint64{2, 3},
				What: "has sent the same words to the same run twice"},
		}},
		{"known lines", "call a {\"f\":1}\n" + lines + "call a {\"f\":2}\n" + lines + "call a {\"f\":3}\n" + lines, detectors.Thrash{Calls: 2, Among: 5}, []said{
			{At: 6, Weight: 6, Need: 6, Tool: "a", Count: 2, Since: 2, Events: []uint64{3, 5, 6}, Calls: []uint64{5}, Answer: 6,
				What: "is one of 2 calls in a short while that showed only what was seen before"},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, _ := watch(t, tt.d, 0, tt.story)
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Error("findings (-want +got):\n", d)
			}
		})
	}
}
