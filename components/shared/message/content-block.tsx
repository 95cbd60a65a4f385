import { LongText } from '@/components/shared/text/long-text'
import { SafeImage, safeImageUrl } from '@/components/shared/text/safe-image'
import { VisibleText } from '@/components/shared/text/visible-text'
import { isRecord } from '@/lib/json/guards'
import { jsonText } from '@/lib/json/value'
import { DataDownload } from './data-download'
import { inlineDataOf, mimeOf } from './inline-data'
import { MediaById, MediaElsewhere } from './media-elsewhere'
import { mediaAddress, mediaId, mediaKind, playedType } from './media-of'

type Block = Record<string, unknown>
const text = (value: unknown): string => (typeof value === 'string' ? value : '')

/** The data URI or address of an image block, in any provider's format. */
export function pictureOf(block: Block): string | undefined {
  const type = text(block.type)
  if (type !== 'image' && type !== 'image_url' && type !== 'input_image') return undefined
  const source = isRecord(block.source) ? block.source : block
  const data = text(source.base64) || text(source.data)
  const mime = mimeOf(source) || 'image/png'
  if (data !== '') return data.startsWith('data:') ? data : `data:${mime};base64,${data}`
  const address = isRecord(block.image_url) ? block.image_url.url : (block.image_url ?? block.url ?? source.url)
  return typeof address === 'string' ? address : undefined
}

/**
 * A message part other than text: inline images are shown, other inline data can be played or saved, and the rest is a link
 * or JSON. Nothing is loaded from other hosts.
 */
export function ContentBlock({ block }: { block: Block }) {
  const picture = pictureOf(block)
  const inline = picture && safeImageUrl(picture)
  if (inline) return <SafeImage url={inline} alt="Picture in this message" className="max-h-96 max-w-full" />
  const kind = mediaKind(block)
  const data = inlineDataOf(block)
  if (data) return <DataDownload data={data} played={playedType(data.mime, kind)} />
  const address = mediaAddress(block)
  if (kind && address) return <MediaElsewhere kind={kind} address={address} />
  const id = mediaId(block)
  if (kind && id) return <MediaById kind={kind} id={id} />
  return (
    <details className="rounded-md border bg-sunken/60 px-2.5 py-1.5">
      <summary className="select-none text-ink-2 text-xs">
        <VisibleText>{text(block.type).slice(0, 160) || 'Content'}</VisibleText>
      </summary>
      <LongText text={jsonText(block)} className="mt-1.5 font-mono text-xs" />
    </details>
  )
}
