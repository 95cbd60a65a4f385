'use client'
import dynamic from 'next/dynamic'
import { CronPage } from '@/components/crons/cron-page'
import { NewCron } from '@/components/crons/new-cron'
import type { CronPlace, DeploymentPlace } from '@/lib/contracts/wire/places'
import { CronInput } from './cron-input'

// Loaded on demand, because most crons start new threads.
const Threads = dynamic(() => import('@/components/runs/start/recent-threads').then((module) => module.RecentThreads), {
  ssr: false,
})
const views = { Input: CronInput, Threads }

export const NewCronScreen = (place: DeploymentPlace) => <NewCron {...place} views={views} />
export const CronScreen = (place: CronPlace) => <CronPage {...place} views={views} />
