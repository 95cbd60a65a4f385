export type AssistantPlace = { workspace: string; deployment: string; assistant: string }
