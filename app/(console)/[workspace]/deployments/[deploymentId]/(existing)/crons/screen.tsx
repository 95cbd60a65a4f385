'use client'
import { CronPage } from '@/components/crons/cron-page'
import { NewCron } from '@/components/crons/new-cron'
import type { CronPlace, DeploymentPlace } from '@/lib/contracts/wire/places'
import { CronInput } from './cron-input'

const views = { Input: CronInput }

export const NewCronScreen = (place: DeploymentPlace) => <NewCron {...place} views={views} />
export const CronScreen = (place: CronPlace) => <CronPage {...place} views={views} />
