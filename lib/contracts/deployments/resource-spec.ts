import { z } from 'zod'
import { JsonObject, refused } from '../wire/fields'
import { CPU_LIMITS, CPUS, DB_CPUS, resourceProblems, SCALES, SIZES } from './resource-defaults'

/**
 * What a self-hosted deployment requests from its cluster. Requests are strict; records keep unknown keys, because an
 * update replaces the whole spec and must not drop a newer server's fields.
 */

const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/
const DnsLabel = z
  .string()
  .regex(LABEL, 'Use up to 63 lowercase letters, digits and hyphens; start and end with a letter or digit')
const CIdentifier = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'Use letters, digits and underscores; do not start with a digit')

export const IMAGE_PULL_POLICIES = ['Always', 'Never', 'IfNotPresent'] as const
export const RESTART_POLICIES = ['Always', 'OnFailure'] as const
export const VOLUME_SOURCES = [
  'configMap',
  'secret',
  'emptyDir',
  'persistentVolumeClaim',
  'nfs',
  'projected',
  'downwardAPI',
  'csi',
] as const

const text = z.string().nullish()
const texts = z.array(z.string()).nullish()
const textMap = z.record(z.string(), z.string()).nullish()
const free = JsonObject.nullish()
const volumeSources = {
  configMap: free,
  secret: free,
  emptyDir: free,
  persistentVolumeClaim: free,
  nfs: free,
  projected: free,
  downwardAPI: free,
  csi: free,
} satisfies Record<(typeof VOLUME_SOURCES)[number], typeof free>
const mountFields = {
  mountPath: text,
  subPath: text,
  mountPropagation: text,
  subPathExpr: text,
  readOnly: z.boolean().nullish(),
}

// Requests: strict.

export const LocalObjectReference = z.strictObject({ name: z.string().min(1) })
export const Volume = z.strictObject({ name: DnsLabel.nullish(), ...volumeSources })
export type Volume = z.output<typeof Volume>
export const VolumeMount = z.strictObject({ name: text, ...mountFields })
export type VolumeMount = z.output<typeof VolumeMount>
export const EnvVar = z
  .strictObject({ name: CIdentifier, value: text, valueFrom: free })
  .superRefine(({ value, valueFrom }, context) => {
    if (value && valueFrom)
      context.addIssue({
        code: 'custom',
        path: ['valueFrom'],
        message: 'valueFrom cannot be used when value is not empty',
        params: refused('value_error'),
      })
  })
export type EnvVar = z.output<typeof EnvVar>
export const ResourceRequirements = z.strictObject({ limits: textMap, requests: textMap })
export const Container = z.strictObject({
  name: DnsLabel,
  image: z.string().min(1),
  imagePullPolicy: z.enum(IMAGE_PULL_POLICIES).nullish(),
  command: texts,
  args: texts,
  workingDir: text,
  env: z.array(EnvVar).nullish(),
  envFrom: z.array(JsonObject).nullish(),
  resources: ResourceRequirements.nullish(),
  volumeMounts: z.array(VolumeMount).nullish(),
  securityContext: free,
  restartPolicy: z.enum(RESTART_POLICIES).nullish(),
})
export type Container = z.output<typeof Container>

/** The same schema for each of several fields. */
const each = <Field extends string, Schema extends z.ZodType>(fields: readonly Field[], schema: Schema) =>
  Object.fromEntries(fields.map((field) => [field, schema])) as Record<Field, Schema>

/** A resource spec in a request: strict, with the ranges and the rules between its fields. */
export const ResourceSpecRequest = z
  .strictObject({
    ...each(SCALES, z.int().min(0).nullish()),
    ...each(CPUS, z.number().min(0.1).max(8).nullish()),
    ...each(CPU_LIMITS, z.number().min(0.1).max(16).nullish()),
    ...each(DB_CPUS, z.number().positive().nullish()),
    ...each(SIZES, z.int().min(1).nullish()),
    labels: textMap,
    annotations: textMap,
    service_account_name: text,
    image_pull_secrets: z.array(LocalObjectReference).nullish(),
    volumes: z.array(Volume).nullish(),
    volume_mounts: z.array(VolumeMount).nullish(),
    init_containers: z.array(Container).nullish(),
    sidecars: z.array(Container).nullish(),
  })
  .superRefine((spec, context) => {
    for (const { path, message } of resourceProblems(spec))
      context.addIssue({ code: 'custom', path, message, params: refused('value_error') })
  })
export type ResourceSpecRequest = z.output<typeof ResourceSpecRequest>

// Records: tolerant, unknown keys kept.

const LooseMount = z.looseObject({ name: text, ...mountFields })
const LooseContainer = z.looseObject({
  name: text,
  image: text,
  imagePullPolicy: text,
  command: texts,
  args: texts,
  workingDir: text,
  env: z.array(z.looseObject({ name: z.string(), value: text, valueFrom: free })).nullish(),
  envFrom: z.array(JsonObject).nullish(),
  resources: z.looseObject({ limits: free, requests: free }).nullish(),
  volumeMounts: z.array(LooseMount).nullish(),
  securityContext: free,
  restartPolicy: text,
})

/** A resource spec in a record. */
export const ResourceSpec = z.looseObject({
  ...each([...SCALES, ...CPUS, ...CPU_LIMITS, ...DB_CPUS, ...SIZES], z.number().nullish()),
  labels: textMap,
  annotations: textMap,
  service_account_name: text,
  image_pull_secrets: z.array(z.looseObject({ name: text })).nullish(),
  volumes: z.array(z.looseObject({ name: text, ...volumeSources })).nullish(),
  volume_mounts: z.array(LooseMount).nullish(),
  init_containers: z.array(LooseContainer).nullish(),
  sidecars: z.array(LooseContainer).nullish(),
})
export type ResourceSpec = z.output<typeof ResourceSpec>
