'use client'

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { ExternalLink, Pencil, Trash2 } from 'lucide-react'
import dynamic from 'next/dynamic'
import { useState } from 'react'
import { ErrorNotice, useTryAgain } from '@/components/shared/feedback/error-notice'
import { STALE_STYLE, StaleNotice, staleOf } from '@/components/shared/feedback/stale-notice'
import { ConfirmDialog } from '@/components/shared/form/confirm-dialog'
import { PageHeader } from '@/components/shared/layout/page-header'
import { useReasons } from '@/components/shared/layout/rights'
import { type Column, DataTable } from '@/components/shared/list/data-table'
import { usePages } from '@/components/shared/list/use-pages'
import { VisibleText } from '@/components/shared/text/visible-text'
import { Button } from '@/components/ui/button'
import { deletePrice } from '@/lib/actions/prices'
import { cn } from '@/lib/cn'
import { pricesQuery } from '@/lib/queries/traces'
import type { StoredPrice } from '@/lib/traces/cost'

const PriceDialog = dynamic(() => import('./price-dialog').then((module) => module.PriceDialog), { ssr: false })
const PriceImport = dynamic(() => import('./price-import').then((module) => module.PriceImport), { ssr: false })

type Open = { kind: 'none' | 'add' | 'paste' } | { kind: 'change' | 'delete'; price: StoredPrice }

/** The model prices that traces use. Only administrators can edit them. */
export function PricesPage({ workspace }: { workspace: string }) {
  const query = pricesQuery(workspace)
  const result = useQuery(query)
  const { data } = result
  const error = result.error ?? result.failureReason
  const stale = staleOf({ ...result, error })
  const retry = useTryAgain(query.queryKey)
  const client = useQueryClient()
  const reason = useReasons().administer
  const [open, setOpen] = useState<Open>({ kind: 'none' })
  const own = data?.filter(({ source }) => !source)
  const shipped = data?.filter(({ source }) => source)
  const pages = usePages(
    shipped ?? [],
    'Search by model or provider',
    ({ model, provider }) => `${model} ${provider ?? ''}`,
  )
  const close = () => setOpen({ kind: 'none' })
  const onPrices = (prices: StoredPrice[]) => {
    client.setQueryData(query.queryKey, prices)
    close()
  }
  const actions: Column<StoredPrice> = {
    id: 'actions',
    header: <span className="sr-only">Actions</span>,
    isAside: true,
    className: 'w-20 text-right',
    cell: (price) => (
      <span className="inline-flex">
        <Button
          variant="ghost"
          size="icon"
          reason={reason}
          aria-label={`${price.source ? 'Replace' : 'Edit'} the price of ${price.model}`}
          onClick={() => setOpen({ kind: 'change', price })}
        >
          <Pencil />
        </Button>
        {price.source ? null : (
          <Button
            variant="ghost"
            size="icon"
            reason={reason}
            aria-label={`Delete the price of ${price.model}`}
            onClick={() => setOpen({ kind: 'delete', price })}
          >
            <Trash2 />
          </Button>
        )}
      </span>
    ),
  }
  return (
    <>
      <PageHeader
        title="Model prices"
        actions={
          <>
            <Button reason={reason} onClick={() => setOpen({ kind: 'paste' })}>
              Paste CSV
            </Button>
            <Button variant="primary" reason={reason} onClick={() => setOpen({ kind: 'add' })}>
              Add price
            </Button>
          </>
        }
      >
        <p className="mt-1 max-w-2xl text-ink-2">
          US dollars per million tokens. Used in traces for runs without a logged cost. This workspace’s prices win over
          the shipped ones. A model without a price shows no cost.
        </p>
      </PageHeader>
      {stale ? <StaleNotice {...stale} onRetry={retry} /> : null}
      {error && !data ? (
        <ErrorNotice error={error.view} onRetry={retry} />
      ) : (
        <DataTable
          label="Model prices"
          className={stale && STALE_STYLE}
          columns={[...COLUMNS, actions]}
          rows={own}
          rowKey={({ id }) => id}
          empty={<p className="px-4 py-3 text-ink-2">No prices of this workspace. The shipped prices below apply.</p>}
        />
      )}
      {shipped ? (
        <section aria-labelledby="shipped-prices" className={cn('mt-8', stale && STALE_STYLE)}>
          <h2 id="shipped-prices" className="font-medium text-ink">
            Shipped prices
          </h2>
          <p className="mt-1 mb-3 max-w-2xl text-ink-2">
            List prices as the providers published them on the day they were checked. Replace one if your contract says
            otherwise, or if it has changed.
          </p>
          {pages.search}
          <DataTable
            label="Shipped prices"
            columns={[...COLUMNS, CHECKED, actions]}
            rows={pages.rows}
            rowKey={({ id }) => id}
            empty={pages.noMatch}
          />
          {pages.pager}
        </section>
      ) : null}
      {open.kind === 'add' || open.kind === 'change' ? (
        <PriceDialog
          workspace={workspace}
          price={open.kind === 'change' ? open.price : undefined}
          onClose={close}
          onPrices={onPrices}
        />
      ) : null}
      {open.kind === 'paste' ? <PriceImport workspace={workspace} onClose={close} onPrices={onPrices} /> : null}
      <ConfirmDialog
        open={open.kind === 'delete'}
        onOpenChange={close}
        title={`Delete the price of ${open.kind === 'delete' ? open.price.model : ''}?`}
        verb="Delete price"
        action={() => deletePrice({ workspace, id: open.kind === 'delete' ? open.price.id : '' })}
        onDone={() => void client.invalidateQueries({ queryKey: query.queryKey })}
      >
        Runs that use it will show the cost from the next matching or shipped price, or none.
      </ConfirmDialog>
    </>
  )
}

const COLUMNS: Column<StoredPrice>[] = [
  {
    id: 'model',
    header: 'Model',
    className: 'w-full max-w-0',
    cell: ({ model, provider, validFrom }) => (
      <>
        <code className="block truncate font-mono text-xs" title={model}>
          <VisibleText>{model}</VisibleText>
        </code>
        {/* Where the columns are hidden that tell two prices of a model apart. */}
        <span className="block truncate font-normal text-ink-3 text-xs sm:hidden">
          <VisibleText>{[provider ?? 'Any', validFrom && `from ${validFrom}`].filter(Boolean).join(', ')}</VisibleText>
        </span>
      </>
    ),
  },
  {
    id: 'provider',
    header: 'Provider',
    from: 'sm',
    className: 'text-ink-2',
    cell: ({ provider }) => (provider ? <VisibleText>{provider}</VisibleText> : 'Any'),
  },
  amount('Input', ({ input }) => input),
  amount('Output', ({ output }) => output),
  amount('Cached input', ({ cachedInput }) => cachedInput, 'md'),
  amount('Reasoning', ({ reasoning }) => reasoning, 'lg'),
  amount('Cache write', ({ cacheWrite }) => cacheWrite, 'xl', '1.25 ×'),
  amount('For 1 h', ({ cacheWrite1h }) => cacheWrite1h, 'xl', '2 ×'),
  {
    id: 'from',
    header: 'From',
    from: 'sm',
    className: 'whitespace-nowrap text-ink-2 tabular-nums',
    cell: ({ validFrom }) => validFrom ?? 'Always',
  },
]

const CHECKED: Column<StoredPrice> = {
  id: 'checked',
  header: 'Checked',
  from: 'sm',
  className: 'whitespace-nowrap text-ink-2 tabular-nums',
  cell: ({ source }) =>
    source ? (
      <a
        href={source.url}
        target="_blank"
        rel="noreferrer"
        title={[source.url, source.note].filter(Boolean).join('\n')}
        className="inline-flex items-center gap-1 hover:underline"
      >
        {source.checked}
        {source.note ? ' *' : ''}
        <ExternalLink aria-hidden className="size-3" />
        <span className="sr-only">Open the provider’s prices. {source.note}</span>
      </a>
    ) : null,
}

function amount(
  header: string,
  read: (price: StoredPrice) => number | null,
  from?: 'md' | 'lg' | 'xl',
  otherwise = 'same',
): Column<StoredPrice> {
  return {
    id: header,
    header,
    ...(from && { from }),
    className: 'text-right tabular-nums',
    cell: (price) => {
      const value = read(price)
      return value === null ? <span className="text-ink-3">{otherwise}</span> : `$${value}`
    },
  }
}
