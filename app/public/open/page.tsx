import type { Metadata } from 'next'
import { OpenPage } from '@/components/runs/file/open-page'
import { PageHeader } from '@/components/shared/layout/page-header'

export const metadata: Metadata = { title: 'Open recording' }

export default function Page() {
  return (
    <>
      <PageHeader title="Open recording" />
      <OpenPage serverNow={Date.now()} />
    </>
  )
}
