// Package reportapi serves the reports over HTTP: GET /v1/report/{name} of a
// gateway.
//
// Every request reads what the bus holds; few are served at once. It sums
// nothing up itself. Start at Route.
package reportapi
