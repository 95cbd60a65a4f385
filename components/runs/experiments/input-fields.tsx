'use client'
import { type KeyboardEvent, useState } from 'react'
import { useSave } from '@/components/shared/form/use-save'
import { useReasons } from '@/components/shared/layout/rights'
import { VisibleText } from '@/components/shared/text/visible-text'
import { Button } from '@/components/ui/button'
import { Input, Select, Textarea } from '@/components/ui/input'
import { Tabs } from '@/components/ui/tabs'
import { deleteInputSet, saveInputSet } from '@/lib/actions/experiments'
import { count } from '@/lib/format/format'
import { type InputSet, inputPreview, MAX_NAME } from '@/lib/stream/experiments'
import { type InputKind, inputsOf, textOfInputs } from './draft'

/** The input of a past run, with where it ran. */
export type PastInput = { id: string; input: string; at: string }

const TABS = [
  { value: 'message', label: 'Message' },
  { value: 'lines', label: 'JSON Lines' },
  { value: 'runs', label: 'Past runs' },
]

export type InputDraft = { kind: InputKind; text: string; chosen: readonly string[] }

type Props = {
  workspace: string
  value: InputDraft
  onChange: (value: InputDraft) => void
  past: readonly PastInput[]
  sets: readonly InputSet[]
  onSets: (sets: InputSet[]) => void
  problem: string | undefined
  /** Enter in the message. */
  onSubmit: () => void
}

export function InputFields({ workspace, value, onChange, past, sets, onSets, problem, onSubmit }: Props) {
  const { kind, text, chosen } = value
  const send = (event: KeyboardEvent) => {
    const isPlain = event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing
    if (!(isPlain && kind === 'message') && !(event.key === 'Enter' && (event.ctrlKey || event.metaKey))) return
    event.preventDefault()
    onSubmit()
  }
  const field = {
    value: text,
    onChange: ({ target }: { target: { value: string } }) => onChange({ ...value, text: target.value }),
    onKeyDown: send,
    'aria-invalid': problem ? true : undefined,
  }
  return (
    <div>
      <Tabs
        label="Inputs"
        value={kind}
        onValueChange={(next) => onChange({ ...value, kind: next as InputKind /* a tab above */ })}
        tabs={TABS}
      >
        {kind === 'message' ? (
          <Textarea
            {...field}
            // The page's one question; a person arrives to type.
            autoFocus
            aria-label="Message"
            placeholder="What do you want to ask? Enter runs it."
          />
        ) : kind === 'lines' ? (
          <Textarea
            {...field}
            aria-label="JSON Lines"
            className="font-mono text-xs base:min-h-40"
            placeholder={'"A message"\n{"messages": [{"role": "user", "content": "The whole input"}]}'}
          />
        ) : (
          <Past past={past} chosen={chosen} onChange={(next) => onChange({ ...value, chosen: next })} />
        )}
      </Tabs>
      {problem ? (
        <p role="alert" className="mt-1 text-error text-xs">
          {problem}
        </p>
      ) : kind === 'lines' ? (
        <LinesRead text={text} />
      ) : null}
      <Sets workspace={workspace} value={value} sets={sets} onSets={onSets} onUse={onChange} />
    </div>
  )
}

/** What is read from the lines, before anything is started with them. */
function LinesRead({ text }: { text: string }) {
  const { inputs, problem } = inputsOf('lines', text, [])
  const [first] = inputs
  return (
    <p role="status" className="mt-1 truncate text-ink-2 text-xs empty:hidden">
      {text.trim() === '' ? null : first === undefined ? (
        problem
      ) : (
        <>
          {`${count(inputs.length)} ${inputs.length === 1 ? 'input' : 'inputs'}. The first: `}
          <VisibleText>{inputPreview(first).slice(0, SHOWN)}</VisibleText>
        </>
      )}
    </p>
  )
}
const SHOWN = 300

type PastProps = { past: readonly PastInput[]; chosen: readonly string[]; onChange: (chosen: string[]) => void }

function Past({ past, chosen, onChange }: PastProps) {
  if (past.length === 0) return <p className="text-ink-3 text-sm">No recorded runs with an input yet.</p>
  return (
    <ul aria-label="Past runs" className="max-h-64 overflow-y-auto rounded-md border">
      {past.map(({ id, input, at }) => (
        <li key={id} className="border-b last:border-b-0">
          <label className="flex items-center gap-2 px-3 py-1.5 hover:bg-hover">
            <input
              type="checkbox"
              className="accent-accent"
              checked={chosen.includes(input)}
              onChange={({ target }) =>
                onChange(target.checked ? [...chosen, input] : chosen.filter((one) => one !== input))
              }
            />
            <span className="min-w-0 flex-1 truncate text-sm">
              <VisibleText>{inputPreview(input)}</VisibleText>
            </span>
            <span className="shrink-0 text-ink-3 text-xs">{at}</span>
          </label>
        </li>
      ))}
    </ul>
  )
}

type SetsProps = Pick<Props, 'workspace' | 'value' | 'sets' | 'onSets'> & { onUse: (value: InputDraft) => void }

/** Named inputs of the workspace. */
function Sets({ workspace, value, sets, onSets, onUse }: SetsProps) {
  const [name, setName] = useState('')
  const { isBusy, error, save } = useSave<InputSet[]>()
  const { run: reason } = useReasons()
  const { inputs } = inputsOf(value.kind, value.text, value.chosen)
  const current = sets.find((one) => one.name.toLowerCase() === name.trim().toLowerCase())
  return (
    <div className="mt-2 flex flex-wrap items-center gap-2">
      <Select
        aria-label="Input set"
        className="w-auto"
        value={current?.id ?? ''}
        onChange={({ target }) => {
          const chosen = sets.find(({ id }) => id === target.value)
          if (!chosen) return
          setName(chosen.name)
          onUse({ ...textOfInputs(chosen.inputs), chosen: [] })
        }}
      >
        <option value="">Saved inputs…</option>
        {sets.map((one) => (
          <option key={one.id} value={one.id}>
            {one.name} ({one.inputs.length})
          </option>
        ))}
      </Select>
      <Input
        aria-label="Name of the input set"
        placeholder="Name"
        className="w-40"
        maxLength={MAX_NAME}
        value={name}
        onChange={({ target }) => setName(target.value)}
      />
      <Button
        size="sm"
        isBusy={isBusy}
        reason={reason}
        disabled={name.trim() === '' || inputs.length === 0}
        onClick={() => void save(() => saveInputSet({ workspace, name, inputs }), onSets)}
      >
        {current ? 'Replace inputs' : 'Save inputs'}
      </Button>
      {current ? (
        <Button
          size="sm"
          variant="ghost"
          isBusy={isBusy}
          reason={reason}
          onClick={() =>
            void save(
              () => deleteInputSet({ workspace, id: current.id }),
              (left) => {
                onSets(left)
                setName('')
              },
            )
          }
        >
          Delete set
        </Button>
      ) : null}
      {error ? (
        <p role="alert" className="text-error text-xs">
          {error.message}
        </p>
      ) : null}
    </div>
  )
}
