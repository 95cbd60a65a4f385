'use client'
import dynamic from 'next/dynamic'
import { Skeleton } from '@/components/ui/loading'

// Not needed to read the page, so it is loaded after it.
export const Charts = dynamic(
  () => import('@/components/traces/list/deployment-charts').then((module) => module.DeploymentCharts),
  { ssr: false, loading: () => <Skeleton className="h-[7.4rem] w-full" /> },
)
