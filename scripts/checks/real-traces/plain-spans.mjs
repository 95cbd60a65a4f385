// Spans of OpenTelemetry without what differs from one machine to the next, and the runs that the platform makes of them.
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'

/**
 * Spans as one request, with ids counted from one and without the description of the process.
 * @param {readonly any[]} requests as exporters sent them
 */
export function plainSpans(requests) {
  const scopeSpans = requests.flatMap(({ resourceSpans }) => resourceSpans.flatMap((group) => group.scopeSpans))
  const text = JSON.stringify({ resourceSpans: [{ resource: { attributes: [] }, scopeSpans }] })
  /** @type {Map<string, string>} */
  const ids = new Map()
  const idOf = (id) => {
    if (!ids.has(id)) ids.set(id, String(ids.size + 1).padStart(id.length, '0'))
    return ids.get(id)
  }
  return JSON.parse(text.replace(/(?<="(?:trace|span|parentSpan)Id":")[0-9a-f]+(?=")/g, (id) => String(idOf(id))))
}

/** The platform's own conversion, built into `folder`. @param {string} root @param {string} folder */
export async function loadConversion(root, folder) {
  const outfile = path.join(folder, 'conversion.mjs')
  const contents = `export { readSpans } from './spans'; export { runOfSpan, spanRunId } from './run'`
  const resolveDir = path.join(root, 'platform/traces/otlp')
  await build({
    stdin: { contents, resolveDir },
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile,
    logLevel: 'error',
  })
  const { readSpans, runOfSpan, spanRunId } = await import(pathToFileURL(outfile).href)
  return (request) => {
    const runs = JSON.parse(JSON.stringify(readSpans(request).spans.map(runOfSpan)))
    // As the platform links them: the id of a trace is its root's.
    const idOf = new Map(
      runs.map(({ id, extra: { metadata } }) => [spanRunId(metadata.otel_trace_id, metadata.otel_span_id), id]),
    )
    for (const run of runs) if (run.parent_run_id) run.parent_run_id = idOf.get(run.parent_run_id) ?? run.parent_run_id
    return runs.sort((one, other) => one.start_time - other.start_time)
  }
}
