import path from 'node:path'
import { readManifest, readText } from './manifest'

/** Compares the Node.js versions that a source requests with the current one. `isOther` marks a mismatch. */
export async function describeNodeVersion(
  root: string,
  folders: Iterable<string>,
  config: { file: string; nodeVersion: string | undefined },
  running = process.versions.node,
): Promise<{ isOther: boolean; line: string }[]> {
  const asked: { file: string; wanted: string }[] = []
  if (config.nodeVersion) asked.push({ file: path.relative(root, config.file), wanted: config.nodeVersion })
  for (const folder of new Set(folders)) {
    const engine = (await readManifest(folder))?.engines?.node
    if (typeof engine === 'string')
      asked.push({ file: path.relative(root, path.join(folder, 'package.json')), wanted: engine })
    for (const name of ['.nvmrc', '.node-version']) {
      const text = (await readText(path.join(folder, name)))?.trim()
      if (text) asked.push({ file: path.relative(root, path.join(folder, name)), wanted: text })
    }
  }
  const others = asked.filter(({ wanted }) => satisfiesRange(running, wanted) === false)
  if (others.length)
    return others.map(({ file, wanted }) => ({
      isOther: true,
      line: `${file} asks for Node.js ${wanted}; this platform runs ${running}.`,
    }))
  const files = asked.map(({ file, wanted }) => `${wanted} by ${file}`)
  return asked.length ? [{ isOther: false, line: `Node.js ${running}; asked for: ${files.join(', ')}.` }] : []
}

type Version = [major: number, minor: number, patch: number]

/** Whether a version is in an npm range; undefined for an unsupported range, such as `lts/iron`. */
export function satisfiesRange(version: string, range: string): boolean | undefined {
  const [running] = parse(version) ?? []
  if (!running) return undefined
  const results = range.split('||').map((part) => {
    const [from, to] = part.split(/\s+-\s+/)
    const text = to === undefined ? part : `>=${from} <=${to}`
    const comparators = text.replaceAll(/([<>=^~]+)\s+/g, '$1').match(/\S+/g) ?? ['*']
    const each = comparators.map((one) => holds(running, one))
    return each.includes(undefined) ? undefined : !each.includes(false)
  })
  return results.includes(true) ? true : results.includes(undefined) ? undefined : false
}

/** The version with zeros for missing parts, and the number of given parts. */
function parse(text: string): [Version, parts: number] | undefined {
  const match = /^v?(?:(\d+)|[xX*])(?:\.(?:(\d+)|[xX*]))?(?:\.(?:(\d+)|[xX*]))?(?:[-+].*)?$/.exec(text)
  if (!match) return undefined
  const given = match.slice(1).map((part) => (part === undefined ? undefined : Number(part)))
  const parts = given.includes(undefined) ? given.indexOf(undefined) : given.length
  return [given.map((part) => part ?? 0) as Version, parts]
}

function holds(running: Version, comparator: string): boolean | undefined {
  const [, operator = '', text = ''] = /^([<>=^~]*)(.*)$/.exec(comparator) ?? []
  const parsed = parse(text)
  if (!parsed) return undefined
  const [wanted, parts] = parsed
  if (parts === 0) return true
  const next = (part: number): Version => wanted.map((n, i) => (i < part ? n : i === part ? n + 1 : 0)) as Version
  const isFrom = compare(running, wanted) >= 0
  const isBefore = (end: Version) => compare(running, end) < 0
  switch (operator) {
    case '':
    case '=':
      return isFrom && isBefore(next(parts - 1))
    case '>=':
      return isFrom
    case '>':
      return !isBefore(next(parts - 1))
    case '<':
      return !isFrom
    case '<=':
      return isBefore(next(parts - 1))
    case '^':
      return isFrom && isBefore(next(0))
    case '~':
      return isFrom && isBefore(next(Math.min(parts - 1, 1)))
    default:
      return undefined
  }
}

const compare = (a: Version, b: Version): number => a[0] - b[0] || a[1] - b[1] || a[2] - b[2]
