package actions

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/loopwatch/loopwatch/pkg/events"
)

// SignOperator signs an operator's act and returns it with its signature. The
// act must then be sent as it is: every member of its body is signed.
func SignOperator(s Signer, act events.Operator) (events.Operator, error) {
	act.Sig = ""
	body, err := json.Marshal(act)
	if err == nil {
		body, err = canonical(body)
	}
	if err != nil {
		return act, fmt.Errorf("sign operator's act: %w", err)
	}
	act.Sig = s.Sign(DomainOperator, "", body)
	return act, nil
}

// VerifyOperator reports whether a trusted key signed the operator's act in an
// event as it was stored. It reads no more of it than that takes.
func VerifyOperator(r KeyRing, event []byte) bool {
	var e struct {
		Operator jsontext.Value `json:"operator"`
	}
	if r.Empty() || json.Unmarshal(event, &e) != nil || e.Operator.Kind() != '{' {
		return false
	}
	var sig struct {
		Sig string `json:"sig"`
	}
	if json.Unmarshal(e.Operator, &sig) != nil {
		return false
	}
	body, err := canonical(e.Operator)
	return err == nil && r.Verify(DomainOperator, "", body, sig.Sig) == nil
}

// canonical returns an operator's body without its signature in the form of
// RFC 8785.
func canonical(body []byte) ([]byte, error) {
	var members map[string]jsontext.Value
	if err := json.Unmarshal(body, &members); err != nil {
		return nil, err
	}
	delete(members, "sig")
	out, err := json.Marshal(members)
	if err != nil {
		return nil, err
	}
	v := jsontext.Value(out)
	err = v.Canonicalize()
	return v, err
}
