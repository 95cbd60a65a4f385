// Pages that are generated from the code: the variables, the HTTP API and the operations of the upstream APIs.
import { mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { build } from 'esbuild'
import { root } from '../bootstrap.mjs'

const SOURCES = `
export { settings } from './lib/server/process/env'
export { gatewaySettings, platformSettings } from './platform/kernel/env'
export { controlPlane } from './lib/contracts/control-plane'
export { agentServer } from './lib/contracts/agent-server'
export { traces } from './lib/contracts/traces'
export { openapiDocument } from './lib/server/http-api/openapi'
export { deploymentRoutes } from './lib/server/http-api/deployment-routes'
export { workspaceRoutes } from './lib/server/http-api/workspace-routes'
export { z } from 'zod'
`

let loaded
/** The parts of the program that are documented. CommonJS, because Next.js's packages have no ES modules. */
function load() {
  loaded ??= (async () => {
    const outfile = path.join(root, '.build/docs-tables.cjs')
    mkdirSync(path.dirname(outfile), { recursive: true })
    await build({
      absWorkingDir: root,
      stdin: { contents: SOURCES, resolveDir: root, loader: 'ts' },
      outfile,
      bundle: true,
      packages: 'external',
      alias: { 'server-only': path.join(root, 'scripts/vitest/empty.mjs'), '@': root },
      platform: 'node',
      format: 'cjs',
      logLevel: 'error',
    })
    return createRequire(import.meta.url)(outfile)
  })()
  return loaded
}

/** Of one cell of a table. */
const cell = (text) =>
  String(text).replaceAll('|', '\\|').replaceAll('\n', ' ').replaceAll('<', '&lt;').replaceAll('{{', '&#123;{')
const table = (heads, rows) =>
  [heads, heads.map(() => '---'), ...rows.map((row) => row.map(cell))].map((row) => `| ${row.join(' | ')} |`).join('\n')

/** Sections, comments and examples of `.env.example`, which says what each variable is for. */
function describedVariables() {
  const sections = []
  let comment = []
  for (const line of readFileSync(path.join(root, '.env.example'), 'utf8').split('\n')) {
    const section = /^# --- (.+) ---$/.exec(line)
    const variable = /^# ([A-Z][A-Z0-9_]+)=(.*)$/.exec(line)
    if (section) sections.push({ title: section[1], variables: [] })
    else if (variable)
      sections.at(-1)?.variables.push({ name: variable[1], example: variable[2], meaning: comment.join(' ') })
    if (section || line === '') comment = []
    else if (!variable) comment.push(line.replace(/^# ?/, ''))
  }
  return sections
}

/** A variable without a text of its own shares that of the one before it. */
const withSharedTexts = (variables) =>
  variables.map((one, at) => {
    let from = at
    while (from > 0 && variables[from].meaning === '') from--
    return { ...one, meaning: variables[from].meaning }
  })

export async function variablesPage() {
  const { settings, platformSettings, gatewaySettings, z } = await load()
  const facts = new Map()
  for (const schema of [gatewaySettings, platformSettings, settings]) {
    const { properties } = z.toJSONSchema(schema, { io: 'output', unrepresentable: 'any' })
    const known = schema.parse({ DATABASE_URL: 'postgres://localhost/x', PILOTHOUSE_GATEWAY_KEY: 'x'.repeat(32) })
    for (const name of Object.keys(properties)) facts.set(name, { ...properties[name], usual: known[name] })
  }
  const usualOf = ({ usual }, name) =>
    ['string', 'number'].includes(typeof usual) &&
    usual !== '' &&
    !/^(DATABASE_URL|PILOTHOUSE_DATA|PILOTHOUSE_GATEWAY_KEY)$/.test(name)
      ? `\`${usual}\``
      : ''
  const parts = describedVariables().map(({ title, variables }) => {
    const rows = withSharedTexts(variables).map(({ name, meaning, example }) => {
      const fact = facts.get(name) ?? {}
      const values = fact.enum ? ` One of ${fact.enum.map((one) => `\`${one}\``).join(', ')}.` : ''
      const usual = usualOf(fact, name)
      const shown = example && `\`${example}\`` !== usual && !fact.enum ? ` Example: \`${example}\`` : ''
      return [`\`${name}\``, `${meaning}${values}${shown}`, usual]
    })
    return `## ${title}\n\n${table(['Variable', 'Meaning', 'Default'], rows)}`
  })
  return `# Variables

All settings are environment variables, and all are optional for \`npm start\`. To keep them in a file, copy \`.env.example\` to \`.env\` and
run \`node --env-file=.env scripts/start.mjs\`. A wrong value ends the start with a line that says which variable and why. This page is
generated from the schemas that check them.

**Several consoles** can share one database. They need the same \`DATABASE_URL\`, \`PILOTHOUSE_SEALING_KEY\`, \`NEXTAUTH_SECRET\`,
\`NEXTAUTH_URL\`, and the same settings of sign-in and of the control plane.

${parts.join('\n\n')}
`
}

const operations = (rows) =>
  table(
    ['Operation', 'Request', 'Role', 'Effect'],
    Object.values(rows).map(({ id, method, path: place, role, effect }) => [
      `\`${id}\``,
      `\`${method} ${place}\``,
      role,
      effect,
    ]),
  )

export async function platformPage() {
  const { controlPlane, agentServer, traces } = await load()
  return `# The APIs behind it

The requests that the console may send, generated from the operation tables in \`lib/contracts\`. The embedded platform serves these APIs:
its address and key are in \`.data/platform.json\`, and the key is the header \`x-api-key\`. [Decision 20](/decisions/0020-control-plane-operations)
says which operations of the control plane it leaves out.

The role is the lowest one that may use the operation through the console. Every write is recorded in the audit trail before it is sent.

## Control plane

${operations(controlPlane)}

## Agent server

Below a deployment's URL.

${operations(agentServer)}

## Traces

${operations(traces)}
`
}

const typeOf = (schema = {}) => {
  if (schema.enum) return schema.enum.map((one) => `\`${one}\``).join(', ')
  if (schema.anyOf) return [...new Set(schema.anyOf.map(typeOf))].join(' or ')
  if (schema.type === 'array') return `list of ${typeOf(schema.items)}`
  return schema.type ?? (schema.const === undefined ? 'any' : `\`${schema.const}\``)
}
const fieldsOf = (schema) =>
  Object.entries(schema?.properties ?? {}).map(([name, field]) => [
    `\`${name}\`${schema.required?.includes(name) ? '' : ' (optional)'}`,
    typeOf(field),
    field.description ?? '',
  ])

function routeText(place, method, { summary, description, parameters, requestBody, responses }) {
  const given = parameters
    .filter((one) => one.name !== 'Idempotency-Key')
    .map((one) => [
      `\`${one.name}\`${one.required ? '' : ' (optional)'}`,
      `${typeOf(one.schema)}${one.schema.default === undefined ? '' : `, ${one.schema.default} if not given`}`,
      one.description ?? '',
    ])
  const body = requestBody?.content['application/json'].schema
  const bodies = body?.properties ? [body] : (body?.anyOf ?? body?.oneOf ?? [])
  const [type, { schema }] = Object.entries(responses[200].content)[0]
  return [
    `### ${summary}`,
    `\`${method.toUpperCase()} /api/v1${place}\``,
    description,
    ...(given.length > 0 ? [table(['Parameter', 'Type', 'Meaning'], given)] : []),
    ...bodies.map((one) => `Body:\n\n${table(['Field', 'Type', 'Meaning'], fieldsOf(one))}`),
    type === 'application/json' && schema.properties
      ? `Response:\n\n${table(['Field', 'Type', 'Meaning'], fieldsOf(schema))}`
      : `Response: \`${type}\``,
  ].join('\n\n')
}

export async function httpApiPage() {
  const { openapiDocument, deploymentRoutes, workspaceRoutes } = await load()
  const { paths, tags, components } = openapiDocument([...workspaceRoutes, ...deploymentRoutes], '')
  const parts = tags.map(({ name }) => {
    const texts = Object.entries(paths).flatMap(([place, methods]) =>
      Object.entries(methods).flatMap(([method, one]) =>
        one.tags.includes(name) ? routeText(place, method, one) : [],
      ),
    )
    return `## ${name}\n\n${texts.join('\n\n')}`
  })
  return `# HTTP API

For scripts and CI. The console serves it below \`/api/v1\`, and its OpenAPI document at \`/api/v1/openapi.json\`; this page is generated
from that document.

Make a token under **Settings → API tokens**. It has a workspace, a role and, if wanted, some deployments.

\`\`\`sh
curl -H "Authorization: Bearer $PILOTHOUSE_TOKEN" "$PILOTHOUSE_URL/api/v1/deployments"
\`\`\`

- Writes take the header \`Idempotency-Key\`: a repeat with the same key gets the first result.
- A token may send 600 requests a minute. \`Retry-After\` says when to try again.
- A failure is a problem body (RFC 9457), with these fields:

${table(['Field', 'Type', 'Meaning'], fieldsOf(components.schemas.Problem))}

${parts.join('\n\n')}
`
}
