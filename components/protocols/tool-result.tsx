import { JsonTree } from '@/components/shared/json/json-tree'
import { ContentBlock } from '@/components/shared/message/content-block'
import { LongText } from '@/components/shared/text/long-text'
import { VisibleText } from '@/components/shared/text/visible-text'
import { StatusBadge } from '@/components/ui/badge'
import type { McpResult } from '@/lib/contracts/agents/mcp'

/** The result of a tool call: content blocks, structured content, and whether the tool reports an error. */
export const ToolResult = ({ result: { blocks, structured, isError } }: { result: McpResult }) => (
  <section aria-label="Result" className="min-w-0 space-y-3 rounded-lg border bg-panel p-4">
    <div className="flex items-center gap-3">
      <h3 className="font-semibold text-sm">Result</h3>
      <StatusBadge tone={isError ? 'error' : 'ok'}>{isError ? 'Tool error' : 'Success'}</StatusBadge>
    </div>
    {blocks.length === 0 ? <p className="text-ink-3 text-sm">No content</p> : null}
    {blocks.map((block, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: blocks have no identity and do not change places
      <ResultBlock key={index} block={block} />
    ))}
    {structured === undefined || structured === null ? null : (
      <section aria-label="Structured content" className="min-w-0 overflow-hidden rounded-md border">
        <h4 className="border-b px-3 py-1.5 font-medium text-xs">Structured content</h4>
        <JsonTree value={structured} label="Structured content" className="max-h-96" />
      </section>
    )}
  </section>
)

/** One content block of a result. Embedded resources are shown if they are text. */
export function ResultBlock({ block }: { block: Readonly<Record<string, unknown>> }) {
  if (typeof block.text === 'string') return <LongText text={block.text} className="text-sm" />
  // External resources are named but never loaded.
  if (typeof block.uri === 'string' && typeof block.blob !== 'string')
    return (
      <p className="break-all rounded-md border bg-sunken px-2 py-1 text-ink-2 text-xs">
        External resource, not loaded:{' '}
        <code className="font-mono">
          <VisibleText>{block.uri.slice(0, 500)}</VisibleText>
        </code>
      </p>
    )
  const { mimeType, blob, ...rest } = block
  // Resources carry their bytes in `blob`, other blocks in `data`.
  const data = typeof blob === 'string' && { type: 'file', base64: blob }
  return <ContentBlock block={{ mime_type: mimeType, ...rest, ...data }} />
}
