import type { Metadata } from 'next'
import { SettingsPage } from '@/components/deployment-form/settings-form'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { isAtLeast } from '@/lib/contracts/wire/api'
import { roleAt } from '@/lib/contracts/wire/rights'
import { pageWorkspace } from '@/lib/server/access/page-actor'
import { toResult } from '@/lib/server/process/result'
import { readSettings } from '@/lib/server/resources/deployment-settings'

export const metadata: Metadata = { title: 'Settings' }

export default async function Page({ params }: PageProps<'/[workspace]/deployments/[deploymentId]/settings'>) {
  const { workspace, deploymentId } = await params
  const { actor, current } = await pageWorkspace(workspace)
  const role = roleAt(current.rights, deploymentId)
  if (!role || !isAtLeast(role, 'admin'))
    return <SettingsPage workspace={workspace} deploymentId={deploymentId} view={null} />
  const view = await toResult(() => readSettings({ workspace, deploymentId }, actor))
  if (!view.ok) return <ErrorNotice error={view.error} />
  return (
    <SettingsPage
      workspace={workspace}
      deploymentId={deploymentId}
      view={view.data}
      canListRefs={current.rights.role === 'admin'}
    />
  )
}
