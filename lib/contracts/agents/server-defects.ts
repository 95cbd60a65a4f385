import type { Info } from './system'

export type ServerDefect = {
  id:
    | 'values-with-subgraphs'
    | 'kept-context'
    | 'failed-after-cancel'
    | 'store-by-namespace'
    | 'cron-runs-at-once'
    | 'threads-without-questions'
  /** What goes wrong on the server, in one sentence. */
  defect: string
  /** What the console does about it, in one sentence. */
  workaround: string
}
type Row = ServerDefect & { isIn: (server: Server) => boolean }
/**
 * From `/info`: the npm server calls its context `js` and has no crons; the hosted and the embedded servers have them. The
 * version is a number: 1.4.2 is 1_004_002.
 */
type Server = { isNpm: boolean; isAegra: boolean; version: number }
/** 2.0.0 was published before 1.3.0. */
const isTwo = (version: number) => version >= 2_000_000 && version < 2_001_000

type Asked = Pick<Info, 'name' | 'version' | 'context' | 'flags'>

/** Known defects of agent servers that are not ours, each tried with the versions that its rule names. */
const ROWS: readonly Row[] = [
  {
    id: 'values-with-subgraphs',
    defect: 'A run that streams values and subgraphs fails.',
    workaround: 'The console asks for checkpoints as well, and leaves them out of the recording.',
    // Fails in 1.1.17, 1.2.2 and 2.0.0; works in 1.3.0 to 1.5.1.
    isIn: ({ isNpm, version }) => isNpm && (version < 1_003_000 || isTwo(version)),
  },
  {
    id: 'kept-context',
    defect: 'Activating an older version of an assistant keeps the context of the newest one.',
    workaround: 'The console compares the content afterwards, and offers to save the old content as a new version.',
    // Seen in 1.1.17, 1.3.0, 1.4.6, 1.5.1 and 2.0.0.
    isIn: ({ isNpm, version }) => isNpm && (version < 1_006_000 || isTwo(version)),
  },
  {
    id: 'failed-after-cancel',
    defect: 'A cancelled run and its thread are reported as failed.',
    workaround: 'The console shows the runs that it recorded as cancelled; threads keep the status of the server.',
    // Seen in 2.0.0, not in 1.5.1; others were not tried.
    isIn: ({ isNpm, version }) => isNpm && isTwo(version),
  },
  {
    id: 'store-by-namespace',
    defect: 'Items of the store are listed only within a namespace.',
    workaround: 'The console asks for one namespace after another.',
    // Seen in 2.0.0. From its code: in 1.4.1 and older too, not in 1.4.3 to 1.5.1.
    isIn: ({ isNpm, version }) => isNpm && (version < 1_004_003 || isTwo(version)),
  },
  {
    id: 'cron-runs-at-once',
    defect: 'A new cron runs at once, and the response to its creation is that run.',
    workaround:
      'The console finds the cron in the list of crons, where it reads single crons too, and says that a run started.',
    // Seen in 0.11.0; 0.6.0 has no crons.
    isIn: ({ isAegra, version }) => isAegra && version < 12_000,
  },
  {
    id: 'threads-without-questions',
    defect: 'The list of threads leaves out what they ask.',
    workaround: 'The inbox reads the state of each waiting thread.',
    // Seen in 0.6.0 and 0.11.0.
    isIn: ({ isAegra, version }) => isAegra && version < 12_000,
  },
]

/** The known defects of the server that gave this `/info`. A version in another form counts as unknown, so has none. */
export function defectsOf({ name, version, context, flags }: Asked): ServerDefect[] {
  const [, major, minor, patch] = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})/.exec(version ?? '') ?? []
  const server = {
    isNpm: context === 'js' && flags.crons !== true,
    isAegra: name === 'Aegra',
    version: Number(major) * 1_000_000 + Number(minor) * 1000 + Number(patch),
  }
  return ROWS.filter(({ isIn }) => isIn(server)).map(({ id, defect, workaround }) => ({ id, defect, workaround }))
}
