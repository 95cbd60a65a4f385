// Which pages the documentation site has, and in which order.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { httpApiPage, platformPage, variablesPage } from './tables.mjs'

/** Documents of the repository's root that are pages too. */
export const ROOT_PAGES = {
  'CONTRIBUTING.md': 'build/contributing.md',
  'SECURITY.md': 'vulnerabilities.md',
  'CHANGELOG.md': 'changelog.md',
}

/** Pages that are generated from the code. */
export const GENERATED = {
  'operate/variables.md': variablesPage,
  'build/http-api.md': httpApiPage,
  'build/platform-api.md': platformPage,
}

/** Sections in the order of the sidebar. A page's name is its first heading. */
export const SECTIONS = [
  { text: 'Start', pages: ['start/five-minutes', 'start/attach', 'start/hosted', 'start/self-hosted'] },
  {
    text: 'Use',
    pages: [
      ...['home', 'deployments', 'overview', 'chat', 'runs', 'run', 'threads', 'revisions', 'logs', 'traces', 'inbox'],
      ...['alerts', 'experiments', 'assistants', 'crons', 'store', 'protocols', 'system', 'deployment-settings'],
      ...['audit', 'members', 'settings', 'keyboard'],
    ].map((name) => `use/${name}`),
  },
  {
    text: 'Recipes',
    pages: ['roll-back', 'failed-run', 'review-interrupts', 'compare-prompts', 'rotate-a-secret'].map(
      (name) => `recipes/${name}`,
    ),
  },
  {
    text: 'Operate',
    pages: ['operate', 'operate/variables', 'scale', 'security', 'vulnerabilities', 'compatibility', 'changelog'],
  },
  {
    text: 'Build on it',
    pages: [
      ...[
        'build/deploy',
        'build/command-line',
        'build/http-api',
        'build/platform-api',
        'build/recording-file',
        'build/send-traces',
        'build/contributing',
      ],
      ...['architecture', 'mutation', 'decisions/README'],
    ],
  },
]

/** @param {string} folder */
const decisionsIn = (folder) =>
  readdirSync(path.join(folder, 'decisions'))
    .filter((file) => /^\d{4}-/.test(file))
    .sort()
    .map((file) => `decisions/${file.replace(/\.md$/, '')}`)

const titleOf = (file) => /^# (.+)$/m.exec(readFileSync(file, 'utf8'))?.[1]?.replaceAll('`', '') ?? file

/** The sidebar over a folder of finished sources. */
export function sidebarOf(source) {
  const item = (page) => ({
    text: titleOf(path.join(source, `${page}.md`)),
    link: `/${page.replace(/README$/, '')}`,
  })
  return [...SECTIONS, { text: 'More', pages: unlistedIn(source) }]
    .filter(({ pages }) => pages.length > 0)
    .map(({ text, pages }) => ({
      text,
      items: pages.map((page) =>
        page === 'decisions/README'
          ? { ...item(page), collapsed: true, items: decisionsIn(source).map(item) }
          : item(page),
      ),
    }))
}

/** Documents that no section names yet. */
export function unlistedIn(source) {
  const listed = new Set([...SECTIONS.flatMap(({ pages }) => pages), 'index'])
  return readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md') && !/^(decisions\/\d|\.vitepress)/.test(file))
    .map((file) => file.replace(/\.md$/, ''))
    .filter((page) => !listed.has(page))
    .sort()
}
