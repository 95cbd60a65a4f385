'use client'

import { FileUp } from 'lucide-react'
import { useDeferredValue, useMemo, useRef, useState } from 'react'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { useFileDrop } from '@/components/shared/form/use-file-drop'
import { findJsonProblem } from '@/components/shared/json/json-problem'
import { Button } from '@/components/ui/button'
import { Select, Textarea } from '@/components/ui/input'
import { cn } from '@/lib/cn'
import { byteSize } from '@/lib/format/format'
import { BLOCK_EXAMPLES } from '@/lib/traces/examples'
import { CheckedRuns } from './checked-runs'
import { exampleGroups, exampleText } from './example-groups'

/** Larger texts would block the page on each key press. */
const MAX_CHARACTERS = 20_000_000
/** The field shows only the beginning of longer texts, but all of the text is checked. */
const MAX_IN_FIELD = 500_000

/** Checks a logged run: its format, its errors and its rendering. Nothing leaves the browser. */
export function CheckPage() {
  const [text, setText] = useState('')
  const [fileName, setFileName] = useState<string>()
  const [problem, setProblem] = useState<string>()
  const picker = useRef<HTMLInputElement>(null)
  const checked = useDeferredValue(text)
  const groups = useMemo(() => exampleGroups(BLOCK_EXAMPLES), [])

  const take = (next: string, from?: string) => {
    setProblem(undefined)
    setFileName(from)
    setText(next)
  }
  async function open(file: File | undefined) {
    if (!file) return
    if (file.size > MAX_CHARACTERS) {
      setProblem(`${file.name} has ${byteSize(file.size)}; up to ${byteSize(MAX_CHARACTERS)} are checked here.`)
      return
    }
    take(await file.text(), file.name)
  }
  const { isOver, handlers } = useFileDrop((file) => void open(file))
  const isLong = text.length > MAX_IN_FIELD
  return (
    <div className="grid items-start gap-4 lg:grid-cols-2" {...handlers}>
      <section aria-label="Logged run" className="lg:sticky lg:top-16">
        <div className="mb-2 flex flex-wrap items-center gap-2">
          <Button onClick={() => picker.current?.click()}>
            <FileUp aria-hidden />
            Choose file
          </Button>
          <Select
            aria-label="Example"
            className="w-auto"
            value=""
            onChange={({ target }) => {
              const example = BLOCK_EXAMPLES[Number(target.value)]
              if (example) take(exampleText(example))
            }}
          >
            <option value="">Examples…</option>
            {groups.map(({ label, examples }) => (
              <optgroup key={label} label={label}>
                {examples.map(({ index, name }) => (
                  <option key={index} value={index}>
                    {name}
                  </option>
                ))}
              </optgroup>
            ))}
          </Select>
          {text === '' ? null : (
            <Button variant="ghost" onClick={() => take('')}>
              Clear
            </Button>
          )}
          <input
            ref={picker}
            type="file"
            aria-label="File of a logged run"
            accept=".json,.txt,application/json"
            className="sr-only"
            tabIndex={-1}
            onChange={(event) => {
              void open(event.target.files?.[0])
              event.target.value = ''
            }}
          />
        </div>
        {problem ? <ErrorNotice error={{ message: problem }} className="mb-2" /> : null}
        <Textarea
          aria-label="Logged run as JSON"
          spellCheck={false}
          placeholder="Paste a logged run, a batch of them, messages or a single block as JSON, or drop a file here."
          readOnly={isLong}
          value={isLong ? text.slice(0, MAX_IN_FIELD) : text}
          onChange={({ target }) => take(target.value)}
          className={cn(
            'min-h-56 font-mono text-xs lg:h-[calc(100dvh-16rem)]',
            isOver && 'border-accent bg-accent-soft',
          )}
        />
        <p className="mt-1 text-ink-3 text-xs">
          {fileName ? `${fileName}, ` : ''}
          {isLong ? `${byteSize(text.length)}, only the beginning is shown. ` : ''}
          Read in this browser only. Nothing is uploaded.
        </p>
      </section>
      <section aria-label="Result" aria-busy={checked !== text} className="min-w-0">
        <Result text={checked} />
      </section>
    </div>
  )
}

function Result({ text }: { text: string }) {
  const read = useMemo(() => readText(text), [text])
  if (!read)
    return (
      <p className="rounded-lg border border-dashed px-6 py-14 text-center text-ink-2 text-sm">
        The run appears here as on the trace page, with any problems listed by path.
      </p>
    )
  if ('problem' in read) return <ErrorNotice error={{ message: read.problem }} />
  return <CheckedRuns key={text.length} value={read.value} />
}

function readText(text: string): { value: unknown } | { problem: string } | undefined {
  if (text.trim() === '') return undefined
  const problem = findJsonProblem(text)
  if (problem) return { problem: `Invalid JSON: line ${problem.line}, column ${problem.column}: ${problem.message}` }
  return { value: JSON.parse(text) as unknown }
}
