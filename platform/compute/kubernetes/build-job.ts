import type { V1Container, V1Job, V1ObjectMeta, V1Secret } from '@kubernetes/client-node'
import { type ImageBuildSettings, SETTINGS_FILE } from './container-settings'
import { gitSecret } from './git-secret'
import {
  IMAGE_CONTAINER,
  JOB_NAME,
  LABELS,
  MANAGER,
  revisionName,
  SETTINGS_PATH,
  SETTINGS_VOLUME,
  SOURCE_CONTAINER,
  serviceName,
  TMP_VOLUME,
} from './names'
import { RESTRICTED, USER } from './security'

/** Where images of revisions are built and kept. */
export type ImageBuilds = {
  /** Host and path below which each deployment has a repository. */
  registry: string
  /** A Secret of type dockerconfigjson in the namespaces of the agents; absent: anyone may push and pull. */
  secret?: string | undefined
  /** The image of rootless BuildKit. */
  buildkit: string
  timeoutMs: number
}

export type BuildInput = {
  platformId: string
  namespace: string
  deployment: { id: string; name: string }
  revisionId: string
  /** Differs between the builds of a revision: what the cluster reports on an earlier one must not end a later one. */
  attempt: string
  builds: ImageBuilds
  commit: string
  /** A Secret of the namespace with the credentials of private repositories. */
  gitSecret?: string | undefined
  settings: Omit<ImageBuildSettings, 'folder' | 'secretsFolder' | 'secretNames'>
  secrets: readonly { name: string; value: string }[]
  variables: Record<string, string>
}

export type BuildManifests = { owner: V1Job; owned: V1Secret[] }

const WORK_PATH = '/workspace'
const SECRETS_PATH = '/run/pilothouse'
const REGISTRY_PATH = '/etc/pilothouse-registry'
/** BuildKit's state. The image's own volume there would forbid what rootless builds need on some nodes. */
const STATE_PATH = '/home/user/.local/share/buildkit'
/** Objects that an ended platform left go by themselves. */
const KEPT_SECONDS = 3600

/** Adds the secrets that the source names, builds, and leaves the digest where the cluster reports it. */
const SCRIPT = [
  'set -e',
  `for file in ${SECRETS_PATH}/*; do if [ -f "$file" ]; then set -- "$@" "--secret=id=\${file##*/},src=$file"; fi; done`,
  `buildctl-daemonless.sh build "$@" --metadata-file ${WORK_PATH}/metadata.json`,
  `sed -n 's/.*"containerimage.digest": *"\\(sha256:[0-9a-f]*\\)".*/\\1/p' ${WORK_PATH}/metadata.json > /dev/termination-log`,
].join('\n')

export const repositoryOf = ({ builds, deployment }: Pick<BuildInput, 'builds' | 'deployment'>): string =>
  `${builds.registry}/${serviceName(deployment)}`

/** The name under which a revision's image is pushed. */
export const imageOf = (input: Pick<BuildInput, 'builds' | 'deployment' | 'commit' | 'revisionId'>): string =>
  `${repositoryOf(input)}:${input.commit.slice(0, 12)}-${input.revisionId.slice(0, 8)}`

export const buildLabels = ({
  platformId,
  deployment,
  revisionId,
}: Pick<BuildInput, 'platformId' | 'deployment' | 'revisionId'>): Record<string, string> => ({
  [LABELS.managedBy]: MANAGER,
  [LABELS.platform]: platformId,
  [LABELS.deployment]: deployment.id,
  [LABELS.build]: revisionId,
})

export const jobName = (input: Pick<BuildInput, 'deployment' | 'revisionId' | 'attempt'>): string =>
  `${revisionName(input.deployment, input.revisionId)}-build-${input.attempt}`

/** The objects that build and push the image of a revision. */
export function buildManifests(input: BuildInput): BuildManifests {
  const { builds, deployment } = input
  const name = jobName(input)
  const metadata: V1ObjectMeta = {
    name,
    namespace: input.namespace,
    labels: buildLabels(input),
    annotations: { 'pilothouse.dev/name': deployment.name },
  }
  const seconds = Math.ceil(builds.timeoutMs / 1000)
  const owner: V1Job = {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata,
    spec: {
      backoffLimit: 0,
      activeDeadlineSeconds: seconds,
      ttlSecondsAfterFinished: KEPT_SECONDS,
      template: {
        metadata: { labels: buildLabels(input), annotations: metadata.annotations ?? {} },
        spec: {
          restartPolicy: 'Never',
          automountServiceAccountToken: false,
          enableServiceLinks: false,
          ...(builds.secret && { imagePullSecrets: [{ name: builds.secret }] }),
          volumes: [
            { name: TMP_VOLUME, emptyDir: {} },
            { name: 'pilothouse-workspace', emptyDir: {} },
            { name: 'pilothouse-secrets', emptyDir: { medium: 'Memory' } },
            { name: 'pilothouse-buildkit', emptyDir: {} },
            ...gitSecret(input.gitSecret).volumes,
            {
              name: SETTINGS_VOLUME,
              secret: { secretName: name, items: [{ key: SETTINGS_FILE, path: SETTINGS_FILE }] },
            },
            ...(builds.secret
              ? [
                  {
                    name: 'pilothouse-registry',
                    secret: {
                      secretName: builds.secret,
                      items: [{ key: '.dockerconfigjson', path: 'config.json' }],
                    },
                  },
                ]
              : []),
          ],
          initContainers: [sourceContainer(input, name)],
          containers: [imageContainer(input)],
        },
      },
    },
  }
  return { owner, owned: [secretOf(input, metadata)] }
}

const workMounts = [
  { name: 'pilothouse-workspace', mountPath: WORK_PATH },
  { name: 'pilothouse-secrets', mountPath: SECRETS_PATH },
]

/** Clones with our own image, and alone gets all secrets: it runs nothing of the source. */
function sourceContainer(input: BuildInput, secret: string): V1Container {
  const { settings, secrets, variables } = input
  const git = gitSecret(input.gitSecret)
  return {
    name: SOURCE_CONTAINER,
    image: settings.base,
    args: ['prepare'],
    env: [
      { name: 'PILOTHOUSE_AGENT_SETTINGS', value: `${SETTINGS_PATH}/${SETTINGS_FILE}` },
      ...Object.entries(variables).map(([name, value]) => ({ name, value })),
      ...secrets.map(({ name: key }) => ({ name: key, valueFrom: { secretKeyRef: { name: secret, key } } })),
      ...git.env,
    ],
    terminationMessagePolicy: 'FallbackToLogsOnError',
    securityContext: RESTRICTED,
    volumeMounts: [
      ...workMounts,
      ...git.mounts,
      { name: TMP_VOLUME, mountPath: '/tmp' },
      { name: SETTINGS_VOLUME, mountPath: SETTINGS_PATH, readOnly: true },
    ],
  }
}

function imageContainer(input: BuildInput): V1Container {
  const { builds } = input
  const cache = `type=registry,ref=${repositoryOf(input)}:cache`
  return {
    name: IMAGE_CONTAINER,
    image: builds.buildkit,
    command: ['sh', '-c', SCRIPT, 'build'],
    args: [
      '--progress=plain',
      '--frontend=dockerfile.v0',
      `--local=context=${WORK_PATH}/context`,
      `--local=dockerfile=${WORK_PATH}/context`,
      `--output=type=image,name=${imageOf(input)},push=true,oci-mediatypes=true`,
      `--import-cache=${cache}`,
      // The image is what counts: a registry may refuse the cache alone.
      `--export-cache=${cache},mode=max,image-manifest=true,oci-mediatypes=true,ignore-error=true`,
    ],
    env: [
      // A pod may not mount another /proc.
      { name: 'BUILDKITD_FLAGS', value: '--oci-worker-no-process-sandbox' },
      ...(builds.secret ? [{ name: 'DOCKER_CONFIG', value: REGISTRY_PATH }] : []),
    ],
    terminationMessagePolicy: 'FallbackToLogsOnError',
    // Rootless BuildKit makes user namespaces, which default profiles forbid.
    securityContext: {
      runAsUser: USER,
      runAsGroup: USER,
      seccompProfile: { type: 'Unconfined' },
      appArmorProfile: { type: 'Unconfined' },
    },
    volumeMounts: [
      ...workMounts,
      { name: 'pilothouse-buildkit', mountPath: STATE_PATH },
      ...(builds.secret ? [{ name: 'pilothouse-registry', mountPath: REGISTRY_PATH, readOnly: true }] : []),
    ],
  }
}

function secretOf({ settings, secrets }: BuildInput, metadata: V1ObjectMeta): V1Secret {
  const full: ImageBuildSettings = {
    ...settings,
    secretNames: secrets.map(({ name }) => name),
    folder: `${WORK_PATH}/context`,
    secretsFolder: SECRETS_PATH,
  }
  const entries = [[SETTINGS_FILE, JSON.stringify(full)], ...secrets.map(({ name, value }) => [name, value])]
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata,
    type: 'Opaque',
    data: Object.fromEntries(entries.map(([key = '', value = '']) => [key, Buffer.from(value).toString('base64')])),
  }
}

/** The label by which a cluster's own controller marks the pods of a Job. */
export const podsOf = (input: Parameters<typeof jobName>[0]): Record<string, string> => ({
  [LABELS.managedBy]: MANAGER,
  [JOB_NAME]: jobName(input),
})
