import type { Route } from 'next'
import type { Role } from '@/lib/contracts/wire/api'
import { routes } from '@/lib/routes'

/** Something to do with a deployment. `words` are what people type; the first is the longest that begins like it. */
export type Verb = {
  id: string
  words: readonly string[]
  label: (deployment: string) => string
  role: Role
  href: (workspace: string, deploymentId: string) => Route
}

export const VERBS: readonly Verb[] = [
  {
    id: 'run',
    words: ['start a run', 'start run', 'run'],
    label: (name) => `Start a run on ${name}`,
    role: 'developer',
    href: (w, d) => routes.newRun(w, d),
  },
  {
    id: 'chat',
    words: ['new thread', 'new chat', 'chat', 'talk to'],
    label: (name) => `New thread on ${name}`,
    role: 'developer',
    href: (w, d) => routes.chat(w, d),
  },
  {
    id: 'logs',
    words: ['logs'],
    label: (name) => `Logs of ${name}`,
    role: 'viewer',
    href: (w, d) => routes.logs(w, d),
  },
  {
    id: 'secrets',
    words: ['secrets', 'edit secrets'],
    label: (name) => `Secrets of ${name}`,
    role: 'viewer',
    href: (w, d) => routes.deploymentSecrets(w, d),
  },
  {
    id: 'redeploy',
    words: ['redeploy'],
    label: (name) => `Redeploy ${name}…`,
    role: 'admin',
    href: (w, d) => routes.revisions(w, d, { do: 'redeploy' }),
  },
  {
    id: 'rollback',
    words: ['roll back', 'rollback'],
    label: (name) => `Roll back ${name}…`,
    role: 'admin',
    href: (w, d) => routes.revisions(w, d, { do: 'rollBack' }),
  },
]

const wordsOf = (text: string): string[] =>
  text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)

/** Whether each word of the search begins a word of the text, in the same order. */
export function matches(text: string, search: string): boolean {
  const words = wordsOf(text)
  let from = 0
  return wordsOf(search).every((sought) => {
    const at = words.findIndex((word, index) => index >= from && word.startsWith(sought))
    from = at + 1
    return at >= 0
  })
}

const BETWEEN = new Set(['on', 'of', 'for', 'in', 'with', 'to'])

/** The verbs that a search begins with, and the name of the deployment that follows. */
export function readSearch(search: string): { verbs: readonly Verb[]; name: string } {
  const typed = wordsOf(search)
  let best = { verbs: [] as Verb[], length: 0 }
  for (const verb of VERBS)
    for (const phrase of verb.words) {
      const words = wordsOf(phrase)
      // All words of the phrase, of which the last typed one may be unfinished.
      const length = Math.min(words.length, typed.length)
      const isTyped = words
        .slice(0, length)
        .every((word, at) => (at === typed.length - 1 ? word.startsWith(typed[at] ?? '') : word === typed[at]))
      if (length === 0 || !isTyped || length < best.length) continue
      if (length > best.length) best = { verbs: [], length }
      if (!best.verbs.includes(verb)) best.verbs.push(verb)
    }
  const rest = typed.slice(best.length)
  while (rest[0] !== undefined && BETWEEN.has(rest[0])) rest.shift()
  // The rest of the search as it was typed: names have hyphens.
  const first = rest[0]
  const name = first === undefined || best.length === 0 ? '' : search.slice(startOf(search, first))
  return { verbs: best.verbs, name: best.length === 0 ? search.trim() : name.trim() }
}

const startOf = (search: string, word: string): number => {
  const at = new RegExp(`(?<![\\p{L}\\p{N}])${word}`, 'iu').exec(search)
  return at ? at.index : 0
}
