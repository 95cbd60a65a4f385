import { createContext } from 'react'
import type { RecordingSummary } from '@/lib/stream/log'

/** Takes over a run that was started to continue a thread, in place of opening its page. */
export const OnContinued = createContext<((started: RecordingSummary) => void) | undefined>(undefined)
