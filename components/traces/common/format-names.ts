import type { TraceFormat } from '@/lib/traces/message'

const TITLES: Record<TraceFormat, string> = {
  own: 'the interface’s own format',
  langchain: 'serialised messages',
  completions: 'chat completions',
  responses: 'the Responses API',
  anthropic: 'the messages API',
  vercel: 'the AI SDK',
}

/** A format of messages in words, as they stand in a sentence. */
export const formatTitle = (format: TraceFormat): string => TITLES[format]
