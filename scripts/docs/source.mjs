// Turns the repository's Markdown into sources of the site: links that leave it become text, pictures follow the theme.
import { existsSync } from 'node:fs'
import path from 'node:path'
import { ROOT_PAGES } from './pages.mjs'

const FENCE = /(^```[\s\S]*?^```$)/m

/**
 * Rewrites one document, whose path in the repository is `from`.
 * @param {string} text
 * @param {{ from: string, root: string }} place
 */
export function toSource(text, { from, root }) {
  const folder = path.posix.dirname(from)
  const link = (whole, label, target) => {
    if (/^([a-z]+:|#)/i.test(target)) return whole
    const [file, anchor] = target.split('#')
    const named = path.posix.normalize(path.posix.join(folder, file))
    const page = ROOT_PAGES[named] ?? (named === 'README.md' ? 'index.md' : named.replace(/^docs\//, ''))
    if (page === named) return label
    // From the root of the site, because a folder's page is served with and without a slash at its end.
    const address = `/${page.replace(/(^|\/)(index|README)\.md$/, '$1').replace(/\.md$/, '')}`
    return `[${label}](${address}${anchor && named !== 'README.md' ? `#${anchor}` : ''})`
  }
  const picture = (whole, label, target) => {
    const dark = target.replace(/\.png$/, '-dark.png')
    if (!target.endsWith('.png') || !existsSync(path.join(root, folder, dark))) return whole
    const alt = label.replaceAll('"', '&quot;')
    return `<img class="light-only" src="./${target}" alt="${alt}" loading="lazy"><img class="dark-only" src="./${dark}" alt="${alt}" loading="lazy">`
  }
  return text
    .split(FENCE)
    .map((part) =>
      part.startsWith('```')
        ? part
        : part
            // The changelog's links to the repository's host.
            .replace(/^\[[^\]]+\]: \.\.\/.*\n?/gm, '')
            .replace(/^## \[([^\]]+)\]/gm, '## $1')
            .replace(/!\[([^\]]*)\]\(([^)\s]+)\)/g, picture)
            .replace(/(?<!!)\[((?:[^[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)/g, link),
    )
    .join('')
}
