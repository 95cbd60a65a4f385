'use client'
import { useQueryClient } from '@tanstack/react-query'
import dynamic from 'next/dynamic'
import Link from 'next/link'
import { useRouter } from 'next/navigation'
import { useCallback, useMemo, useRef, useState } from 'react'
import { EmptyState } from '@/components/shared/feedback/empty-state'
import { useReasons } from '@/components/shared/layout/rights'
import { Figure, SectionHeader } from '@/components/shared/layout/section-header'
import { Button } from '@/components/ui/button'
import { Input } from '@/components/ui/input'
import { controlPlane } from '@/lib/contracts/control-plane'
import type { SecretsView } from '@/lib/contracts/deployments/secrets-view'
import type { SavedEdit } from '@/lib/edit'
import { invalidate } from '@/lib/queries/api-query'
import { routes } from '@/lib/routes'
import { AddSecret, type Paste } from './add-secret'
import {
  changesOf,
  countOf,
  type Edit,
  entriesOf,
  NO_DRAFT,
  withEdit,
  withEntries,
  withText,
  withTheirs,
} from './draft'
import { MissingNotice, PasteNotice, SavedNotice, StaleListNotice } from './notices'
import { problemsOf, viewAfter } from './rows'
import { SecretsTable } from './secrets-table'
import { useDraft } from './use-draft'

const ReviewDialog = dynamic(() => import('./review-dialog').then((module) => module.ReviewDialog), { ssr: false })
const TextMode = dynamic(() => import('./text-mode').then((module) => module.TextMode), { ssr: false })

/** The number of secrets from which a search field is shown. */
const MANY = 12

type SecretsPageProps = { workspace: string; deploymentId: string; view: SecretsView }

/** A deployment's secret names, and a draft of changes that is reviewed and sent as a whole. */
export function SecretsPage({ workspace, deploymentId, view: given }: SecretsPageProps) {
  const reason = useReasons().administer
  const router = useRouter()
  const client = useQueryClient()
  const [{ view, origin, at }, setRead] = useState({ view: given, origin: given, at: 0 })
  const setView = (next: SecretsView) => setRead({ view: next, origin: given, at: Date.now() })
  if (origin !== given) setRead({ view: given, origin: given, at: 0 }) // the server has read it again
  const [draft, change] = useDraft(`${workspace} ${deploymentId}`)
  const [mode, setMode] = useState<'table' | 'text' | 'review'>('table')
  const [search, setSearch] = useState('')
  const [paste, setPaste] = useState<Paste>()
  const [saved, setSaved] = useState<SavedEdit>()
  const names = useMemo(() => new Set(view.rows.map(({ name }) => name)), [view])
  const changes = useMemo(() => changesOf(draft, names), [draft, names])
  const problems = useMemo(() => problemsOf(view, changes), [view, changes])
  const count = countOf(draft)
  const place = { workspace, deploymentId }

  const changeRef = useRef(change)
  changeRef.current = change
  const onEdit = useCallback(
    (name: string, edit: Edit | undefined) => changeRef.current((all) => withEdit(all, name, edit)),
    [],
  )

  function onSaved(result: SavedEdit & { view: SecretsView | null }) {
    change(() => NO_DRAFT)
    setMode('table')
    setPaste(undefined)
    setSaved(result)
    if (result.view) setView(result.view)
    else router.refresh()
    void invalidate(client, controlPlane.getDeployment, workspace)
    void invalidate(client, controlPlane.listRevisions, workspace)
  }

  if (view.isWithheld)
    return (
      <div className="rounded-lg border bg-panel">
        <EmptyState title="Administrators only">Only administrators can see secret names in this workspace.</EmptyState>
      </div>
    )
  const blocked = count === 0 ? 'No changes to save.' : problems.size > 0 ? 'Fix the highlighted lines.' : undefined
  return (
    <section aria-label="Secrets" className="flex min-w-0 flex-col gap-3">
      <SectionHeader
        title="Secrets"
        meta={
          <>
            <Figure label="Stored">{view.rows.length}</Figure>
            <Figure label="Draft changes">{count}</Figure>
          </>
        }
        actions={
          <>
            <Button
              reason={reason}
              aria-pressed={mode === 'text'}
              onClick={() => setMode(mode === 'text' ? 'table' : 'text')}
            >
              Edit as text
            </Button>
            <Button disabled={count === 0} onClick={() => change(() => NO_DRAFT)}>
              Discard
            </Button>
            <Button
              variant="primary"
              reason={reason ?? blocked}
              onClick={() => {
                setSaved(undefined)
                setMode('review')
              }}
            >
              {count === 0 ? 'Review changes' : `Review ${count} ${count === 1 ? 'change' : 'changes'}`}
            </Button>
          </>
        }
      >
        <p className="pt-0.5 text-ink-2 text-xs">
          Passed to the agent as environment variables from the next revision. Values are never shown.
        </p>
      </SectionHeader>
      {saved ? (
        <SavedNotice saved={saved} onDismiss={() => setSaved(undefined)}>
          {saved.revision ? (
            <Link className="font-medium underline" href={routes.revision(workspace, deploymentId, saved.revision)}>
              View revision
            </Link>
          ) : null}
        </SavedNotice>
      ) : null}
      {view.snapshot ? (
        <StaleListNotice place={place} latest={view.snapshot.latestRevision} at={at} onRead={() => router.refresh()} />
      ) : null}
      {view.missing.length > 0 ? <MissingNotice names={view.missing} /> : null}
      {paste ? <PasteNotice paste={paste} onDismiss={() => setPaste(undefined)} /> : null}
      {mode === 'text' ? (
        <TextMode
          entries={entriesOf(draft)}
          onApply={(entries) => change((all) => withText(all, names, entries))}
          onClose={() => setMode('table')}
        />
      ) : (
        <>
          <AddSecret
            reason={reason}
            onAdd={(entries) => change((all) => withEntries(all, names, entries))}
            onPaste={(entries, read) => {
              change((all) => withEntries(all, names, entries))
              setPaste(read)
            }}
          />
          {view.rows.length >= MANY ? (
            <Input
              type="search"
              aria-label="Search by name"
              placeholder="Search by name"
              className="base:w-full base:sm:w-72"
              autoComplete="off"
              value={search}
              onChange={(event) => setSearch(event.target.value)}
            />
          ) : null}
          <SecretsTable
            view={view}
            draft={draft}
            problems={problems}
            search={search}
            reason={reason}
            onEdit={onEdit}
            onDraft={change}
          />
        </>
      )}
      {mode === 'review' ? (
        <ReviewDialog
          place={place}
          view={view}
          changes={changes}
          onClose={() => setMode('table')}
          onSaved={onSaved}
          onRebase={(conflict, theirs) => {
            change((all) => theirs.reduce(withTheirs, all))
            setView(viewAfter(view, conflict))
            setMode('table')
          }}
        />
      ) : null}
    </section>
  )
}
