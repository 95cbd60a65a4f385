'use client'

import { ChevronDown, ChevronUp } from 'lucide-react'
import { memo, type ReactNode, useDeferredValue, useEffect, useState } from 'react'
import { Button } from '@/components/ui/button'
import { Input } from '@/components/ui/input'
import type { RowSource, SearchState } from '@/lib/json/row-source'

/** The most lines opened at a time. */
export const EXPAND_ROWS = 1_000

const UP = <ChevronUp aria-hidden />
const DOWN = <ChevronDown aria-hidden />

type Props = { source: RowSource; search: SearchState | undefined; actions?: ReactNode }

/** Searches a value, including its closed parts, steps through the matches, and expands or collapses the tree. */
export const JsonSearchBar = memo(function JsonSearchBar({ source, search, actions }: Props) {
  const [text, setText] = useState('')
  const needle = useDeferredValue(text.trim())
  const [at, setAt] = useState(-1)
  const found = search?.text === needle ? search.found : 0

  useEffect(() => {
    if (needle === '') return
    source.search(needle)
    return () => source.search('')
  }, [source, needle])

  const hasFound = found > 0
  useEffect(() => {
    if (!hasFound) return
    setAt(0)
    source.goToHit(0)
  }, [source, hasFound])

  const go = (step: number) => {
    if (found === 0) return
    const next = (at + step + found) % found
    setAt(next)
    source.goToHit(next)
  }
  const isDone = search?.isDone === true
  const summary =
    needle === ''
      ? ''
      : hasFound
        ? `${at + 1} of ${found}${isDone ? '' : '+'}`
        : isDone && search.text === needle
          ? 'no match'
          : 'searching…'
  return (
    <div className="flex flex-wrap items-center gap-1.5 border-line border-b px-2 py-1.5">
      <Input
        type="search"
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return
          event.preventDefault()
          go(event.shiftKey ? -1 : 1)
        }}
        placeholder="Search keys and values"
        aria-label="Search keys and values"
        className="h-7 min-w-40 flex-1 basis-40 sm:max-w-72"
      />
      <span className="min-w-16 text-ink-3 text-xs tabular-nums" aria-live="polite">
        {summary}
      </span>
      <Button variant="ghost" size="icon" aria-label="Previous match" disabled={!hasFound} onClick={() => go(-1)}>
        {UP}
      </Button>
      <Button variant="ghost" size="icon" aria-label="Next match" disabled={!hasFound} onClick={() => go(1)}>
        {DOWN}
      </Button>
      <span
        className={
          actions ? 'flex min-w-0 flex-[1_1_22rem] flex-wrap items-center gap-1' : 'ml-auto flex items-center gap-1'
        }
      >
        <Button
          variant="ghost"
          size="sm"
          onClick={() => source.openBelow(EXPAND_ROWS)}
          title="Open everything below the selected line, up to 1,000 lines"
        >
          Expand
        </Button>
        <Button variant="ghost" size="sm" onClick={() => source.collapse()}>
          Collapse
        </Button>
        {actions}
      </span>
    </div>
  )
})
