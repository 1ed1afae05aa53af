package ingest

// telling are paths, and paths with values, that only one format has. Arrays
// have no part in a path.
var telling = map[string]Format{
	"resourceSpans": OTelGenAI,

	"parentUuid":                 ClaudeCode,
	"leafUuid":                   ClaudeCode,
	"isSidechain":                ClaudeCode,
	"toolUseResult":              ClaudeCode,
	"type=file-history-snapshot": ClaudeCode,

	"trajectory":           SWEAgent,
	"history.message_type": SWEAgent,
	"history.role":         SWEAgent,
	"replay_config":        SWEAgent,

	"tool_calls":              OpenAIChat,
	"tool_call_id":            OpenAIChat,
	"function_call":           OpenAIChat,
	"role=tool":               OpenAIChat,
	"role=function":           OpenAIChat,
	"messages.tool_calls":     OpenAIChat,
	"messages.tool_call_id":   OpenAIChat,
	"messages.function_call":  OpenAIChat,
	"messages.role=tool":      OpenAIChat,
	"messages.role=function":  OpenAIChat,
	"messages.role=developer": OpenAIChat,
	"tools.function":          OpenAIChat,
	"choices.message":         OpenAIChat,
	"object=chat.completion":  OpenAIChat,

	"object=response":          OpenAIResponses,
	"content.type=input_text":  OpenAIResponses,
	"content.type=output_text": OpenAIResponses,
	"type=reasoning":           OpenAIResponses,
	"type=session_meta":        OpenAIResponses,
	"type=response_item":       OpenAIResponses,
	"input.role":               OpenAIResponses,
	"input.type=message":       OpenAIResponses,
	"input.type=reasoning":     OpenAIResponses,
	"output.type=message":      OpenAIResponses,
	"output.type=reasoning":    OpenAIResponses,
	"previous_response_id":     OpenAIResponses,

	"anthropic_version":                 Anthropic,
	"stop_reason":                       Anthropic,
	"tools.input_schema":                Anthropic,
	"content.type=tool_use":             Anthropic,
	"content.type=tool_result":          Anthropic,
	"content.type=thinking":             Anthropic,
	"messages.content.type=tool_use":    Anthropic,
	"messages.content.type=tool_result": Anthropic,
	"messages.content.type=thinking":    Anthropic,
}

// hinting are paths that make a format likely until something tells more: a
// conversation without tools is read as chat messages.
var hinting = map[string]Format{
	"messages":  OpenAIChat,
	"role":      OpenAIChat,
	"system":    Anthropic,
	"input":     OpenAIResponses,
	"output":    OpenAIResponses,
	"uuid":      ClaudeCode,
	"sessionId": ClaudeCode,
	"kind":      Loopwatch,
	"v":         Loopwatch,
	"run":       Loopwatch,
}
