// Stands in for BuildKit: "pushes" the source of a build as a folder, or says and does what a file of the source asks for.
import { createHash } from 'node:crypto'
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'

const args = process.argv.slice(2)
/** @param {string} flag */
const argument = (flag) => (args.find((one) => one.startsWith(`${flag}=`)) ?? '').slice(flag.length + 1)
const context = argument('--local=context')
const dockerfile = readFileSync(path.join(argument('--local=dockerfile'), 'Dockerfile'), 'utf8')
const source = path.join(context, 'source')
const asked = path.join(source, 'buildkit.json')
const { says = [], code = 0, hangs = false } = existsSync(asked) ? JSON.parse(readFileSync(asked, 'utf8')) : {}

console.error('#1 [internal] load build definition from Dockerfile')
console.error('#1 transferring dockerfile: 120B done')
for (const [index, line] of dockerfile.trim().split('\n').entries()) console.error(`#${index + 2} ${line}`)
const secrets = args.flatMap((one) => /^--secret=id=([^,]*)/.exec(one)?.[1] ?? [])
console.error(`#90 [secrets] ${secrets.join(' ')}`)
if (!existsSync(path.join(process.env.DOCKER_CONFIG ?? '', 'config.json'))) {
  console.error('error: failed to solve: failed to push: 401 Unauthorized')
  process.exit(1)
}
for (const line of says) console.error(line)
if (hangs) setInterval(() => {}, 1000)
else if (code) process.exit(code)
else {
  // It names the commit.
  const digest = `sha256:${createHash('sha256').update(dockerfile).digest('hex')}`
  const place = path.join(process.env.STAND_IN_REGISTRY ?? '', digest.slice(7))
  cpSync(source, place, { recursive: true, filter: (file) => !file.endsWith('/.git') })
  const metadata = { 'containerimage.digest': digest, 'image.name': argument('--output') }
  writeFileSync(args[args.indexOf('--metadata-file') + 1], JSON.stringify(metadata, null, 2))
}
