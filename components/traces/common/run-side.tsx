import { MessagePart } from '@/components/shared/message/message-part'
import { LongText } from '@/components/shared/text/long-text'
import { VisibleText } from '@/components/shared/text/visible-text'
import { StatusBadge } from '@/components/ui/badge'
import { count } from '@/lib/format/format'
import { jsonText } from '@/lib/json/value'
import type { Block } from '@/lib/traces/blocks/message'
import type { Finish } from '@/lib/traces/finish'
import type { Leftover } from '@/lib/traces/leftover'
import { finishLabel, finishTone } from './finish-text'
import { partsOf } from './shown-messages'

type TitleProps = { title: string; amount: number | undefined; noun: string; finish?: Finish | undefined }
/** The title of inputs or outputs, with how many there are and why the model stopped. */
export const SideTitle = ({ title, amount, noun, finish }: TitleProps) => (
  <p className="mb-1.5 flex flex-wrap items-center gap-x-2 font-medium text-ink-2 text-xs">
    {title}
    {amount === undefined ? null : (
      <span className="font-normal text-ink-3">
        {count(amount)} {amount === 1 ? noun : `${noun}s`}
      </span>
    )}
    {finish ? (
      <StatusBadge tone={finishTone(finish)} title="Why the model stopped" className="ml-auto">
        <VisibleText>{finishLabel(finish)}</VisibleText>
      </StatusBadge>
    ) : null}
  </p>
)

export const JsonText = ({ value }: { value: unknown }) => (
  <LongText
    text={typeof value === 'string' ? value : jsonText(value)}
    className="rounded-md border bg-sunken/60 p-2 font-mono text-xs"
  />
)

type FoundProps = { documents: readonly Block[] | undefined; vectors: readonly number[] | undefined; value: unknown }

/** What a retriever found, or how long the vectors of an embedding are. The values themselves are folded. */
export function Found({ documents, vectors = [], value }: FoundProps) {
  const cards = (documents ?? []).flatMap((block) => partsOf(block))
  return (
    <section aria-label="Outputs" className="space-y-1.5">
      <SideTitle
        title="Outputs"
        amount={documents?.length ?? vectors.length}
        noun={documents ? 'document' : 'vector'}
      />
      {cards.map((part, index) =>
        part.kind === 'call' ? null : (
          // biome-ignore lint/suspicious/noArrayIndexKey: documents never change order
          <MessagePart key={index} part={part} isMono={false} isPlain isOpen={false} />
        ),
      )}
      {vectors.length > 0 ? (
        <p className="text-xs">
          {vectors.length === 1 ? '1 vector' : `${count(vectors.length)} vectors`} of{' '}
          {[...new Set(vectors)].slice(0, 5).map(count).join(', ')} dimensions
        </p>
      ) : null}
      <details className="rounded-md border bg-sunken/60 px-2.5 py-1.5">
        <summary className="select-none text-ink-2 text-xs">As logged</summary>
        <JsonText value={value} />
      </details>
    </section>
  )
}

/** Texts that no reader placed, by their path. */
export const Rest = ({ found }: { found: readonly Leftover[] }) => (
  <details className="mt-2 rounded-md border border-dashed px-2.5 py-1.5">
    <summary className="select-none text-ink-3 text-xs">Also logged ({count(found.length)})</summary>
    <dl className="mt-1.5 space-y-1.5 text-xs">
      {found.map(({ path, text }) => (
        <div key={path}>
          <dt className="break-all font-mono text-ink-3">
            <VisibleText>{path}</VisibleText>
          </dt>
          <dd>
            <LongText text={text} />
          </dd>
        </div>
      ))}
    </dl>
  </details>
)
