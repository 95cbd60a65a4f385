import { memo, useState } from 'react'
import { BlockGroups } from '@/components/shared/text/block-groups'
import { cn } from '@/lib/cn'
import { Blocks } from './blocks'
import { MARKDOWN } from './inline'
import { readMarkdown } from './markdown-model'
import { type MarkdownPart, MarkdownParts } from './markdown-parts'
import { finishMarkdown } from './unfinished'

type Props = {
  text: string
  /** Whether more of it is expected. */
  isOpen?: boolean
  className?: string
}

/**
 * Markdown that may still be streaming; only its last part is read and rendered again. Nothing in it is executed or
 * loaded: links show their host, and remote images are links.
 */
export function MarkdownText({ text, isOpen = false, className }: Props) {
  // Mutable state, so that earlier parts are not split again with each token.
  const [cutter] = useState(() => new MarkdownParts())
  const parts = cutter.update(text)
  return (
    <div dir="auto" {...{ [MARKDOWN]: '' }} className={cn('break-words [overflow-wrap:anywhere]', className)}>
      <BlockGroups blocks={isOpen ? withOpenEnd(parts) : parts} Block={Part} className="space-y-2 not-first:mt-2" />
    </div>
  )
}

type ShownPart = MarkdownPart & { isOpen?: boolean }

function withOpenEnd(parts: readonly MarkdownPart[]): readonly ShownPart[] {
  const last = parts.at(-1)
  return last ? [...parts.slice(0, -1), { ...last, isOpen: true }] : parts
}

const Part = memo(function Part({ block: { text, opening, isOpen = false } }: { block: ShownPart }) {
  const shown = isOpen ? finishMarkdown(text, opening) : text
  return (
    <div className="space-y-2">
      <Blocks tokens={readMarkdown(opening + shown)} isOpen={isOpen} />
    </div>
  )
})
