import type { Metadata } from 'next'
import { PublicRun } from '@/components/runs/file/public-run'

export const metadata: Metadata = { title: 'Shared run' }

export default function Page() {
  return <PublicRun serverNow={Date.now()} />
}
