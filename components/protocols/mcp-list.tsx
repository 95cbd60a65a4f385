import { type ReactNode, type RefObject, useRef } from 'react'
import { EmptyState } from '@/components/shared/feedback/empty-state'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { DetailSheet } from '@/components/shared/list/detail-sheet'
import { useFocusOnButton, useIsNarrow } from '@/components/shared/list/use-sheet'
import { VisibleText } from '@/components/shared/text/visible-text'
import { Skeleton } from '@/components/ui/loading'
import { cn } from '@/lib/cn'
import { ExchangeView, RpcErrorNotice } from './exchange-view'
import type { useMcpList } from './use-mcp-list'

export type ListItem = { key: string; title: string; name?: string; description?: string }

type Props = {
  /** Plural: "Tools". */
  label: string
  /** Singular with article: "a tool". */
  one: string
  list: Pick<ReturnType<typeof useMcpList>, 'exchanges' | 'error' | 'refusal' | 'isRead' | 'retry'>
  items: readonly ListItem[]
  current: string | undefined
  /** A name that was asked for and is not in the list. */
  missing?: string | undefined
  /** Called with an empty key to close the console. */
  onOpen: (key: string, how: 'replace' | 'push') => void
  /** The console of the selected item. */
  children: ReactNode
}

/** A list of tools, prompts or resources next to the console of the selected one, or why there is no list. */
export function McpListView({ label, one, list, items, current, missing, onOpen, children }: Props) {
  const { exchanges, error, refusal, isRead, retry } = list
  const hasFailed = error !== undefined || refusal !== undefined
  const isNarrow = useIsNarrow()
  const rows = useRef<HTMLElement>(null)
  useFocusOnButton(rows, current ?? '')
  return (
    <div className="space-y-4">
      {error ? <ErrorNotice error={error} onRetry={retry} /> : null}
      {refusal ? <RpcErrorNotice error={refusal} /> : null}
      {hasFailed ? <ExchangeView exchanges={exchanges} /> : null}
      {!isRead ? (
        <Skeleton className="h-64" />
      ) : hasFailed && items.length === 0 ? null : (
        <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-4 lg:grid-cols-[minmax(14rem,20rem)_minmax(0,1fr)]">
          <Items
            ref={rows}
            label={label}
            items={items}
            current={current}
            onOpen={(key) => onOpen(key, isNarrow ? 'push' : 'replace')}
          />
          {current !== undefined ? (
            <DetailSheet
              label="Details"
              title={<VisibleText>{items.find(({ key }) => key === current)?.title ?? ''}</VisibleText>}
              onClose={() => onOpen('', 'replace')}
            >
              <div className="min-w-0 max-lg:overflow-y-auto max-lg:overscroll-contain max-lg:p-3">{children}</div>
            </DetailSheet>
          ) : missing ? (
            <div className="rounded-lg border bg-panel">
              <EmptyState title="Not found">
                The server does not list <VisibleText>{missing.slice(0, 500)}</VisibleText>. Choose {one} from the list.
              </EmptyState>
            </div>
          ) : items.length > 0 ? (
            <div className="rounded-lg border bg-panel max-lg:hidden">
              <EmptyState title={`Choose ${one}`}>Its arguments and result appear here.</EmptyState>
            </div>
          ) : null}
        </div>
      )}
    </div>
  )
}

type ItemsProps = Pick<Props, 'label' | 'items' | 'current'> & {
  ref: RefObject<HTMLElement | null>
  onOpen: (key: string) => void
}

const Items = ({ ref, label, items, current, onOpen }: ItemsProps) => (
  <section ref={ref} aria-label={label} className="min-w-0 overflow-hidden rounded-lg border bg-panel">
    <h2 className="border-b px-3 py-2 font-semibold text-sm">{label}</h2>
    {items.length === 0 ? (
      <EmptyState title={`No ${label.toLowerCase()}`} />
    ) : (
      <ul className="divide-y lg:max-h-[32rem] lg:overflow-y-auto">
        {items.map(({ key, title, name, description }) => (
          <li key={key}>
            <button
              type="button"
              value={key}
              aria-current={key === current || undefined}
              className={cn('block w-full px-3 py-2 text-left hover:bg-hover', key === current && 'bg-accent-soft')}
              onClick={() => onOpen(key)}
            >
              <span className="block break-words font-medium text-sm">
                <VisibleText>{title}</VisibleText>
              </span>
              {name && name !== title ? (
                <code className="block break-all font-mono text-ink-3 text-xs">
                  <VisibleText>{name.slice(0, 500)}</VisibleText>
                </code>
              ) : null}
              {description ? (
                <span className="line-clamp-2 block break-words text-ink-2 text-xs">
                  <VisibleText>{description.slice(0, 400)}</VisibleText>
                </span>
              ) : null}
            </button>
          </li>
        ))}
      </ul>
    )}
  </section>
)
