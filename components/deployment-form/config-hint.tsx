'use client'
import { count } from '@/lib/format/format'
import type { CreateValues } from './create-values'
import { useInspection } from './use-inspection'

/** Longer lists are cut, because a hint is one line. */
const MOST_GRAPHS = 6

/** What the graph configuration has, where the control plane can read the repository before it is deployed. */
export function ConfigHint({ workspace, values }: { workspace: string; values: CreateValues }) {
  const { data, error, isReading } = useInspection(workspace, values)
  const usual = 'Path of the file in the repository that lists the graphs.'
  if (isReading) return 'Reading the repository…'
  // A control plane that cannot read repositories has other reasons.
  if (error?.view.upstreamStatus === 400) return <span className="text-error">{error.view.message}</span>
  if (!data) return usual
  const { graphs, graph_config_path: path } = data
  const more = graphs.length - MOST_GRAPHS
  return (
    <span role="status">
      Found <code className="break-all font-mono text-ink-2">{path}</code> with {count(graphs.length)}{' '}
      {graphs.length === 1 ? 'graph' : 'graphs'}
      {graphs.length > 0 ? ': ' : '.'}
      <span className="break-words font-mono">{graphs.slice(0, MOST_GRAPHS).join(', ')}</span>
      {more > 0 ? ` and ${count(more)} more` : ''}
    </span>
  )
}
