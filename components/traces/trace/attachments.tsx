'use client'

import { useQuery } from '@tanstack/react-query'
import dynamic from 'next/dynamic'
import { useState } from 'react'
import { ErrorNotice, useTryAgain } from '@/components/shared/feedback/error-notice'
import { VisibleText } from '@/components/shared/text/visible-text'
import { Button } from '@/components/ui/button'
import { Skeleton } from '@/components/ui/loading'
import type { TraceRun } from '@/lib/contracts/traces/trace-run'
import { byteSize } from '@/lib/format/format'
import { traceAttachmentQuery } from '@/lib/queries/traces'

const ContentBlock = dynamic(
  () => import('@/components/shared/message/content-block').then((module) => module.ContentBlock),
  {
    ssr: false,
  },
)

type Attachment = NonNullable<TraceRun['stored_attachments']>[number]
type RunOfTrace = { workspace: string; run: string }

/** The attachments of a run with name, type and size. Their content is loaded only on request. */
export function Attachments({ list, ...place }: RunOfTrace & { list: readonly Attachment[] }) {
  if (list.length === 0) return null
  return (
    <section aria-label="Attachments">
      <p className="mb-1.5 font-medium text-ink-2 text-xs">Attachments</p>
      <ul className="space-y-1.5">
        {list.map((one) => (
          <AttachmentItem key={one.name} {...place} attachment={one} />
        ))}
      </ul>
    </section>
  )
}

function AttachmentItem({
  attachment: { name, content_type, size },
  ...place
}: RunOfTrace & { attachment: Attachment }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <li className="rounded-md border bg-panel px-2 py-1.5 text-xs">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <span className="min-w-0 break-all font-mono">
          <VisibleText>{name.slice(0, 300)}</VisibleText>
        </span>
        <span className="text-ink-3">
          <VisibleText>{(content_type || 'unknown kind').slice(0, 80)}</VisibleText>
          {size === null || size === undefined ? null : `, ${byteSize(size)}`}
        </span>
        <Button
          size="sm"
          className="ml-auto"
          aria-expanded={isOpen}
          aria-label={`${isOpen ? 'Hide' : 'Show'} the attachment ${name}`}
          onClick={() => setOpen(!isOpen)}
        >
          {isOpen ? 'Hide' : 'Show'}
        </Button>
      </div>
      {isOpen ? <Bytes {...place} name={name} /> : null}
    </li>
  )
}

/** Shown as a message block, which has the same safety checks. */
function Bytes({ workspace, run, name }: RunOfTrace & { name: string }) {
  const query = traceAttachmentQuery(workspace, run, name)
  const { data, error } = useQuery(query)
  const retry = useTryAgain(query.queryKey)
  if (error && !data) return <ErrorNotice error={error.view} onRetry={retry} className="mt-1.5" />
  if (!data) return <Skeleton className="mt-1.5 h-12 w-full" />
  const mime = data.content_type ?? ''
  const type = ['image', 'audio', 'video'].find((kind) => mime.startsWith(`${kind}/`)) ?? 'file'
  return (
    <div className="mt-1.5">
      <ContentBlock block={{ type, base64: data.base64, mime_type: mime, name }} />
    </div>
  )
}
