import { SDK } from '@/lib/contracts/wire/dialect'
import { KEY_VARIABLE, shell } from '@/lib/format/format'

export type SnippetKind = 'curl' | 'typescript' | 'python'
export const SNIPPETS: readonly { kind: SnippetKind; label: string }[] = [
  { kind: 'curl', label: 'curl' },
  { kind: 'typescript', label: 'TypeScript' },
  { kind: 'python', label: 'Python' },
]

const INPUT = { messages: [{ role: 'user', content: 'Hello' }] }

/** Code for a first run on an agent server. `graph` is a graph name or an assistant id. */
export function snippet(kind: SnippetKind, url: string, graph: string): string {
  const base = url.replace(/\/+$/, '')
  if (kind === 'curl')
    return [
      `curl ${shell(`${base}/runs/wait`)} \\`,
      `  -H "X-Api-Key: $${KEY_VARIABLE}" \\`,
      `  -H 'Content-Type: application/json' \\`,
      `  -d ${shell(JSON.stringify({ assistant_id: graph, input: INPUT }))}`,
    ].join('\n')
  if (kind === 'typescript')
    return [
      `import { Client } from '${SDK.npm}'`,
      '',
      `const client = new Client({ apiUrl: ${JSON.stringify(base)}, apiKey: process.env.${KEY_VARIABLE} })`,
      `const answer = await client.runs.wait(null, ${JSON.stringify(graph)}, {`,
      `  input: ${JSON.stringify(INPUT)},`,
      '})',
    ].join('\n')
  return [
    'import os',
    `from ${SDK.python} import get_sync_client`,
    '',
    `client = get_sync_client(url=${JSON.stringify(base)}, api_key=os.environ["${KEY_VARIABLE}"])`,
    `answer = client.runs.wait(None, ${JSON.stringify(graph)}, input=${JSON.stringify(INPUT)})`,
  ].join('\n')
}
