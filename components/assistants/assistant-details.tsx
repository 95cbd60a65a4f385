import type { ReactNode } from 'react'
import { JsonTree } from '@/components/shared/json/json-tree'
import { KeyValues } from '@/components/shared/text/key-values'
import { RelativeTime } from '@/components/shared/text/relative-time'
import { VisibleText } from '@/components/shared/text/visible-text'
import type { Assistant } from '@/lib/contracts/agents/assistants'

/** The settings of an assistant. */
export const AssistantDetails = ({ assistant: one }: { assistant: Assistant }) => (
  <div className="grid items-start gap-3 lg:grid-cols-2">
    <Part title="About">
      <div className="p-3">
        <KeyValues
          items={[
            ['Name', one.name ? <VisibleText key="name">{one.name}</VisibleText> : null],
            ['Description', one.description ? <VisibleText key="description">{one.description}</VisibleText> : null],
            [
              'Graph',
              <code key="graph" className="font-mono text-xs">
                {one.graph_id}
              </code>,
            ],
            ['Active version', one.version ?? null],
            ['Created', one.created_at ? <RelativeTime key="created" at={one.created_at} /> : null],
            ['Updated', one.updated_at ? <RelativeTime key="updated" at={one.updated_at} /> : null],
          ]}
        />
      </div>
    </Part>
    <JsonPart title="Context" value={one.context} empty="No context. The graph’s defaults apply." />
    <JsonPart title="Configuration" value={one.config} empty="No configuration." />
    <JsonPart title="Metadata" value={one.metadata} empty="No metadata." />
  </div>
)

const Part = ({ title, children }: { title: string; children: ReactNode }) => (
  <section aria-label={title} className="min-w-0 overflow-hidden rounded-lg border bg-panel">
    <h3 className="border-b px-3 py-2 font-semibold text-sm">{title}</h3>
    {children}
  </section>
)

const JsonPart = ({ title, value, empty }: { title: string; value: Record<string, unknown>; empty: string }) => (
  <Part title={title}>
    {Object.keys(value).length === 0 ? (
      <p className="px-3 py-4 text-ink-3 text-sm">{empty}</p>
    ) : (
      <JsonTree value={value} label={title} className="max-h-[26rem]" />
    )}
  </Part>
)
