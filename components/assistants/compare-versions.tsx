'use client'

import { useQuery } from '@tanstack/react-query'
import { ArrowLeft, ArrowLeftRight } from 'lucide-react'
import Link from 'next/link'
import { useSearchParams } from 'next/navigation'
import { useMemo } from 'react'
import { DifferenceList, useDifferences } from '@/components/shared/conflict/difference-list'
import { EmptyState } from '@/components/shared/feedback/empty-state'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { JsonTree } from '@/components/shared/json/json-tree'
import { SectionHeader } from '@/components/shared/layout/section-header'
import { useSetSearch } from '@/components/shared/layout/use-set-search'
import { RelativeTime } from '@/components/shared/text/relative-time'
import { Button } from '@/components/ui/button'
import { Field } from '@/components/ui/field'
import { Select } from '@/components/ui/input'
import { Skeleton } from '@/components/ui/loading'
import { Tabs } from '@/components/ui/tabs'
import type { AssistantChange } from '@/lib/contracts/agents/assistant-edit'
import type { Assistant } from '@/lib/contracts/agents/assistants'
import type { AssistantPlace } from '@/lib/contracts/wire/places'
import { assistantQuery, assistantVersionsQuery } from '@/lib/queries/assistants'
import { routes } from '@/lib/routes'
import { authorsOf, comparable } from './versions'

/** The most versions that one request returns. */
const MOST = 1_000

type Props = AssistantPlace & { changes: readonly AssistantChange[] }

/** Compares two versions of an assistant, chosen in the URL. Defaults to the active version and the one before it. */
export function CompareVersions({ changes, ...place }: Props) {
  const { workspace, deploymentId, assistant } = place
  const search = useSearchParams()
  const set = useSetSearch({ isLocal: true })
  const list = useQuery(assistantVersionsQuery(workspace, deploymentId, assistant, { limit: MOST }))
  const { data: now } = useQuery(assistantQuery(workspace, deploymentId, assistant))
  const versions = list.data ?? []
  const authors = authorsOf(versions, changes)
  const find = (text: string | null) => versions.find((one) => String(one.version) === text)
  const b = find(search.get('b')) ?? versions.find((one) => one.version === now?.version) ?? versions[0]
  const a = find(search.get('a')) ?? versions.find((one) => (one.version ?? 0) < (b?.version ?? 0)) ?? versions[1]
  const choose = (change: { a?: number | null; b?: number | null }) =>
    set({ a: String(a?.version ?? ''), b: String(b?.version ?? ''), ...asTexts(change) })
  return (
    <div className="flex min-h-0 flex-1 flex-col gap-3">
      <SectionHeader
        title={`Compare versions of ${now?.name || now?.graph_id || 'the assistant'}`}
        actions={
          <>
            <Button asChild variant="ghost">
              <Link href={routes.assistant(workspace, deploymentId, assistant, { tab: 'versions' })}>
                <ArrowLeft aria-hidden />
                All versions
              </Link>
            </Button>
            <Button disabled={!a || !b} onClick={() => choose({ a: b?.version, b: a?.version })}>
              <ArrowLeftRight aria-hidden />
              Swap
            </Button>
          </>
        }
      />
      {list.error && !list.data ? (
        <ErrorNotice error={list.error.view} onRetry={() => void list.refetch()} />
      ) : list.isPending ? (
        <Skeleton className="h-64" />
      ) : !a || !b ? (
        <div className="rounded-lg border bg-panel">
          <EmptyState title="Nothing to compare yet">This assistant has only one version.</EmptyState>
        </div>
      ) : (
        <>
          <div className="grid gap-3 sm:grid-cols-2">
            <Chooser
              label="From"
              value={a}
              all={versions}
              author={authors.get(a.version ?? 0)}
              onChange={(version) => choose({ a: version })}
            />
            <Chooser
              label="To"
              value={b}
              all={versions}
              author={authors.get(b.version ?? 0)}
              onChange={(version) => choose({ b: version })}
            />
          </div>
          <Comparison
            a={a}
            b={b}
            view={search.get('view') === 'json' ? 'json' : 'fields'}
            onView={(view) => set({ view })}
          />
        </>
      )}
    </div>
  )
}

const asTexts = (change: { a?: number | null; b?: number | null }) =>
  Object.fromEntries(Object.entries(change).map(([side, version]) => [side, String(version ?? '')]))

type ChooserProps = {
  label: string
  value: Assistant
  all: readonly Assistant[]
  author: string | undefined
  onChange: (version: number) => void
}

const Chooser = ({ label, value, all, author, onChange }: ChooserProps) => (
  <Field
    id={`version-${label}`}
    label={label}
    hint={
      <>
        Created <RelativeTime at={value.created_at} /> by {author ?? 'unknown'}
      </>
    }
  >
    <Select
      id={`version-${label}`}
      value={value.version ?? ''}
      onChange={({ target }) => onChange(Number(target.value))}
    >
      {all.map((one) => (
        <option key={one.version} value={one.version ?? ''}>
          Version {one.version}
        </option>
      ))}
    </Select>
  </Field>
)

type ComparisonProps = { a: Assistant; b: Assistant; view: 'fields' | 'json'; onView: (view: string) => void }

function Comparison({ a, b, view, onView }: ComparisonProps) {
  const [left, right] = useMemo(() => [comparable(a), comparable(b)], [a, b])
  const found = useDifferences(left, right)
  return (
    <Tabs
      label="Comparison view"
      value={view}
      onValueChange={(next) => onView(next === 'json' ? 'json' : '')}
      tabs={[
        { value: 'fields', label: 'Fields' },
        { value: 'json', label: 'JSON' },
      ]}
    >
      {view === 'json' ? (
        <div className="grid gap-3 md:grid-cols-2">
          {(
            [
              [a, left],
              [b, right],
            ] as const
          ).map(([one, value], side) => (
            <section
              // biome-ignore lint/suspicious/noArrayIndexKey: always two sides, which may be the same version
              key={side}
              aria-label={`Version ${one.version} as JSON`}
              className="min-w-0 overflow-hidden rounded-lg border bg-panel"
            >
              <h3 className="border-b px-3 py-2 font-semibold text-sm">Version {one.version}</h3>
              <JsonTree value={value} label={`Version ${one.version}`} className="h-[28rem]" />
            </section>
          ))}
        </div>
      ) : !found ? (
        <Skeleton className="h-64" />
      ) : (
        <DifferenceList
          label="Differences"
          differences={found}
          empty="The versions are identical."
          className="h-[32rem] overflow-hidden rounded-lg border bg-panel"
        />
      )}
    </Tabs>
  )
}
