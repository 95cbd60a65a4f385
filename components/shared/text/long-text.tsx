'use client'

import { useState } from 'react'
import { cn } from '@/lib/cn'
import { count } from '@/lib/format/format'
import { StreamText } from './stream-text'

type Props = {
  text: string
  /** The number of characters shown initially. */
  limit?: number
  className?: string
  /** What the text is, if it scrolls. */
  scrollLabel?: string
}

/** The beginning of a text, with a button to show more. */
export function LongText({ text, limit = 4_000, className, scrollLabel }: Props) {
  const [shown, setShown] = useState(limit)
  return (
    <div
      className={cn(className, scrollLabel && 'overflow-auto focus-visible:-outline-offset-2')}
      {...(scrollLabel && { role: 'group', tabIndex: 0, 'aria-label': scrollLabel })}
    >
      <StreamText text={text.length > shown ? text.slice(0, shown) : text} />
      {text.length > shown ? (
        <button
          type="button"
          className="mt-1 font-sans text-accent text-xs underline"
          onClick={() => setShown(shown * 10)}
        >
          Show more ({count(text.length - shown)} characters)
        </button>
      ) : null}
    </div>
  )
}
