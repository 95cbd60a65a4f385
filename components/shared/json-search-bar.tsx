'use client'

import { ChevronDown, ChevronUp } from 'lucide-react'
import { type ReactNode, useDeferredValue, useEffect, useRef, useState } from 'react'
import { Button } from '@/components/ui/button'
import { Input } from '@/components/ui/input'
import { type JsonSearch, searchJson } from './json-search'
import type { JsonPath } from './json-value'

const SLICE_MS = 10

type Props = {
  value: unknown
  onReveal: (path: JsonPath) => void
  onExpand: () => void
  onCollapse: () => void
  actions?: ReactNode
}

/** Finds text anywhere in a value, also in what is closed, and moves from hit to hit. */
export function JsonSearchBar({ value, onReveal, onExpand, onCollapse, actions }: Props) {
  const [text, setText] = useState('')
  const needle = useDeferredValue(text.trim())
  const [progress, setProgress] = useState<{ search: JsonSearch; found: number; isDone: boolean }>()
  const [at, setAt] = useState(-1)
  const reveal = useRef(onReveal)
  useEffect(() => {
    reveal.current = onReveal
  })

  // The search runs beside the page, a slice per turn; each slice may bring more hits.
  useEffect(() => {
    setAt(-1)
    setProgress(undefined)
    if (needle === '') return
    const search = searchJson(value, needle)
    let hasJumped = false
    let timer: ReturnType<typeof setTimeout>
    const turn = () => {
      search.advance(SLICE_MS)
      setProgress({ search, found: search.hits.length, isDone: search.isDone })
      const first = search.hits[0]
      if (first && !hasJumped) {
        hasJumped = true
        setAt(0)
        reveal.current(first)
      }
      if (!search.isDone) timer = setTimeout(turn)
    }
    timer = setTimeout(turn, 120)
    return () => clearTimeout(timer)
  }, [value, needle])

  const go = (step: number) => {
    const hits = progress?.search.hits
    if (!hits || hits.length === 0) return
    const next = (at + step + hits.length) % hits.length
    const path = hits[next]
    setAt(next)
    if (path) onReveal(path)
  }
  const summary =
    needle === ''
      ? ''
      : progress
        ? `${progress.found === 0 ? (progress.isDone ? 'no match' : 'searching…') : `${at + 1} of ${progress.found}${progress.isDone ? '' : '+'}`}`
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
      <Button
        variant="ghost"
        size="icon"
        aria-label="Previous match"
        disabled={!progress?.found}
        onClick={() => go(-1)}
      >
        <ChevronUp aria-hidden />
      </Button>
      <Button variant="ghost" size="icon" aria-label="Next match" disabled={!progress?.found} onClick={() => go(1)}>
        <ChevronDown aria-hidden />
      </Button>
      <span className="ml-auto flex items-center gap-1">
        <Button
          variant="ghost"
          size="sm"
          onClick={onExpand}
          title="Open everything below the selected line, up to 1,000 lines"
        >
          Expand
        </Button>
        <Button variant="ghost" size="sm" onClick={onCollapse}>
          Collapse
        </Button>
        {actions}
      </span>
    </div>
  )
}
