import type { Metadata } from 'next'
import { OpenPage } from '@/components/runs/file/open-page'

export const metadata: Metadata = { title: 'Open recording' }

export default function Page() {
  return <OpenPage serverNow={Date.now()} />
}
