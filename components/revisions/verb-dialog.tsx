'use client'
import { useQueryClient } from '@tanstack/react-query'
import { useRouter } from 'next/navigation'
import { type ReactNode, useState } from 'react'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { useSave } from '@/components/shared/form/use-save'
import { RelativeTime } from '@/components/shared/text/relative-time'
import { VisibleText } from '@/components/shared/text/visible-text'
import { Button } from '@/components/ui/button'
import { Dialog } from '@/components/ui/dialog'
import { toast } from '@/components/ui/toast'
import { interruptRevision, redeployRevision, restoreRevision } from '@/lib/actions/revisions'
import { controlPlane } from '@/lib/contracts/control-plane'
import type { Change } from '@/lib/contracts/deployments/changes'
import type { Deployment } from '@/lib/contracts/deployments/deployments'
import type { Revision } from '@/lib/contracts/deployments/revisions'
import type { Result } from '@/lib/errors'
import { newRequestKey, shortId } from '@/lib/format/format'
import { invalidate } from '@/lib/queries/api-query'
import { routes } from '@/lib/routes'
import { type SecretChange, secretChangesSince } from './common/secret-changes'
import { RestoreReview, useRestoreReview } from './restore-review'

/** A roll back redeploys an earlier revision; a restore makes a new one of its settings. */
export type Verb = 'redeploy' | 'rollBack' | 'interrupt' | 'restore'
type Props = {
  verb: Verb
  workspace: string
  deployment: Deployment
  revision: Revision
  /** Writes to the deployment from this console. */
  changes: readonly Change[]
  onClose: () => void
}
type Done = { revision: string; note?: string }

/** The title is followed by the revision's id. */
const WORDS: Record<Verb, { title: string; button: string; done: string }> = {
  redeploy: { title: 'Redeploy revision', button: 'Redeploy', done: 'Redeploy started' },
  rollBack: { title: 'Roll back to revision', button: 'Roll back', done: 'Roll-back started' },
  interrupt: { title: 'Interrupt revision', button: 'Interrupt', done: 'Interrupt requested' },
  restore: { title: 'New revision from the settings of', button: 'Create revision', done: 'Revision created' },
}
const READS = [controlPlane.getRevision, controlPlane.listRevisions, controlPlane.getDeployment]

/** Confirms an action on a revision. Stays open with the current state if the action fails. */
export function VerbDialog(props: Props) {
  const { verb, workspace, deployment, revision, changes, onClose } = props
  const { title, button, done } = WORDS[verb]
  // Created once per dialog, so that a second press or a browser retry gets the first response.
  const [key] = useState(newRequestKey)
  const review = useRestoreReview(revision, deployment)
  const { isBusy, error, save } = useSave<Done>()
  const client = useQueryClient()
  const router = useRouter()
  const input = { workspace, deploymentId: deployment.id, revision: revision.id, key }
  const send = (): Promise<Result<Done>> =>
    verb === 'redeploy' || verb === 'rollBack'
      ? redeployRevision(input)
      : verb === 'interrupt'
        ? interruptRevision(input)
        : restoreRevision({ ...input, latest: review.latest, reviewed: review.reviewed })
  const confirm = () =>
    void save(send, ({ revision: next, note }) => {
      if (note) toast.warning(note)
      else toast.success(done)
      for (const read of READS) void invalidate(client, read, workspace)
      onClose()
      if (next === revision.id) router.refresh()
      else router.push(routes.revision(workspace, deployment.id, next))
    })
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={`${title} ${shortId(revision.id)}?`}
      className="w-[min(40rem,calc(100vw-2rem))]"
    >
      <div className="flex flex-col gap-3">
        {verb === 'restore' ? (
          <RestoreReview {...review} workspace={workspace} deployment={deployment} revision={revision} />
        ) : (
          <div className="flex flex-col gap-2 text-ink-2">{EXPLAINED[verb](revision, deployment)}</div>
        )}
        {verb === 'rollBack' ? <SecretsSince changes={secretChangesSince(changes, revision.created_at)} /> : null}
        {error ? <ErrorNotice error={error} /> : null}
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button variant={verb === 'interrupt' ? 'danger' : 'primary'} isBusy={isBusy} onClick={confirm}>
            {button}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}

/** Which secrets are not as they were when the revision was created. */
function SecretsSince({ changes }: { changes: SecretChange[] | null }) {
  if (changes === null)
    return (
      <p className="text-ink-2">
        Secrets were changed since this revision was created. Their names are hidden from you.
      </p>
    )
  if (changes.length === 0)
    return <p className="text-ink-2">No secret was changed from this console since this revision was created.</p>
  return (
    <div>
      <p>Changed since this revision was created:</p>
      <ul aria-label="Secrets that differ" className="mt-1 max-h-40 list-disc overflow-y-auto pl-5">
        {changes.map(({ name, verb, who, at }) => (
          <li key={name} className="break-words">
            <code className="break-all font-mono text-xs">
              <VisibleText>{name}</VisibleText>
            </code>{' '}
            <span className="text-ink-2">
              {verb} by {who} <RelativeTime at={at} />
            </span>
          </li>
        ))}
      </ul>
    </div>
  )
}

const EXPLAINED: Record<Exclude<Verb, 'restore'>, (revision: Revision, deployment: Deployment) => ReactNode> = {
  redeploy: ({ id, status, source_revision_config: { repo_commit_sha: commit } }, { active_revision_id: active }) => (
    <>
      <p>
        {['DEPLOYED', 'DEPLOY_FAILED'].includes(status)
          ? 'Rolls out the existing build again. The source is not read again.'
          : `Its status shows no finished build, so it is built again${commit ? ' from the same commit' : ''}.`}
      </p>
      <p>
        {active === id
          ? 'It is active and stays active until the new roll-out takes over.'
          : 'It replaces the active revision once it is rolled out.'}
      </p>
    </>
  ),
  rollBack: (
    { source_revision_config: { repo_commit_sha: commit, image_uri: image } },
    { active_revision_id: active, secrets },
  ) => (
    <>
      <p>
        Rolls out the existing build again
        {commit || image ? (
          <>
            {' '}
            (<code className="break-all font-mono text-xs">{commit ? shortId(commit) : image}</code>)
          </>
        ) : null}
        . The source is not read again. Revision <code className="font-mono text-xs">{shortId(active ?? '')}</code>{' '}
        serves until it takes over.
      </p>
      <p>
        Secrets and the resource spec are not stored in revisions: the current ones are used
        {secrets.length > 0 ? (
          <>
            {' '}
            (<span className="break-all font-mono text-xs">{secrets.map(({ name }) => name).join(', ')}</span>)
          </>
        ) : null}
        .
      </p>
    </>
  ),
  interrupt: ({ status }, { active_revision_id: active }) => (
    <>
      <p className="text-ink">
        Use this only for a stuck revision. An interrupted revision may leave resources behind.
      </p>
      <p>
        Its status is {status}. It will not be completed.{' '}
        {active ? 'The active revision keeps serving.' : 'No revision is active yet.'}
      </p>
    </>
  ),
}
