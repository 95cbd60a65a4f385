import { common, createLowlight } from 'lowlight'
import type { ReactNode } from 'react'
import { visibleText } from '@/components/shared/text/visible-text'

const lowlight = createLowlight(common)

/** Scopes of the highlighter that have a colour; all others look like plain code. */
const COLOURS: Record<string, string> = {
  comment: 'text-ink-3 italic',
  quote: 'text-ink-3 italic',
  keyword: 'text-accent',
  built_in: 'text-accent',
  type: 'text-accent',
  tag: 'text-accent',
  'selector-tag': 'text-accent',
  name: 'text-accent',
  attr: 'text-progress',
  attribute: 'text-progress',
  number: 'text-progress',
  variable: 'text-progress',
  title: 'text-progress',
  string: 'text-ok',
  regexp: 'text-ok',
  addition: 'text-ok',
  literal: 'text-warn',
  symbol: 'text-warn',
  meta: 'text-warn',
  deletion: 'text-error',
}

type Nodes = ReturnType<typeof lowlight.highlight>['children']

/** Code with colours, or undefined for a language that is not known. */
export function highlighted(code: string, language: string): ReactNode | undefined {
  const name = language.toLowerCase().split(/[\s{:,]/)[0] ?? ''
  return lowlight.registered(name) ? draw(lowlight.highlight(name, code).children) : undefined
}

function draw(nodes: Nodes): ReactNode[] {
  return nodes.map((node, index) => {
    if (node.type === 'text') return visibleText(node.value)
    if (node.type !== 'element') return null
    const classes = Array.isArray(node.properties.className) ? node.properties.className : []
    const scope = String(classes[0] ?? '').replace(/^hljs-/, '')
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: the code does not change
      <span key={index} className={Object.hasOwn(COLOURS, scope) ? COLOURS[scope] : undefined}>
        {draw(node.children as Nodes)}
      </span>
    )
  })
}
