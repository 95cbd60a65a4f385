'use client'
import { useEffect, useState } from 'react'
import { RunLenses } from '@/components/runs/lenses/run-lenses'
import { LiveAnnouncer } from '@/components/runs/view/live-announcer'
import { RunFigures } from '@/components/runs/view/run-figures'
import { RunStore } from '@/components/runs/view/run-store'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { LateNotice } from '@/components/shared/feedback/late-notice'
import { RecordHeader } from '@/components/shared/layout/section-header'
import { VisibleName } from '@/components/shared/text/visible-text'
import { openPublicRun } from '@/lib/queries/public-links'
import { type FileHeader, RecordingFileError } from '@/lib/stream/recording-file'
import { askedText } from '@/lib/stream/thread-rows'
import { fileProblem, readFile } from './read-file'

type State =
  | { kind: 'loading' }
  | { kind: 'problem'; message: string }
  | { kind: 'open'; store: RunStore; header: FileHeader; isWhole: boolean }

const INCOMPLETE = 'The address is incomplete. Copy the whole link, to its end.'
const CUT = 'The recording did not arrive completely. Reload the page to try again.'

/** The recording of a public link, whose token is behind the `#` of the address and is sent to no server but in a header. */
export function PublicRun({ serverNow }: { serverNow: number }) {
  const [state, setState] = useState<State>({ kind: 'loading' })
  useEffect(() => {
    let control = new AbortController()
    const open = () => {
      control.abort()
      control = new AbortController()
      const { signal } = control
      setState({ kind: 'loading' })
      void load(window.location.hash.slice(1), signal).then((next) => {
        if (!signal.aborted) setState(next)
      })
    }
    open()
    // Another link in the same tab does not load the page again.
    window.addEventListener('hashchange', open)
    return () => {
      control.abort()
      window.removeEventListener('hashchange', open)
    }
  }, [])
  if (state.kind === 'loading')
    return (
      <div className="space-y-1 py-10 text-center text-ink-3">
        <p>Loading recording…</p>
        <LateNotice />
      </div>
    )
  if (state.kind === 'problem') return <ErrorNotice error={{ message: state.message }} />
  const { store, header, isWhole } = state
  const { recording } = header
  return (
    <>
      <RecordHeader
        title={<VisibleName>{askedText(recording.request) ?? 'Shared run'}</VisibleName>}
        meta={<RunFigures summary={recording} serverNow={serverNow} store={store} isCancelling={false} isFile />}
      />
      {isWhole ? null : <ErrorNotice error={{ message: CUT }} />}
      <RunLenses store={store} summary={recording} />
      <LiveAnnouncer store={store} isStateless={recording.isStateless} />
    </>
  )
}

async function load(token: string, signal: AbortSignal): Promise<State> {
  if (token === '') return { kind: 'problem', message: INCOMPLETE }
  const opened = await openPublicRun(token, signal)
  if ('problem' in opened) return { kind: 'problem', message: opened.problem }
  const store = new RunStore()
  try {
    const { header, isWhole } = await readFile(opened.file, store, signal)
    return { kind: 'open', store, header, isWhole }
  } catch (error) {
    // The server ends the file in the middle when the link is revoked.
    const message = error instanceof RecordingFileError ? fileProblem(error).message : CUT
    return { kind: 'problem', message }
  }
}
