'use client'
import { useQuery } from '@tanstack/react-query'
import { Columns2, PanelLeft, Plus } from 'lucide-react'
import { useCallback, useEffect, useRef, useState } from 'react'
import { AdvancedButton, closeOnEscape } from '@/components/runs/start/advanced-button'
import { useReasons } from '@/components/shared/layout/rights'
import { useSetSearch } from '@/components/shared/layout/use-set-search'
import { Button } from '@/components/ui/button'
import type { DeploymentPlace } from '@/lib/contracts/wire/places'
import { pickableAssistants } from '@/lib/queries/assistants'
import { Composer } from '../composer'
import { AttachmentChips } from '../composer/attachment-chips'
import type { ContextForm } from '../composer/context-field'
import { joinText } from '../composer/join-text'
import { useAttachments } from '../composer/use-attachments'
import { type SideColumn as Column, MOST_COLUMNS, readColumns, writeColumns } from './columns'
import { type SendTo, SideColumn } from './side-column'
import { SideOptions } from './side-options'
import { useSideOptions } from './use-side-options'

type Props = {
  place: DeploymentPlace
  /** The columns that the URL names. */
  named: string
  serverNow: number
  onRail: () => void
  Context: ContextForm
}

/** Several assistants answer the same messages; each answer is a run on a thread of its own. */
export function SideBySide({ place, named, serverNow, onRail, Context }: Props) {
  const { run: reason } = useReasons()
  const setSearch = useSetSearch({ isLocal: true })
  const field = useRef<HTMLTextAreaElement>(null)
  const senders = useRef(new Map<string, SendTo>())
  const list = useQuery(pickableAssistants(place.workspace, place.deploymentId))
  const [columns, setColumns] = useState<readonly Column[]>(() => readColumns(named))
  const [text, setText] = useState('')
  const [isSending, setSending] = useState(false)
  const attached = useAttachments()
  const newKey = useRef(MOST_COLUMNS)
  const advanced = useSideOptions(columns)

  const written = writeColumns(columns)
  useEffect(() => {
    if (written !== named) setSearch({ side: written })
  }, [written, named, setSearch])

  const change = useCallback(
    (column: Column) => setColumns((now) => now.map((one) => (one.key === column.key ? column : one))),
    [],
  )
  const remove = (key: string) => setColumns((now) => now.filter((one) => one.key !== key))
  function add() {
    const used = columns.map(({ assistant }) => assistant)
    const free = list.data?.find(({ assistant_id: id, graph_id: graph }) => !used.includes(id) && !used.includes(graph))
    const assistant = (free ?? list.data?.[0])?.assistant_id
    if (assistant) setColumns([...columns, { key: String(newKey.current++), assistant, thread: undefined }])
    field.current?.focus()
  }
  async function submit() {
    const { files } = attached
    if (reason || isSending || (text.trim() === '' && files.length === 0) || !advanced.check()) return
    setSending(true)
    setText('')
    attached.clear()
    const taken = await Promise.all([...senders.current.values()].map((send) => send(text, files)))
    // A column that failed offers to try again; if all did, the message is still the person's.
    if (!taken.includes(true)) {
      setText((typed) => joinText(text, typed))
      attached.restore(files)
    }
    setSending(false)
    field.current?.focus()
  }
  return (
    <section aria-label="Side by side" className="flex min-h-0 min-w-0 flex-1 flex-col">
      <header className="flex h-11 shrink-0 items-center gap-3 border-b bg-panel px-3">
        <Button size="icon" variant="ghost" className="md:hidden" aria-label="Show threads" onClick={onRail}>
          <PanelLeft aria-hidden />
        </Button>
        <Columns2 aria-hidden className="size-4 text-ink-3" />
        <h2 className="font-semibold text-sm">Side by side</h2>
        <Button
          size="sm"
          className="ml-auto"
          disabled={!list.data}
          reason={columns.length < MOST_COLUMNS ? undefined : `Up to ${MOST_COLUMNS} assistants.`}
          onClick={add}
        >
          <Plus aria-hidden />
          Add assistant
        </Button>
      </header>
      <div className="flex min-h-0 flex-1 overflow-x-auto">
        {columns.map((column) => (
          <SideColumn
            key={column.key}
            {...{ place, column, senders, reason, serverNow }}
            options={advanced.of(column.key)}
            onChange={change}
            onRemove={columns.length > 2 ? () => remove(column.key) : undefined}
          />
        ))}
      </div>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: it hears the keys of the fields in it */}
      <div
        className="shrink-0 px-3 py-2"
        onKeyDown={(event) => advanced.isOpen && closeOnEscape(event, advanced.toggle)}
      >
        {advanced.isOpen ? <SideOptions {...{ place, columns, advanced, Context }} /> : null}
        <Composer
          field={field}
          label="Message"
          placeholder={`Message ${columns.length} assistants…`}
          text={text}
          onText={setText}
          onSend={() => void submit()}
          isSending={isSending}
          reason={reason}
          autoFocus
          tools={<AdvancedButton set={advanced.set} isOpen={advanced.isOpen} onToggle={advanced.toggle} />}
          onFiles={(files) => void attached.add(files)}
          chips={
            attached.files.length > 0 || attached.problem ? (
              <AttachmentChips
                files={attached.files}
                problem={attached.problem}
                onRemove={(id) => {
                  attached.remove(id)
                  field.current?.focus()
                }}
              />
            ) : null
          }
        />
      </div>
    </section>
  )
}
