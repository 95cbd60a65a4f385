import { LongText } from '@/components/shared/text/long-text'
import { VisibleText } from '@/components/shared/text/visible-text'
import type { OptionFact } from './option-facts'

/** Options by name. A prompt among them is cut until it is asked for. */
export const OptionList = ({ label, facts }: { label: string; facts: readonly OptionFact[] }) =>
  facts.length === 0 ? null : (
    <dl aria-label={label} className="mt-1 space-y-0.5 font-normal text-ink-2 text-xs">
      {facts.map(({ name, value }) => (
        <div key={name} className="flex gap-1.5">
          <dt className="shrink-0 text-ink-3">
            <VisibleText>{name}</VisibleText>
          </dt>
          <dd className="min-w-0 whitespace-pre-wrap break-words">
            {value === undefined ? <span className="text-ink-3">not set</span> : <LongText text={value} limit={120} />}
          </dd>
        </div>
      ))}
    </dl>
  )
