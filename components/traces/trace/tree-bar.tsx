'use client'

import { ChevronsDownUp, ChevronsUpDown } from 'lucide-react'
import { SearchBox } from '@/components/shared/list/search-box'
import { Button } from '@/components/ui/button'
import { reportChosen } from '@/components/ui/report-typed'
import { count } from '@/lib/format/format'
import type { TraceTree } from '@/lib/traces/tree'
import { nextError } from './tree-view'
import type { ShownRows } from './use-tree-rows'

type Props = {
  tree: TraceTree
  shown: ShownRows
  isWhole: boolean
  selected: string | undefined
  query: string
  isErrorsFirst: boolean
  hasHidden: boolean
  closed: ReadonlySet<string>
  onQuery: (query: string) => void
  onErrorsFirst: (isFirst: boolean) => void
  onHidden: (hasHidden: boolean) => void
  onClosed: (closed: ReadonlySet<string>) => void
  onSelect: (id: string) => void
}

/** The toolbar of the tree: search, errors first, next error, expand and collapse all. */
export function TreeBar(props: Props) {
  const { tree, shown, isWhole, selected, query, isErrorsFirst, hasHidden, closed } = props
  const { rows, options } = shown
  // Counts the rows shown, which may still belong to the previous search.
  const found = options.query === '' ? undefined : rows.filter(({ isFound }) => isFound).length
  const showError = () => {
    const row =
      rows[
        nextError(
          rows,
          Math.max(
            0,
            rows.findIndex(({ node }) => node.run.id === selected),
          ),
        )
      ]
    if (row) props.onSelect(row.node.run.id)
  }
  const closeAll = () => {
    const parents = [...tree.nodes.values()].filter(({ children, parent }) => children.length > 0 && parent)
    props.onClosed(new Set(parents.map(({ run }) => run.id)))
  }
  return (
    <div className="flex flex-wrap items-center gap-1.5 border-b bg-sunken/60 px-2 py-1.5 text-xs">
      <SearchBox
        label="Search name, model, tag or error"
        className="w-full sm:w-72"
        value={query}
        onChange={props.onQuery}
      />
      <span role="status" className="text-ink-3 tabular-nums">
        {found === undefined
          ? isWhole
            ? ''
            : `${count(tree.size)} runs, loading more`
          : `${count(found)} found${isWhole ? '' : ' so far'}`}
      </span>
      <span className="ml-auto flex flex-wrap items-center gap-1">
        {tree.errorCount > 0 ? (
          <>
            <Button size="sm" variant="ghost" title="E, in the tree" onClick={showError}>
              Next error
            </Button>
            <Toggle label="Errors first" isOn={isErrorsFirst} onChange={props.onErrorsFirst} />
          </>
        ) : null}
        {tree.hiddenCount > 0 ? (
          <Toggle
            label={`Show hidden runs (${count(tree.hiddenCount)})`}
            title="LangGraph marks runs of its own inner steps as hidden."
            isOn={hasHidden}
            onChange={props.onHidden}
          />
        ) : null}
        {closed.size > 0 ? (
          <Button
            variant="ghost"
            size="icon"
            aria-label="Expand all"
            title="Expand all"
            onClick={() => props.onClosed(new Set())}
          >
            <ChevronsUpDown aria-hidden />
          </Button>
        ) : (
          <Button variant="ghost" size="icon" aria-label="Collapse all" title="Collapse all" onClick={closeAll}>
            <ChevronsDownUp aria-hidden />
          </Button>
        )}
      </span>
    </div>
  )
}

type ToggleProps = { label: string; title?: string; isOn: boolean; onChange: (isOn: boolean) => void }

const Toggle = ({ label, title, isOn, onChange }: ToggleProps) => (
  <label title={title} className="inline-flex h-7 items-center gap-1.5 rounded-md px-1.5 hover:bg-hover">
    <input
      ref={reportChosen}
      type="checkbox"
      className="size-3.5 accent-accent"
      checked={isOn}
      onChange={({ target }) => onChange(target.checked)}
    />
    {label}
  </label>
)
