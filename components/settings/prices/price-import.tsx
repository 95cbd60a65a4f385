'use client'

import { type FormEvent, useMemo, useState } from 'react'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { FormButtons } from '@/components/shared/form/form-buttons'
import { useSave } from '@/components/shared/form/use-save'
import { Dialog } from '@/components/ui/dialog'
import { describedBy, Field } from '@/components/ui/field'
import { Textarea } from '@/components/ui/input'
import { importPrices } from '@/lib/actions/prices'
import { count } from '@/lib/format/format'
import type { StoredPrice } from '@/lib/traces/cost'
import { PRICE_COLUMNS, readPriceCsv } from '@/lib/traces/prices/price-csv'

const SHOWN = 5

type Props = { workspace: string; onClose: () => void; onPrices: (prices: StoredPrice[]) => void }

/** Imports many prices from pasted CSV. */
export function PriceImport({ workspace, onClose, onPrices }: Props) {
  const [text, setText] = useState('')
  const { isBusy, error, save } = useSave<StoredPrice[]>()
  const { prices, problems } = useMemo(() => readPriceCsv(text), [text])

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    void save(() => importPrices({ workspace, prices }), onPrices)
  }
  return (
    <Dialog open onOpenChange={onClose} title="Paste prices">
      <form onSubmit={submit} className="flex flex-col gap-3">
        {error ? <ErrorNotice error={error} /> : null}
        <Field
          id="prices-csv"
          label="CSV"
          hint={`Columns: ${PRICE_COLUMNS.join(', ')}. Add a header line to use another order. Prices with the same model, provider and day are replaced.`}
        >
          <Textarea
            id="prices-csv"
            className="min-h-40 font-mono text-xs"
            value={text}
            placeholder="my-model*,my-provider,1.25,10,0.125,,2026-01-31"
            onChange={({ target }) => setText(target.value)}
            {...describedBy('prices-csv')}
          />
        </Field>
        <div aria-live="polite" className="text-xs">
          {text.trim() === '' ? null : (
            <p>{prices.length === 1 ? '1 price' : `${count(prices.length)} prices`} found</p>
          )}
          {problems.slice(0, SHOWN).map(({ line, reason }) => (
            <p key={line} className="text-error">
              Line {line} skipped: {reason}.
            </p>
          ))}
          {problems.length > SHOWN ? (
            <p className="text-error">And {count(problems.length - SHOWN)} more lines.</p>
          ) : null}
        </div>
        <FormButtons
          verb="Save prices"
          isBusy={isBusy}
          reason={prices.length === 0 ? 'Paste at least one price.' : undefined}
          onClose={onClose}
        />
      </form>
    </Dialog>
  )
}
