'use client'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import Link from 'next/link'
import { useState } from 'react'
import { useMoment } from '@/components/runs/view/moment'
import type { RunStore } from '@/components/runs/view/run-store'
import { useRunValue } from '@/components/runs/view/use-run-view'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { LateNotice } from '@/components/shared/feedback/late-notice'
import { useSave } from '@/components/shared/form/use-save'
import { useReasons } from '@/components/shared/layout/rights'
import { CopyBox } from '@/components/shared/text/copy-box'
import { RelativeTime } from '@/components/shared/text/relative-time'
import { Button } from '@/components/ui/button'
import { Checkbox } from '@/components/ui/checkbox'
import { Dialog } from '@/components/ui/dialog'
import { Select } from '@/components/ui/input'
import { createPublicLink, revokePublicLink } from '@/lib/actions/public-links'
import { withBasePath } from '@/lib/base-path'
import { LINK_DAYS, type LinkDays, type PublicLink } from '@/lib/contracts/public-link'
import { count } from '@/lib/format/format'
import { publicLinksQuery } from '@/lib/queries/public-links'
import { routes } from '@/lib/routes'
import type { RecordingSummary } from '@/lib/stream/log'

type Props = { summary: RecordingSummary; store: RunStore; onClose: () => void }
type Query = { lens?: string; at?: string }

const lastEntry = ({ view }: RunStore) => view.seq
const isOver = ({ view }: RunStore) => view.final !== undefined

/** Links to the run: for members, and for anyone if the workspace allows that. */
export function ShareDialog({ summary, store, onClose }: Props) {
  const { lens, at } = useMoment()
  const last = useRunValue(store, lastEntry)
  const hasEnded = useRunValue(store, isOver)
  const entry = at ?? last
  const [isAtMoment, setAtMoment] = useState(at !== undefined || !hasEnded)
  const query: Query = {
    lens: lens === 'transcript' ? undefined : lens,
    at: isAtMoment && entry > 0 ? String(entry) : undefined,
  }
  const { workspace, deployment, id } = summary
  return (
    <Dialog open onOpenChange={onClose} title="Share run">
      <div className="flex flex-col gap-5">
        <section aria-labelledby="share-members">
          <h3 id="share-members" className="mb-1 font-medium">
            Link for members
          </h3>
          <p className="mb-2 text-ink-2 text-xs">Opens this view after sign-in, for members of the workspace.</p>
          <CopyBox what="link for members" value={absolute(routes.recording(workspace, deployment, id, query))} />
          <Checkbox
            className="mt-2"
            label={`At entry ${count(entry)}`}
            checked={isAtMoment}
            disabled={entry === 0}
            onChange={({ target }) => setAtMoment(target.checked)}
          />
        </section>
        <section aria-labelledby="share-public">
          <h3 id="share-public" className="mb-1 font-medium">
            Public link
          </h3>
          <Public {...{ summary, query, hasEnded }} />
        </section>
        <section aria-labelledby="share-file">
          <h3 id="share-file" className="mb-1 font-medium">
            File
          </h3>
          <p className="mb-2 text-ink-2 text-xs">
            Anyone who has the exported file can open it at this address, without an account. It is not uploaded.
          </p>
          <CopyBox what="address of the file viewer" value={absolute(routes.openFile())} />
        </section>
      </div>
    </Dialog>
  )
}

/** The dialog opens on a click, never on the server. */
const absolute = (path: string) => window.location.origin + withBasePath(path)

function Public({ summary, query, hasEnded }: { summary: RecordingSummary; query: Query; hasEnded: boolean }) {
  const { workspace, id: recording } = summary
  const client = useQueryClient()
  const { run: noRun, administer: noAdmin } = useReasons()
  const { data, error: unread, refetch } = useQuery(publicLinksQuery(workspace, recording))
  const { isBusy, error, save } = useSave<{ token: string } | null>()
  const [days, setDays] = useState<LinkDays>(7)
  const [token, setToken] = useState<string>()
  const readAgain = () => client.invalidateQueries({ queryKey: publicLinksQuery(workspace, recording).queryKey })

  if (!data)
    return unread ? (
      <ErrorNotice error={unread.view} onRetry={() => void refetch()} />
    ) : (
      <>
        <p className="text-ink-3 text-xs">Loading…</p>
        <LateNotice className="text-xs" />
      </>
    )
  if (!data.isAllowed)
    return (
      <p className="text-ink-2 text-xs">
        Public links are off in this workspace.{' '}
        {noAdmin ? (
          'An administrator can turn them on.'
        ) : (
          <Link className="text-accent underline" href={routes.sharing(workspace)}>
            Turn them on in Settings
          </Link>
        )}
      </p>
    )
  const reason = noRun ?? (hasEnded ? undefined : 'Wait until the run has ended.')
  return (
    <div className="flex flex-col gap-2">
      <p className="text-ink-2 text-xs">
        Anyone with the link can read this run’s messages, state and events until it expires. Credentials, names of
        people and ids of this workspace are removed. Check that nothing else in it is confidential.
      </p>
      {error ? <ErrorNotice error={error} /> : null}
      {token ? (
        <>
          <CopyBox what="public link" value={`${absolute(routes.publicRun(query))}#${token}`} />
          <p className="text-ink-2 text-xs">Copy it now. It is shown only once.</p>
        </>
      ) : (
        <div className="flex items-center gap-2">
          <Select
            aria-label="Expires"
            className="w-auto"
            value={days}
            onChange={({ target }) => setDays(Number(target.value) as LinkDays) /* one of the options below */}
          >
            {LINK_DAYS.map((one) => (
              <option key={one} value={one}>
                Expires in {one} {one === 1 ? 'day' : 'days'}
              </option>
            ))}
          </Select>
          <Button
            isBusy={isBusy}
            reason={reason}
            onClick={() =>
              void save(
                () => createPublicLink({ workspace, recording, days }),
                (made) => {
                  setToken(made?.token)
                  void readAgain()
                },
              )
            }
          >
            Create public link
          </Button>
        </div>
      )}
      {data.links.length > 0 ? (
        <ul aria-label="Public links of this run" className="divide-y rounded-md border text-xs">
          {data.links.map((link) => (
            <li key={link.id} className="flex items-center gap-2 px-3 py-1.5">
              <span className="min-w-0 flex-1">
                <LinkFacts link={link} />
              </span>
              <Button
                size="sm"
                variant="ghost"
                reason={noRun}
                onClick={() =>
                  void save(
                    async () => await revokePublicLink({ workspace, id: link.id }),
                    () => {
                      setToken(undefined)
                      void readAgain()
                    },
                  )
                }
              >
                Revoke
              </Button>
            </li>
          ))}
        </ul>
      ) : null}
    </div>
  )
}

const LinkFacts = ({ link: { createdBy, expiresAt, opens } }: { link: PublicLink }) => (
  <>
    Expires <RelativeTime at={expiresAt} /> · {opens === 0 ? 'not opened yet' : `opened ${count(opens)}×`} · by{' '}
    {createdBy}
  </>
)
