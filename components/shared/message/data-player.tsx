'use client'
import { Play } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Button } from '@/components/ui/button'
import { base64Bytes } from '@/lib/format/base64'

type Props = { base64: string; type: string; name: string }

/** Plays inline audio or video. Decodes it only when the user presses Play. */
export function DataPlayer({ base64, type, name }: Props) {
  const [url, setUrl] = useState<string>()
  const [isOdd, setOdd] = useState(false)
  useEffect(() => () => (url ? URL.revokeObjectURL(url) : undefined), [url])
  if (isOdd) return <p className="text-warn text-xs">This browser cannot play this file. Download it instead.</p>
  if (!url)
    return (
      <Button
        size="sm"
        aria-label={`Play ${name}`}
        onClick={() => {
          const bytes = base64Bytes(base64)
          if (bytes) setUrl(URL.createObjectURL(new Blob([bytes], { type })))
          else setOdd(true)
        }}
      >
        <Play aria-hidden />
        Play
      </Button>
    )
  const props = { src: url, controls: true, autoPlay: true, onError: () => setOdd(true), 'aria-label': name }
  return type.startsWith('video/') ? (
    <video {...props} className="max-h-96 max-w-full rounded-md border" />
  ) : (
    <audio {...props} className="w-full max-w-md" />
  )
}
