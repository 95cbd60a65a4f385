'use client'

import { useState } from 'react'
import { cn } from '@/lib/cn'
import { count } from '@/lib/format/format'
import { StreamText } from './stream-text'

type Props = { text: string /** The number of characters shown initially. */; limit?: number; className?: string }

/** The beginning of a text, with a button to show more. */
export function LongText({ text, limit = 4_000, className }: Props) {
  const [shown, setShown] = useState(limit)
  return (
    <div className={className}>
      <StreamText text={text.length > shown ? text.slice(0, shown) : text} />
      {text.length > shown ? (
        <button
          type="button"
          className={cn('mt-1 font-sans text-accent text-xs underline')}
          onClick={() => setShown(shown * 10)}
        >
          Show more ({count(text.length - shown)} characters)
        </button>
      ) : null}
    </div>
  )
}
