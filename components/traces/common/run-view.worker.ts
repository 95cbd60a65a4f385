import type { LoggedRun } from '@/lib/traces/detect'
import { runView } from './shown-run'

addEventListener('message', ({ data }: MessageEvent<LoggedRun>) => postMessage(runView(data)))
