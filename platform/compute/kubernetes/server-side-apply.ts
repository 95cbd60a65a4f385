import http from 'node:http'
import https from 'node:https'
import type { KubeConfig, KubernetesObject } from '@kubernetes/client-node'
import type { ManifestObject } from './manifests'

const PLACES: Record<string, string> = {
  Deployment: 'apis/apps/v1',
  Job: 'apis/batch/v1',
  PodDisruptionBudget: 'apis/policy/v1',
  Service: 'api/v1',
  Secret: 'api/v1',
  HorizontalPodAutoscaler: 'apis/autoscaling/v2',
}
const TIMEOUT_MS = 30_000

/**
 * Creates or changes an object. Not with the client's own method, which drops the fields that it does not know: the
 * cluster should refuse them.
 */
export async function applyObject(
  config: KubeConfig,
  object: ManifestObject,
  { fieldManager, dryRun }: { fieldManager: string; dryRun?: 'All' | undefined },
): Promise<KubernetesObject> {
  const { kind = '', metadata } = object
  const url = new URL(config.getCurrentCluster()?.server ?? '')
  const base = url.pathname.replace(/\/$/, '')
  url.pathname = `${base}/${PLACES[kind]}/namespaces/${metadata?.namespace}/${kind.toLowerCase()}s/${metadata?.name}`
  url.search = new URLSearchParams({
    fieldManager,
    force: 'true',
    fieldValidation: 'Strict',
    ...(dryRun && { dryRun }),
  }).toString()
  const options: https.RequestOptions = {
    method: 'PATCH',
    headers: { 'content-type': 'application/apply-patch+yaml', accept: 'application/json' },
    timeout: TIMEOUT_MS,
  }
  await config.applyToHTTPSOptions(options)
  const { status, text } = await send(url, options, JSON.stringify(object))
  if (status >= 200 && status < 300) return JSON.parse(text)
  // As the client's own errors.
  throw Object.assign(new Error(`${kind} ${metadata?.name}: ${status}`), { code: status, body: text })
}

function send(url: URL, options: https.RequestOptions, body: string): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const request = (url.protocol === 'http:' ? http : https).request(url, options, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }))
      response.on('error', reject)
    })
    request.on('timeout', () => request.destroy(new Error(`No answer within ${TIMEOUT_MS / 1000} s`)))
    request.on('error', reject)
    request.end(body)
  })
}
