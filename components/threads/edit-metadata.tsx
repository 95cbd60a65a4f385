'use client'
import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useRef, useState } from 'react'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { useSave } from '@/components/shared/form/use-save'
import { JsonEditor } from '@/components/shared/json/json-editor'
import { jsonProblemText } from '@/components/shared/json/json-problem'
import { Button } from '@/components/ui/button'
import { Dialog } from '@/components/ui/dialog'
import { toast } from '@/components/ui/toast'
import { saveMetadata } from '@/lib/actions/threads'
import { agentServer } from '@/lib/contracts/agent-server'
import type { MetadataOutcome } from '@/lib/contracts/agents/thread-edit'
import type { Thread } from '@/lib/contracts/agents/threads'
import type { ThreadPlace } from '@/lib/contracts/wire/places'
import { newRequestKey } from '@/lib/format/format'
import { parseJson, printJson } from '@/lib/json/lossless'
import { jsonText } from '@/lib/json/value'
import { invalidate } from '@/lib/queries/api-query'

type Metadata = Thread['metadata']
type Props = { place: ThreadPlace; metadata: Metadata; onClose: () => void }

/** A thread's metadata as JSON. Sends only changed keys, because the server merges them. */
export function EditMetadata({ place, metadata, onClose }: Props) {
  const client = useQueryClient()
  // Captured when the dialog opens, because the page refetches meanwhile.
  const [base, setBase] = useState(metadata)
  const [text, setText] = useState(() => jsonText(metadata))
  const [met, setMet] = useState<{ message: string; now: string }>()
  const key = useRef({ request: '', id: '' })
  const { isBusy, error, save } = useSave<MetadataOutcome>()
  const problem = jsonProblemText(text)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (problem || isBusy) return
    const texts = { base: printJson(base), metadata: text }
    const request = JSON.stringify(texts)
    if (key.current.request !== request) key.current = { request, id: newRequestKey() }
    void save(
      () => saveMetadata({ place, key: key.current.id, ...texts }),
      (outcome) => {
        if (outcome.kind === 'conflict') {
          setMet(outcome)
          // Rebases my keys on the server's current values, so that saving again overwrites them.
          const mine = new Set(Object.keys({ ...base, ...(parseJson(text) as Metadata) })) // the server accepted it as an object
          const now = Object.entries(parseJson(outcome.now) as Metadata).filter(([name]) => mine.has(name)) // from our own server
          setBase({ ...base, ...Object.fromEntries(now) })
          return
        }
        if (outcome.note) toast.warning(outcome.note)
        else toast.success('Metadata saved')
        void invalidate(client, agentServer.searchThreads, place.workspace)
        void invalidate(client, agentServer.getThread, place.workspace)
        onClose()
      },
    )
  }
  return (
    <Dialog
      open
      onOpenChange={() => isBusy || onClose()}
      title="Edit metadata"
      description="Keys can be changed and added but not removed. Set a key to null instead."
    >
      <form className="flex flex-col gap-3" onSubmit={submit}>
        <JsonEditor
          label="Metadata as JSON"
          value={text}
          onChange={setText}
          describedBy="edit-metadata-problem"
          isInvalid={problem !== undefined}
        />
        <p id="edit-metadata-problem" className="text-error text-xs empty:hidden">
          {problem}
        </p>
        {met ? (
          <section aria-label="Current metadata" className="rounded-md border border-warn/30 bg-warn-soft px-3 py-2">
            <p role="alert">{met.message} Save again to replace the current value below.</p>
            <pre className="mt-1 max-h-32 overflow-auto whitespace-pre-wrap break-all font-mono text-xs">
              {jsonText(parseJson(met.now))}
            </pre>
          </section>
        ) : null}
        {error ? <ErrorNotice error={error} /> : null}
        <div className="flex flex-wrap justify-end gap-2">
          <Button disabled={isBusy} onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" variant="primary" isBusy={isBusy} disabled={problem !== undefined}>
            {met ? 'Save mine' : 'Save'}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
