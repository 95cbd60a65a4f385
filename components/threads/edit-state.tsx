'use client'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useMemo, useRef, useState } from 'react'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { useSave } from '@/components/shared/form/use-save'
import { JsonEditor } from '@/components/shared/json/json-editor'
import { jsonProblemText } from '@/components/shared/json/json-problem'
import { VisibleText } from '@/components/shared/text/visible-text'
import { Button } from '@/components/ui/button'
import { Checkbox } from '@/components/ui/checkbox'
import { Dialog } from '@/components/ui/dialog'
import { Field } from '@/components/ui/field'
import { Input } from '@/components/ui/input'
import { toast } from '@/components/ui/toast'
import { updateState } from '@/lib/actions/threads'
import { agentServer } from '@/lib/contracts/agent-server'
import type { CheckpointPlace, StateOutcome } from '@/lib/contracts/agents/thread-edit'
import type { ThreadPlace } from '@/lib/contracts/wire/places'
import { newRequestKey } from '@/lib/format/format'
import { shortJson } from '@/lib/json/difference'
import { printJson } from '@/lib/json/lossless'
import { isContainer, jsonText, previewText, scalarText } from '@/lib/json/value'
import { invalidate } from '@/lib/queries/api-query'
import { assistantGraphQuery } from '@/lib/queries/assistants'
import type { LoadedState } from '@/lib/queries/thread-states'
import { StateReview } from './state-review'
import { type StateValues, useStateValues } from './use-state-values'
import { writtenValues } from './written-values'

/** Larger values cannot be edited, only replaced. In characters of JSON. */
const MOST_EDITED = 200_000

type Props = {
  place: ThreadPlace
  assistant: string | undefined
  state: LoadedState
  base: CheckpointPlace
  /** Whether this is the thread's newest state instead of an earlier one. */
  isNewest: boolean
  onClose: () => void
  /** Called with the id of the written checkpoint. */
  onWritten: (id: string) => void
}

/** Writes keys of a state as if by a node: choose, edit, review, send. Earlier values stay in the history. */
export function EditState({ state, ...props }: Props) {
  const known = useStateValues(state, MOST_EDITED)
  return known ? <StateEditor {...props} {...known} /> : null
}

type EditorProps = Omit<Props, 'state'> & StateValues

function StateEditor({ place, assistant, values, tooLarge, base, isNewest, onClose, onWritten }: EditorProps) {
  const { workspace, deploymentId } = place
  const client = useQueryClient()
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({})
  const [added, setAdded] = useState('')
  const [asNode, setAsNode] = useState('')
  const [isReviewing, setReviewing] = useState(false)
  const [met, setMet] = useState<StateOutcome & { kind: 'moved' }>()
  const key = useRef({ request: '', id: '' })
  const { isBusy, error, fieldError, save } = useSave<StateOutcome>()
  // A write to the newest state is rejected if the thread has changed since; a fork is not.
  const expectedCheckpoint = isNewest ? base.id : ''
  const graph = useQuery({
    ...assistantGraphQuery(workspace, deploymentId, assistant ?? ''),
    enabled: assistant !== undefined,
    retry: false,
  })
  const nodes = (graph.data?.nodes ?? []).map(({ id }) => String(id)).filter((id) => !/^__|:/.test(id))
  const chosen = Object.keys(texts)
  const problems = chosen.flatMap((name) => {
    const problem = jsonProblemText(texts[name] ?? '')
    return problem ? [[name, problem] as const] : []
  })
  const textOf = (name: string) => (tooLarge.has(name) ? undefined : editable(values[name]))
  const problemOf = (name: string) => problems.find(([at]) => at === name)?.[1]
  const written = useMemo(() => (isReviewing ? writtenValues(texts) : undefined), [isReviewing, texts])

  const toggle = (name: string, isOn: boolean) => {
    if (isOn) return setTexts({ ...texts, [name]: textOf(name) ?? '' })
    setTexts(Object.fromEntries(Object.entries(texts).filter(([one]) => one !== name)))
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (chosen.length > 0 && problems.length === 0) setReviewing(true)
  }
  function send(isFork: boolean) {
    if (!written) return
    const request = { base, expectedCheckpoint, isFork, values: printJson(written), ...(asNode && { asNode }) }
    const text = JSON.stringify(request)
    if (key.current.request !== text) key.current = { request: text, id: newRequestKey() }
    void save(
      () => updateState({ place, key: key.current.id, ...request }),
      (outcome) => {
        if (outcome.kind === 'moved') return setMet(outcome)
        if (outcome.note) toast.warning(outcome.note)
        else toast.success('State saved in a new checkpoint')
        for (const op of [agentServer.searchThreadHistory, agentServer.getThreadState, agentServer.searchThreads])
          void invalidate(client, op, workspace)
        onWritten(outcome.checkpoint ?? '')
      },
    )
  }

  return (
    <Dialog
      open
      onOpenChange={() => isBusy || onClose()}
      title={isNewest ? 'Edit state' : 'Edit state from this checkpoint'}
      description={
        isNewest
          ? 'Adds a new checkpoint. Earlier checkpoints are kept.'
          : 'Forks the thread: adds a checkpoint after this one, which becomes the newest. Later checkpoints are kept.'
      }
      side="right"
      className="base:w-[min(44rem,100vw)]"
    >
      {isReviewing && written ? (
        <div className="flex flex-col gap-3">
          <StateReview {...{ place, base, values, asNode }} written={written} />
          {error ? <ErrorNotice error={error} /> : null}
          {met ? <ErrorNotice error={{ message: met.message }} /> : null}
          <div className="flex flex-wrap justify-end gap-2">
            <Button disabled={isBusy} onClick={() => setReviewing(false)}>
              Back
            </Button>
            {met ? (
              <Button variant="primary" isBusy={isBusy} onClick={() => send(true)}>
                Fork anyway
              </Button>
            ) : (
              <Button variant="primary" isBusy={isBusy} onClick={() => send(!isNewest)}>
                Save state
              </Button>
            )}
          </div>
        </div>
      ) : (
        <form className="flex flex-col gap-4" onSubmit={submit}>
          <fieldset className="flex min-w-0 flex-col gap-2">
            <legend className="mb-1 font-medium text-xs">Keys to write</legend>
            {[...new Set([...Object.keys(values), ...chosen])].map((name) => (
              <div key={name} className="min-w-0 rounded-md border px-3 py-2">
                <Checkbox
                  label={<code className="break-all font-mono text-xs">{name}</code>}
                  hint={name in texts ? undefined : <VisibleText>{brief(values[name])}</VisibleText>}
                  checked={name in texts}
                  onChange={(event) => toggle(name, event.target.checked)}
                />
                {name in texts ? (
                  <div className="mt-2 flex flex-col gap-1">
                    <JsonEditor
                      label={`${name} as JSON`}
                      value={texts[name] ?? ''}
                      onChange={(text) => setTexts((now) => ({ ...now, [name]: text }))}
                      describedBy={`edit-${name}`}
                      isInvalid={problemOf(name) !== undefined}
                      minHeight={80}
                    />
                    <p id={`edit-${name}`} className="text-error text-xs empty:hidden">
                      {problemOf(name) ?? fieldError(`values.${name}`)}
                    </p>
                    {Object.hasOwn(values, name) && textOf(name) === undefined ? (
                      <p className="text-ink-3 text-xs">
                        Too large to edit here. Enter what to pass to the graph’s reducer.
                      </p>
                    ) : null}
                  </div>
                ) : null}
              </div>
            ))}
            <div className="flex items-center gap-2">
              <Input
                aria-label="Another key"
                placeholder="Another key"
                className="w-48"
                value={added}
                onChange={({ target }) => setAdded(target.value)}
              />
              <Button
                size="sm"
                disabled={added.trim() === '' || added.trim() in texts}
                onClick={() => {
                  toggle(added.trim(), true)
                  setAdded('')
                }}
              >
                Add
              </Button>
            </div>
          </fieldset>
          <Field
            id="as-node"
            label="Write as node"
            hint="Determines what runs next. The server finds the node if only one is possible."
            error={fieldError('as_node')}
          >
            {/* Not a select: node names may load late or not at all, and must not discard what was typed. */}
            <Input
              id="as-node"
              className="w-60"
              list="nodes"
              placeholder="Automatic"
              value={asNode}
              onChange={({ target }) => setAsNode(target.value)}
            />
            <datalist id="nodes">
              {nodes.map((node) => (
                <option key={node} value={node} />
              ))}
            </datalist>
          </Field>
          <div className="flex flex-wrap justify-end gap-2">
            <Button onClick={onClose}>Cancel</Button>
            <Button
              type="submit"
              variant="primary"
              reason={
                chosen.length === 0
                  ? 'Choose a key first.'
                  : problems.length > 0
                    ? 'Fix the highlighted fields.'
                    : undefined
              }
            >
              Review
            </Button>
          </div>
        </form>
      )}
    </Dialog>
  )
}

/** A value as text to edit; undefined if it is absent or too large. */
const editable = (value: unknown): string | undefined =>
  value === undefined || shortJson(value, MOST_EDITED) === undefined ? undefined : jsonText(value)

const brief = (value: unknown): string => (isContainer(value) ? previewText(value, 70) : scalarText(value, 70))
