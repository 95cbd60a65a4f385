import { shell } from '@/lib/format/format'
import { isLoopbackName } from '@/lib/format/loopback'

/** `url`: where the cluster reaches the platform. */
type Joining = { url: string; token: string; namespaces: readonly string[] }

export const isAddress = (text: string): boolean => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)

/** What to know about an address before a listener is started with it. */
export function addressWarning(url: string): string | undefined {
  const { hostname, protocol } = new URL(url)
  if (isLoopbackName(hostname))
    return 'Only this machine reaches the platform at this address. Enter the one at which the cluster reaches it.'
  return protocol === 'http:' ? 'Work contains secrets. Use http:// only in a network that you trust.' : undefined
}

/** A listener refuses `http://` to other machines, unless it is told not to. */
const needsPermission = (url: string) => url.startsWith('http:') && !isLoopbackName(new URL(url).hostname)

/** Starts a listener in its cluster, with this repository's chart. */
export const helmCommands = ({ url, token, namespaces }: Joining): string =>
  [
    'kubectl create namespace pilothouse',
    lines(
      'kubectl --namespace pilothouse create secret generic listener',
      `--from-literal=PILOTHOUSE_LISTENER_TOKEN=${shell(token)}`,
    ),
    lines(
      'helm install listener deploy/helm/pilothouse-listener',
      '--namespace pilothouse --set existingSecret=listener',
      '--set image.repository=registry.example.com/pilothouse-platform',
      `--set url=${shell(url)}`,
      `--set ${shell(`namespaces={${namespaces.join(',')}}`)}`,
      ...(needsPermission(url) ? ['--set-string env.PILOTHOUSE_LISTENER_ALLOW_HTTP=true'] : []),
    ),
  ].join('\n')

/** Starts a listener in a clone of this repository, for the cluster of `KUBECONFIG`. */
export const npmCommand = ({ url, token }: Joining): string =>
  lines(
    `PILOTHOUSE_LISTENER_URL=${shell(url)}`,
    `PILOTHOUSE_LISTENER_TOKEN=${shell(token)}`,
    `${needsPermission(url) ? 'PILOTHOUSE_LISTENER_ALLOW_HTTP=true ' : ''}npm run listener`,
  )

/** One command on several lines. */
const lines = (...parts: string[]) => parts.join(' \\\n  ')
