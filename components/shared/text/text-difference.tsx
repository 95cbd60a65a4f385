import { type ReactNode, useMemo } from 'react'
import { cn } from '@/lib/cn'
import { type DiffPart, wordDiff } from '@/lib/format/word-diff'
import { VisibleText } from './visible-text'

/** With less in common, most words would be marked. */
const MIN_SHARE = 0.3
const TAGS = { same: 'span', added: 'ins', removed: 'del' } as const

type Props = {
  from: string
  to: string
  /** Whose text `from` is. */
  name: string
  /** `to` itself, shown where marks would say less. */
  children: ReactNode
}

/** What a text adds to another and leaves out. */
export function TextDifference({ from, to, name, children }: Props) {
  const parts = useMemo(() => wordDiff(from, to), [from, to])
  const note =
    from === to
      ? `Same as ${name}`
      : !parts
        ? `Too long to compare with ${name}`
        : shareOfSame(parts) < MIN_SHARE
          ? `Little in common with ${name}`
          : undefined
  return note || !parts ? (
    <>
      <p className="text-ink-3 text-xs">
        <VisibleText>{note ?? ''}</VisibleText>
      </p>
      {children}
    </>
  ) : (
    <div className="whitespace-pre-wrap break-words text-sm">
      {parts.map(({ kind, text }, index) => {
        const Tag = TAGS[kind]
        return (
          <Tag
            // biome-ignore lint/suspicious/noArrayIndexKey: parts have no identity
            key={index}
            className={cn(
              kind === 'added' && 'bg-ok-soft text-ok no-underline',
              kind === 'removed' && 'bg-error-soft text-error',
            )}
          >
            <VisibleText>{text}</VisibleText>
          </Tag>
        )
      })}
    </div>
  )
}

/** How much of both texts is the same, spaces not counted. */
function shareOfSame(parts: readonly DiffPart[]): number {
  const lengthOf = (kind: DiffPart['kind']) =>
    parts.reduce((sum, part) => sum + (part.kind === kind ? part.text.replace(/\s/g, '').length : 0), 0)
  const same = lengthOf('same')
  return same / Math.max(1, same + Math.max(lengthOf('added'), lengthOf('removed')))
}
