'use client'
import { File, Music, Video, X } from 'lucide-react'
import { SafeImage, safeImageUrl } from '@/components/shared/text/safe-image'
import { VisibleText } from '@/components/shared/text/visible-text'
import { byteSize } from '@/lib/format/format'
import { type Attachment, isPicture } from './attachments'

type Props = {
  files: readonly Attachment[]
  problem: string | undefined
  /** Called with the id; the focus then belongs to the message. */
  onRemove: (id: string) => void
}

const ICONS = { audio: Music, video: Video }

/** The files of a message before it is sent. */
export const AttachmentChips = ({ files, problem, onRemove }: Props) => (
  <div className="space-y-1 px-1 pb-1.5">
    {files.length > 0 ? (
      <ul aria-label="Files" className="flex flex-wrap gap-1.5">
        {files.map((file) => (
          <li key={file.id} className="flex h-8 max-w-60 items-center gap-1.5 rounded-md border bg-sunken ps-1.5 pe-1">
            <Thumb file={file} />
            <span className="min-w-0 truncate text-xs" title={file.name}>
              <VisibleText>{file.name}</VisibleText>
            </span>
            <span className="shrink-0 text-2xs text-ink-3 tabular-nums">{byteSize(file.size)}</span>
            <button
              type="button"
              aria-label={`Remove ${file.name}`}
              className="inline-flex size-5 shrink-0 items-center justify-center rounded-sm text-ink-3 hover:bg-hover hover:text-ink"
              onClick={() => onRemove(file.id)}
            >
              <X aria-hidden className="size-3" />
            </button>
          </li>
        ))}
      </ul>
    ) : null}
    {problem ? (
      <p role="alert" className="text-error text-xs">
        {problem}
      </p>
    ) : null}
  </div>
)

function Thumb({ file }: { file: Attachment }) {
  const url = isPicture(file) ? safeImageUrl(`data:${file.mime};base64,${file.data}`) : undefined
  if (url) return <SafeImage url={url} alt={file.name} className="size-5 shrink-0 rounded-sm object-cover" />
  const Icon = Object.entries(ICONS).find(([top]) => file.mime.startsWith(`${top}/`))?.[1] ?? File
  return <Icon aria-hidden className="size-3.5 shrink-0 text-ink-3" />
}
