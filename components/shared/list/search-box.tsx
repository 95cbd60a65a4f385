'use client'
import { Search } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { Input } from '@/components/ui/input'
import { cn } from '@/lib/cn'

type SearchBoxProps = {
  value: string
  onChange: (value: string) => void
  label: string
  className?: string
  isInvalid?: boolean
}

/** A search field whose value is kept elsewhere, such as in the URL. Sends the text after a pause in typing. */
export function SearchBox({ value, onChange, label, className, isInvalid }: SearchBoxProps) {
  const [text, setText] = useState(value)
  const [shown, setShown] = useState(value)
  /** Sent, but not the value yet: a slow server may be asked first. */
  const [coming, setComing] = useState<readonly string[]>([])
  if (value !== shown) {
    const arrived = coming.indexOf(value)
    setShown(value)
    setComing(arrived === -1 ? [] : coming.slice(arrived + 1))
    // Changed elsewhere: by back, forward or a cleared filter.
    if (arrived === -1 && value !== text.trim()) setText(value)
  }
  const sent = useRef(value)
  useEffect(() => {
    sent.current = coming.at(-1) ?? value
  }, [value, coming])
  const send = () => {
    const wanted = text.trim()
    if (wanted === sent.current) return
    sent.current = wanted
    setComing((known) => [...known, wanted])
    onChange(wanted)
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: `send` changes with each render; only the text matters
  useEffect(() => {
    const timer = setTimeout(send, 250)
    return () => clearTimeout(timer)
  }, [text])
  return (
    <div className={cn('relative base:w-full base:sm:w-72', className)}>
      <Search aria-hidden className="pointer-events-none absolute top-2 left-2.5 size-3.5 text-ink-3" />
      <Input
        type="search"
        aria-label={label}
        aria-invalid={isInvalid || undefined}
        placeholder={label}
        className="pl-8"
        value={text}
        onChange={(event) => setText(event.target.value)}
        // A delayed URL change could undo the navigation of the next click.
        onBlur={send}
      />
    </div>
  )
}
