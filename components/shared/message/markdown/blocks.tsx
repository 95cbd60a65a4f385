import type { Token, Tokens } from 'marked'
import { VisibleText } from '@/components/shared/text/visible-text'
import { cn } from '@/lib/cn'
import { CodeBlock } from './code-block'
import { Formula } from './formula'
import { FOOTNOTE, Inline } from './inline'
import type { FootnoteToken, MathToken } from './markdown-model'

type Props = {
  tokens: readonly Token[]
  /** Whether the last block may still grow. */
  isOpen: boolean
}

export function Blocks({ tokens, isOpen }: Props) {
  const shown = tokens.filter(({ type }) => type !== 'space' && type !== 'checkbox')
  return shown.map((token, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a block that changes is read again as a whole
    <Block key={index} token={token} isOpen={isOpen && index === shown.length - 1} />
  ))
}

function Block({ token, isOpen }: { token: Token; isOpen: boolean }) {
  switch (token.type) {
    case 'heading':
      return (
        // Not a heading element, because a message must not change the page's outline.
        <p className={cn('font-semibold', token.depth <= 2 ? 'text-lg' : 'text-base')}>
          <Inline tokens={token.tokens} />
        </p>
      )
    case 'list':
      return <List list={token as Tokens.List} isOpen={isOpen} />
    case 'table':
      return <Table table={token as Tokens.Table} />
    case 'blockquote':
      return (
        <blockquote className="space-y-2 border-line-strong border-s-2 ps-3 text-ink-2">
          <Blocks tokens={token.tokens ?? []} isOpen={isOpen} />
        </blockquote>
      )
    case 'code':
      return <CodeBlock code={token.text} language={token.lang ?? ''} isOpen={isOpen} />
    case 'hr':
      return <hr className="border-line" />
    case 'math': {
      const math = token as MathToken
      return <Formula source={math.text} isBlock={math.isBlock} />
    }
    case 'footnote': {
      const note = token as FootnoteToken
      return (
        <p tabIndex={-1} {...{ [FOOTNOTE]: note.label }} className="flex gap-2 whitespace-pre-wrap text-ink-2 text-sm">
          <span className="shrink-0 text-ink-3">
            <VisibleText>{note.label}</VisibleText>
          </span>
          <span className="min-w-0">
            <Inline tokens={note.tokens} />
          </span>
        </p>
      )
    }
    default:
      return (
        <p className="whitespace-pre-wrap">
          <Inline tokens={'tokens' in token && token.tokens ? token.tokens : [token]} />
        </p>
      )
  }
}

function List({ list, isOpen }: { list: Tokens.List; isOpen: boolean }) {
  const Tag = list.ordered ? 'ol' : 'ul'
  const first = list.start === '' ? 1 : list.start
  return (
    <Tag className={cn(list.loose ? 'space-y-2' : 'space-y-1')}>
      {list.items.map((item, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a list that changes is read again as a whole
        <li key={index} className="flex gap-2">
          <Marker item={item} text={list.ordered ? `${first + index}.` : '•'} />
          <div className="min-w-0 flex-1 space-y-1">
            <Blocks tokens={item.tokens} isOpen={isOpen && index === list.items.length - 1} />
          </div>
        </li>
      ))}
    </Tag>
  )
}

const Marker = ({ item, text }: { item: Tokens.ListItem; text: string }) =>
  item.task ? (
    <input
      type="checkbox"
      disabled
      checked={item.checked ?? false}
      aria-label={item.checked ? 'Done' : 'Not done'}
      className="mt-1 size-3.5 shrink-0 accent-accent"
    />
  ) : (
    <span className="min-w-4 shrink-0 select-none text-end text-ink-3">{text}</span>
  )

const Table = ({ table }: { table: Tokens.Table }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
  <div tabIndex={0} className="max-w-full overflow-x-auto">
    <table className="border-collapse text-sm">
      <thead>
        <tr>
          {table.header.map((cell, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: columns have no names of their own
            <th key={index} className={cn('border bg-sunken px-2 py-1 font-semibold', alignment(cell))}>
              <Inline tokens={cell.tokens} />
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {table.rows.map((row, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows are only appended
          <tr key={at}>
            {row.map((cell, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: columns have no names of their own
              <td key={index} className={cn('border px-2 py-1 align-top', alignment(cell))}>
                <Inline tokens={cell.tokens} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)

const alignment = ({ align }: Tokens.TableCell) =>
  ({ left: 'text-left', center: 'text-center', right: 'text-right', start: 'text-start' })[align ?? 'start']
