'use client'
import { FileUp } from 'lucide-react'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { RunLenses } from '@/components/runs/lenses/run-lenses'
import { LiveAnnouncer } from '@/components/runs/view/live-announcer'
import { RunFigures } from '@/components/runs/view/run-figures'
import { RunStore } from '@/components/runs/view/run-store'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { useFileDrop } from '@/components/shared/form/use-file-drop'
import { PageHeader } from '@/components/shared/layout/page-header'
import { usePageTitle } from '@/components/shared/layout/page-title'
import { Figure, RecordHeader } from '@/components/shared/layout/section-header'
import { RelativeTime } from '@/components/shared/text/relative-time'
import { VisibleName, VisibleText } from '@/components/shared/text/visible-text'
import { Button } from '@/components/ui/button'
import { cn } from '@/lib/cn'
import { byteSize } from '@/lib/format/format'
import type { FileHeader } from '@/lib/stream/recording-file'
import { recordingTitle } from '@/lib/stream/thread-rows'
import { fileProblem, readFile } from './read-file'

type Opened = { name: string; size: number; store: RunStore; header: FileHeader; isWhole: boolean }

/** Shows a recording from a file. The file is read in this browser and never uploaded. */
export function OpenPage({ serverNow }: { serverNow: number }) {
  const [opened, setOpened] = useState<Opened>()
  const [problem, setProblem] = useState<string>()
  const [isReading, setReading] = useState(false)
  const picker = useRef<HTMLInputElement>(null)
  const reading = useRef<AbortController>(undefined)

  async function open(file: File | undefined) {
    if (!file) return
    reading.current?.abort()
    const control = new AbortController()
    reading.current = control
    const store = new RunStore()
    setProblem(undefined)
    setOpened(undefined)
    setReading(true)
    try {
      const { header, isWhole } = await readFile(file.stream(), store, control.signal)
      setOpened({ name: file.name, size: file.size, store, header, isWhole })
    } catch (error) {
      if (!control.signal.aborted) setProblem(fileProblem(error).message)
    }
    if (reading.current === control) setReading(false)
  }
  // A file may have been chosen before the page's code had loaded.
  const [isReady, setReady] = useState(false)
  const openEarly = useEffectEvent(() => void open(picker.current?.files?.[0]))
  useEffect(() => {
    setReady(true)
    openEarly()
  }, [])
  const { isOver, handlers } = useFileDrop((file) => void open(file))
  return (
    <div className={cn('flex flex-1 flex-col', opened ? 'min-h-0' : 'min-h-[60vh]')} {...handlers}>
      <input
        ref={picker}
        type="file"
        aria-label="Recording file"
        accept=".jsonl,.json,.txt,application/jsonl"
        className="sr-only"
        tabIndex={-1}
        onChange={(event) => {
          void open(event.target.files?.[0])
          event.target.value = ''
        }}
      />
      {opened ? null : <PageHeader title="Open recording" />}
      {problem ? <ErrorNotice error={{ message: problem }} className="mb-3" /> : null}
      {opened ? (
        <FromFile opened={opened} serverNow={serverNow} onOther={() => picker.current?.click()} />
      ) : (
        <div
          className={cn(
            'flex flex-1 flex-col items-center justify-center gap-3 rounded-lg border border-dashed p-8 text-center',
            isOver && 'border-accent bg-accent-soft',
          )}
        >
          <FileUp aria-hidden className="size-8 text-ink-3" />
          <p className="text-ink-2 text-sm">Drop an exported recording here, or choose a file.</p>
          <Button variant="primary" disabled={!isReady} isBusy={isReading} onClick={() => picker.current?.click()}>
            Choose file
          </Button>
          <p className="max-w-md text-ink-3 text-xs">The file stays in this browser and is not uploaded.</p>
        </div>
      )}
    </div>
  )
}

function FromFile({ opened, serverNow, onOther }: { opened: Opened; serverNow: number; onOther: () => void }) {
  const { store, header, name, size, isWhole } = opened
  const { recording, exportedAt } = header
  const title = recordingTitle(recording)
  usePageTitle(title)
  return (
    <>
      <RecordHeader
        title={<VisibleName>{title}</VisibleName>}
        meta={<RunFigures summary={recording} serverNow={serverNow} store={store} isCancelling={false} isFile />}
        actions={
          <Button size="sm" onClick={onOther}>
            Open another file
          </Button>
        }
      >
        <Figure label="File">
          <span className="max-w-60 truncate">
            <VisibleText>{name}</VisibleText>
          </span>
          <span className="-ml-1">, {byteSize(size)}</span>
        </Figure>
        <Figure label="Started">
          <RelativeTime at={recording.startedAt} /> by{' '}
          <span className="max-w-48 truncate">
            <VisibleText>{recording.startedBy || 'unknown'}</VisibleText>
          </span>
        </Figure>
        {exportedAt && !Number.isNaN(Date.parse(exportedAt)) ? (
          <Figure label="Exported">
            <RelativeTime at={exportedAt} />
          </Figure>
        ) : null}
      </RecordHeader>
      {isWhole ? null : (
        <p className="mb-3 rounded-md border border-warn/30 bg-warn-soft px-3 py-2 text-sm">
          This file is incomplete. The part before the break is shown.
        </p>
      )}
      <RunLenses store={store} summary={recording} />
      <LiveAnnouncer store={store} isStateless={recording.isStateless} />
    </>
  )
}
