import { cn } from '@/lib/cn'
import { count } from '@/lib/format/format'
import { wordDiff } from '@/lib/format/word-diff'
import { VisibleText } from './visible-text'

const MAX_COMPARED = 20_000
const TAGS = { same: 'span', added: 'ins', removed: 'del' } as const

/** What a text adds to another and leaves out. */
export const TextDifference = ({ from, to }: { from: string; to: string }) => (
  <div className="whitespace-pre-wrap break-words text-sm">
    {wordDiff(from.slice(0, MAX_COMPARED), to.slice(0, MAX_COMPARED)).map(({ kind, text }, index) => {
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
    {Math.max(from.length, to.length) > MAX_COMPARED ? (
      <p className="mt-1 text-ink-3 text-xs">Only the first {count(MAX_COMPARED)} characters of each are compared.</p>
    ) : null}
  </div>
)
