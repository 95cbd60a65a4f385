import type { Metadata } from 'next'
import { PageHeader } from '@/components/shared/layout/page-header'
import { CheckPage } from '@/components/traces/check/check-page'
import { pageActor } from '@/lib/server/access/page-actor'

export const metadata: Metadata = { title: 'Format checker' }

export default async function Page() {
  await pageActor()
  return (
    <>
      <PageHeader title="Format checker" />
      <CheckPage />
    </>
  )
}
