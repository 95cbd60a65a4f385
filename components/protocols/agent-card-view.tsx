'use client'
import { useState } from 'react'
import { JsonTree } from '@/components/shared/json/json-tree'
import { KeyValues } from '@/components/shared/text/key-values'
import { LongText } from '@/components/shared/text/long-text'
import { VisibleText } from '@/components/shared/text/visible-text'
import { Badge } from '@/components/ui/badge'
import { Tabs } from '@/components/ui/tabs'
import type { AgentCard } from '@/lib/contracts/agents/system'
import { isRecord } from '@/lib/json/guards'

/** An agent card as text and as JSON. Its URLs are shown but never opened. */
export function AgentCardView({ card }: { card: AgentCard }) {
  const [view, setView] = useState('card')
  return (
    <section aria-label="Agent card" className="min-w-0 rounded-lg border bg-panel p-4">
      <h2 className="font-semibold text-sm">Agent card</h2>
      <Tabs
        label="Agent card view"
        value={view}
        onValueChange={setView}
        tabs={[
          { value: 'card', label: 'Card' },
          { value: 'json', label: 'JSON' },
        ]}
      >
        {view === 'json' ? (
          <JsonTree value={card} label="Agent card as JSON" className="max-h-[32rem]" />
        ) : (
          <CardSummary card={card} />
        )}
      </Tabs>
    </section>
  )
}

function CardSummary({ card }: { card: AgentCard }) {
  const capabilities = Object.entries(card.capabilities ?? {}).filter(([, value]) => typeof value === 'boolean')
  return (
    <div className="space-y-3">
      <p className="break-words font-medium">
        <VisibleText>{card.name}</VisibleText>
      </p>
      {card.description ? <LongText text={card.description} limit={1_000} className="text-ink-2 text-sm" /> : null}
      <KeyValues
        items={[
          ['Version', card.version],
          ['Protocol', card.protocolVersion],
          ['URL', card.url],
          ['Input types', card.defaultInputModes?.join(', ')],
          ['Output types', card.defaultOutputModes?.join(', ')],
          ['Authentication', isRecord(card.securitySchemes) ? Object.keys(card.securitySchemes).join(', ') : null],
        ]}
      />
      {capabilities.length > 0 ? (
        <ul aria-label="Capabilities" className="flex flex-wrap gap-1">
          {capabilities.map(([name, value]) => (
            <li key={name}>
              <Badge>
                <VisibleText>{`${name}: ${value ? 'yes' : 'no'}`}</VisibleText>
              </Badge>
            </li>
          ))}
        </ul>
      ) : null}
      <Skills skills={card.skills ?? []} />
    </div>
  )
}

const joinTexts = (value: unknown): string =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string').join(', ') : ''

const Skills = ({ skills }: { skills: readonly Readonly<Record<string, unknown>>[] }) =>
  skills.length === 0 ? null : (
    <div>
      <h3 className="font-medium text-xs">Skills</h3>
      <ul className="divide-y">
        {skills.slice(0, 50).map(({ id, name, description, tags, examples }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: ids may repeat, and a card does not change
          <li key={index} className="py-1.5">
            <p className="break-words text-sm">
              <VisibleText>{String(name ?? id ?? 'Unnamed skill')}</VisibleText>
            </p>
            {typeof description === 'string' ? (
              <LongText text={description} limit={500} className="text-ink-2 text-xs" />
            ) : null}
            <p className="break-words text-ink-3 text-xs empty:hidden">
              <VisibleText>
                {[
                  joinTexts(tags) && `Tags: ${joinTexts(tags)}`,
                  joinTexts(examples) && `Examples: ${joinTexts(examples)}`,
                ]
                  .filter(Boolean)
                  .join('. ')}
              </VisibleText>
            </p>
          </li>
        ))}
      </ul>
    </div>
  )
