import { SettingsNav } from '@/components/deployments/settings-nav'

export default async function Layout({
  params,
  children,
}: LayoutProps<'/[workspace]/deployments/[deploymentId]/settings'>) {
  const { workspace, deploymentId } = await params
  return (
    <div className="grid items-start gap-x-6 gap-y-4 lg:grid-cols-[9rem_minmax(0,1fr)]">
      <SettingsNav workspace={workspace} deploymentId={deploymentId} />
      {children}
    </div>
  )
}
