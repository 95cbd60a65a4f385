import { Fragment, type ReactNode } from 'react'
import { VisibleText } from './visible-text'

/** Names and values in two columns; rows without a value are omitted. */
export const KeyValues = ({ items }: { items: [name: string, value: ReactNode][] }) => (
  <dl className="grid grid-cols-[7.5rem_minmax(0,1fr)] items-baseline gap-x-3 gap-y-1.5">
    {items
      .filter(([, value]) => value !== null && value !== undefined && value !== '' && value !== false)
      .map(([name, value]) => (
        <Fragment key={name}>
          <dt className="truncate text-ink-3 text-xs leading-5" title={name}>
            {name}
          </dt>
          <dd className="min-w-0 break-words">
            {typeof value === 'string' ? <VisibleText>{value}</VisibleText> : value}
          </dd>
        </Fragment>
      ))}
  </dl>
)
