import { readFileSync } from 'node:fs'
import path from 'node:path'
import { root } from '../../bootstrap.mjs'
import { commandsOf } from '../../docs/shell-commands.mjs'

const guide = readFileSync(path.join(root, 'docs/operate.md'), 'utf8')

/** The commands of a section of docs/operate.md, in their order. */
export function commandsBelow(heading: string): string[] {
  const [, rest = ''] = guide.split(`\n### ${heading}\n`)
  const [section = ''] = rest.split(/^#{2,3} /m)
  return [...section.matchAll(/^ *```sh\n([\s\S]*?)^ *```/gm)].flatMap(([, block = '']) => commandsOf(block))
}

/** With these options the guide starts containers. */
export const RIGHTS =
  commandsBelow('One container')
    .join('\n')
    .match(/--init .* --stop-timeout \d+/)?.[0] ?? 'none'

/** What stands in for the names of the guide. `options` are further ones of `docker run`. */
type Names = { prefix: string; image?: string; port?: number; options?: string }

/** A docker command of the guide with names, image and port of a test. */
export function adapted(command: string, { prefix, image, port, options }: Names): string {
  const named = command
    .replace(/(--name |--volume )(?=\w)/g, `$1${prefix}-`)
    .replace(/127\.0\.0\.1:\d+:/, `127.0.0.1:${port}:`)
    .replace('PASSPHRASE=...', 'PASSPHRASE=correct-horse-battery')
    .replace(/ --env DATABASE_URL=\S+/, '')
  return named.startsWith('docker run ')
    ? named.replace(/ pilothouse(-platform)?(?= |$)/, ` ${image}`).replace('docker run', `docker run ${options ?? ''}`)
    : named.replace(/ (pilothouse|platform)(?=[ :])/, ` ${prefix}-$1`)
}
