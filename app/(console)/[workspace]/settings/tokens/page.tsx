import type { Metadata } from 'next'
import { TokensPage } from '@/components/settings/tokens/tokens-page'
import { highestRole, isLimited } from '@/lib/contracts/wire/rights'
import { pageWorkspace } from '@/lib/server/access/page-actor'
import { env } from '@/lib/server/process/env'
import { listTokens } from '@/lib/server/records/api-tokens'

export const metadata: Metadata = { title: 'API tokens' }

export default async function Page({ params }: PageProps<'/[workspace]/settings/tokens'>) {
  const { actor, current } = await pageWorkspace((await params).workspace)
  return (
    <TokensPage
      workspace={current.slug}
      role={highestRole(current.rights) ?? 'viewer'}
      isLimitedMember={isLimited(current.rights)}
      tokens={await listTokens(actor, current.slug)}
      origin={env().NEXTAUTH_URL}
      serverNow={Date.now()}
    />
  )
}
