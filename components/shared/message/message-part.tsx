import { Ban } from 'lucide-react'
import { StreamText } from '@/components/shared/text/stream-text'
import { VisibleText } from '@/components/shared/text/visible-text'
import { cn } from '@/lib/cn'
import { count } from '@/lib/format/format'
import { CitationList, SourceCard } from './citations'
import { ContentBlock } from './content-block'
import { MarkdownText } from './markdown/markdown-text'
import type { ShownPart } from './message-types'

type Props = {
  part: Exclude<ShownPart, { kind: 'call' }>
  isMono: boolean
  /** Shows the text as written instead of as Markdown. */
  isPlain: boolean
  isOpen: boolean
}

/** One part of a message other than a tool call. */
export function MessagePart({ part, isMono, isPlain, isOpen }: Props) {
  switch (part.kind) {
    case 'block':
      return <ContentBlock block={part.block} />
    case 'source':
      return (
        <SourceCard source={part.source}>
          {part.source.parts?.map((inner, index) =>
            inner.kind === 'call' ? null : (
              // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a source never change order
              <MessagePart key={index} part={inner} isMono={isMono} isPlain={isPlain} isOpen={false} />
            ),
          )}
        </SourceCard>
      )
    case 'note':
      return (
        <p className="rounded-md border border-dashed px-2.5 py-1.5 text-ink-2 text-xs">
          <VisibleText>{part.text}</VisibleText>
        </p>
      )
    case 'refusal':
      return (
        <div className="rounded-md border border-warn/30 bg-warn-soft px-2.5 py-1.5">
          <p className="mb-1 inline-flex items-center gap-1.5 font-medium text-warn text-xs">
            <Ban aria-hidden className="size-3.5" />
            Refused
          </p>
          <StreamText text={part.text} className="text-base" />
        </div>
      )
    case 'reasoning':
      return (
        <details className="rounded-md border border-dashed bg-sunken/60 px-2.5 py-1.5">
          <summary className="select-none text-ink-2 text-xs">
            {isOpen ? 'Reasoning…' : 'Reasoning'}{' '}
            <span className="text-ink-3 tabular-nums">{count(part.text.length)} characters</span>
          </summary>
          <StreamText text={part.text} className="mt-1.5 text-ink-2 text-sm" />
        </details>
      )
    default:
      return (
        <>
          {isPlain ? (
            <StreamText text={part.text} className={cn('text-base', isMono && 'font-mono text-xs')} />
          ) : (
            <MarkdownText text={part.text} isOpen={isOpen} className="text-base" />
          )}
          {part.citations ? <CitationList citations={part.citations} /> : null}
        </>
      )
  }
}
