import { memo, useState } from 'react'
import { BlockGroups } from '@/components/shared/text/block-groups'
import { SafeImage, safeImageUrl } from '@/components/shared/text/safe-image'
import { TextBlocks } from '@/components/shared/text/text-blocks'
import { VisibleText } from '@/components/shared/text/visible-text'
import { cn } from '@/lib/cn'
import { endsInFence, type Inline, type MarkdownBlock, readBlocks, readInline, safeLink, TABLE } from './markdown-model'

/**
 * Markdown that may still be streaming; only its last block is parsed and rendered again. Nothing in it is executed or
 * loaded: links show their host, and remote images are links.
 */
export function MarkdownText({ text, className }: { text: string; className?: string }) {
  // Mutable state, so that earlier blocks are not split again with each token.
  const [cutter] = useState(() => new FencedBlocks())
  return (
    <div dir="auto" className={cn('break-words [overflow-wrap:anywhere]', className)}>
      <BlockGroups blocks={cutter.update(text)} Block={Part} className="space-y-2 not-first:mt-2" />
    </div>
  )
}

type FencedBlock = { text: string; isInFence: boolean }

/** Text in blocks, each marked if it starts inside a code fence. */
class FencedBlocks {
  readonly #cutter = new TextBlocks()
  #parts: FencedBlock[] = []

  update(text: string): readonly FencedBlock[] {
    const blocks = this.#cutter.update(text)
    let same = 0
    while (same < blocks.length && blocks[same] === this.#parts[same]?.text) same++
    this.#parts.length = Math.min(same, this.#parts.length)
    for (const block of blocks.slice(same)) {
      const before = this.#parts.at(-1)
      this.#parts.push({ text: block, isInFence: before ? endsInFence(before.text, before.isInFence) : false })
    }
    return this.#parts
  }
}

const Part = memo(function Part({ block: { text, isInFence } }: { block: FencedBlock }) {
  return (
    <div className="space-y-2">
      {readBlocks(text, isInFence).map((block, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a block that changes is parsed again as a whole
        <Block key={index} block={block} />
      ))}
    </div>
  )
})

function Block({ block }: { block: MarkdownBlock }) {
  switch (block.kind) {
    case 'heading':
      return (
        // Not a heading element, because a message must not change the page's outline.
        <p className={cn('font-semibold', block.level <= 2 ? 'text-lg' : 'text-base')}>
          <Line text={block.text} />
        </p>
      )
    case 'item':
      return (
        <div className="flex gap-2" style={{ paddingInlineStart: `${block.depth * 1.25}rem` }}>
          <span className="min-w-4 shrink-0 select-none text-end text-ink-3">{block.marker}</span>
          <div className="min-w-0 flex-1 whitespace-pre-wrap">
            <Line text={block.text} />
          </div>
        </div>
      )
    case 'quote':
      return (
        <blockquote className="whitespace-pre-wrap border-line-strong border-s-2 ps-3 text-ink-2">
          <Line text={block.text} />
        </blockquote>
      )
    case 'code':
      return (
        <div dir="ltr" className="rounded-md border bg-sunken font-mono text-xs">
          {block.language && block.language !== TABLE ? (
            <div className="border-b px-2.5 py-0.5 text-2xs text-ink-3">
              <VisibleText>{block.language}</VisibleText>
            </div>
          ) : null}
          <div className="overflow-x-auto whitespace-pre px-2.5 py-1.5">
            <VisibleText>{block.text}</VisibleText>
          </div>
        </div>
      )
    case 'rule':
      return <hr className="border-line" />
    case 'paragraph':
      return (
        <p className="whitespace-pre-wrap">
          <Line text={block.text} />
        </p>
      )
  }
}

const Line = ({ text }: { text: string }) =>
  readInline(text).map((piece, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a line that changes is parsed again as a whole
    <Piece key={index} piece={piece} />
  ))

function Piece({ piece }: { piece: Inline }) {
  const shown = <VisibleText>{piece.text}</VisibleText>
  switch (piece.kind) {
    case 'text':
      return shown
    case 'code':
      return <code className="rounded-sm bg-sunken px-1 font-mono text-[0.9em]">{shown}</code>
    case 'strong':
      return <strong className="font-semibold">{shown}</strong>
    case 'emphasis':
      return <em>{shown}</em>
    case 'strike':
      return <s>{shown}</s>
    case 'image': {
      const inline = safeImageUrl(piece.url)
      if (inline) return <SafeImage url={inline} alt={piece.text || 'Picture in this message'} className="max-h-96" />
      return (
        <span className="text-ink-2">
          [picture, not loaded: <Link text={piece.text || 'open'} url={piece.url} />]
        </span>
      )
    }
    case 'link':
      return <Link text={piece.text} url={piece.url} />
  }
}

/** A link followed by its host, whatever its text says. Unsafe links stay text. */
function Link({ text, url }: { text: string; url: string }) {
  const safe = safeLink(url)
  if (!safe)
    return (
      <span>
        <VisibleText>{`[${text}](${url.slice(0, 300)}${url.length > 300 ? '…' : ''})`}</VisibleText>
      </span>
    )
  return (
    <span>
      <a href={safe.href} target="_blank" rel="noopener noreferrer nofollow" className="text-accent underline">
        <VisibleText>{text || safe.host}</VisibleText>
      </a>{' '}
      <span dir="ltr" className="text-ink-3 text-xs">
        ({safe.host})
      </span>
    </span>
  )
}
