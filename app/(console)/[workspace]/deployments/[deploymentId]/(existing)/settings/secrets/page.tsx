import type { Metadata } from 'next'
import { SecretsPage } from '@/components/secrets/secrets-page'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { pageWorkspace } from '@/lib/server/access/page-actor'
import { readSecrets } from '@/lib/server/edits/read-secrets'
import { toResult } from '@/lib/server/process/result'

export const metadata: Metadata = { title: 'Secrets' }

export default async function Page({ params }: PageProps<'/[workspace]/deployments/[deploymentId]/settings/secrets'>) {
  const { workspace, deploymentId } = await params
  const { actor } = await pageWorkspace(workspace)
  const view = await toResult(() => readSecrets({ workspace, deploymentId }, actor))
  if (!view.ok) return <ErrorNotice error={view.error} />
  return <SecretsPage workspace={workspace} deploymentId={deploymentId} view={view.data} />
}
