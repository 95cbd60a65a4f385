import type { ComponentType, RefObject } from 'react'
import type { DeploymentPlace } from '@/lib/contracts/wire/places'

/** Tells whether the input may be sent, and shows why not. */
export type InputCheck = () => Promise<boolean>

export type CronInputProps = {
  place: DeploymentPlace
  assistant: string
  /** The input as JSON. */
  value: string
  onChange: (json: string) => void
  /** The input as the server has it. It may be sent again as it is. */
  saved: string | undefined
  /** The server's error for the input. */
  error: string | undefined
  check: RefObject<InputCheck | undefined>
}

type ThreadsProps = DeploymentPlace & { chosen: string; onChoose: (id: string) => void }

/** Parts of other features that the form shows: the input, and recent threads to choose from. */
export type CronViews = { Input: ComponentType<CronInputProps>; Threads: ComponentType<ThreadsProps> }
