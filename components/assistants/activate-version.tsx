'use client'
import { useState } from 'react'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { useSave } from '@/components/shared/form/use-save'
import { Button } from '@/components/ui/button'
import { Dialog } from '@/components/ui/dialog'
import { toast } from '@/components/ui/toast'
import { saveAssistant } from '@/lib/actions/assistants'
import { type AssistantOutcome, draftOf } from '@/lib/contracts/agents/assistant-edit'
import type { Assistant } from '@/lib/contracts/agents/assistants'
import type { AssistantPlace } from '@/lib/contracts/wire/places'
import { newRequestKey } from '@/lib/format/format'
import { parseJson, printJson } from '@/lib/json/lossless'
import { useActivate } from './use-activate'

type Saved = AssistantOutcome & { kind: 'saved' }
type Props = { place: AssistantPlace; version: number; active: number; onClose: () => void }

/** Confirms activating a version, activates it, and offers to undo it. */
export function ActivateVersion({ place, version, active: given, onClose }: Props) {
  // Captured when the dialog opens, because the page refetches meanwhile.
  const [active] = useState(given)
  const [key] = useState(newRequestKey)
  const [undoKey] = useState(newRequestKey)
  const [saveKey] = useState(newRequestKey)
  const [done, setDone] = useState<Saved>()
  const { isBusy, error, save } = useSave<AssistantOutcome>()
  const { activate, refresh } = useActivate(place)
  const note = (outcome: AssistantOutcome) => outcome.kind === 'saved' && outcome.note && toast.warning(outcome.note)
  const go = () =>
    void save(
      () => activate(version, active, key),
      (outcome) => {
        note(outcome)
        if (outcome.kind === 'saved') setDone(outcome)
      },
    )
  const undo = () =>
    void save(
      () => activate(active, version, undoKey),
      (outcome) => {
        note(outcome)
        toast.success(`Version ${active} is active again`)
        onClose()
      },
    )
  const isDone = done !== undefined
  const differs = done?.differs
  const fields = differs
    ? new Intl.ListFormat('en').format(differs.fields.map((field) => (field === 'config' ? 'configuration' : field)))
    : ''
  const saveContent = ({ assistant, differs }: Saved) =>
    void save(
      () =>
        saveAssistant({
          place,
          key: saveKey,
          base: printJson(draftOf(parseJson(assistant) as Assistant)),
          draft: differs?.wanted ?? '',
        }),
      (outcome) => {
        if (outcome.kind === 'conflict') return toast.warning(outcome.message)
        note(outcome)
        toast.success(`The content of version ${version} is saved as a new version and active`)
        refresh()
        onClose()
      },
    )
  return (
    <Dialog
      open
      onOpenChange={() => isBusy || onClose()}
      title={
        differs
          ? `Version ${version} is active only in part`
          : isDone
            ? `Version ${version} is active`
            : `Activate version ${version}?`
      }
    >
      <div className="flex flex-col gap-3">
        <p role={isDone ? 'status' : undefined} className="text-ink-2">
          {differs
            ? `The server made version ${version} the active one, but kept the ${fields} of version ${active}. New runs use what it kept. To use the ${fields} of version ${version}, save them as a new version.`
            : isDone
              ? `New runs of this assistant use version ${version}. Version ${active} is kept.`
              : `New runs use it, including those of crons. Active runs keep their version. No new version is created, version ${active} is kept, and the next edit starts from version ${version}.`}
        </p>
        {error ? <ErrorNotice error={error} /> : null}
        <div className="flex flex-wrap justify-end gap-2">
          {isDone ? (
            <>
              <Button isBusy={isBusy} onClick={undo}>
                Undo
              </Button>
              {differs ? (
                <Button variant="primary" autoFocus isBusy={isBusy} onClick={() => saveContent(done)}>
                  Save as a new version
                </Button>
              ) : (
                <Button variant="primary" autoFocus disabled={isBusy} onClick={onClose}>
                  Done
                </Button>
              )}
            </>
          ) : (
            <>
              <Button disabled={isBusy} onClick={onClose}>
                Cancel
              </Button>
              <Button variant="primary" isBusy={isBusy} onClick={go}>
                Activate version {version}
              </Button>
            </>
          )}
        </div>
      </div>
    </Dialog>
  )
}
