'use client'
import dynamic from 'next/dynamic'
import { Skeleton } from '@/components/ui/loading'

// Below what is wrong, so it is loaded after the page.
export const Charts = dynamic(
  () => import('@/components/traces/list/workspace-charts').then((module) => module.WorkspaceCharts),
  { ssr: false, loading: () => <Skeleton className="mb-4 h-[7.4rem] w-full" /> },
)
