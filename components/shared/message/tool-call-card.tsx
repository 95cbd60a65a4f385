import { parse } from 'lossless-json'
import { Wrench } from 'lucide-react'
import { useMemo } from 'react'
import { LongText } from '@/components/shared/text/long-text'
import { VisibleText } from '@/components/shared/text/visible-text'
import { StatusBadge, type Tone } from '@/components/ui/badge'
import { CopyButton } from '@/components/ui/copy-button'
import { jsonText } from '@/lib/json/value'
import { MessagePart } from './message-part'
import { type ShownMessage, type ShownPart, type ShownToolCall, textOf } from './message-types'

/** Indents complete JSON; other text is returned unchanged. */
function indented(text: string): string {
  const first = text.trimStart()[0]
  if (first !== '{' && first !== '[') return text
  try {
    return jsonText(parse(text))
  } catch {
    return text
  }
}

const isOther = (part: ShownPart): part is Exclude<ShownPart, { kind: 'text' | 'refusal' | 'call' }> =>
  part.kind !== 'text' && part.kind !== 'refusal' && part.kind !== 'call'

/** A tool call with its arguments and, once available, its result. */
export function ToolCallCard({
  call,
  result,
  isComplete,
  noResult = 'No result yet',
}: {
  call: ShownToolCall
  result?: Pick<ShownMessage, 'parts' | 'toolStatus'> | undefined
  isComplete: boolean
  noResult?: string | undefined
}) {
  const args = useMemo(() => indented(call.args), [call.args])
  const resultText = result ? textOf(result) : ''
  const shownResult = useMemo(() => indented(resultText), [resultText])
  const others = result?.parts.filter(isOther) ?? []
  const [tone, state]: [Tone, string] = !result
    ? isComplete
      ? ['unknown', call.missing ?? noResult]
      : ['progress', 'Calling']
    : result.toolStatus === 'error'
      ? ['error', 'Failed']
      : ['ok', 'Done']
  return (
    // Not a region: a conversation may contain many with the same name, and landmarks must be unique.
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for form fields
    <div role="group" aria-label={`Tool call ${call.name}`} className="rounded-md border bg-sunken/60 text-xs">
      <header className="flex min-w-0 items-center gap-2 border-b px-2.5 py-1.5">
        <Wrench aria-hidden className="size-3.5 shrink-0 text-ink-3" />
        <code className="truncate font-medium font-mono text-ink" title={call.name}>
          <VisibleText>{call.name || '…'}</VisibleText>
        </code>
        {call.isServer ? <span className="min-w-0 truncate text-ink-3">run by the provider</span> : null}
        {call.id ? <CopyButton value={call.id} what="tool call id" /> : null}
        <StatusBadge tone={tone} className="ml-auto">
          {state}
        </StatusBadge>
      </header>
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 gap-y-1.5 px-2.5 py-2">
        <dt className="text-ink-3">Arguments</dt>
        <dd className="max-h-72 overflow-auto font-mono">
          {args.trim() === '' ? (
            <span className="text-ink-3">{isComplete || result ? 'none' : '…'}</span>
          ) : (
            <LongText text={args} />
          )}
        </dd>
        {result ? (
          <>
            <dt className="text-ink-3">Result</dt>
            <dd className="max-h-96 space-y-2 overflow-auto font-mono">
              {shownResult !== '' ? <LongText text={shownResult} /> : null}
              {shownResult === '' && others.length === 0 ? (
                <span className="text-ink-3">{result.parts.length === 0 ? 'not logged' : 'empty'}</span>
              ) : null}
              {others.map((part, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a result never change order
                <MessagePart key={index} part={part} isMono isPlain isOpen={false} />
              ))}
            </dd>
          </>
        ) : null}
      </dl>
    </div>
  )
}
