import { DO_NOT_USE, type Figure } from '@/lib/contracts/deployments/resource-defaults'

/** Describes fields for the form and the check. Mirrors the contract's schema; a test compares the two. */
export type Shape =
  | {
      kind: 'text'
      choices?: readonly string[]
      pattern?: RegExp
      expects?: string
      isLong?: boolean
      suggests?: string
    }
  | { kind: 'flag' }
  | { kind: 'texts'; noun: string }
  | { kind: 'map' }
  | { kind: 'json'; start: string }
  | { kind: 'jsons'; start: string }
  | { kind: 'record'; fields: readonly FieldShape[] }
  | { kind: 'list'; noun: string; fields: readonly FieldShape[]; start: Readonly<Record<string, unknown>> }

export type FieldShape = {
  key: string
  label: string
  hint?: string
  shape: Shape
  isRequired?: boolean
  /** Offered in "Add field" and shown only if set. */
  isRare?: boolean
}

const text: Shape = { kind: 'text' }
const DNS_LABEL: Shape = {
  kind: 'text',
  pattern: /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/,
  expects: 'Use up to 63 lowercase letters, digits and hyphens; start and end with a letter or digit',
}
const VARIABLE: Shape = {
  kind: 'text',
  pattern: /^[A-Za-z_][A-Za-z0-9_]*$/,
  expects: 'Use letters, digits and underscores; do not start with a digit',
}
const json = (start: string): Shape => ({ kind: 'json', start })

/** The element id of the datalist with the spec's volume names. */
export const VOLUME_NAMES = 'spec-volume-names'

const MOUNT: readonly FieldShape[] = [
  {
    key: 'name',
    label: 'Volume',
    hint: 'A volume of this spec.',
    shape: { kind: 'text', suggests: VOLUME_NAMES },
  },
  { key: 'mountPath', label: 'Mount path', shape: text },
  { key: 'readOnly', label: 'Read only', shape: { kind: 'flag' } },
  { key: 'subPath', label: 'Sub path', shape: text, isRare: true },
  { key: 'subPathExpr', label: 'Sub path expression', shape: text, isRare: true },
  { key: 'mountPropagation', label: 'Mount propagation', shape: text, isRare: true },
]

const VOLUME: readonly FieldShape[] = [
  { key: 'name', label: 'Name', shape: DNS_LABEL },
  ...(
    [
      ['emptyDir', 'Empty folder', '{}'],
      ['configMap', 'Config map', '{ "name": "" }'],
      ['secret', 'Secret', '{ "secretName": "" }'],
      ['persistentVolumeClaim', 'Persistent volume claim', '{ "claimName": "" }'],
      ['nfs', 'NFS', '{ "server": "", "path": "/" }'],
      ['projected', 'Projected', '{ "sources": [] }'],
      ['downwardAPI', 'Downward API', '{ "items": [] }'],
      ['csi', 'CSI', '{ "driver": "" }'],
    ] as const
  ).map(([key, label, start]): FieldShape => ({ key, label, shape: json(start), isRare: true })),
]

const ENV: readonly FieldShape[] = [
  { key: 'name', label: 'Name', shape: VARIABLE, isRequired: true },
  { key: 'value', label: 'Value', shape: { kind: 'text', isLong: true } },
  {
    key: 'valueFrom',
    label: 'Value from',
    hint: 'A reference that the cluster resolves, instead of a value.',
    shape: json('{ "secretKeyRef": { "name": "", "key": "" } }'),
    isRare: true,
  },
]

const REQUIREMENTS: readonly FieldShape[] = [
  { key: 'requests', label: 'Requests', shape: { kind: 'map' } },
  { key: 'limits', label: 'Limits', shape: { kind: 'map' } },
]

const CONTAINER: readonly FieldShape[] = [
  { key: 'name', label: 'Name', shape: DNS_LABEL, isRequired: true },
  { key: 'image', label: 'Image', shape: text, isRequired: true },
  { key: 'command', label: 'Command', shape: { kind: 'texts', noun: 'part' } },
  { key: 'args', label: 'Arguments', shape: { kind: 'texts', noun: 'argument' } },
  { key: 'env', label: 'Variables', shape: { kind: 'list', noun: 'variable', fields: ENV, start: { name: '' } } },
  { key: 'volumeMounts', label: 'Mounts', shape: { kind: 'list', noun: 'mount', fields: MOUNT, start: { name: '' } } },
  {
    key: 'imagePullPolicy',
    label: 'Image pull policy',
    shape: { kind: 'text', choices: ['Always', 'Never', 'IfNotPresent'] },
    isRare: true,
  },
  { key: 'workingDir', label: 'Working directory', shape: text, isRare: true },
  {
    key: 'restartPolicy',
    label: 'Restart policy',
    hint: 'For sidecars.',
    shape: { kind: 'text', choices: ['Always', 'OnFailure'] },
    isRare: true,
  },
  { key: 'resources', label: 'Resources', shape: { kind: 'record', fields: REQUIREMENTS }, isRare: true },
  {
    key: 'envFrom',
    label: 'Variables from',
    hint: 'Config maps and secrets whose keys become variables.',
    shape: { kind: 'jsons', start: '[{ "configMapRef": { "name": "" } }]' },
    isRare: true,
  },
  { key: 'securityContext', label: 'Security context', shape: json('{ "runAsNonRoot": true }'), isRare: true },
]

const containers = (noun: string): Shape => ({
  kind: 'list',
  noun,
  fields: CONTAINER,
  start: { name: '', image: '' },
})

/** All non-numeric fields of a spec, by section. */
export const SECTIONS: readonly { title: string; note?: string; fields: readonly FieldShape[] }[] = [
  {
    title: 'Metadata and access',
    note: 'Added to every resource of the deployment.',
    fields: [
      { key: 'labels', label: 'Labels', shape: { kind: 'map' } },
      { key: 'annotations', label: 'Annotations', shape: { kind: 'map' } },
      { key: 'service_account_name', label: 'Service account', hint: 'Must exist in the namespace.', shape: text },
      {
        key: 'image_pull_secrets',
        label: 'Image pull secrets',
        hint: 'Secrets in the namespace with credentials for pulling images.',
        shape: {
          kind: 'list',
          noun: 'pull secret',
          fields: [{ key: 'name', label: 'Name', shape: text, isRequired: true }],
          start: { name: '' },
        },
      },
    ],
  },
  {
    title: 'Storage',
    fields: [
      {
        key: 'volumes',
        label: 'Volumes',
        shape: { kind: 'list', noun: 'volume', fields: VOLUME, start: { name: '', emptyDir: {} } },
      },
      {
        key: 'volume_mounts',
        label: 'Mounts',
        hint: 'Where volumes appear in the agent server.',
        shape: { kind: 'list', noun: 'mount', fields: MOUNT, start: { name: '', mountPath: '/mnt' } },
      },
    ],
  },
  {
    title: 'Containers',
    fields: [
      {
        key: 'init_containers',
        label: 'Init containers',
        hint: 'Run one after another before the agent server starts.',
        shape: containers('init container'),
      },
      { key: 'sidecars', label: 'Sidecars', hint: 'Run alongside the agent server.', shape: containers('sidecar') },
    ],
  },
]

type FigureRow = { field: Figure; label: string; unit: string }
type FigureGroup = { title: string; note?: string; rows: readonly FigureRow[] }

const UNITS: readonly (readonly [RegExp, string, string])[] = [
  [/min_scale$/, 'Min replicas', 'replicas'],
  [/max_scale$/, 'Max replicas', 'replicas'],
  [/cpu$/, 'CPU', 'cores'],
  [/cpu_limit$/, 'CPU limit', 'cores'],
  [/memory_mb$/, 'Memory', 'MB'],
  [/memory_limit_mb$/, 'Memory limit', 'MB'],
  [/storage_gi$/, 'Storage', 'GiB'],
  [/max_connections$/, 'Max connections', ''],
]

export function rowOf(field: Figure): FigureRow {
  const [, label = field, unit = ''] = UNITS.find(([pattern]) => pattern.test(field)) ?? []
  return { field, label, unit }
}

const COMPUTE = ['cpu', 'cpu_limit', 'memory_mb', 'memory_limit_mb'] as const

export const FIGURE_GROUPS: readonly FigureGroup[] = [
  {
    title: 'Agent server',
    note: 'Per replica.',
    rows: (['min_scale', 'max_scale', ...COMPUTE] as const).map(rowOf),
  },
  {
    title: 'Queue workers',
    note: 'Execute runs. Empty fields use the agent server’s values.',
    rows: (['min_scale', 'max_scale', ...COMPUTE] as const).map((name) => rowOf(`queue_${name}`)),
  },
  {
    title: 'Database',
    rows: [...COMPUTE.map((name) => rowOf(`db_${name}`)), rowOf('db_storage_gi'), rowOf('db_max_connections')],
  },
  { title: 'Redis', rows: COMPUTE.map((name) => rowOf(`redis_${name}`)) },
  {
    title: 'Core',
    note: 'Supported by newer servers only.',
    rows: COMPUTE.map((name) => rowOf(`core_${name}`)),
  },
]

export const DO_NOT_USE_ROWS: readonly FigureRow[] = DO_NOT_USE.map(rowOf)

/** Every key of a spec that the form shows. */
export const KNOWN_KEYS: ReadonlySet<string> = new Set([
  ...FIGURE_GROUPS.flatMap(({ rows }) => rows.map(({ field }) => field as string)),
  ...DO_NOT_USE,
  ...SECTIONS.flatMap(({ fields }) => fields.map(({ key }) => key)),
])
