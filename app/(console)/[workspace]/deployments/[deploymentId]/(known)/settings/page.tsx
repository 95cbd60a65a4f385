import type { Metadata } from 'next'
import { SettingsPage } from '@/components/deployment-form/settings-form'
import { ErrorNotice } from '@/components/shared/error-notice'
import { isAtLeast } from '@/lib/contracts/api'
import { readSettings } from '@/lib/server/deployment-settings'
import { pageWorkspace } from '@/lib/server/page-actor'
import { settle } from '@/lib/server/settle'

export const metadata: Metadata = { title: 'Settings' }

export default async function Page({ params }: PageProps<'/[workspace]/deployments/[deploymentId]/settings'>) {
  const { workspace, deploymentId } = await params
  const { actor, current } = await pageWorkspace(workspace)
  if (!isAtLeast(current.role, 'admin'))
    return <SettingsPage workspace={workspace} deploymentId={deploymentId} view={null} />
  const view = await settle(() => readSettings({ workspace, deployment: deploymentId }, actor))
  if (!view.ok) return <ErrorNotice error={view.error} />
  return <SettingsPage workspace={workspace} deploymentId={deploymentId} view={view.data} />
}
