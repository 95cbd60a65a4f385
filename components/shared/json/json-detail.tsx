'use client'

import { Download } from 'lucide-react'
import { memo } from 'react'
import { LongText } from '@/components/shared/text/long-text'
import { SafeImage, safeImageUrl } from '@/components/shared/text/safe-image'
import { saveFile } from '@/components/shared/text/save-file'
import { VisibleText } from '@/components/shared/text/visible-text'
import { CopyButton } from '@/components/ui/copy-button'
import type { JsonDetailData, RowSource } from '@/lib/json/row-source'

const FIRST_CHARACTERS = 20_000

type Props = { detail: JsonDetailData; source: RowSource; isInert: boolean }

/** The selected line in full, with buttons to copy its path and to copy or download its value. */
export const JsonDetail = memo(function JsonDetail({ detail, source, isInert }: Props) {
  const { path, kind, text, isCut } = detail
  return (
    <div inert={isInert} className="border-t bg-sunken">
      <div className="flex min-w-0 items-center gap-1 px-2 py-1 text-ink-3 text-xs">
        <code className="min-w-0 truncate font-mono" title={path}>
          <VisibleText>{path}</VisibleText>
        </code>
        <CopyButton value={() => source.pathText()} what="path" />
        <span className="ml-auto">Value</span>
        <CopyButton value={() => source.valueText()} what="value" />
        <button
          type="button"
          aria-label="Download value"
          title="Download value"
          onClick={() => void Promise.resolve(source.valueBlob()).then((blob) => saveFile(blob, 'value.json'))}
          className="inline-flex size-5 shrink-0 items-center justify-center rounded-sm hover:bg-hover hover:text-ink"
        >
          <Download aria-hidden className="size-3" />
        </button>
      </div>
      {kind === 'string' && text ? <StringValue key={path} text={text} isCut={isCut} /> : null}
      {kind === 'number' ? <p className="break-all px-2 pb-1.5 font-mono text-xs">{text}</p> : null}
    </div>
  )
})

function StringValue({ text, isCut }: { text: string; isCut: boolean | undefined }) {
  const picture = isCut ? undefined : safeImageUrl(text)
  if (picture) return <SafeImage url={picture} alt="Picture in this value" className="m-2 max-h-48" />
  return (
    <div className="px-2 pb-2 text-xs">
      <LongText text={text} limit={FIRST_CHARACTERS} className="max-h-40 font-mono" scrollLabel="Value" />
      {isCut ? <p className="text-ink-3">Only the beginning is shown. Copy or download the full value.</p> : null}
    </div>
  )
}
