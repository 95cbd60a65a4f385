'use client'

import { CopyButton } from '@/components/ui/copy-button'
import { type JsonPath, jsonText, kindOf, pathText } from './json-value'
import { LongText } from './long-text'
import { SafeImage, safeImageUrl } from './safe-image'
import { VisibleText } from './visible-text'

const FIRST_CHARACTERS = 20_000

/** The selected line in full: its path, its value with line ends as they are, both to be copied. */
export function JsonDetail({ path, value }: { path: JsonPath; value: unknown }) {
  const text = pathText(path)
  return (
    <div className="border-t bg-sunken">
      <div className="flex min-w-0 items-center gap-1 px-2 py-1 text-ink-3 text-xs">
        <code className="min-w-0 truncate font-mono" title={text}>
          <VisibleText>{text}</VisibleText>
        </code>
        <CopyButton value={text} what="path" />
        <span className="ml-auto">Value</span>
        <CopyButton value={() => (typeof value === 'string' ? value : jsonText(value))} what="value" />
      </div>
      {typeof value === 'string' && value !== '' ? <StringValue key={text} text={value} /> : null}
      {kindOf(value) === 'number' ? <p className="break-all px-2 pb-1.5 font-mono text-xs">{String(value)}</p> : null}
    </div>
  )
}

function StringValue({ text }: { text: string }) {
  const picture = safeImageUrl(text)
  if (picture) return <SafeImage url={picture} alt="Picture in this value" className="m-2 max-h-48" />
  return (
    <div className="max-h-40 overflow-auto px-2 pb-2 font-mono text-xs">
      <LongText text={text} limit={FIRST_CHARACTERS} />
    </div>
  )
}
