import type { Metadata } from 'next'
import { PageHeader } from '@/components/shared/page-header'
import { CheckPage } from '@/components/traces/check/check-page'
import { pageActor } from '@/lib/server/page-actor'

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
