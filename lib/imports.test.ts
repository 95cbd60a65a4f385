import { readdirSync, readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import path from 'node:path'
import { parseSync } from 'vite'
import { describe, expect, test } from 'vitest'

// The folder table of the style guide, kept true by reading import lines. Exceptions are listed below, each with its reason.

const root = path.resolve(import.meta.dirname, '..')
const FOLDERS = ['app', 'components', 'lib', 'platform']
const SINGLE_FILES = ['proxy.ts', 'instrumentation.ts', 'instrumentation-client.ts']

/** Pages, and heavy modules that they load when something needs them: see `npm run bench -- weight`. */
const FIRST_LOADS: Record<string, string[]> = {
  'components/runs/chat/chat-screen.tsx': ['marked', '@tanstack/react-virtual', 'lib/stream/run-view.ts'],
  'components/deployments/deployment-frame.tsx': ['lib/traces/facts.ts', 'lib/contracts/agent-server.ts'],
  'components/deployments/deployments-page.tsx': ['lib/contracts/agent-server.ts', 'lib/contracts/audit/actions.ts'],
  'components/shared/list/list-page.tsx': ['components/shared/list/filter-form.tsx'],
  'components/shell/shell.tsx': ['lib/contracts/control-plane.ts', 'lib/queries/relay-fetch.ts'],
}

/** Zone → zones it may import in addition to itself. `feature` and `app` are the only ones that see most of the tree. */
const MAY_IMPORT: Record<string, string[]> = {
  leaf: [],
  format: ['leaf'],
  lists: ['leaf'],
  json: ['leaf', 'format'],
  contracts: ['leaf', 'json'],
  stream: ['contracts', 'leaf', 'json'],
  traces: ['leaf', 'format', 'json'],
  telemetry: [],
  postgres: [],
  queries: ['contracts', 'json', 'traces', 'leaf'],
  live: ['contracts', 'stream', 'leaf', 'json'],
  server: ['contracts', 'stream', 'telemetry', 'postgres', 'traces', 'leaf', 'queries', 'format', 'lists', 'json'],
  actions: ['contracts', 'stream', 'leaf', 'server', 'format', 'lists', 'json'],
  ui: ['leaf'],
  shared: ['ui', 'json', 'leaf', 'format', 'lists'],
  feature: [
    'ui',
    'shared',
    'contracts',
    'queries',
    'actions',
    'live',
    'stream',
    'traces',
    'json',
    'leaf',
    'format',
    'lists',
  ],
  app: [
    'ui',
    'shared',
    'feature',
    'contracts',
    'queries',
    'actions',
    'live',
    'stream',
    'traces',
    'json',
    'leaf',
    'format',
    'lists',
    'server',
  ],
  platform: ['contracts', 'telemetry', 'postgres', 'traces', 'json'],
}

/**
 * Rooms in order: each imports only those before it. A folder that is not named fails, so that a new room gets its place.
 * `.` holds the files that lie beside the rooms.
 */
const ROOM_ORDER: Record<string, string[]> = {
  'lib/server': [
    'process',
    'identity',
    'access',
    'audit',
    'transport',
    'upstream',
    'relay',
    'recorder',
    'records',
    'edits',
    'resources',
    'inbox',
    'alerts',
    'experiments',
    'protocols',
    'live',
    'http-api',
    'start',
  ],
  'lib/contracts': ['wire', 'deployments', 'agents', 'traces', 'audit', 'alerts', '.'],
  platform: [
    'kernel',
    'sandbox',
    'agent-server',
    'builder',
    'images',
    'traces',
    'compute',
    'rollout',
    'gateway',
    'control-plane',
    '.',
    'testing',
  ],
  'platform/agent-server': [
    'kernel',
    'persistence',
    'assistants',
    'auth',
    'threads',
    'store',
    'runs',
    'crons',
    'http',
    'protocols',
    'handlers',
    '.',
    'fixtures',
  ],
  'components/shared': ['text', 'chart', 'layout', 'feedback', 'form', 'list', 'json', 'message', 'conflict'],
  'components/runs': ['view', 'start', 'answer', 'lenses', 'list', 'page', 'chat', 'compare', 'experiments', 'file'],
  'components/traces': ['common', 'list', 'trace', 'compare', 'check'],
}

/** Importer → imported, where the table is wrong for a reason. */
const EXCEPTIONS: Record<string, string[]> = {
  // A server component: it hands the queries that the page prefetched in this request to the browser.
  'components/shared/layout/hydrated.tsx': ['lib/server/relay/prefetch.ts'],
  // Every feature follows its queries in the same way, and `lib/live` keeps out of React.
  'components/shared/layout/use-live-query.ts': ['lib/live/client.ts'],
  // Tokens and members choose deployments in the same way.
  'components/shared/form/deployment-picker.tsx': ['lib/queries/deployments.ts'],
  // A page without the database comes by itself when the console is ready again.
  'components/shared/feedback/page-reason.tsx': ['lib/queries/readiness.ts'],
  // A revision's status is told in one way, by its own pages and by its deployment's.
  'components/shared/feedback/revision-status.tsx': ['lib/contracts/wire/state.ts'],
  // Every list writes its saved views in the same way.
  'components/shared/list/use-list.ts': ['lib/actions/saved-views.ts'],
}

/**
 * Our own records → folders that may touch them: `records`, which checks role and workspace, and the room that writes them.
 * A file is a raw store as a whole; of `process/schema.ts` each table is one.
 */
const RAW_STORES: Record<string, string[]> = {
  'lib/server/recorder/schema.ts': ['recorder', 'records'],
  'lib/server/recorder/list.ts': ['recorder', 'records'],
  'lib/server/recorder/packed/pack.ts': ['recorder', 'records'],
  'lib/server/recorder/packed/weeks.ts': ['recorder', 'records'],
  'lib/server/recorder/retention.ts': ['recorder', 'records'],
  'lib/server/recorder/segments.ts': ['recorder', 'records'],
  'lib/server/recorder/store.ts': ['recorder', 'records'],
  'lib/server/audit/chain.ts': ['audit'],
  'lib/server/audit/verify.ts': ['audit', 'records'],
}
const RAW_TABLES: Record<string, string[]> = {
  accounts: ['identity', 'access', 'records', 'start'],
  clusterReads: ['live'],
  leases: [],
  limitSlices: ['access'],
  memberships: ['access', 'records', 'start'],
  endedSessions: ['identity', 'access'],
  sessions: ['identity'],
  passkeys: ['identity'],
  invitations: ['identity', 'records'],
  signInAttempts: ['access'],
  workspaces: ['access'],
  directServers: ['access'],
  audit: ['audit', 'records'],
  auditGaps: ['audit'],
  auditHead: ['audit', 'records'],
  auditRetention: ['audit'],
  idempotencyKeys: ['edits'],
  savedViews: ['records'],
  favourites: ['records'],
  modelPrices: ['records'],
  runTemplates: ['records'],
  apiTokens: ['access', 'records'],
  alertRules: ['access', 'records', 'alerts'],
  alertChannels: ['access', 'records', 'alerts'],
  alertStates: ['records', 'alerts'],
  alertEvents: ['records', 'alerts'],
  alertDeliveries: ['records', 'alerts'],
  alertSilences: ['records', 'alerts'],
  alertLease: ['records', 'alerts'],
  inputSets: ['records'],
  experiments: ['records', 'experiments'],
  experimentPairs: ['records', 'experiments'],
  consoleSchema: ['recorder'],
}
const TABLES_FILE = 'lib/server/process/schema.ts'

/** Browser code imports no schema library. */
const LIGHT_ZONES = ['queries', 'traces', 'json', 'format', 'lists', 'live', 'ui', 'shared', 'feature']
const NO_REACT = ['contracts', 'stream', 'telemetry', 'traces', 'json', 'format', 'lists', 'live', 'leaf', 'platform']
/** What a button or field may need in addition to React and Radix. */
const UI_MAY_IMPORT = ['lib/cn.ts']
/** Read by drizzle-kit, which runs outside the server's module conditions. */
const isTableFile = (file: string) => /^lib\/server\/(.*\/)?schema\.ts$/.test(file)

/** `names` as the imported file calls them; `*` for all at once. */
type Import = { specifier: string; to: string; isType: boolean; isLater?: boolean; names: string[] }

/** `testing.ts` beside a source holds what several tests share. */
const isTest = (file: string) => /\.test\.tsx?$|\/testing\.tsx?$/.test(file)
/** Programs and servers that tests start. */
const isHelper = (file: string) => file.startsWith('platform/testing/') || file.includes('/fixtures/')
const entriesOf = (folder: string): string[] =>
  readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((file) => path.posix.join(folder, file))
    .filter((file) => !/(^|\/)node_modules(\/|$)/.test(file))
const files = [
  ...FOLDERS.flatMap(entriesOf),
  ...SINGLE_FILES.filter((file) => readdirSync(root).includes(file)),
].filter(
  (file) => /\.([mc]?[jt]s|[jt]sx)$/.test(file) && !file.endsWith('.d.ts') && !file.startsWith('platform/samples/'),
)
const known = new Set(files)
const sources = new Map(files.map((file) => [file, readFileSync(path.join(root, file), 'utf8')]))
const source = (file: string) => sources.get(file) as string // every file of the list was read above
const code = files.filter((file) => !isTest(file))

/** Code without comments; strings stay. Good enough to look up names that must not appear in code. */
const bare = (file: string) =>
  source(file)
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/(^|[^:'"`])\/\/.*$/gm, '$1')

/** Every specifier that a file imports, exports from, loads by a call, or gives to a worker. */
function specifiersOf(file: string, text: string): Omit<Import, 'to'>[] {
  const { module, errors } = parseSync(file, text)
  if (errors.length > 0) throw new Error(`${file} cannot be parsed: ${errors[0]?.message}`)
  const nameOf = ({ kind, name }: { kind: string; name: string | null }) => (kind === 'Name' && name) || '*'
  const lines = module.staticImports.map(({ moduleRequest, entries }) => ({
    specifier: moduleRequest.value,
    isType: entries.length > 0 && entries.every(({ isType }) => isType),
    names: entries.map(({ importName }) => nameOf(importName)),
  }))
  const passedOn = module.staticExports.flatMap(({ entries }) =>
    entries.flatMap(({ moduleRequest, importName, isType }) =>
      moduleRequest ? [{ specifier: moduleRequest.value, isType, names: [nameOf(importName)] }] : [],
    ),
  )
  const calls = [...text.matchAll(CALL), ...text.matchAll(FILE_URL)].map(([, specifier]) => ({
    specifier: specifier as string, // both patterns always capture it
    isType: false,
    isLater: true,
    names: ['*'],
  }))
  return [...lines, ...passedOn, ...calls]
}
const CALL = /\b(?:import|require(?:\.resolve)?)\s*\(\s*(?:\/\*[\s\S]*?\*\/\s*)*['"`]([^'"`]+)['"`]/g
const FILE_URL = /\bnew URL\(\s*['"`]([.@][^'"`]+)['"`]\s*,\s*import\.meta\.url/g

const importsOf = (file: string): Import[] =>
  specifiersOf(file, source(file)).map((one) => ({ ...one, to: resolve(file, one.specifier) }))

/** A file of ours as its path from the root, a package by its name. */
function resolve(from: string, specifier: string): string {
  const local = specifier.startsWith('@/')
    ? specifier.slice(2)
    : specifier.startsWith('.')
      ? path.posix.join(path.posix.dirname(from), specifier)
      : undefined
  if (local === undefined) return specifier
  const stem = local.replace(/\.js$/, '')
  return [local, `${stem}.ts`, `${stem}.tsx`, `${stem}/index.ts`].find((file) => known.has(file)) ?? local
}

const imports = new Map(code.map((file) => [file, importsOf(file)]))

function zoneOf(file: string): string | undefined {
  const [top, second, third] = file.split('/')
  if (top === 'lib') return third === undefined ? 'leaf' : second
  if (top === 'components')
    return second === 'ui' || second === 'shared' ? second : third === undefined ? 'app' : 'feature'
  if (top === 'app' || SINGLE_FILES.includes(file)) return 'app'
  return top === 'platform' ? 'platform' : undefined
}
const isOurs = (to: string) => FOLDERS.some((folder) => to.startsWith(`${folder}/`))

/**
 * The room of a house (a folder whose rooms have an order) that a file is in: `.` beside the rooms, undefined outside.
 */
function roomOf(house: string, file: string): string | undefined {
  if (!file.startsWith(`${house}/`)) return undefined
  const [room, rest] = file.slice(house.length + 1).split('/')
  return rest === undefined ? '.' : room
}

/** Each ring once, as a path that ends where it began. */
function cyclesOf(edges: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const state = new Map<string, 'open' | 'done'>()
  const cycles: string[] = []
  const visit = (node: string, trail: string[]) => {
    if (state.get(node) === 'done') return
    if (state.get(node) === 'open') return void cycles.push([...trail.slice(trail.indexOf(node)), node].join(' -> '))
    state.set(node, 'open')
    for (const to of edges.get(node) ?? []) if (edges.has(to)) visit(to, [...trail, node])
    state.set(node, 'done')
  }
  for (const node of edges.keys()) visit(node, [])
  return cycles
}

describe('imports', () => {
  test('follow the zone table', () => {
    const wrong: string[] = []
    for (const [file, found] of imports) {
      const zone = zoneOf(file)
      for (const { to } of found.filter((one) => isOurs(one.to))) {
        const target = zoneOf(to)
        if (!zone || !target || EXCEPTIONS[file]?.includes(to)) continue
        const isSame = zone === target && (zone !== 'feature' || file.split('/')[1] === to.split('/')[1])
        if (!isSame && !MAY_IMPORT[zone]?.includes(target)) wrong.push(`${file} (${zone}) -> ${to} (${target})`)
        if (zone === 'ui' && target !== 'ui' && !UI_MAY_IMPORT.includes(to)) wrong.push(`${file} -> ${to}`)
      }
    }
    expect(wrong).toEqual([])
  })

  test('every file belongs to a zone of the table', () => {
    expect(code.filter((file) => !Object.hasOwn(MAY_IMPORT, zoneOf(file) ?? ''))).toEqual([])
  })

  test('nothing outside platform imports it', () => {
    const wrong = [...imports].filter(
      ([file, found]) => zoneOf(file) !== 'platform' && found.some(({ to }) => to.startsWith('platform/')),
    )
    expect(wrong.map(([file]) => file)).toEqual([])
  })

  test('production code imports no scripts, benchmarks, journeys or framework entries', () => {
    const isOutside = (to: string) => /^(e2e|scripts|bench)\//.test(to) || SINGLE_FILES.includes(to)
    const wrong = [...imports].flatMap(([file, found]) =>
      isHelper(file) ? [] : found.filter(({ to }) => isOutside(to)).map(({ to }) => `${file} -> ${to}`),
    )
    expect(wrong).toEqual([])
  })

  test('keep test-only modules out of production code', () => {
    const wrong = [...imports].flatMap(([file, found]) =>
      found.filter(({ to }) => isTest(to) || to === 'vitest').map(({ to }) => `${file} -> ${to}`),
    )
    expect(wrong).toEqual([])
  })

  test('follow the order of the rooms', () => {
    const wrong = [...imports].flatMap(([file, found]) =>
      Object.entries(ROOM_ORDER).flatMap(([house, rooms]) => {
        const from = roomOf(house, file)
        if (from === undefined) return []
        if (!rooms.includes(from)) return [`${file}: no room ${from} in ${house}`]
        return found.flatMap(({ to }) => {
          const room = roomOf(house, to)
          return room !== undefined && rooms.indexOf(room) > rooms.indexOf(from) ? [`${file} -> ${to}`] : []
        })
      }),
    )
    expect(wrong).toEqual([])
  })

  test('reach raw stores of our own records only from rooms that check rights or write them', () => {
    const isIn = (file: string, rooms: string[] = []) => rooms.some((room) => file.startsWith(`lib/server/${room}/`))
    const wrong = [...imports].flatMap(([file, found]) => [
      ...found.filter(({ to }) => RAW_STORES[to] && !isIn(file, RAW_STORES[to])).map(({ to }) => `${file} -> ${to}`),
      ...found
        .flatMap(({ to, names }) => (to === TABLES_FILE ? names : []))
        .filter((table) => !isIn(file, RAW_TABLES[table]))
        .map((table) => `${file} -> ${table}`),
    ])
    expect(wrong).toEqual([])
    // A new table gets its line above.
    const tables = [...source(TABLES_FILE).matchAll(/^export const (\w+)/gm)].map(([, name]) => name)
    expect(tables.sort()).toEqual(Object.keys(RAW_TABLES).sort())
  })

  test('form no folder cycles, type-only imports included', () => {
    const folders = new Map<string, Set<string>>()
    for (const [file, found] of imports) {
      const from = path.posix.dirname(file)
      const targets = folders.get(from) ?? folders.set(from, new Set()).get(from)
      for (const { to } of found)
        if (imports.has(to) && path.posix.dirname(to) !== from) targets?.add(path.posix.dirname(to))
    }
    expect(cyclesOf(folders)).toEqual([])
  })

  test('form no file cycles', () => {
    const files = [...imports].map(([file, found]) => [file, new Set(found.map(({ to }) => to))] as const)
    expect(cyclesOf(new Map(files))).toEqual([])
  })

  test('a folder holds at most 25 entries, tests not counted', () => {
    const entries = new Map<string, Set<string>>()
    for (const file of [...FOLDERS, 'scripts', 'bench', 'e2e'].flatMap(entriesOf)) {
      if (isTest(file) || /\.(test|spec)\.\w+$/.test(file)) continue
      const folder = path.posix.dirname(file)
      entries.set(folder, (entries.get(folder) ?? new Set()).add(file))
    }
    expect([...entries].filter(([, { size }]) => size > 25).map(([folder]) => folder)).toEqual([])
  })

  test('bring no schema library to the browser', () => {
    const reaches = (file: string, seen: Set<string>): string[] | undefined => {
      if (seen.has(file)) return undefined
      seen.add(file)
      // An action is a network call in the browser; what it imports stays on the server.
      if (zoneOf(file) === 'actions' || zoneOf(file) === 'server') return undefined
      for (const { to, isType } of imports.get(file) ?? []) {
        if (isType) continue
        if (to === 'zod' || to.startsWith('zod/')) return [file]
        const trail = reaches(to, seen)
        if (trail) return [file, ...trail]
      }
      return undefined
    }
    const heavy = code
      .filter((file) => LIGHT_ZONES.includes(zoneOf(file) ?? ''))
      .flatMap((file) => reaches(file, new Set())?.join(' -> ') ?? [])
    expect(heavy).toEqual([])
  })

  test.each(Object.entries(FIRST_LOADS))('load %s without %j', (page, later) => {
    const seen = new Set<string>()
    const visit = (file: string) => {
      if (seen.has(file)) return
      seen.add(file)
      if (zoneOf(file) === 'actions' || zoneOf(file) === 'server') return
      for (const { to, isType, isLater } of imports.get(file) ?? []) if (!isType && !isLater) visit(to)
    }
    visit(page)
    expect(later.filter((one) => seen.has(one))).toEqual([])
  })

  test('keep React out of code that runs without it', () => {
    const frameworks = (file: string) =>
      zoneOf(file) === 'leaf' ? /^react($|-dom|\/)/ : /^(react|react-dom|next)($|\/)/
    const wrong = [...imports].filter(
      ([file, found]) => NO_REACT.includes(zoneOf(file) ?? '') && found.some(({ to }) => frameworks(file).test(to)),
    )
    expect(wrong.map(([file]) => file)).toEqual([])
  })
})

describe('packages', () => {
  const manifest = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'))
  const declared = { ...manifest.dependencies, ...manifest.devDependencies }
  const packageOf = (specifier: string) => specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')
  const isOurFile = (specifier: string) => /^(\.|@\/)/.test(specifier)
  const scripts = ['app', 'components', 'lib', 'platform', 'scripts', 'e2e', 'bench']
    .flatMap(entriesOf)
    // The compared products in bench/rivals have manifests of their own.
    .filter((file) => /\.(tsx?|mjs)$/.test(file) && !file.startsWith('bench/rivals/'))

  test('every imported package is declared in package.json', () => {
    const imported = scripts.flatMap((file) =>
      specifiersOf(file, readFileSync(path.join(root, file), 'utf8')).map(({ specifier }) => ({ file, specifier })),
    )
    const isUndeclared = ({ specifier }: { specifier: string }) =>
      !isOurFile(specifier) && !isBuiltin(specifier) && !Object.hasOwn(declared, packageOf(specifier))
    expect(imported.length).toBeGreaterThan(1000)
    expect(imported.filter(isUndeclared).map(({ file, specifier }) => `${file} -> ${specifier}`)).toEqual([])
  })

  test('the lock file names no registry', () => {
    expect(readFileSync(path.join(root, 'package-lock.json'), 'utf8')).not.toMatch(/"resolved":/)
  })
})

describe('rules of the tree', () => {
  const first = (file: string) => source(file).split('\n')[0]

  test('every file of lib/server says server-only in its first line', () => {
    expect(
      code.filter(
        (file) =>
          zoneOf(file) === 'server' && !isTableFile(file) && !isHelper(file) && first(file) !== "import 'server-only'",
      ),
    ).toEqual([])
  })

  test('every file of lib/actions says use server in its first line', () => {
    expect(code.filter((file) => zoneOf(file) === 'actions' && first(file) !== "'use server'")).toEqual([])
  })

  test('only designated files read the environment', () => {
    const may = (file: string) =>
      [
        'lib/server/process/env.ts',
        'platform/kernel/env.ts',
        'components/deployments/overview/snippets.ts',
        'lib/auth-client.ts',
        'lib/base-path.ts',
        ...SINGLE_FILES,
      ].includes(file) // snippets: in a text; base-path: a value of the build; auth-client: the browser's stand-in
    expect(
      code.filter(
        (file) =>
          !may(file) &&
          !isHelper(file) &&
          /\bprocess\s*(\??\.\s*|(\?\.)?\[\s*['"`])env\b|\benv\b[^;{}]*\}\s*=\s*(globalThis\.)?process\b|\bimport\.meta\.env\b|from ['"](node:)?process['"]/.test(
            bare(file),
          ),
      ),
    ).toEqual([])
  })

  test('no HTML is built from strings', () => {
    expect(
      code.filter((file) =>
        /dangerouslySetInnerHTML|\.(inner|outer)HTML\b|insertAdjacentHTML|createContextualFragment|document\.write/.test(
          bare(file),
        ),
      ),
    ).toEqual([])
  })

  const REQUEST =
    /(?<![.\w])fetch\s*\(|\b(globalThis|window|self)\.fetch\b|\bfetch\b[^;{}]*\}\s*=\s*(globalThis|window|self)\b|\bnew (WebSocket|EventSource|XMLHttpRequest)\b|\.sendBeacon\(/
  test('every outbound request uses the guarded client', () => {
    const may = (file: string) =>
      file === 'lib/server/upstream/request.ts' || ['queries', 'live', 'platform'].includes(zoneOf(file) ?? '')
    expect(code.filter((file) => !may(file) && REQUEST.test(bare(file)))).toEqual([])
    const isClient = (to: string) => /^(undici|(node:)?(https?|http2|net|tls|dgram))$/.test(to)
    // direct-streams: its self-check talks to a loopback server of its own. request-guard: it wraps servers, and sends nothing.
    // address: it asks `isIP` only. neighbours: sockets of this machine's files.
    const guard = [
      'server/upstream/request',
      'server/transport/stream-request',
      'server/transport/direct-streams',
      'server/transport/request-guard',
      'server/upstream/address-guard',
      'server/recorder/instances/neighbours',
      'contracts/wire/address',
    ].map((name) => `lib/${name}.ts`)
    const others = [...imports].filter(
      ([file, found]) =>
        zoneOf(file) !== 'platform' && !guard.includes(file) && found.some(({ to, isType }) => !isType && isClient(to)),
    )
    expect(others.map(([file]) => file)).toEqual([])
  })

  test('default exports are only where the framework requires them', () => {
    expect(
      code.filter((file) => zoneOf(file) !== 'app' && /^export (default\b|\{[^}]*\bas default\b)/m.test(bare(file))),
    ).toEqual([])
  })
})
