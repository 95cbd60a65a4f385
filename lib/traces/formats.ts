type Row = {
  /** The format's name within a sentence. */
  label: string
  /** Values of `metadata.ls_message_format` for this format. */
  metadataNames: readonly string[]
  /** Values of `metadata.ls_integration` for this format. */
  integrations: readonly string[]
  /** Types of content blocks that only this format has. */
  blocks: readonly string[]
}

/**
 * One row per format of logged model calls. Messages and blocks are read individually (`read-message.ts`, `blocks.ts`),
 * so a new format needs its row here and readers only for new blocks.
 */
export const TRACE_FORMATS = {
  own: { label: 'the interface’s own format', metadataNames: [], integrations: [], blocks: [] },
  langchain: {
    label: 'serialised messages',
    metadataNames: ['langchain'],
    integrations: ['langchain_chat_model', 'deepagents', 'deepagents-cli', 'graph', 'langgraph'],
    blocks: [],
  },
  anthropic: {
    label: 'the messages API',
    metadataNames: ['anthropic'],
    integrations: ['claude-agent-sdk', 'claude-code'],
    blocks: ['tool_use', 'tool_result', 'thinking', 'redacted_thinking', 'document', 'server_tool_use'],
  },
  completions: {
    label: 'chat completions',
    metadataNames: ['completions'],
    integrations: [],
    blocks: ['image_url', 'input_audio', 'refusal'],
  },
  responses: {
    label: 'the Responses API',
    metadataNames: ['responses'],
    integrations: [],
    blocks: ['input_text', 'output_text', 'input_image', 'input_file'],
  },
  vercel: { label: 'the AI SDK', metadataNames: [], integrations: ['vercel-ai-sdk'], blocks: [] },
} satisfies Record<string, Row>

export type TraceFormat = keyof typeof TRACE_FORMATS

const ROWS = Object.entries(TRACE_FORMATS) as [TraceFormat, Row][] // the table's own keys

const indexOf = (key: 'metadataNames' | 'integrations' | 'blocks'): ReadonlyMap<string, TraceFormat> =>
  new Map(ROWS.flatMap(([format, row]) => row[key].map((value) => [value, format] as const)))

export const FORMAT_OF_METADATA = indexOf('metadataNames')
export const FORMAT_OF_INTEGRATION = indexOf('integrations')
const FORMAT_OF_BLOCK = indexOf('blocks')

/** The format whose own block types are among these; the first in the table if there are several. */
export function formatOfBlocks(types: readonly string[]): TraceFormat | undefined {
  const found = new Set(types.flatMap((type) => FORMAT_OF_BLOCK.get(type) ?? []))
  return ROWS.find(([format]) => found.has(format))?.[0]
}
