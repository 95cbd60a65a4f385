import { type ChildProcess, execFileSync } from 'node:child_process'
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { createWriteStream, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { runBound } from './bound-process'

export type ApiServer = {
  /** Absent: the one that KUBECONFIG names. */
  kubeconfig?: string
  stop(): Promise<void>
}

const isThere = (program: string): boolean => {
  try {
    execFileSync('sh', ['-c', `command -v ${program}`], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** Tests only write to a cluster that they were started for. */
const isGiven = () => Boolean(process.env.KUBECONFIG) && process.env.npm_lifecycle_event === 'test:kubernetes'

/** Why there is no API server to test against; undefined if there is one. */
export function missingApiServer(): string | undefined {
  const needed = isGiven() ? ['openssl'] : ['etcd', 'kube-apiserver', 'openssl']
  const missing = needed.filter((program) => !isThere(program))
  return missing.length ? `${missing.join(' and ')} not found on the PATH` : undefined
}

export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (!address || typeof address === 'string') throw new Error('no port')
  return address.port
}

const START_MS = 120_000

/** The cluster of KUBECONFIG, or else a kube-apiserver with its etcd, without controllers, scheduler and nodes. */
export const openApiServer = async (): Promise<ApiServer> => (isGiven() ? { stop: async () => {} } : startApiServer())

export async function startApiServer(): Promise<ApiServer & { kubeconfig: string }> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'pilothouse-apiserver-'))
  const [client, peer, port] = [await freePort(), await freePort(), await freePort()]
  const token = randomBytes(24).toString('hex')
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const file = (name: string, text: string) => {
    writeFileSync(path.join(folder, name), text, { mode: 0o600 })
    return path.join(folder, name)
  }
  const children: ChildProcess[] = []
  const run = (program: string, args: string[]) => {
    const log = createWriteStream(path.join(folder, `${program}.log`))
    const child = runBound(program, args, folder)
    child.stdout.pipe(log, { end: false })
    child.stderr.pipe(log, { end: false })
    children.push(child)
    return child
  }
  const stop = async () => {
    // The API server before its store.
    for (const child of children.reverse()) {
      if (child.exitCode !== null || child.signalCode !== null) continue
      const ended = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGKILL')
      await ended
    }
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }

  run('etcd', [
    ...['--data-dir', path.join(folder, 'etcd'), '--unsafe-no-fsync'],
    ...['--listen-client-urls', `http://127.0.0.1:${client}`, '--advertise-client-urls', `http://127.0.0.1:${client}`],
    ...['--listen-peer-urls', `http://127.0.0.1:${peer}`, '--initial-advertise-peer-urls', `http://127.0.0.1:${peer}`],
    ...['--initial-cluster', `default=http://127.0.0.1:${peer}`],
  ])
  const server = run('kube-apiserver', [
    `--etcd-servers=http://127.0.0.1:${client}`,
    `--secure-port=${port}`,
    '--bind-address=127.0.0.1',
    '--advertise-address=127.0.0.1',
    '--endpoint-reconciler-type=none',
    `--cert-dir=${path.join(folder, 'certificates')}`,
    `--token-auth-file=${file('tokens.csv', `${token},admin,admin,system:masters\n`)}`,
    `--service-account-key-file=${file('accounts.pub', publicKey.export({ type: 'spki', format: 'pem' }).toString())}`,
    `--service-account-signing-key-file=${file('accounts.key', privateKey.export({ type: 'pkcs1', format: 'pem' }).toString())}`,
    '--service-account-issuer=https://kubernetes.default.svc',
    '--authorization-mode=RBAC',
    '--service-cluster-ip-range=10.0.0.0/24',
    '--kubelet-preferred-address-types=InternalIP',
    // No controller makes the accounts that this would ask for.
    '--disable-admission-plugins=ServiceAccount,TaintNodesByCondition',
  ])
  const kubeconfig = file(
    'kubeconfig',
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'test', cluster: { server: `https://127.0.0.1:${port}`, 'insecure-skip-tls-verify': true } }],
      users: [{ name: 'admin', user: { token } }],
      contexts: [{ name: 'test', context: { cluster: 'test', user: 'admin' } }],
      'current-context': 'test',
    }),
  )
  const { makeRequest } = await import('./request')
  for (const end = Date.now() + START_MS; ; await sleep(200)) {
    if (server.exitCode !== null || Date.now() > end) {
      const log = readFileSync(path.join(folder, 'kube-apiserver.log'), 'utf8').slice(-2000)
      await stop()
      throw new Error(`kube-apiserver did not start:\n${log}`)
    }
    if ((await makeRequest(`https://127.0.0.1:${port}/readyz`, token)) === 200) break
  }
  return { kubeconfig, stop }
}
