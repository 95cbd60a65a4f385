import path from 'node:path'
import { BASE } from '../../../scripts/docs/finish.mjs'
import { sidebarOf } from '../../../scripts/docs/pages.mjs'

export default {
  base: BASE,
  title: 'Pilothouse',
  description: 'Documentation of the open web console for agent deployments',
  lang: 'en',
  cleanUrls: true,
  // The map of page hashes in a file of its own, so that a changed page does not change all others.
  metaChunk: true,
  lastUpdated: false,
  // One page at a time, so that the index of the search numbers them in the same order in every build.
  buildConcurrency: 1,
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: `${BASE}icon.svg` }]],
  rewrites: { 'decisions/README.md': 'decisions/index.md' },
  markdown: { config: (md) => md.set({ linkify: false }), languageAlias: { caddy: 'nginx' } },
  themeConfig: {
    logo: { light: '/icon.svg', dark: '/icon-dark.svg', alt: '' },
    logoLink: BASE,
    search: { provider: 'local' },
    outline: { level: [2, 3] },
    nav: [
      { text: 'Start', link: '/start/five-minutes' },
      { text: 'Use', link: '/use/home' },
      { text: 'Recipes', link: '/recipes/roll-back' },
      { text: 'Operate', link: '/operate' },
      { text: 'Build on it', link: '/build/http-api' },
      { component: 'ConsoleLink' },
    ],
    sidebar: sidebarOf(path.resolve(import.meta.dirname, '..')),
  },
  vite: { logLevel: 'warn', build: { chunkSizeWarningLimit: 2000 } },
}
