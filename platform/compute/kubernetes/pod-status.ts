import type { CoreV1Event, V1ContainerStatus, V1Deployment, V1Pod } from '@kubernetes/client-node'
import type { LogLevel } from '../../kernel/wire'
import { AGENT_CONTAINER, BUILD_CONTAINER, IMAGE_CONTAINER, SOURCE_CONTAINER } from './names'

/** What a cluster says about one revision. */
export type Observation = {
  /** Undefined once it is deleted. */
  deployment: V1Deployment | undefined
  /** The Deployment of pods that only execute runs, if there are such. */
  queue?: V1Deployment | undefined
  pods: V1Pod[]
  /** Events about its objects, for what no status tells. */
  events: CoreV1Event[]
}

export type Line = { key: string; level: LogLevel; message: string }

export type RevisionState = {
  ready: number
  wanted: number
  /** Why it cannot become ready without a change; ends a roll-out. */
  failure?: string
  /** What it waits for, or suffers from. */
  problem?: string
  /** Told once per `key`. */
  lines: Line[]
}

/** A server that exits with this code is not worth another start: its own configuration or code stops it. */
export const FATAL_EXIT = 78
/** Starts of a crashing container before its revision fails. */
const MOST_STARTS = 3

/** Reads a revision's state from what a cluster reports, in plain words. */
export function readRevision({ deployment, queue, pods, events }: Observation, now = Date.now()): RevisionState {
  const living = pods.filter((pod) => !pod.metadata?.deletionTimestamp)
  const state: RevisionState = {
    ready: living.filter(isReady).length,
    wanted: (deployment?.spec?.replicas ?? 1) + (queue ? (queue.spec?.replicas ?? 1) : 0),
    lines: [],
  }
  const note = (level: LogLevel, key: string, message: string) => state.lines.push({ key, level, message })
  const fail = (key: string, message: string) => {
    state.failure ??= message
    note('ERROR', key, message)
  }
  const wait = (key: string, message: string) => {
    state.problem ??= message
    note('WARNING', key, message)
  }
  for (const condition of [deployment, queue].flatMap((one) => one?.status?.conditions ?? []))
    if (condition.type === 'ReplicaFailure' && condition.status === 'True') {
      const message = condition.message ?? condition.reason ?? ''
      // Each attempt is about a pod with another name.
      fail(`replica ${message.replace(/^pods "[^"]*"/, '')}`, refusalText(message))
    }
  // What happened to a pod before it, or another in its place, was ready is over.
  const readySince = Math.max(0, ...living.map(readyAt))
  for (const pod of pods) if (!hasEnded(pod) || changedAt(pod) >= readySince) readPod(pod, { note, fail, wait }, now)
  const ready = new Set(living.filter(isReady).map(({ metadata }) => metadata?.uid))
  for (const event of events) {
    const text = ready.has(event.involvedObject.uid) ? undefined : eventText(event)
    if (text) wait(`event ${event.metadata?.uid ?? event.message}`, text)
  }
  return state
}

export const isReady = (pod: V1Pod): boolean =>
  pod.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false

/** Why the cluster moves a pod away from its node, if it does. */
export function disruptionOf({ status }: V1Pod): string | undefined {
  const found = status?.conditions?.find((one) => one.type === 'DisruptionTarget' && one.status === 'True')
  return found && (found.message ?? found.reason)
}

const hasEnded = ({ status }: V1Pod): boolean => status?.phase === 'Failed'
/** When a pod became ready or ceased to be, or was made if it never ran. */
const changedAt = ({ metadata, status }: V1Pod): number => {
  const changed = status?.conditions?.find(({ type }) => type === 'Ready')?.lastTransitionTime
  return new Date(changed ?? metadata?.creationTimestamp ?? 0).getTime()
}
const readyAt = (pod: V1Pod): number => (isReady(pod) ? changedAt(pod) : 0)

export type Say = Record<'fail' | 'wait', (key: string, message: string) => void> & {
  note(level: LogLevel, key: string, message: string): void
  /** What to do when a registry refuses to give an image. */
  refused?: string
}

/** Reads what keeps a pod from starting, or ended its containers. */
export function readPod(pod: V1Pod, say: Say, now: number): void {
  const name = pod.metadata?.name ?? 'pod'
  const { status } = pod
  if (!status) return
  const { reason = '' } = status
  if ((hasEnded(pod) && reason) || reason === 'NodeLost') {
    const what = reason === 'Evicted' ? 'was evicted from its node' : 'failed'
    say.wait(`${name} ${reason}`, `Pod ${name} ${what}. ${sentence(status.message ?? reason)}`)
    return
  }
  for (const condition of status.conditions ?? []) {
    if (condition.type === 'PodScheduled' && condition.status === 'False' && condition.reason === 'Unschedulable')
      say.wait(
        `${name} unschedulable ${condition.message}`,
        `No node can take pod ${name}: ${sentence(condition.message)}`,
      )
  }
  const disruption = disruptionOf(pod)
  if (disruption) say.wait(`${name} disruption`, `Pod ${name} is being moved away: ${sentence(disruption)}`)
  for (const container of status.initContainerStatuses ?? []) readContainer(pod, container, true, say, now)
  for (const container of status.containerStatuses ?? []) readContainer(pod, container, false, say, now)
}

const IMAGE_REASONS = [
  'ErrImagePull',
  'ImagePullBackOff',
  'InvalidImageName',
  'ErrImageNeverPull',
  'RegistryUnavailable',
]
const CONFIG_REASONS = ['CreateContainerConfigError', 'CreateContainerError', 'RunContainerError', 'StartError']

function readContainer(pod: V1Pod, container: V1ContainerStatus, isInit: boolean, say: Say, now: number): void {
  const podName = pod.metadata?.name ?? 'pod'
  const what = whatIs(container.name)
  const key = `${podName} ${container.name}`
  const { waiting } = container.state ?? {}
  const ended = container.state?.terminated ?? container.lastState?.terminated
  if (waiting?.reason && IMAGE_REASONS.includes(waiting.reason)) {
    const text = imageText(container.image, waiting.reason, waiting.message, say.refused)
    // The first refusal may pass; a back-off means that several attempts failed.
    if (waiting.reason === 'ErrImagePull') say.wait(`${key} pull`, text)
    else say.fail(`${key} pull`, text)
    return
  }
  if (waiting?.reason && CONFIG_REASONS.includes(waiting.reason)) {
    const text = `${what} cannot be created: ${sentence(waiting.message ?? waiting.reason)}`
    // The Secret is created with the pod and may come a moment later.
    if (waiting.reason === 'CreateContainerConfigError' && isYoung(pod, now)) say.wait(`${key} config`, text)
    else say.fail(`${key} config`, text)
    return
  }
  if (!ended || (isInit && ended.exitCode === 0)) return
  if (pod.metadata?.deletionTimestamp && (STOPPED.includes(ended.exitCode) || ended.reason === UNKNOWN)) return
  const restarts = container.restartCount
  const text = `${what} exited: ${endText(ended.exitCode, ended.signal, ended.reason)}.`
  const said = tail(ended.message)
  const isFatal =
    ended.exitCode === FATAL_EXIT || (isInit && ended.exitCode !== 0 && container.name === BUILD_CONTAINER)
  const isCrashing = restarts >= MOST_STARTS - 1 && !container.ready
  const exit = `${key} exit ${ended.finishedAt ?? restarts}`
  if (isFatal && !container.ready) say.fail(exit, text + said)
  else if (isCrashing) say.fail(exit, `${text} It was started ${restarts + 1} times.${said}`)
  else say.note('ERROR', exit, text + said)
}

/** The reason of a node that has lost a container; its exit code means nothing. */
const UNKNOWN = 'ContainerStatusUnknown'
/** How a container ends that is told to: by itself, or by SIGTERM. */
const STOPPED = [0, 143]

const NAMES: Record<string, string> = {
  [AGENT_CONTAINER]: 'The agent server',
  [BUILD_CONTAINER]: 'The build',
  [SOURCE_CONTAINER]: 'The checkout',
  [IMAGE_CONTAINER]: 'BuildKit',
}
const whatIs = (container: string): string => NAMES[container] ?? `Container ${container}`

export function endText(code: number, signal: number | undefined, reason: string | undefined): string {
  if (reason === 'OOMKilled') return 'it used more memory than its limit'
  if (reason === UNKNOWN) return 'the node has lost it'
  if (signal) return `killed by signal ${signal}`
  if (code > 128 && code < 160) return `killed by signal ${code - 128}`
  return `exit code ${code}`
}

function imageText(
  image: string | undefined,
  reason: string,
  message = '',
  refused = 'Add image_pull_secrets that can read it.',
): string {
  const name = image ? `Image ${image}` : 'The image'
  if (reason === 'InvalidImageName') return `${name} has no valid name.`
  if (reason === 'ErrImageNeverPull') return `${name} is not on the node, and its pull policy is Never.`
  if (/unauthorized|denied|authentication required|no basic auth/i.test(message))
    return `${name} cannot be pulled: the registry refuses access. ${refused} ${sentence(message)}`
  if (/not found|manifest unknown|does not exist/i.test(message))
    return `${name} cannot be pulled: the registry does not have it. ${sentence(message)}`
  if (/x509: /.test(message))
    return `${name} cannot be pulled: the node does not trust the certificate of the registry. ${sentence(message)}`
  if (/HTTP response to HTTPS client/.test(message))
    return `${name} cannot be pulled: the registry has no TLS, which the node expects. ${sentence(message)}`
  if (/dial (tcp|udp)|i\/o timeout|TLS/i.test(message))
    return `${name} cannot be pulled: the registry is not reachable from the node. ${sentence(message)}`
  return `${name} cannot be pulled. ${sentence(message)}`
}

/** Why a cluster refused to create pods. */
export function refusalText(message: string): string {
  if (/exceeded quota/i.test(message))
    return `The quota of the namespace does not allow another pod: ${sentence(message.replace(/^.*?exceeded quota:\s*/i, ''))}`
  const unset = /failed quota: [^:]*: must specify (.+)/i.exec(message)?.[1]
  if (unset)
    return `The quota of the namespace limits what these containers have not set: ${sentence(unset)} Set it in the resource spec, or give the namespace a LimitRange with defaults.`
  if (/violates PodSecurity|forbidden by.*security|SecurityContextConstraints/i.test(message))
    return `The security rules of the namespace refuse the pods: ${sentence(message)}`
  if (/serviceaccount .* not found/i.test(message)) return `The service account does not exist: ${sentence(message)}`
  return `The cluster refuses to create pods: ${sentence(message)}`
}

/** Events that no status repeats. */
export function eventText({ reason, message, involvedObject }: CoreV1Event): string | undefined {
  const subject = `pod ${involvedObject?.name}`
  if (reason === 'FailedMount' || reason === 'FailedAttachVolume')
    return `A volume of ${subject} cannot be mounted: ${sentence(message)}`
  if (reason === 'Unhealthy' && /liveness/i.test(message ?? ''))
    return `The agent server in ${subject} does not respond and is restarted.`
  return undefined
}

const YOUNG_MS = 15_000
const isYoung = (pod: V1Pod, now: number): boolean => {
  const created = pod.metadata?.creationTimestamp
  return created !== undefined && now - new Date(created).getTime() < YOUNG_MS
}

/** A message of the cluster as a sentence of ours. */
export function sentence(text = ''): string {
  const plain = text.replace(/\s+/g, ' ').trim().slice(0, 600)
  return plain === '' ? '' : /[.!?]$/.test(plain) ? plain : `${plain}.`
}

/** The last lines of a container, as the reason of its end. Those of our own programs are JSON. */
function tail(message = ''): string {
  const said = message.trim().split('\n').map(saidIn).join('\n').slice(-1500)
  return said && `\n${said}`
}

/** What a line says, whether it is one of our programs or not. */
export function saidIn(line: string): string {
  try {
    const { message } = JSON.parse(line) as { message?: unknown }
    return typeof message === 'string' ? message : line
  } catch {
    return line
  }
}
