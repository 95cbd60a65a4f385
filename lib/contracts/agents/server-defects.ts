import type { Info } from './system'

export type ServerDefect = {
  id: 'values-with-subgraphs' | 'kept-context' | 'failed-after-cancel'
  /** What goes wrong on the server, in one sentence. */
  defect: string
  /** What the console does about it, in one sentence. */
  workaround: string
}
type Row = ServerDefect & { isIn: (server: Server) => boolean }
/** From `/info`: the npm server calls its context `js` and has no crons; the hosted and the embedded servers have them. */
type Server = { isNpm: boolean; version: number }

/** Known defects of agent servers that are not ours, each tried with the versions that its rule names. */
const ROWS: readonly Row[] = [
  {
    id: 'values-with-subgraphs',
    defect: 'A run that streams values and subgraphs fails.',
    workaround: 'The console asks for checkpoints as well, and leaves them out of the recording.',
    // Fails in 1.1.17, 1.2.2 and 2.0.0; works in 1.3.0 to 1.5.1. 2.0.0 is older than 1.3.0.
    isIn: ({ isNpm, version }) => isNpm && (version < 1_003 || (version >= 2_000 && version < 2_001)),
  },
  {
    id: 'kept-context',
    defect: 'Activating an older version of an assistant keeps the context of the newest one.',
    workaround: 'The console compares the content afterwards, and offers to save the old content as a new version.',
    // Seen in 1.1.17, 1.3.0, 1.4.6, 1.5.1 and 2.0.0.
    isIn: ({ isNpm, version }) => isNpm && (version < 1_006 || (version >= 2_000 && version < 2_001)),
  },
  {
    id: 'failed-after-cancel',
    defect: 'A cancelled run and its thread are reported as failed.',
    workaround: 'The console shows the runs that it recorded as cancelled; threads keep the status of the server.',
    // Seen in 2.0.0, not in 1.5.1; others were not tried.
    isIn: ({ isNpm, version }) => isNpm && version >= 2_000 && version < 2_001,
  },
]

/** The known defects of the server that gave this `/info`. A version in another form counts as unknown, so has none. */
export function defectsOf({ version, context, flags }: Pick<Info, 'version' | 'context' | 'flags'>): ServerDefect[] {
  const [, major, minor] = /^(\d{1,3})\.(\d{1,3})\./.exec(version ?? '') ?? []
  const server = { isNpm: context === 'js' && flags.crons !== true, version: Number(major) * 1000 + Number(minor) }
  return ROWS.filter(({ isIn }) => isIn(server)).map(({ id, defect, workaround }) => ({ id, defect, workaround }))
}
