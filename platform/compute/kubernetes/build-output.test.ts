import { describe, expect, test } from 'vitest'
import { createProgressReader } from './build-output'
import { explainFailure, readBuild } from './build-status'

const read = (text: string) => {
  const reader = createProgressReader()
  return text.split('\n').flatMap((line) => {
    const found = reader(line)
    return found ? [`${found.level} ${found.message}`] : []
  })
}

const RUN =
  'RUN --mount=type=cache,target=/tmp/pilothouse-packages,uid=1000,gid=1000 unset NODE_ENV; npm ci --no-audit --no-fund'

test('a log has the commands and what they print, and not the bookkeeping of BuildKit', () => {
  const text = `#1 [internal] load build definition from Dockerfile
#1 transferring dockerfile: 1.40kB done
#1 DONE 0.0s
#4 importing cache manifest from registry.example.com/agents/agent-x:cache
#4 ERROR: failed to configure registry cache importer: registry.example.com/agents/agent-x:cache: not found
#5 [1/6] FROM registry.example.com/pilothouse-agent:1@sha256:0f1d
#5 resolve registry.example.com/pilothouse-agent:1@sha256:0f1d 0.0s done
#5 CACHED
#7 [4/6] ${RUN}
#7 1.204 added 1 package in 1s
#7 1.310 npm warn deprecated a@1.0.0
#7 1.311 npm warn Unknown env config "store-dir". This will stop working in the next major version of npm.
#7 DONE 1.4s
#11 exporting to image
#11 exporting layers 0.2s done
#11 pushing layers
#11 pushing layers 0.4s done
#11 DONE 0.7s

#6 [internal] setting cache mount permissions
#6 ...

#7 [4/6] ${RUN}
#7 CACHED
------
 > importing cache manifest from registry.example.com/agents/agent-x:cache:
------`
  expect(read(text)).toEqual([
    'INFO importing cache manifest from registry.example.com/agents/agent-x:cache',
    'INFO There is no cache yet.',
    'INFO [1/6] FROM registry.example.com/pilothouse-agent:1@sha256:0f1d',
    'INFO [1/6] FROM registry.example.com/pilothouse-agent:1@sha256:0f1d: from the cache',
    'INFO [4/6] RUN npm ci --no-audit --no-fund',
    'INFO added 1 package in 1s',
    'INFO npm warn deprecated a@1.0.0',
    'INFO exporting to image',
    'INFO [4/6] RUN npm ci --no-audit --no-fund: from the cache',
  ])
})

test('a failure is in a log once, and the summary after it is left out', () => {
  const text = `#7 [4/6] ${RUN}
#7 0.512 npm error code E404
#7 ERROR: process "/bin/sh -c unset NODE_ENV; npm ci" did not complete successfully: exit code: 1
#8 exporting cache to registry
#8 ERROR: error writing layer blob: context canceled
------
 > [4/6] ${RUN}:
0.512 npm error code E404
------
Dockerfile:22
--------------------
  20 |     COPY --chown=1000:1000 source/ /deployment/
--------------------
error: failed to solve: process "/bin/sh -c unset NODE_ENV; npm ci" did not complete successfully: exit code: 1`
  expect(read(text)).toEqual([
    'INFO [4/6] RUN npm ci --no-audit --no-fund',
    'INFO npm error code E404',
    'ERROR process "/bin/sh -c unset NODE_ENV; npm ci" did not complete successfully: exit code: 1',
    'INFO exporting cache to registry',
  ])
})

describe('why a build failed', () => {
  const what = {
    image: 'registry.example.com/agents/agent-x:1',
    base: 'registry.example.com/base:1',
    secret: 'registry',
  }

  /** The last lines of BuildKit 0.34 for each. */
  const DIGEST = 'sha256:592df3b69df407eaa6b2b5def753d64da0cfee07fb967d76fe9a3e8dfeaf4498'
  const PUSH = `error: failed to solve: failed to push ${what.image}:`
  const PULL = `error: failed to solve: ${what.base}: failed to resolve source metadata for ${what.base}:`
  const HEAD = `HEAD request to https://registry.example.com/v2/agents/agent-x/blobs/${DIGEST}`

  test.each<[string, string, RegExp]>([
    [
      'a command that fails',
      `------
 > [stage-0 2/2] ${RUN}:
0.498 hello
0.512 npm error code E404
0.513 npm error 404 Not Found - GET https://npm.example.com/a
------
Dockerfile:22
--------------------
  22 | >>> ${RUN}
--------------------
error: failed to solve: process "/bin/sh -c unset NODE_ENV; export PATH=\\"/opt/pilothouse-tools/x:$PATH\\"; npm ci" did not complete successfully: exit code: 1`,
      /^The command ended with 1: npm ci\nnpm error 404 Not Found - GET https:\/\/npm\.example\.com\/a\nThe registry does not have a package/,
    ],
    [
      'a command whose reason the summary does not have',
      `#8 0.301 Error: of another step
#9 [4/5] RUN unset NODE_ENV; npm run build
#9 11.85 dd: error writing '/deployment/big': No space left on device
#9 11.86 4812+0 records in
#9 ERROR: process "/bin/sh -c unset NODE_ENV; npm run build" did not complete successfully: exit code: 1
------
 > [4/5] RUN unset NODE_ENV; npm run build:
11.86 4812+0 records in
------
error: failed to solve: process "/bin/sh -c unset NODE_ENV; npm run build" did not complete successfully: exit code: 1`,
      /^The command ended with 1: npm run build\ndd: error writing '\/deployment\/big': No space left on device$/,
    ],
    [
      'a command that is killed',
      'error: failed to solve: process "/bin/sh -c unset NODE_ENV; npm run build" did not complete successfully: exit code: 137',
      /^The command was killed, probably for want of memory: npm run build$/,
    ],
    [
      'a push without credentials',
      `${PUSH} unexpected status from ${HEAD}: 401 Unauthorized`,
      /^The registry refuses to store registry\.example\.com\/agents\/agent-x:1\. The credentials in Secret registry do not suffice\./,
    ],
    [
      'a registry that does not answer',
      `${PUSH} failed to do request: Head "https://registry.example.com/v2/": dial tcp 192.0.2.1:443: connect: connection refused`,
      /^The registry of registry\.example\.com\/agents\/agent-x:1 cannot be reached from the cluster\./,
    ],
    [
      'a registry with a certificate of its own authority',
      `${PULL} failed to do request: Head "https://registry.example.com/v2/base/manifests/1": tls: failed to verify certificate: x509: certificate signed by unknown authority`,
      /^BuildKit does not trust the registry of registry\.example\.com\/base:1\. Set PILOTHOUSE_KUBERNETES_BUILDKIT_IMAGE/,
    ],
    [
      'a registry without TLS',
      `${PUSH} failed to do request: Head "https://registry.example.com/v2/agents/agent-x/blobs/${DIGEST}": http: server gave HTTP response to HTTPS client`,
      /^The registry of registry\.example\.com\/agents\/agent-x:1 has no TLS, which BuildKit expects\. Set PILOTHOUSE_KUBERNETES_BUILDKIT_IMAGE/,
    ],
    [
      'a push that the registry denies',
      `${PUSH} denied`,
      /^The registry refuses to store registry\.example\.com\/agents\/agent-x:1\./,
    ],
    [
      'a push with a token that only reads',
      `${PUSH} push access denied, repository does not exist or may require authorization: server message: insufficient_scope: authorization failed`,
      /^The registry refuses to store registry\.example\.com\/agents\/agent-x:1\./,
    ],
    [
      'a base image that is not there',
      `${PULL} ${what.base}: not found`,
      /^The registry does not have the base image registry\.example\.com\/base:1\./,
    ],
    [
      'a base image without credentials',
      `${PULL} unexpected status from HEAD request to https://registry.example.com/v2/base/manifests/1: 401 Unauthorized`,
      /^The registry refuses to give the base image registry\.example\.com\/base:1\./,
    ],
    [
      'a node without user namespaces',
      '[rootlesskit:parent] error: failed to start the child: fork/exec /proc/self/exe: operation not permitted',
      /^Rootless BuildKit cannot start in this namespace\. It needs user namespaces/,
    ],
    [
      'a full disk',
      'error: failed to solve: failed to copy: write /home/user/x: no space left on device',
      /^The node has no space left for the build\.$/,
    ],
    [
      'anything else',
      'error: failed to solve: something odd',
      /^The image was not built\. failed to solve: something odd\.$/,
    ],
    ['a program that is not there', 'sh: buildctl-daemonless.sh: not found', /^BuildKit failed\. sh: buildctl/],
  ])('%s', (_what, text, wanted) => {
    expect(explainFailure(text, what)).toMatch(wanted)
  })

  test('a pod that is moved away', () => {
    const conditions = [{ type: 'DisruptionTarget', status: 'True', message: 'Eviction API: evicting' }]
    const containerStatuses = [{ name: 'buildkit', state: { terminated: { exitCode: 137, reason: 'Error' } } }]
    const pods = [{ status: { phase: 'Failed', conditions, containerStatuses } } as never]
    expect(readBuild({ deployment: undefined, pods, events: [] }, what).failure).toBe(
      'The pod of the build was moved away from its node: Eviction API: evicting. Redeploy the revision to build again.',
    )
  })

  test.each([
    ['registry', 'The credentials in Secret registry do not suffice.'],
    [undefined, 'It asks for credentials: set PILOTHOUSE_KUBERNETES_REGISTRY_SECRET.'],
  ])('a base image that the node may not pull, with Secret %s', (secret, wanted) => {
    const state = { waiting: { reason: 'ImagePullBackOff', message: 'Back-off: 401 Unauthorized' } }
    const status = { initContainerStatuses: [{ name: 'source', image: what.base, state, restartCount: 0 }] }
    const { failure } = readBuild(
      { deployment: undefined, pods: [{ status } as never], events: [] },
      { ...what, secret },
    )
    expect(failure).toContain(`the registry refuses access. ${wanted} `)
  })
})
