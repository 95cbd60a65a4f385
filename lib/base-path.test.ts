import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { parseSync } from 'vite'
import { describe, expect, test } from 'vitest'
import { pathsBelow, withBasePath, withoutBasePath } from './base-path'

const root = path.resolve(import.meta.dirname, '..')

describe('a build for the top of a host', () => {
  const own = pathsBelow('')
  test.each(['/', '/api/live', '/local/runs?q=a#b'])('leaves %s as it is', (one) => {
    expect(own.withBasePath(one)).toBe(one)
    expect(own.withoutBasePath(one)).toBe(one)
  })
  test('is what the tests are built for', () =>
    expect([withBasePath('/a'), withoutBasePath('/a')]).toEqual(['/a', '/a']))
})

describe('a build for a path', () => {
  const own = pathsBelow('/ops/pilothouse')
  test.each([
    ['/', '/ops/pilothouse'],
    ['/api/live', '/ops/pilothouse/api/live'],
    // A workspace may be called like the path.
    ['/ops/pilothouse/runs', '/ops/pilothouse/ops/pilothouse/runs'],
  ])('serves %s at %s', (ours, address) => {
    expect(own.withBasePath(ours)).toBe(address)
    expect(own.withoutBasePath(address)).toBe(ours)
  })
  test('takes a slash at the end', () => expect(own.withoutBasePath('/ops/pilothouse/')).toBe('/'))
  test.each(['/', '/ops', '/ops/pilothouses', '/api/live', '/OPS/pilothouse', ''])('has nothing at %j', (other) =>
    expect(own.withoutBasePath(other)).toBeUndefined(),
  )
})

type Node = { type: string; start: number; end: number; [key: string]: unknown }
const isNode = (value: unknown): value is Node => typeof (value as Node | null)?.type === 'string'

function everyNode(value: unknown, visit: (node: Node) => void): void {
  if (Array.isArray(value)) for (const one of value) everyNode(one, visit)
  else if (isNode(value)) {
    visit(value)
    for (const one of Object.values(value)) if (typeof one === 'object') everyNode(one, visit)
  }
}

/**
 * The part of the source that is an address, wherever one leaves the framework: links and pictures that are plain elements,
 * requests, page loads, the browser's history, what is read of its address, redirects of routes, and cookies.
 */
function addressIn(node: Node, source: string): string | undefined {
  const textOf = (one: unknown) => (isNode(one) ? source.slice(one.start, one.end) : '')
  const nameOf = (key: string) => textOf(node[key])
  const around = ({ start, end }: Node) => source.slice(Math.max(0, start - 30), end + 30)
  if (node.type === 'JSXOpeningElement' && /^[a-z]/.test(nameOf('name')))
    return (node.attributes as Node[]).map(textOf).find((one) => /^(href|src|action|poster)=/.test(one))
  if (node.type === 'CallExpression' || node.type === 'NewExpression') {
    const isExit =
      /^(fetch|EventSource|WebSocket|window\.open|.*\blocation\.(assign|replace)|.*\.sendBeacon|.*\bhistory(\.\w+State|\[.*\]))$/s
    if (isExit.test(nameOf('callee'))) return (node.arguments as Node[]).map(textOf).join(', ')
    // Would drop the path of the public address.
    if (nameOf('callee') === 'URL' && /NEXTAUTH_URL/.test(textOf((node.arguments as Node[])[1]))) return textOf(node)
  }
  if (node.type === 'AssignmentExpression' && /\blocation(\.href)?$/.test(nameOf('left'))) return nameOf('right')
  if (node.type === 'MemberExpression' && /\blocation\.(origin|pathname)$/.test(textOf(node))) return around(node)
  if (node.type === 'Property' && /^'?location'?$/i.test(nameOf('key')) && node.shorthand === false)
    return nameOf('value')
  if (node.type === 'Property' && nameOf('key') === 'path' && nameOf('value') === "'/'") return textOf(node)
  return node.type === 'TemplateLiteral' && /\bpath=/.test(textOf(node)) ? textOf(node) : undefined
}

const code = ['app', 'components', 'lib'].flatMap((folder) =>
  readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((file) => path.posix.join(folder, file))
    .filter((file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$|\/testing\.tsx?$|\.d\.ts$/.test(file)),
)

/** Text that is no path of ours, or has the base path already: file → what it has. */
const ALLOWED: Record<string, string[]> = {
  'app/(auth)/sign-out/route.ts': ['await afterSignOut()'],
  'components/auth/invitation-form.tsx': ["null, '', window.location.pathname", 'window.location.pathname'],
  'components/shell/live-badge.tsx': ['signInHere()'],
  'components/shell/shell.tsx': ['href="#main"'],
  'components/system/system-page.tsx': ['href={base + path}'], // the agent server's
  'components/deployments/overview/overview-use.tsx': ['href={docs}'], // the agent server's
  'components/settings/prices/prices-page.tsx': ['href={source.url}'],
  'components/shared/feedback/sign-in-again.tsx': ['signInHere()'],
  'components/shared/message/citations.tsx': ['href={address.href}'],
  'components/shared/message/media-elsewhere.tsx': ['href={url.href}'],
  'components/shared/message/markdown/inline.tsx': ['href={safe.href}'],
  'components/shared/text/safe-image.tsx': ['src={url}'],
  'lib/navigation.ts': ['location.pathname'], // beside an address with its base path
  'lib/live/environment.ts': ['url, init'], // the url below it
  'lib/server/upstream/request.ts': ['joinUrl(base, request.path), sent'],
}

/** What `addressIn` looks for. Most files have none of it, and reading one takes a while. */
const HINT =
  /\s(?:href|src|action|poster)=|\bfetch\(|EventSource|WebSocket|Beacon|\bopen\(|location|history|NEXTAUTH_URL|\bpath(?:=|: '\/')/

function waysAround(file: string, source: string): string[] {
  if (!HINT.test(source)) return []
  const found: string[] = []
  everyNode(parseSync(file, source).program, (node) => {
    const address = addressIn(node, source)
    if (address !== undefined && !/\bwith(out)?BasePath\(/.test(address)) found.push(address.trim())
  })
  return found.filter((one) => !ALLOWED[file]?.some((part) => one.includes(part)))
}

test('every address of ours that leaves the framework has the base path', () => {
  const found = code.flatMap((file) =>
    waysAround(file, readFileSync(path.join(root, file), 'utf8')).map((address) => `${file}: ${address}`),
  )
  expect(found).toEqual([])
}, 60_000)

test.each([
  ["fetch('/api/runs')", 1],
  ["fetch(withBasePath('/api/runs'))", 0],
  ['<a href="/docs/use/home">Help</a>', 1],
  ['<a href={withBasePath(help)}>Help</a>', 0],
  ['<Link href={routes.runs(w)}>Runs</Link>', 0],
  ['<img src="/icon.svg" alt="" />', 1],
  ['window.location.assign(routes.alerts(w))', 1],
  ["window.history.pushState(null, '', root)", 1],
  ['const link = window.location.origin + routes.inbox(w)', 1],
  ['const link = window.location.origin + withBasePath(routes.inbox(w))', 0],
  ["new Response(null, { headers: { location: '/' } })", 1],
  ["cookies().set(name, value, { path: '/' })", 1],
  ['document.cookie = `seen=1; path=/`', 1],
  ['new URL(routes.signIn(), env().NEXTAUTH_URL)', 1],
  ['new URL(env().NEXTAUTH_URL)', 0],
])('%s is found %i times', (source, times) => expect(waysAround('any.tsx', source)).toHaveLength(times))
