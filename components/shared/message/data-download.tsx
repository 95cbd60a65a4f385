'use client'
import { Download } from 'lucide-react'
import { useMemo } from 'react'
import { saveFile } from '@/components/shared/text/save-file'
import { VisibleText } from '@/components/shared/text/visible-text'
import { Button } from '@/components/ui/button'
import { base64Bytes, base64Flaw, base64Size } from '@/lib/format/base64'
import { byteSize } from '@/lib/format/format'
import { DataPlayer } from './data-player'
import type { InlineData } from './inline-data'

type Props = {
  data: InlineData
  /** The MIME type to play it as; undefined if it can only be saved. */
  played?: string | undefined
}

/** Inline data of a message, to save or, for audio and video, to play. It is never opened as the type it claims. */
export function DataDownload({ data, played }: Props) {
  const flaw = useMemo(() => base64Flaw(data.base64), [data])
  function save() {
    const bytes = base64Bytes(data.base64)
    if (bytes) saveFile(new Blob([bytes]), data.name)
  }
  return (
    <div className="flex flex-wrap items-center gap-2 rounded-md border bg-sunken px-2 py-1 text-xs">
      <span className="min-w-0 break-all">
        <VisibleText>{data.name}</VisibleText>
      </span>
      <span className="text-ink-3">
        <VisibleText>{data.mime}</VisibleText>, {byteSize(base64Size(data.base64))}
      </span>
      {flaw ? (
        <span className="ml-auto text-error">{flaw}.</span>
      ) : (
        <Button size="sm" className="ml-auto" onClick={save}>
          <Download aria-hidden />
          Save
        </Button>
      )}
      {played && !flaw ? <DataPlayer base64={data.base64} type={played} name={data.name} /> : null}
    </div>
  )
}
