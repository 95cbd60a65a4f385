'use client'
import { FilePlus2, FlaskConical, GitCompare, OctagonX, RotateCcw, Undo2 } from 'lucide-react'
import dynamic from 'next/dynamic'
import Link from 'next/link'
import { useState } from 'react'
import { useReasons } from '@/components/shared/layout/rights'
import { Button } from '@/components/ui/button'
import type { Change } from '@/lib/contracts/deployments/changes'
import type { Deployment } from '@/lib/contracts/deployments/deployments'
import { restoreRequest } from '@/lib/contracts/deployments/restore'
import type { Revision } from '@/lib/contracts/deployments/revisions'
import { type Allowed, mayDeployment, mayRevision } from '@/lib/contracts/wire/state'
import { routes } from '@/lib/routes'
import type { Verb } from './verb-dialog'

const VerbDialog = dynamic(() => import('./verb-dialog').then((file) => file.VerbDialog), { ssr: false })

type Props = { workspace: string; deployment: Deployment; revision: Revision; changes: readonly Change[] }

const reasonOf = (may: Allowed) => (may.allowed ? undefined : may.reason)

function whyNotRestore(deployment: Deployment, revision: Revision): string | undefined {
  if (revision.id === deployment.latest_revision_id) return 'This is already the latest revision. Redeploy it instead.'
  const request = restoreRequest(revision, deployment)
  return reasonOf(mayDeployment('update', deployment.status)) ?? ('problem' in request ? request.problem : undefined)
}

/** The actions on a revision. Actions that are not allowed are disabled with the reason. */
export function RevisionVerbs({ workspace, deployment, revision, changes }: Props) {
  const [verb, setVerb] = useState<Verb>()
  const missing = useReasons().administer
  const deleting = reasonOf(mayDeployment('update', deployment.status))
  const redeploy = missing ?? deleting ?? reasonOf(mayRevision('redeploy', revision.status))
  const reasons: Record<Verb, string | undefined> = {
    redeploy,
    rollBack: redeploy,
    interrupt: missing ?? reasonOf(mayRevision('interrupt', revision.status)),
    restore: missing ?? whyNotRestore(deployment, revision),
  }
  const { active_revision_id: active, latest_revision_id: latest } = deployment
  const other = [active, latest].find((id) => id && id !== revision.id)
  return (
    <>
      {revision.status === 'DEPLOYED' && active && active !== revision.id ? (
        <Button variant="primary" reason={reasons.rollBack} onClick={() => setVerb('rollBack')}>
          <Undo2 aria-hidden />
          Roll back to this…
        </Button>
      ) : (
        <Button reason={reasons.redeploy} onClick={() => setVerb('redeploy')}>
          <RotateCcw aria-hidden />
          Redeploy
        </Button>
      )}
      <Button reason={reasons.restore} onClick={() => setVerb('restore')}>
        <FilePlus2 aria-hidden />
        New revision from these settings…
      </Button>
      <Button asChild>
        <Link href={routes.compareRevisions(workspace, deployment.id, revision.id, other ?? undefined)}>
          <GitCompare aria-hidden />
          Compare
        </Link>
      </Button>
      <Button asChild>
        <Link
          href={routes.newExperiment(workspace, {
            deployment: deployment.id,
            revisions: [revision.id, ...(other ? [other] : [])].join(),
          })}
        >
          <FlaskConical aria-hidden />
          Experiment
        </Link>
      </Button>
      <Button variant="danger" reason={reasons.interrupt} onClick={() => setVerb('interrupt')}>
        <OctagonX aria-hidden />
        Interrupt…
      </Button>
      {verb ? (
        <VerbDialog
          verb={verb}
          workspace={workspace}
          deployment={deployment}
          revision={revision}
          changes={changes}
          onClose={() => setVerb(undefined)}
        />
      ) : null}
    </>
  )
}
