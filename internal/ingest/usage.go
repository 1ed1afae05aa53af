package ingest

import (
	"github.com/loopwatch/loopwatch/pkg/events"
)

// usage is what a response cost, in the words of any of the formats. Counts
// are numbers that other systems write as 12.0 at times.
type usage struct {
	PromptTokens     *float64 `json:"prompt_tokens"`
	CompletionTokens *float64 `json:"completion_tokens"`
	InputTokens      *float64 `json:"input_tokens"`
	OutputTokens     *float64 `json:"output_tokens"`

	PromptDetails struct {
		Cached float64 `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
	InputDetails struct {
		Cached float64 `json:"cached_tokens"`
	} `json:"input_tokens_details"`

	CacheRead  float64 `json:"cache_read_input_tokens"`     // beside input_tokens
	CacheWrite float64 `json:"cache_creation_input_tokens"` // beside input_tokens

	Cost *float64 `json:"cost"`
}

// tokens are the counts as an event has them: the cached ones are among the
// input. Nil where none was given.
func (u *usage) tokens() *events.Usage {
	if u == nil {
		return nil
	}
	in, out := first(u.InputTokens, u.PromptTokens), first(u.OutputTokens, u.CompletionTokens)
	if in == nil && out == nil {
		return nil
	}
	return &events.Usage{
		InputTokens:  count(of(in) + u.CacheRead + u.CacheWrite),
		OutputTokens: count(of(out)),
		CachedTokens: count(max(u.PromptDetails.Cached, u.InputDetails.Cached, u.CacheRead)),
	}
}

// cost is the price of the response in US dollars, nil where it is not told.
func (u *usage) cost() *float64 {
	if u == nil || u.Cost == nil {
		return nil
	}
	return amount(u.Cost)
}

// amount is a sum an event may carry, nil where it is not.
func amount(usd *float64) *float64 {
	if usd == nil || !(*usd >= 0 && *usd <= events.MaxAmount) {
		return nil
	}
	return usd
}

func first(a, b *float64) *float64 {
	if a != nil {
		return a
	}
	return b
}

func of(n *float64) float64 {
	if n == nil {
		return 0
	}
	return *n
}

// count is a number of tokens that an event may carry.
func count(n float64) int64 {
	if !(n > 0) {
		return 0
	}
	return int64(min(n, events.MaxNumber))
}
