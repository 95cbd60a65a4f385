import { useEffect, useMemo, useState } from 'react'
import { get } from '@/lib/traces/blocks/values'
import type { LoggedRun } from '@/lib/traces/detect'
import { type RunView, runView } from './shown-run'

/** Characters that are read in a few milliseconds. */
const LARGE = 100_000

/** Whether reading a run would hold up the page. Looks at no more of it than that takes. */
export function isLargeRun({ inputs, outputs }: LoggedRun): boolean {
  let left = LARGE
  const open: unknown[] = [inputs, outputs]
  while (open.length > 0 && left > 0) {
    const one = open.pop()
    if (typeof one === 'string') left -= one.length
    else if (typeof one === 'object' && one !== null)
      for (const inner of Object.values(one)) {
        open.push(inner)
        left -= 8
      }
  }
  return left <= 0
}

/** Reads a run in a worker; the returned function ends it. Where no worker can start, the page reads it. */
function readAside(run: LoggedRun, take: (view: RunView) => void): () => void {
  const { name, run_type, inputs, outputs, extra, start_time } = run
  const worker = new Worker(new URL('./run-view.worker.ts', import.meta.url), { type: 'module' })
  worker.onmessage = ({ data }: MessageEvent<RunView>) => {
    worker.terminate()
    take(data)
  }
  worker.onerror = () => {
    worker.terminate()
    take(runView(run))
  }
  worker.postMessage({ name, run_type, inputs, outputs, extra, start_time } satisfies LoggedRun)
  return () => worker.terminate()
}

/** What the page shows of a run; undefined while a large one is read. */
export function useRunView(run: LoggedRun): RunView | undefined {
  const isLarge = useMemo(() => typeof Worker === 'function' && isLargeRun(run), [run])
  const own = useMemo(() => (isLarge ? undefined : runView(run)), [run, isLarge])
  const [read, setRead] = useState<{ run: LoggedRun; view: RunView }>()
  useEffect(() => (isLarge ? readAside(run, (view) => setRead({ run, view })) : undefined), [run, isLarge])
  // A pending run is fetched every few seconds; its last view stays until the next one is read.
  return own ?? (read && isSame(read.run, run) ? read.view : undefined)
}

const isSame = (one: LoggedRun, other: LoggedRun): boolean =>
  one === other || (get(one, 'id') !== undefined && get(one, 'id') === get(other, 'id'))
