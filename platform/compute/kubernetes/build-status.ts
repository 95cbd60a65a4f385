import type { V1ContainerStateTerminated, V1Pod } from '@kubernetes/client-node'
import { adviceOn, FailureReason, isOwnNoise } from '../../builder/failure-advice'
import { IMAGE_CONTAINER } from './names'
import {
  disruptionOf,
  endText,
  eventText,
  type Line,
  type Observation,
  readPod,
  refusalText,
  saidIn,
  sentence,
} from './pod-status'

export type BuildState = {
  /** Once the image is in the registry. */
  digest?: string
  failure?: string
  /** Told once per `key`. */
  lines: Line[]
}

const DIGEST = /^sha256:[0-9a-f]{64}$/

/** Reads the state of an image's build from what a cluster reports about its Job. */
export function readBuild({ pods, events }: Observation, what: Explained, now = Date.now()): BuildState {
  const state: BuildState = { lines: [] }
  const note = (level: Line['level'], key: string, message: string) => state.lines.push({ key, level, message })
  const fail = (_key: string, message: string) => {
    state.failure ??= message
  }
  const wait = (key: string, message: string) => void note('WARNING', key, message)
  for (const event of events) {
    const { kind } = event.involvedObject
    if (kind === 'Job' && event.reason === 'FailedCreate') fail('', refusalText(event.message ?? ''))
    const text = kind === 'Pod' && eventText(event)
    if (text) wait(`event ${event.metadata?.uid ?? event.message}`, text)
  }
  for (const pod of pods) {
    const ended = endOf(pod)
    const digest = ended?.name === IMAGE_CONTAINER && ended.exitCode === 0 ? ended.message?.trim() : undefined
    const moved = ended && disruptionOf(pod)
    if (digest && DIGEST.test(digest)) state.digest = digest
    else if (moved)
      fail(
        '',
        `The pod of the build was moved away from its node: ${sentence(moved)} Redeploy the revision to build again.`,
      )
    else if (ended) fail('', failureText(ended, what))
    else if (pod.status?.phase === 'Failed')
      fail('', `The pod of the build failed: ${sentence(pod.status.message ?? pod.status.reason)}`)
    else readPod(pod, { note, fail, wait, refused: credentialsText(what) }, now)
  }
  return state
}

/** How the container ended that decides the build. */
function endOf(pod: V1Pod): (V1ContainerStateTerminated & { name: string }) | undefined {
  const { initContainerStatuses = [], containerStatuses = [] } = pod.status ?? {}
  const isOver = (name: string, exitCode: number) => exitCode !== 0 || name === IMAGE_CONTAINER
  for (const { name, state } of [...initContainerStatuses, ...containerStatuses])
    if (state?.terminated && isOver(name, state.terminated.exitCode)) return { ...state.terminated, name }
  return undefined
}

function failureText(ended: V1ContainerStateTerminated & { name: string }, what: Explained): string {
  const { name, exitCode, signal, reason, message = '' } = ended
  if (name === IMAGE_CONTAINER && exitCode === 0) return 'The build ended without the digest of an image.'
  if (reason === 'OOMKilled' || signal || exitCode > 128)
    return `${name === IMAGE_CONTAINER ? 'BuildKit' : 'The checkout'} was ended: ${endText(exitCode, signal, reason)}.`
  return name === IMAGE_CONTAINER ? explainFailure(message, what) : lastSaid(message)
}

/** What our own program said last, whose lines are JSON. */
function lastSaid(text: string): string {
  const said = text
    .split('\n')
    .reverse()
    .find((line) => line.trim())
  return said ? saidIn(said) : 'The checkout failed without a reason.'
}

/** Names for the words about a failure. */
export type Explained = {
  image: string
  base: string
  /** The Secret with the registry's credentials. */
  secret: string | undefined
}

const REFUSED = /\b40[13]\b|unauthorized|forbidden|denied|insufficient_scope|authorization failed|no basic auth/i
const UNREACHABLE = /no such host|i\/o timeout|connection refused|connection reset|tls: /i
const UNTRUSTED = /x509: /
const PLAIN_HTTP = /HTTP response to HTTPS client/
const MISSING = /not found|manifest unknown|name unknown/i
const ROOTLESS = /rootlesskit|newuidmap|newgidmap|user namespace|failed to start the child/i
const EXIT = /process "\/bin\/sh -c (.*)" did not complete successfully: exit code: (\d+)/
/** What precedes each command in our Dockerfile. */
const OURS = /^(unset NODE_ENV; )(export PATH=\S+; )?/
const TIME = /^\s*\d+\.\d+ /
/** The only commands whose output package managers wrote. */
const INSTALL = /\b(npm|pnpm|yarn|bun) (ci|i|install|add)\b|^yarn\b/

/** Why an image was not built or pushed, from the last lines of BuildKit. */
export function explainFailure(text: string, what: Explained): string {
  const lines = text.split('\n').map((line) => line.trimEnd())
  const error = lines.findLast((line) => line.startsWith('error: '))?.slice('error: '.length)
  const [, command, code] = EXIT.exec(error ?? '') ?? []
  if (command && code) {
    const plain = command.replaceAll('\\"', '"').replace(OURS, '')
    const how = code === '137' ? 'was killed, probably for want of memory' : `ended with ${code}`
    const output = outputIn(lines)
    const advice = INSTALL.test(plain) ? output.map(adviceOn).find(Boolean) : undefined
    return [`The command ${how}: ${plain}`, reasonIn(output), advice].filter(Boolean).join('\n')
  }
  if (!error && ROOTLESS.test(text))
    return `Rootless BuildKit cannot start in this namespace. It needs user namespaces, and seccomp and AppArmor profiles of type Unconfined. ${sentence(lines.findLast((line) => ROOTLESS.test(line)))}`
  if (/no space left on device/i.test(text)) return 'The node has no space left for the build.'
  if (!error) return `BuildKit failed. ${sentence(lines.findLast((line) => line.trim()))}`
  const place = placeOf(error, what)
  if (REFUSED.test(error)) return `${refusalOf(place, what)} ${sentence(error)}`
  if (place.isBase && MISSING.test(error))
    return `The registry does not have the base image ${what.base}. ${sentence(error)}`
  if (UNTRUSTED.test(error))
    return `BuildKit does not trust the registry of ${place.name}. ${OWN_IMAGE} ${sentence(error)}`
  if (PLAIN_HTTP.test(error))
    return `The registry of ${place.name} has no TLS, which BuildKit expects. ${OWN_IMAGE} ${sentence(error)}`
  if (UNREACHABLE.test(error))
    return `The registry of ${place.name} cannot be reached from the cluster. ${sentence(error)}`
  return `The image was not built. ${sentence(error)}`
}

const OWN_IMAGE =
  'Set PILOTHOUSE_KUBERNETES_BUILDKIT_IMAGE to an image of BuildKit that knows this registry (docs/operate.md says how).'

function placeOf(error: string, { image, base }: Explained): { name: string; isBase: boolean } {
  const isBase = /resolve source metadata|pull/.test(error) && !/failed to push/.test(error)
  return { name: isBase ? base : image, isBase }
}

const refusalOf = ({ isBase, name }: ReturnType<typeof placeOf>, what: Explained): string =>
  `The registry refuses to ${isBase ? `give the base image ${name}` : `store ${name}`}. ${credentialsText(what)}`

const credentialsText = ({ secret }: Explained): string =>
  secret
    ? `The credentials in Secret ${secret} do not suffice.`
    : 'It asks for credentials: set PILOTHOUSE_KUBERNETES_REGISTRY_SECRET.'

/** What a failed command has printed. The summary has only its end; what a cluster keeps, often only the summary. */
function outputIn(lines: readonly string[]): string[] {
  const step = lines.map((line) => /^(#\d+ )ERROR: process "/.exec(line)?.[1]).findLast(Boolean)
  const own = step ? lines.filter((line) => line.startsWith(step)).map((line) => line.slice(step.length)) : []
  return [own, lines]
    .map((some) => some.filter((line) => TIME.test(line)).map((line) => line.replace(TIME, '')))
    .flatMap((some) => some.filter((line) => !isOwnNoise(line)))
}

function reasonIn(output: readonly string[]): string | undefined {
  const reason = new FailureReason()
  for (const line of output) reason.read(line)
  return reason.line ?? output.findLast((line) => line.trim())
}
