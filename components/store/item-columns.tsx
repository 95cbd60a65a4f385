import type { Column } from '@/components/shared/list/data-table'
import { RelativeTime } from '@/components/shared/text/relative-time'
import { VisibleText } from '@/components/shared/text/visible-text'
import type { Item } from '@/lib/contracts/agents/store'
import { isContainer, previewText, scalarText } from '@/lib/json/value'
import { namespaceText } from './store-place'

const Value = ({ value }: Pick<Item, 'value'>) => (
  <VisibleText>{isContainer(value) ? previewText(value, 160) : scalarText(value, 160)}</VisibleText>
)

export const itemColumns: Column<Item>[] = [
  {
    id: 'key',
    header: 'Key',
    className: 'max-md:w-full max-md:max-w-0',
    cell: ({ key, value }) => (
      <>
        <span className="block truncate font-mono text-xs" title={key}>
          <VisibleText>{key}</VisibleText>
        </span>
        <span className="block truncate font-mono font-normal text-ink-2 text-xs md:hidden">
          <Value value={value} />
        </span>
      </>
    ),
  },
  {
    id: 'namespace',
    header: 'Namespace',
    from: 'sm',
    cell: ({ namespace }) => (
      <span className="text-ink-2 text-xs" title={namespaceText(namespace)}>
        <VisibleText>{namespace.join(' › ')}</VisibleText>
      </span>
    ),
  },
  {
    id: 'value',
    header: 'Value',
    from: 'md',
    className: 'w-full max-w-0',
    cell: ({ value }) => (
      <span className="font-mono text-ink-2 text-xs">
        <Value value={value} />
      </span>
    ),
  },
  {
    id: 'updated',
    header: 'Changed',
    className: 'w-32 text-ink-2',
    cell: ({ updated_at: at }) => <RelativeTime at={at} />,
  },
]
