package gateway

import (
	_ "embed"
	"net/http"
)

// document describes the API: every route, every status, every body.
//
//go:embed openapi.json
var document []byte

func (g *Gateway) getOpenAPI(w http.ResponseWriter, _ *http.Request, _ Caller) error {
	return answerRaw(w, http.StatusOK, document)
}
