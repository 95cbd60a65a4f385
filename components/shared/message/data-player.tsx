'use client'
import { Play } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Button } from '@/components/ui/button'
import { base64Bytes, base64Size } from '@/lib/format/base64'
import { clockTime } from '@/lib/format/format'

type Props = { base64: string; type: string; name: string }

/** Up to this size the length is read before the user presses Play, because decoding more would block the page. */
const MEASURED_BYTES = 4_000_000

/** Plays inline audio or video, and says how long it is. Decodes large ones only when the user presses Play. */
export function DataPlayer({ base64, type, name }: Props) {
  const [url, setUrl] = useState<string>()
  const [isOdd, setOdd] = useState(false)
  const seconds = useLength(base64, type)
  useEffect(() => () => (url ? URL.revokeObjectURL(url) : undefined), [url])
  if (isOdd) return <p className="text-warn text-xs">This browser cannot play this file. Download it instead.</p>
  if (!url)
    return (
      <Button
        size="sm"
        aria-label={`Play ${name}${seconds === undefined ? '' : `, ${clockTime(seconds)}`}`}
        onClick={() => {
          const bytes = base64Bytes(base64)
          if (bytes) setUrl(URL.createObjectURL(new Blob([bytes], { type })))
          else setOdd(true)
        }}
      >
        <Play aria-hidden />
        Play
        {seconds === undefined ? null : <span className="text-ink-3 tabular-nums">{clockTime(seconds)}</span>}
      </Button>
    )
  const props = { src: url, controls: true, autoPlay: true, onError: () => setOdd(true), 'aria-label': name }
  return type.startsWith('video/') ? (
    <video {...props} className="max-h-96 max-w-full rounded-md border" />
  ) : (
    <audio {...props} className="w-full max-w-md" />
  )
}

/** The length of inline media in seconds; undefined if it is unknown. */
function useLength(base64: string, type: string): number | undefined {
  const [seconds, setSeconds] = useState<number>()
  useEffect(() => {
    const bytes = base64Size(base64) <= MEASURED_BYTES ? base64Bytes(base64) : undefined
    if (!bytes) return
    const source = URL.createObjectURL(new Blob([bytes], { type }))
    const media = document.createElement(type.startsWith('video/') ? 'video' : 'audio')
    // A recording that was never closed has an infinite length.
    media.onloadedmetadata = () => setSeconds(Number.isFinite(media.duration) ? media.duration : undefined)
    media.preload = 'metadata'
    media.src = source
    return () => {
      media.onloadedmetadata = null
      URL.revokeObjectURL(source)
    }
  }, [base64, type])
  return seconds
}
