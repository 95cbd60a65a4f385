'use client'
import { Download } from 'lucide-react'
import { useState } from 'react'
import { Button } from '@/components/ui/button'
import { byteSize } from '@/lib/format'
import type { InlineData } from './inline-data'
import { saveFile } from './save-file'
import { VisibleText } from './visible-text'

/** Data that stands in a message, to be saved: it is never opened here, and what it says it is counts for its name only. */
export function DataDownload({ data }: { data: InlineData }) {
  const [isBroken, setBroken] = useState(false)
  function save() {
    const bytes = bytesOf(data.base64)
    if (!bytes) return setBroken(true)
    saveFile(new Blob([bytes]), data.name)
  }
  return (
    <p className="flex flex-wrap items-center gap-2 rounded-md border bg-sunken px-2 py-1 text-xs">
      <span className="min-w-0 break-all">
        <VisibleText>{data.name}</VisibleText>
      </span>
      <span className="text-ink-3">
        <VisibleText>{data.mime}</VisibleText>, {byteSize(Math.floor(data.base64.length * 0.75))}
      </span>
      <Button size="sm" className="ml-auto" onClick={save}>
        <Download aria-hidden />
        Save
      </Button>
      {isBroken ? (
        <span role="alert" className="text-error">
          This is not valid base64.
        </span>
      ) : null}
    </p>
  )
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    const text = atob(base64)
    const bytes = new Uint8Array(text.length)
    for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at)
    return bytes
  } catch {
    return undefined
  }
}
