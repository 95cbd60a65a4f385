import type { Metadata } from 'next'
import { SharingPage } from '@/components/settings/sharing/sharing-page'
import { ForAdmins, ForMembers } from '@/components/shared/feedback/empty-state'
import { isAtLeast } from '@/lib/contracts/wire/api'
import { isLimited } from '@/lib/contracts/wire/rights'
import { pageWorkspace } from '@/lib/server/access/page-actor'
import { listPublicLinks } from '@/lib/server/records/public-links'

export const metadata: Metadata = { title: 'Sharing' }

export default async function Page({ params }: PageProps<'/[workspace]/settings/sharing'>) {
  const { actor, current } = await pageWorkspace((await params).workspace)
  if (isLimited(current.rights)) return <ForMembers title="Sharing" />
  if (!isAtLeast(current.role, 'admin')) return <ForAdmins title="Sharing" role={current.role} />
  return <SharingPage workspace={current.slug} {...(await listPublicLinks(actor, current.slug))} />
}
