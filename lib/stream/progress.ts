import { isRecord } from '@/lib/json/guards'
import type { RunView } from './run-view'
import type { Track } from './steps'

/** The nodes that run now, and what the newest custom event says, if it came while they ran. */
export type Progress = { nodes: { name: string; count: number }[]; note: string | undefined }

const LONGEST = 80
const MOST_FIELDS = 4

/** What an active run does right now; undefined if no event says so. Where none tells its nodes, there is the note only. */
export function progressOf({ final, steps, custom }: RunView): Progress | undefined {
  if (final) return undefined
  const running = [...steps.tracks.values()].filter((track) => track.running.length > 0)
  const told = custom && noteOf(custom.text)
  if (told && steps.tracks.size === 0) return { nodes: [], note: told }
  if (running.length === 0) return undefined
  // A node that runs a subgraph is only as far as what runs inside.
  const inner = running.filter((track) => !running.some((other) => isInside(other, track)))
  const since = Math.min(...inner.flatMap((track) => track.running.map(({ startedSeq }) => startedSeq)))
  return {
    nodes: inner.map((track) => ({ name: track.node, count: track.running.length })),
    note: custom && custom.seq >= since ? told : undefined,
  }
}

const isInside = ({ namespace }: Track, outer: Track): boolean => {
  const path = [...outer.namespace.map(({ node }) => node), outer.node]
  return namespace.length >= path.length && path.every((node, at) => namespace[at]?.node === node)
}

/** A custom event in a few words: a text as it is, an object as its plain fields. */
function noteOf(text: string): string | undefined {
  let data: unknown
  try {
    data = JSON.parse(text)
  } catch {
    data = text
  }
  const words = isRecord(data)
    ? Object.entries(data)
        .filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value))
        .slice(0, MOST_FIELDS)
        .map(([name, value]) => `${name} ${value}`)
        .join(', ')
    : ['string', 'number'].includes(typeof data)
      ? String(data)
      : ''
  const line = words.replace(/\s+/g, ' ').trim()
  return line === '' ? undefined : line.length > LONGEST ? `${line.slice(0, LONGEST - 1)}…` : line
}
